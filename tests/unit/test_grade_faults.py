"""What the regrade command cannot read: exit code 2, one message that names the place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.grade_command import grade, released_row, rows

GOOD = {"dataset": "math", "output": "1", "gold": "1"}
AGENT = {"prompt": "p", "response": {"think": "t", "answer": "3"}}


def without(key: str) -> str:
    return rows({k: v for k, v in GOOD.items() if k != key})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        (rows(GOOD) + '{"dataset"', "line 2 is not valid JSON"),
        (rows(GOOD) + "\n\n[1]", "line 4 is not a JSON object"),
        ('{"dataset": "math", \n' + rows(GOOD), "line 1 is not valid JSON"),
        ("not JSON", "line 1 is not valid JSON"),
        ("[" * 100_000, "line 1 is not valid JSON"),
        ('{"id": ' + "9" * 5000 + "}", "line 1 is not valid JSON"),
        ('{\n  "results": [\n    {"id":\n', "line 4 is not valid JSON"),
        ("[\n1\n]", "is not a JSON object"),
        (rows(GOOD, GOOD).encode() + b"\xff", "line 3 is not UTF-8"),
        (b"\xff\xfe\x00", "line 1 is not UTF-8"),
        (b"{\n\n\xff}", "line 3 is not valid JSON in UTF-8"),
        (without("gold"), "line 1 has no 'gold'"),
        (without("output"), "line 1 has no 'output'"),
        (without("dataset"), "line 1 has no 'dataset'"),
        (rows(GOOD, {**GOOD, "output": 3}), "line 2: 'output' must be a text"),
        (rows({**GOOD, "output": ["1"]}), "line 1: 'output' must be a text"),
        (rows({**GOOD, "answer": True}), "line 1: 'answer' must be a text"),
        (rows({**GOOD, "gold": ["1"]}), "line 1: 'gold' must be a text"),
        (rows({**GOOD, "gold": None}), "line 1 has no 'gold'"),
        (rows({**GOOD, "id": [1]}), "line 1: 'id' must be"),
        (rows({**GOOD, "options": 3}), "line 1: 'options' must be a list"),
        (rows({**GOOD, "options": [1]}), "line 1: 'options' must be a list"),
        (rows({**GOOD, "dataset": "mth"}), "line 1: unknown dataset 'mth'"),
        (rows({**GOOD, "dataset": 3}), "line 1: 'dataset' must be a text"),
        (rows({**GOOD, "answer_type": "x"}), "line 1: unknown answer type 'x'"),
        (rows({**GOOD, "rounds": []}), "line 1 is no sample"),
        (rows({**GOOD, "rounds": [{"completions": []}]}), "line 1: the last round needs"),
        (rows({**GOOD, "rounds": [{"completions": [{"text": None}]}]}), "line 1: the last round"),
        (json.dumps({"results": []}), "holds no results"),
        (json.dumps({"results": [{"id": 1, "ground_truth": "5"}]}), "does not say which dataset"),
        (json.dumps({"results": [{"id": 1, "ground_truth": "#### 5"}]}), "result 1 is no result"),
        (json.dumps({"results": [released_row(), 3]}), "result 2 is no result"),
        (json.dumps({"results": [released_row(response={"answer": "5"})]}), "result 1: a solution"),
        (json.dumps({"results": [released_row(response=[])]}), "result 1: a solution needs 'think' and 'answer'"),
        (json.dumps({"results": [released_row(ground_truth=None)]}), "does not say which dataset"),
        (json.dumps({"7": {"rounds": [{"agents": [AGENT]}]}}), "holds no gold answers"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, message: str
) -> None:
    code, lines = grade(tmp_path, text)
    assert code == 2
    error = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    assert len(error) == 1 and message in error[0] and "rows.jsonl" in error[0]
    if isinstance(text, str) and text.startswith(rows(GOOD)):
        assert len(lines) == 1, "what was graded before is kept"
