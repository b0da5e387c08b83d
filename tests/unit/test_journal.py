"""The journal's file: what is whole in it survives, what is damaged is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.errors import UserError
from madm2.journal import Journal, Record
from madm2.types import Completion, LogprobSummary, RequestKey

texts = st.text(st.characters(), max_size=40)
floats = st.floats(allow_nan=False, allow_infinity=False)
keys = st.builds(
    RequestKey,
    st.one_of(st.integers(), texts),
    st.integers(1, 9),
    st.sampled_from(["answer", "judge", "x"]),
    st.integers(0, 9),
    st.integers(0, 3),
)
completions = st.builds(
    Completion,
    keys,
    texts,
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.builds(LogprobSummary, st.integers(0, 10**6), floats, floats),
    st.sampled_from(["stop", "length"]),
    st.integers(0, 2**31 - 1),
    texts,
)
records = st.builds(
    Record,
    completions,
    texts,
    st.dictionaries(texts, floats, max_size=3),
    st.lists(keys, max_size=3).map(tuple),
    st.lists(st.tuples(texts, st.integers(), st.integers()), max_size=2).map(tuple),
    st.integers(0, 10**9).map(lambda milliseconds: milliseconds / 1000),
    st.booleans(),
)


def record(question: int | str = 1, agent: int = 0, text: str = "four") -> Record:
    key = RequestKey(question, 1, "answer", agent)
    completion = Completion(key, text, 5, 1, LogprobSummary(1, -0.5, -0.25), "stop", 7, "abc")
    return Record(completion, "hash", {"temperature": 1.0}, (), (), float(agent))


def write(path: Path, *batches: list[Record]) -> None:
    journal = Journal(path)
    for batch in batches:
        journal.append(batch)
    journal.close()


@given(rows=st.lists(records, max_size=6, unique_by=lambda r: r.completion.key))
def test_what_is_recorded_reads_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Record]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal.jsonl"
    write(path, rows[:2], rows[2:])
    journal = Journal(path)
    assert list(journal) == [row.completion.key for row in rows]
    assert [journal.read(row.completion.key) for row in rows] == rows
    assert journal.seconds == max((row.seconds for row in rows), default=0.0)
    journal.close()


def test_a_record_can_be_read_before_the_journal_is_closed(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append([record(1), record("1"), record(2)])
    assert journal.read(RequestKey("1", 1, "answer", 0)) == record("1")
    # Unbuffered: another process, or the next one after a kill, sees it too.
    assert len(Journal(journal.path, read_only=True)) == 3
    journal.close()


def test_the_file_cut_at_any_byte_keeps_every_whole_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, [record(1), record(2), record(3, text="\ud800é")])
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        journal = Journal(path)
        kept = sum(end <= size for end in ends)
        assert len(journal) == max(kept - 1, 0)
        torn = size not in (0, *ends)
        assert ("was damaged" in capsys.readouterr().err) == torn
        journal.append([record(9)])
        journal.close()
        assert RequestKey(9, 1, "answer", 0) in Journal(path)


@pytest.mark.parametrize(
    "line",
    [b"garbage", b"{}", b"[]", b'{"key": [1]}', b"\x00" * 50, b'{"key": [[], 1, "answer", 0, 0]}', b"\xff", b""],
)  # fmt: skip
def test_a_damaged_line_is_named_in_the_middle_and_dropped_at_the_end(
    tmp_path: Path, line: bytes
) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, [record(1), record(2)])
    header, first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + first + line + b"\n" + second)
    with pytest.raises(UserError, match="line 3 is damaged"):
        Journal(path)
    assert path.read_bytes() == header + first + line + b"\n" + second, "it is left as it is"
    path.write_bytes(header + first + second + line + b"\n")
    assert len(Journal(path)) == 2
    assert path.read_bytes() == header + first + second


@pytest.mark.parametrize(
    ("name", "value"),
    [("seconds", "a"), ("output_tokens", "x"), ("text", None), ("logprobs", {"count": 1, "sampled_sum": None, "top_sum": 0})],
)  # fmt: skip
def test_a_value_of_another_kind_is_damage(tmp_path: Path, name: str, value: object) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, [record(1), record(2)])
    header, first, second = path.read_text().splitlines()
    changed = json.dumps({**json.loads(first), name: value})
    path.write_text("\n".join([header, changed, second, ""]))
    with pytest.raises(UserError, match="line 2 is damaged"):
        Journal(path)


def test_a_repeated_last_line_is_named_too(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, [record(1), record(2)])
    with path.open("ab") as file:
        file.write(path.read_bytes().splitlines(keepends=True)[1])
    with pytest.raises(UserError, match="line 4 records question 1"):
        Journal(path)


def test_reading_only_leaves_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, [record(1), record(2)])
    torn = path.read_bytes()[:-4]
    path.write_bytes(torn)
    assert len(Journal(path, read_only=True)) == 1
    assert path.read_bytes() == torn


def test_a_key_that_stands_twice_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, [record(1), record(2)])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, lines[1], lines[2].replace(b"[2, ", b"[3, ")]))
    with pytest.raises(UserError, match="line 4 records question 1, round 1, answer, agent 0 a"):
        Journal(path)


@pytest.mark.parametrize("header", ['{"journal": 2}', "{}", "[]", "garbage", ""])
def test_a_header_of_another_kind_is_refused(tmp_path: Path, header: str) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(header + "\n")
    with pytest.raises(UserError, match="line 1"):
        Journal(path)
    assert path.read_text() == header + "\n"


def test_the_rows_say_what_a_reader_expects(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    write(path, [record(17, 2)])
    header, row = map(json.loads, path.read_text().splitlines())
    assert header == {"journal": 1}
    assert row["key"] == [17, 1, "answer", 2, 0]
    assert {"seed", "text", "finish_reason", "input_tokens", "output_tokens", "logprobs"} <= set(
        row
    )
    assert row["logprobs"] == {"count": 1, "sampled_sum": -0.5, "top_sum": -0.25}
