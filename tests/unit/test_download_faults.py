"""Downloads that go wrong: one message that says what to do, and nothing broken left behind."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from madm2.datasets import files
from madm2.datasets.files import only_process
from madm2.datasets.load import load_dataset
from madm2.datasets.registry import DATASETS
from madm2.errors import UserError
from tests.conftest import ROOT
from tests.unit.hub_client import bring, hub, point_client_at, publish
from tests.unit.hub_emulator import Fault, Hub
from tests.unit.hub_rows import WRITERS, source_row

pytest.importorskip("datasets", reason="datasets is not installed")

__all__ = ["hub"]  # the fixture
ALWAYS = 10**6
AMC = ("--dataset_name", "amc12")


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited between tries, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def errors_in(text: str) -> int:
    return ("\n" + text).count("\nerror: ")


def left_over(folder: Path) -> list[str]:
    """What stands where whole datasets stand."""
    return [str(p) for part in ("data", "out") for p in (folder / part).rglob("*") if p.is_file()]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (Fault("HEAD", status=404, headers={"X-Error-Code": "EntryNotFound"}), "the hub has no data/train"),
        (Fault("HEAD", status=404, headers={"X-Error-Code": "RepoNotFound"}), "the hub has no data/train"),
        (Fault("HEAD", status=404, headers={"X-Error-Code": "RevisionNotFound"}), "has no commit 69d78a4a"),
        (Fault("HEAD", status=404), "the hub has no data/train"),
        (Fault("HEAD", status=401, headers={"X-Error-Code": "RepoNotFound"}), "set HF_TOKEN=..."),
        (Fault("HEAD", status=401), "set HF_TOKEN=..."),
        (Fault("HEAD", status=403), "does not give data/train"),
        (Fault("GET", status=403), "does not give data/train"),
        (Fault("HEAD", status=429, headers={"Retry-After": "7"}), "wait 7 s and run this again"),
        (Fault("GET", status=429, headers={"Retry-After": "7"}), "wait 7 s and run this again"),
        (Fault("HEAD", status=429), "wait some minutes and run this again"),
        (Fault("HEAD", status=500), "the hub cannot answer"),
        (Fault("GET", status=503), "the hub cannot answer"),
        (Fault("HEAD", status=418), "the hub refuses data/train"),
        (Fault("HEAD", status=200), "does not answer as the hub does"),
        (Fault("GET", cut_after=0), "no connection to the hub"),
        (Fault("GET", truncate=0), "was cut off on its way"),
        (Fault("GET", alter=True), "came with the wrong checksum"),
    ],
)  # fmt: skip
def test_a_fault_is_one_message_and_passes(
    fault: Fault, says: str, hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(hub, "amc12", 83)
    fault.times = ALWAYS
    hub.faults.append(fault)
    assert bring(tmp_path, *AMC) == 2
    error = capsys.readouterr().err
    assert says in error
    assert errors_in(error) == 1
    assert "\n  fix: " in error.split("error: ")[1]
    assert left_over(tmp_path) == []
    hub.faults.clear()
    assert bring(tmp_path, *AMC) == 0
    assert len(load_dataset("amc12", tmp_path / "out")) == 83


@pytest.mark.parametrize(
    "fault",
    [
        Fault("HEAD", status=429, headers={"Retry-After": "7"}, times=2),
        Fault("GET", status=429, headers={"Retry-After": "7"}, times=2),
        Fault("HEAD", status=503, times=2),
        Fault("GET", status=502, times=2),
        Fault("GET", cut_after=500, times=2),
    ],
)
def test_a_transient_fault_is_waited_out(
    fault: Fault, hub: Hub, tmp_path: Path, waits: list[float]
) -> None:
    publish(hub, "amc12", 83)
    hub.faults.append(fault)
    assert bring(tmp_path, *AMC) == 0
    assert len(load_dataset("amc12", tmp_path / "out")) == 83
    assert fault.times == 0 and waits
    if "Retry-After" in fault.headers:
        assert max(waits) >= 7


def test_a_wait_too_long_for_the_hub_to_ask_is_the_users(
    hub: Hub, tmp_path: Path, waits: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    publish(hub, "amc12", 83)
    # While a file is transferred, a server's error is waited out here in every release.
    hub.faults.append(Fault("GET", status=503, headers={"Retry-After": "86400"}, times=ALWAYS))
    assert bring(tmp_path, *AMC) == 2
    assert "the hub cannot answer" in capsys.readouterr().err
    assert waits == []


def test_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    point_client_at("http://127.0.0.1:9", tmp_path, monkeypatch)
    assert bring(tmp_path, *AMC) == 2
    error = capsys.readouterr().err
    assert "no connection to the hub" in error and "--source DIR" in error
    assert left_over(tmp_path) == []


def test_all_without_a_network_tries_once(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(hub, "amc12", 83)
    assert bring(tmp_path, *AMC) == 0
    point_client_at("http://127.0.0.1:9", tmp_path / "home", monkeypatch)
    assert bring(tmp_path, "--dataset_name", "all") == 2
    out, err = capsys.readouterr()
    assert errors_in(err) == 1 and "error: gsm8k: no connection" in err
    assert "1 of 16 datasets are there; not: gsm8k, math," in out


@pytest.mark.parametrize(
    "written",
    ["train-00000-of-00001.parquet", "source.json", "amc12_test.jsonl", "amc12.meta.json"],
)
def test_a_disk_that_fills_up_leaves_nothing_half_written(
    written: str,
    hub: Hub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    publish(hub, "amc12", 83)
    sync = os.fsync

    def full(handle: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{handle}")).name == f"{written}.partial":
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(handle)

    monkeypatch.setattr(os, "fsync", full)
    assert bring(tmp_path, *AMC) == 2
    error = capsys.readouterr().err
    assert f"/{written}\n  have: No space left on device" in error and "make room" in error
    assert not [name for name in left_over(tmp_path) if "partial" in name or written in name]
    monkeypatch.undo()
    point_client_at(hub.endpoint, tmp_path / "home", monkeypatch)
    assert bring(tmp_path, *AMC) == 0
    assert len(load_dataset("amc12", tmp_path / "out")) == 83


@pytest.mark.parametrize("limit", [1_000, 40_000])
def test_a_disk_that_is_full_for_the_clients(limit: int, hub: Hub, tmp_path: Path) -> None:
    source = DATASETS["amc12"].source
    rows = [source_row("amc12", n, "") | {"problem": f"{n} " + "x" * 1000} for n in range(83)]
    hub.add(source.repo, source.revision, {source.files[0]: WRITERS["parquet"](rows)})
    done = subprocess.run(
        [sys.executable, ROOT / "download_datasets.py", *AMC, "--output_dir", "out"],
        env={
            **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
            "HF_HOME": str(tmp_path / "home"),
            "HF_ENDPOINT": hub.endpoint,
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2
    assert "File too large" in done.stderr and "Traceback" not in done.stderr
    assert errors_in(done.stderr) == 1
    assert not [name for name in left_over(tmp_path) if "/out/" in name or "partial" in name]


def test_a_second_process_waits_and_finds_the_work_done(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(hub, "amc12", 83)
    flock, waiting = fcntl.flock, threading.Event()

    def told(handle: int, operation: int) -> None:
        if operation == fcntl.LOCK_EX:
            waiting.set()
        flock(handle, operation)

    monkeypatch.setattr(files.fcntl, "flock", told)
    codes: list[int] = []
    with only_process(tmp_path / "data" / "amc12"):
        second = threading.Thread(target=lambda: codes.append(bring(tmp_path, *AMC)))
        second.start()
        assert waiting.wait(60), "it does not wait"
        assert hub.requests == [] and codes == []
    second.join(60)
    assert codes == [0]


def test_raw_files_that_were_altered_are_found(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(hub, "amc12", 83)
    assert bring(tmp_path, *AMC, "--raw_only") == 0
    raw = tmp_path / "data/amc12" / DATASETS["amc12"].source.files[0]
    raw.write_bytes(raw.read_bytes()[:-100])
    assert bring(tmp_path, *AMC, "--prepare_only") == 2
    assert "is not what was downloaded" in capsys.readouterr().err
    raw.unlink()
    assert bring(tmp_path, *AMC) == 0


def _own(content: bytes | list[dict[str, object]]) -> bytes:
    if isinstance(content, bytes):
        return content
    return "".join(json.dumps(row) + "\n" for row in content).encode()


ROWS = [source_row("amc12", n, "") for n in range(83)]


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("test.parquet", WRITERS["jsonl"](ROWS), "cannot read"),
        ("test.json", b'[{"id": 1, "prob', "line 1 is not valid JSON"),
        ("test.json", b"null", "row 1 is not a JSON object"),
        ("test.json", b"", "hold no rows"),
        ("test.json", b"[]", "hold no rows"),
        ("test.jsonl", [{**ROWS[0], "id": None}, *ROWS[1:]], "row 2: only some rows have an id"),
        ("test.jsonl", WRITERS["jsonl"](ROWS)[:-9], "line 83 is not valid JSON"),
        ("test.jsonl", b"", "hold no rows"),
        ("test.jsonl", ROWS[:82], "82 rows, the dataset has 83"),
        ("test.jsonl", [*ROWS[:82], ROWS[0]], "row 83: id 0 was used already"),
        ("test.jsonl", [{"id": 1, "question": "?"}], "row 1 has no field 'problem'"),
        ("test.jsonl", [{**ROWS[0], "problem": None}], "row 1 cannot be read"),
        ("test.jsonl", [{**ROWS[0], "problem": " "}], "'query' must be a text that is not empty"),
        ("test.jsonl", [{**ROWS[0], "answer": None}], "'answer' must be a text"),
        ("readme.txt", b"", "does not hold amc12"),
    ],
)
def test_own_files_that_will_not_do_are_named(
    file: str,
    content: bytes | list[dict[str, object]],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / file).write_bytes(_own(content))
    assert bring(tmp_path, *AMC, "--source", str(own)) == 2
    error = capsys.readouterr().err
    assert says in error
    assert errors_in(error) == 1
    assert left_over(tmp_path) == []


def test_several_files_that_could_be_meant_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        (tmp_path / name).write_bytes(_own(list(ROWS)))
    assert bring(tmp_path, *AMC, "--source", str(tmp_path)) == 2
    assert "one.jsonl, two.jsonl" in capsys.readouterr().err


def test_an_answer_that_names_no_option_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"question": "?", "subject": "s", "choices": ["a", "b"], "answer": 2}
    (tmp_path / "mmlu.jsonl").write_text(json.dumps(row))
    assert bring(tmp_path, "--dataset_name", "mmlu", "--source", str(tmp_path)) == 2
    assert "row 1: the answer names no option" in capsys.readouterr().err


@pytest.mark.parametrize("record", ["{", "{}", "[]", "garbage", "", '{"sha256": 5}'])
def test_a_damaged_record_is_written_anew(tmp_path: Path, record: str) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "test.jsonl").write_bytes(_own(ROWS))
    assert bring(tmp_path, *AMC, "--source", str(own)) == 0
    meta = tmp_path / "out" / "amc12" / "amc12.meta.json"
    whole = meta.read_text()
    meta.write_text(record)
    with pytest.raises(UserError, match="is not the record"):
        load_dataset("amc12", tmp_path / "out")
    assert bring(tmp_path, *AMC, "--source", str(own)) == 0
    assert meta.read_text() == whole


def test_rows_never_stand_without_their_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "test.jsonl").write_bytes(_own(ROWS[:5]))
    written: list[str] = []
    replace = os.replace

    def stop_after_the_first(source: Path, target: Path) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(Path(target).name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", stop_after_the_first)
    assert bring(tmp_path, *AMC, "--source", str(own), "--allow_modified_data") == 130
    assert written == ["amc12.meta.json"]


def test_texts_of_json_stay_as_they_are(tmp_path: Path) -> None:
    rows = [{"query": "\ud800?", "answer": "2024-01-01"}, {"query": "b", "answer": 10**22}]
    (tmp_path / "own.json").write_text(json.dumps(rows))
    flags = ["--source", str(tmp_path / "own.json"), "--allow_modified_data"]
    assert bring(tmp_path, *AMC, *flags) == 0
    found = load_dataset("amc12", tmp_path / "out", allow_modified=True)
    assert [(q.query, q.gold) for q in found] == [("\ud800?", "2024-01-01"), ("b", str(10**22))]


@pytest.mark.parametrize(
    "row", [{}, {"options": ["a", "b"], "answer": "Z"}, {"options": ["a", "b"], "answer": "AB"}]
)
def test_a_choice_needs_options_and_its_letter(
    tmp_path: Path, row: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"query": "which?", "answer": "A", **row}]
    (tmp_path / "own.json").write_text(json.dumps(rows))
    flags = ["--dataset_name", "formal_logic", "--source", str(tmp_path / "own.json")]
    assert bring(tmp_path, *flags, "--allow_modified_data") == 2
    assert "is no multiple-choice question" in capsys.readouterr().err
