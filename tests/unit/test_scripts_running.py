"""The scripts that rerun the paper, run: going on, failures, the report, signals."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.paper_scripts import BASH, script

pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")
# Stands for Python: says what it was asked on its output, fails where $FAIL is among the words, and
# waits for a signal where $HANG is.
FAKE = """#!/bin/bash
case "$*" in
    *find_spec*) exit "${NO_REPORT_MODULE:-0}" ;;
    *${FAIL:-no such word}*) echo "failed: $*"; exit 3 ;;
    *${HANG:-no such word}*)
        trap 'echo "stopped by INT"; exit 130' INT
        trap 'echo "stopped by TERM"; exit 143' TERM
        echo started
        while true; do sleep 0.05; done ;;
    *) echo "done: $*" ;;
esac
"""


@pytest.fixture
def fake(tmp_path: Path) -> str:
    path = tmp_path / "a python"
    path.write_text(FAKE)
    path.chmod(0o755)
    return str(path)


def table1(save_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    given = "--datasets arithmetic logic --seeds 41 42 --limit 4 --no_report".split()
    return script(
        "table1", *given, "--save_path", str(save_path), *words, EXTRA="--engine scripted"
    )


def test_table_1_is_made_once(tmp_path: Path) -> None:
    done = table1(tmp_path / "all the runs", "--models", "smollm2-135m")
    assert done.returncode == 0, done.stderr
    results = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("results.json")}
    names = {path.parent.name.partition("_seed")[0] for path in results}
    assert len(results) == 2 * 2 * 5
    assert names == {"cot", "cot_sc_6paths", *(f"mad{mask}_3agents_2rounds" for mask in ("", "_subjective", "_objective"))}  # fmt: skip
    [log] = (tmp_path / "all the runs/main/logs").iterdir()
    assert done.stdout in log.read_text()

    lost = sorted(results)[7]
    shutil.rmtree(lost.parent)
    again = table1(tmp_path / "all the runs", "--models", "smollm2-135m")
    assert again.returncode == 0 and lost.exists()
    for path, time in results.items():
        assert (path.stat().st_mtime_ns == time) == (path != lost)


def test_a_cell_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    done = table1(tmp_path, "--models", "smollm-2", "smollm2-135m", "--methods", "cot")
    assert done.returncode == 1
    assert len(list(tmp_path.rglob("results.json"))) == 2 * 2
    assert "did you mean 'smollm2-135m'?" in done.stdout
    failed = done.stderr.partition("error: 1 of 2 failed:\n")[2].splitlines()
    assert len(failed) == 1 and "table1 smollm-2 cot (exit code 2)" in failed[0]
    log = Path(failed[0].partition("): ")[2])
    assert "did you mean" in log.read_text() and log.is_relative_to(tmp_path)


def test_the_report_comes_last(tmp_path: Path, fake: str) -> None:
    words = ("--models", "a", "b", "--save_path", str(tmp_path / "r"), "--python", fake)
    last = f"done: -m madm2.report {tmp_path}/r/main --tables masks"
    for env, code, reported in (
        ({}, 0, True),
        ({"FAIL": "--model_name a"}, 1, True),
        ({"FAIL": "--model_name"}, 1, False),
        ({"REPORT": "0"}, 0, False),
        ({"NO_REPORT_MODULE": "1"}, 0, False),
    ):
        done = script("figure3", *words, **env)
        assert done.returncode == code
        assert done.stdout.splitlines()[-1].startswith(last) == reported
    done = script("figure3", *words, FAIL="madm2.report")
    assert done.returncode == 1 and "1 of 3 failed:\n  the report (exit code 3)" in done.stderr
    done = script("figure3", *words, DRY_RUN="1")
    assert shlex.split(done.stdout.splitlines()[-1])[2:6] == [fake, "-m", "madm2.report", f"{tmp_path}/r/main"]  # fmt: skip


def test_a_caller_tells_which_script_failed(tmp_path: Path, fake: str) -> None:
    words = ("--models", "a", "--save_path", str(tmp_path / "r"), "--python", fake)
    done = script("run_all_mad_mm_variants", *words, FAIL="objective")
    assert done.returncode == 1
    assert done.stderr.endswith("error: 1 of 2 failed:\n  table1.sh (exit code 1)\n")
    assert "--strict" in done.stdout


@pytest.mark.parametrize("name", ["table1", "run_all_mad_mm_variants"])
@pytest.mark.parametrize("to_all", [False, True], ids=["the script", "its group"])
@pytest.mark.parametrize(
    ("sent", "seen", "code"),
    [(signal.SIGINT, "INT", 130), (signal.SIGTERM, "TERM", 143), (signal.SIGHUP, "TERM", 143)],
)
def test_a_signal_stops_everything(
    tmp_path: Path, fake: str, name: str, to_all: bool, sent: signal.Signals, seen: str, code: int
) -> None:
    process = subprocess.Popen(
        [str(BASH), str(ROOT / "scripts" / f"{name}.sh"), "--models", "one", "two", "three"],
        env={"PATH": os.environ["PATH"], "SAVE_PATH": str(tmp_path / "r"), "PYTHON": fake, "HANG": "two"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout
    before = []
    while not before or before[-1] != "started\n":
        before.append(process.stdout.readline())
        assert before[-1], before
    (os.killpg if to_all else os.kill)(process.pid, sent)
    after, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert after.count(f"stopped by {seen}") == 1 and "goes on from there" in after
    assert "three" not in after and "madm2.report" not in after
    [log] = (tmp_path / "r/main/logs").glob("*-two-*")
    assert log.read_text().endswith(f"stopped by {seen}\n")
