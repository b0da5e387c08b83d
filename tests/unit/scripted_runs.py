"""Runs of the command line on the scripted engine, and what is the same in two of them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

TIMES = {"seconds", "tokens_per_second", "time_consumption", "average_time_per_sample"}


def flags(save_path: Path, *extra: object) -> list[str]:
    words = ["--engine", "scripted", "--dataset", "arithmetic", "--data_dir"]
    words += [
        str(ROOT / "processed_data"),
        "--num_samples",
        "all",
        "--prune_strategy",
        "subjective",
    ]
    return [*words, "--save_path", str(save_path), *map(str, extra)]


def program(save_path: Path, *extra: object) -> list[str]:
    return [sys.executable, str(ROOT / "multi_agent_debate.py"), *flags(save_path, *extra)]


def run_folder(save_path: Path, name: str = "mad_subjective_3agents_2rounds_seed42") -> Path:
    return save_path / "main" / "scripted" / "arithmetic" / name


def without_times(path: Path) -> dict[str, Any]:
    document = json.loads(path.read_text())
    return {key: value for key, value in document.items() if key not in TIMES}


def rows(folder: Path) -> list[bytes]:
    """The whole rows of a journal."""
    try:
        lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [line for line in lines[1:] if line.endswith(b"\n")]


def wait_for(folder: Path, size: int, process: subprocess.Popen[bytes]) -> None:
    """Until the journal has so many bytes, or the process has ended."""
    journal = folder / "journal.jsonl"
    while process.poll() is None:
        if journal.exists() and journal.stat().st_size >= size:
            return
        time.sleep(0.0002)


def same_results(one: Path, other: Path) -> None:
    assert (one / "samples.jsonl").read_bytes() == (other / "samples.jsonl").read_bytes()
    assert without_times(one / "results.json") == without_times(other / "results.json")
    for suffix in (".json", "_debate_log.json"):
        mine, theirs = (without_times(p.with_name(p.name + suffix)) for p in (one, other))
        assert mine == theirs
