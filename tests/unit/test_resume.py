"""A run that is stopped, at any moment and in any way, goes on and ends as if it had not been."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from madm2.cli import main
from tests.conftest import ROOT

TIMES = {"seconds", "tokens_per_second", "time_consumption", "average_time_per_sample"}
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
    _, err = process.communicate()
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
    process.communicate()
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
    assert "was cut off" in capsys.readouterr().err
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


def test_a_finished_run_answers_without_an_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(flags(tmp_path, "--limit", 5)) == 0
    first = capsys.readouterr().out
    before = {
        p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.json*") if p.name != "manifest.json"
    }
    monkeypatch.setattr("madm2.run._debate", None)
    assert main(flags(tmp_path, "--limit", 5)) == 0
    assert capsys.readouterr().out == first
    assert {p: p.stat().st_mtime_ns for p in before} == before
    manifest = json.loads((run_folder(tmp_path) / "manifest.json").read_text())
    assert len(manifest["sessions"]) == 2


def test_more_questions_go_on_from_what_is_there(tmp_path: Path) -> None:
    assert main(flags(tmp_path / "a", "--limit", 5)) == 0
    former = rows(run_folder(tmp_path / "a"))
    assert main(flags(tmp_path / "a", "--limit", 9)) == 0
    assert rows(run_folder(tmp_path / "a"))[: len(former)] == former
    assert main(flags(tmp_path / "b", "--limit", 9)) == 0
    same_results(run_folder(tmp_path / "a"), run_folder(tmp_path / "b"))


def test_overwrite_moves_the_former_run_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run_folder(tmp_path)
    assert main(flags(tmp_path, "--limit", 5)) == 0
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    for number in (1, 2):
        assert main(flags(tmp_path, "--limit", 2, "--overwrite")) == 0
        assert f"{folder.name}.old{number}" in capsys.readouterr().err
    old = folder.with_name(f"{folder.name}.old1")
    assert {p.name: p.read_bytes() for p in old.iterdir()} == before
    assert old.with_name(f"{old.name}_debate_log.json").is_file()
    assert len((folder / "samples.jsonl").read_text().splitlines()) == 2


def test_a_run_without_its_manifest_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(tmp_path, "--limit", 2)) == 0
    manifest = run_folder(tmp_path) / "manifest.json"
    for damage in (
        manifest.unlink,
        lambda: manifest.write_text("{"),
        lambda: manifest.write_text("{}"),
    ):
        damage()
        assert main(flags(tmp_path, "--limit", 2)) == 2
        err = capsys.readouterr().err
        assert "manifest.json" in err and "--overwrite" in err
    assert main(flags(tmp_path, "--limit", 2, "--overwrite")) == 0


def test_the_manifest_says_how_a_run_was_made(tmp_path: Path) -> None:
    assert main(flags(tmp_path, "--limit", 2, "--set", "temperature=0.5")) == 0
    folder = run_folder(tmp_path, "mad_subjective_3agents_2rounds_seed42_temperature-0.5")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert "--set" in manifest["command"]
    assert manifest["arguments"]["set"] == ["temperature=0.5"]
    assert manifest["settings"]["model"]["sampling"]["temperature"] == 0.5
    assert (
        len(manifest["settings"]["data_sha256"])
        == len(manifest["settings"]["prompts_sha256"])
        == 64
    )
    assert manifest["engine"]["engine"] == "scripted"
    here = manifest["environment"]
    assert here["python"] and here["platform"] and here["packages"]["sympy"]
    assert len(here["code_sha256"]) == 64
    if (ROOT / ".git").exists() and shutil.which("git"):
        assert len(here["git"]["commit"]) == 40 and here["git"]["dirty"] in (True, False)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    tmp_path.chmod(0o500)
    try:
        done = subprocess.run(program(tmp_path), capture_output=True, text=True)
    finally:
        tmp_path.chmod(0o700)
    assert done.returncode == 2 and "Permission denied" in done.stderr
