"""What is read out of short completions of every kind and many languages, one a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.grading.extract import extract

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "extract_cases.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: repr(row["output"][:40]))
def test_what_is_read(row: dict[str, str]) -> None:
    answer = extract(row["output"], answer_type=row["type"], options=row.get("options", ()))
    assert answer == row["want"]
