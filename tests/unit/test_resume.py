"""A run that is stopped, at any moment and in any way, goes on and ends as if it had not been."""

from __future__ import annotations

import json
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from madm2.cli import main
from tests.conftest import ROOT
from tests.unit.scripted_runs import flags, program, rows, run_folder, same_results, wait_for

# An engine that stops answering after some steps, so that a signal finds a run in its middle.
STALLING = """
import sys, time
from madm2.engines.scripted import ScriptedEngine
step, steps = ScriptedEngine.step, iter(range(10**9))
def stall(self):
    if next(steps) >= 2:
        {then}
    return step(self)
ScriptedEngine.step = stall
from madm2.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    save_path = tmp_path_factory.mktemp("uninterrupted")
    subprocess.run(program(save_path), check=True, capture_output=True)
    return run_folder(save_path)


def test_killed_at_random_moments(tmp_path: Path) -> None:
    data = tmp_path / "sums.jsonl"
    with data.open("w") as file:
        for i in range(1500):
            file.write(json.dumps({"query": f"What is {i} + 30?", "answer": str(i + 30)}) + "\n")

    def command(save_path: Path) -> list[str]:
        words = ["--engine", "scripted", "--dataset_path", data, "--answer_type", "numeric"]
        words += [
            "--prune_strategy",
            "subjective",
            "--save_path",
            save_path,
            "--num_samples",
            "all",
        ]
        return [sys.executable, str(ROOT / "multi_agent_debate.py"), *map(str, words)]

    subprocess.run(command(tmp_path / "whole"), check=True, capture_output=True)
    name = "main/scripted/sums/mad_subjective_3agents_2rounds_seed42"
    folder, whole = tmp_path / "killed" / name, tmp_path / "whole" / name
    size = (whole / "journal.jsonl").stat().st_size
    rng = random.Random(5)
    former: list[bytes] = []
    for _ in range(36):
        process = subprocess.Popen(command(tmp_path / "killed"), stderr=subprocess.PIPE)
        # A little more each time, so that every kill finds the run unfinished.
        wait_for(folder, sum(map(len, former)) + rng.randint(0, size // 60), process)
        process.kill()
        assert process.wait() == -signal.SIGKILL, process.stderr.read()
        process.stderr.close()
        now = rows(folder)
        assert now[: len(former)] == former, "what was recorded stays"
        former = now
    assert former and not (folder / "results.json").exists()
    subprocess.run(command(tmp_path / "killed"), check=True, capture_output=True)
    same_results(folder, whole)
    assert rows(folder)[: len(former)] == former
    keys = Counter(str(json.loads(row)["key"]) for row in rows(folder))
    assert len(keys) == len(rows(whole)) and set(keys.values()) == {1}


@pytest.mark.parametrize(
    ("number", "code", "name"), [(signal.SIGINT, 130, "SIGINT"), (signal.SIGTERM, 143, "SIGTERM")]
)
def test_a_signal_ends_a_run_cleanly(
    tmp_path: Path, uninterrupted: Path, number: int, code: int, name: str
) -> None:
    command = [sys.executable, "-c", STALLING.format(then="time.sleep(100)"), *flags(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    wait_for(run_folder(tmp_path), 50_000, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=90)
    assert process.returncode == code
    assert err.splitlines()[-1].startswith("interrupted: ") and "Traceback" not in err
    assert len(err.splitlines()) == 1
    assert main(flags(tmp_path)) == 0
    same_results(run_folder(tmp_path), uninterrupted)


def test_a_second_interrupt_stops_at_once(tmp_path: Path) -> None:
    # The engine hangs while it is closed, too.
    code = STALLING.format(then="time.sleep(100)").replace(
        "ScriptedEngine.step = stall",
        "ScriptedEngine.step = stall\n"
        "def close(self): print('closing', flush=True); time.sleep(100)\n"
        "ScriptedEngine.close = close",
    )
    command = [sys.executable, "-c", code, *flags(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    wait_for(run_folder(tmp_path), 50_000, process)
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == b"closing\n"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=90)
    assert process.returncode == -signal.SIGINT
    assert len(rows(run_folder(tmp_path))) == 128


def test_an_engine_that_fails(tmp_path: Path, uninterrupted: Path) -> None:
    command = [sys.executable, "-c", STALLING.format(then="raise RuntimeError('CUDA error: lost')")]
    done = subprocess.run([*command, *flags(tmp_path)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1
    message = done.stderr[done.stderr.index("error: the engine failed") :]
    assert message.startswith("error: the engine failed on question ")
    assert "RuntimeError: CUDA error: lost" in message and "the same command" in message
    assert len(rows(run_folder(tmp_path))) == 128
    assert main(flags(tmp_path)) == 0
    same_results(run_folder(tmp_path), uninterrupted)


@pytest.mark.parametrize("size", [20, 3_000, 100_000, 600_000])
def test_a_full_disk(tmp_path: Path, uninterrupted: Path, size: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    done = subprocess.run(
        program(tmp_path), preexec_fn=limit, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "File too large" in done.stderr and "make room" in done.stderr
    assert "Traceback" not in done.stderr
    former = rows(run_folder(tmp_path))
    assert main(flags(tmp_path)) == 0
    assert rows(run_folder(tmp_path))[: len(former)] == former
    same_results(run_folder(tmp_path), uninterrupted)


def test_a_truncated_journal_and_a_garbage_line(
    tmp_path: Path, uninterrupted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(tmp_path)) == 0
    folder = run_folder(tmp_path)
    journal = folder / "journal.jsonl"
    whole = journal.read_bytes()
    (folder / "results.json").unlink()
    journal.write_bytes(whole[: len(whole) // 2])
    capsys.readouterr()
    assert main(flags(tmp_path)) == 0
    assert "was damaged" in capsys.readouterr().err
    same_results(folder, uninterrupted)
    assert len(rows(folder)) == len(rows(uninterrupted))

    (folder / "results.json").unlink()
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[4] = lines[4][:50] + b"\n"
    journal.write_bytes(b"".join(lines))
    assert main(flags(tmp_path)) == 2
    assert "journal.jsonl, line 5 is damaged" in capsys.readouterr().err
    journal.write_bytes(b"".join(lines[:4] + lines[5:]))  # as the message says
    assert main(flags(tmp_path)) == 0
    same_results(folder, uninterrupted)


@pytest.mark.parametrize("left", ["partial", "samples.jsonl", "nothing", "another version's"])
def test_samples_of_before_are_kept_only_where_they_are_right(
    tmp_path: Path, uninterrupted: Path, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = run_folder(tmp_path)
    shutil.copytree(uninterrupted, folder)
    samples = folder / "samples.jsonl"
    (folder / "results.json").unlink()
    lines = samples.read_bytes().splitlines(keepends=True)
    marked = [line.replace(b'"status": "', b'"status": "was ', 1) for line in lines]
    if left == "partial":
        samples.unlink()
        (folder / "samples.jsonl.partial").write_bytes(b"".join(marked[:7]) + lines[8][:99])
    elif left == "samples.jsonl":
        samples.write_bytes(b"".join(marked[:7]) + b"".join(lines[8:]))
    elif left == "nothing":
        samples.unlink()
    else:
        samples.write_bytes(b"".join(marked))
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["environment"]["code_sha256"] = "another"
        (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(flags(tmp_path)) == 0
    kept = 7 if left in ("partial", "samples.jsonl") else 0
    assert samples.read_bytes() == b"".join(marked[:kept] + lines[kept:])
