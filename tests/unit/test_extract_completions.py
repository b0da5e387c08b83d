"""Completions in the way that models write them, each with the answer a careful reader takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.grading.extract import extract

# One completion a line: its answer type, its text, the answer wanted (null: there is none), and
# the options of a multiple-choice question where the reader knows them.
ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "completions.jsonl").read_text("utf-8").splitlines()
]
NAMES = [f"{number}-{row['output'][-30:]!r}" for number, row in enumerate(ROWS, 1)]
ENDINGS = [
    "\n", "\n\n", "<|im_end|>", "<|im_end|>\n<|endoftext|>", "</s>", "\n\nI hope this helps!",
    "\nI hope this helps! Let me know if you have any questions.",
]  # fmt: skip


def _read(row: dict[str, str], ending: str = "") -> str | None:
    return extract(row["output"] + ending, answer_type=row["type"], options=row.get("options", ()))


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_what_is_read(row: dict[str, str]) -> None:
    assert _read(row) == row["want"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_how_a_text_ends_never_changes_what_is_read(ending: str) -> None:
    changed = [row["output"] for row in ROWS if _read(row, ending) != row["want"]]
    assert changed == []


def test_a_hope_after_a_finished_sentence_never_changes_what_is_read() -> None:
    finished = [row for row in ROWS if row["output"].endswith((".", "$", "。", ">", "!"))]
    assert len(finished) > 200
    changed = [r["output"] for r in finished if _read(r, " I hope it is correct.") != r["want"]]
    assert changed == []
