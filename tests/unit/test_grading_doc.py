"""Every row of the table in docs/grading.md holds."""

from __future__ import annotations

import re

import pytest

from madm2.grading.equal import grade
from tests.conftest import ROOT

ROW = re.compile(r"\| (\w+) \| (.+?) \| `(.+?)` \| `(.+?)` \| (yes|no) \|")
LINES = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8").splitlines()
TABLE = [line for line in LINES if line.startswith("| ")][1:]


@pytest.mark.parametrize("line", TABLE)
def test_row(line: str) -> None:
    row = ROW.fullmatch(line)
    assert row, "not of the form | type | kind | `gold` | `prediction` | yes or no |"
    answer_type, _, gold, prediction, wanted = row.groups()
    status = grade(gold=gold, prediction=prediction, answer_type=answer_type)
    assert status == ("correct" if wanted == "yes" else "incorrect")


def test_the_table_covers_every_type() -> None:
    assert {ROW.fullmatch(line)[1] for line in TABLE} == {"math", "numeric", "choice", "text"}
