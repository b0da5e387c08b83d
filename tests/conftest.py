"""Shared fixtures: questions, the shared folder of real data, and a debate on the scripted engine."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from madm2.types import Question

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(__file__).resolve().parent / "golden"


@pytest.fixture(scope="session", autouse=True)
def interrupts_are_heeded() -> None:
    """In the background of a script SIGINT is ignored, and programs started here would inherit it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and recorded runs beside the checkout; not part of the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the shared data folder (../shared) is not here")
    return folder


@pytest.fixture(autouse=True)
def no_gpu_choice_leaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run sets CUDA_VISIBLE_DEVICES in this process; undo it after each test."""
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", os.environ["CUDA_VISIBLE_DEVICES"])
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES")


@pytest.fixture
def sums() -> list[Question]:
    """Twelve numeric questions."""
    return [
        Question(i, "arithmetic", f"What is {i} + 30?", str(i + 30), "numeric") for i in range(12)
    ]


@pytest.fixture(scope="session")
def report_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs for reports: three masks under two seeds, and CoT-SC with six paths; not to be changed."""
    from tests.unit.report_runs import run

    root = tmp_path_factory.mktemp("report_runs")
    for seed in (41, 42):
        for strategy in ("naive", "subjective", "objective"):
            run(root, "--prune_strategy", strategy, "--seed", str(seed))
        run(root, "--method", "cot_sc", "--seed", str(seed))
    return root
