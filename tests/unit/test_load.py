from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.datasets.load import load_dataset, load_file
from madm2.errors import UserError

ROW = '{"id": 1, "query": "q", "answer": "a"}'


def test_rows_become_questions(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [
        {"id": "a1", "query": "One?", "answer": "A", "options": ["x", "y"]},
        {"id": 2, "query": "Two?", "answer": 7, "level": "ignored"},
        {"id": 3, "query": "Three?", "answer": 10**400},
    ]
    path.write_text("\ufeff" + "\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    first, second, third = load_file(path, "x", "choice")
    assert (first.id, first.query, first.gold, first.options) == ("a1", "One?", "A", ("x", "y"))
    assert (second.id, second.gold, second.options) == (2, "7", ())
    assert third.gold == "1" + "0" * 400


def test_rows_without_ids_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"query": "q", "answer": "a"}\n{"query": "r", "answer": "b"}')
    assert [q.id for q in load_file(path, "x", "text")] == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no questions"),
        ("\n \n", "holds no questions"),
        (ROW + '\n{"id": 2, "query": "q", "ans', "line 2 is not valid JSON"),
        (ROW + "\n[1]", "line 2 is not a JSON object"),
        (ROW + '\n{"id": 2, "query": "q"}', "line 2 has no 'answer'"),
        (ROW + '\n{"id": 2, "answer": "q"}', "line 2 has no 'query'"),
        (ROW + '\n{"id": 2, "query": " ", "answer": "q"}', "line 2: 'query' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": null}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": true}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": NaN}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": 1e999}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": ' + "9" * 5000 + "}", "is not valid JSON"),
        (ROW + '\n{"id": "1", "query": "q", "answer": "a"}', "was used on line 1"),
        (ROW + '\n{"query": "q", "answer": "a"}', "line 2: only some rows have an id"),
        (ROW + '\n{"id": 1.5, "query": "q", "answer": "a"}', "line 2: 'id' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": "a", "options": "ab"}', "'options' must be"),
        (b"\xff\xfe", "line 1 is not UTF-8"),
        ("[" * 100_000, "line 1 is not valid JSON"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError) as error:
        load_file(path, "x", "text")
    assert message in str(error.value)


def test_missing_data_says_where_it_should_be(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="gsm8k_test.jsonl"):
        load_dataset("gsm8k", tmp_path)


@pytest.mark.parametrize(
    ("name", "rows"), [("gsm8k", 1319), ("math", 5000), ("aime24", 30), ("aime25", 30)]
)
def test_the_real_sets_load(shared: Path, name: str, rows: int) -> None:
    assert len(load_dataset(name, shared / "data")) == rows
