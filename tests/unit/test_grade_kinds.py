"""A difference between the two verdicts is named by its kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.grade.record import Record
from madm2.grade.regrade import regrade
from madm2.types import AnswerType, Question


def difference(gold: str, *texts: str, answer_type: AnswerType = "math") -> str:
    dataset = {"math": "math", "numeric": "gsm8k", "choice": "mmlu_pro", "text": "mine"}[
        answer_type
    ]
    question = Question(1, dataset, "", gold, answer_type)
    return regrade(Record(question, texts)).difference


@pytest.mark.parametrize(
    ("gold", "text", "kind"),
    [
        ("\\frac{1}{2}", "<answer>\\(\\frac{1}{2}\\)</answer>", "math delimiters are not dropped"),
        ("7", "<answer>\\[7\\]</answer>", "math delimiters are not dropped"),
        ("7", "<answer>\n7\n</answer>", "the answer stands on a line of its own in its tag"),
        ("7", "\\boxed{7}\nThe end", ""),
        ("7", "<answer></answer>\nThe answer is 7.", "the released rules read no answer"),
        ("7", "The answer is 7.\nThe end is near.", "another answer was read"),
        ("12\\text{ cm}", "\\boxed{12}", "units and signs are not dropped"),
        ("90^\\circ", "\\boxed{90}", "units and signs are not dropped"),
        ("\\frac{11}{4}", "\\boxed{2\\frac{3}{4}}", "equal in value, not in form"),
        ("9^{9^{9^{9}}}", "\\boxed{9^{9^{9^{9}}}\\text{ cm}}", "the released comparison did not end in time"),
        ("(1,2)", "\\boxed{(2,1)}", "order or brackets are ignored"),
        ("[0,1)", "\\boxed{(0,1]}", "order or brackets are ignored"),
        ("10000", "\\boxed{10001}", "differs by less than 1 in 10,000"),
        ("101_2", "\\boxed{101_3}", "subscripts are ignored"),
        ("11011_2", "\\boxed{11011_3}", "subscripts are ignored"),
        ("4,6", "\\boxed{46}", "commas are dropped"),
        ("\\text{Brian}", "\\boxed{\\text{Brain}}", "the released parser reads it otherwise"),
        ("7", "\\boxed{7}", ""),
        ("7", "\\boxed{8}", ""),
    ],
)  # fmt: skip
def test_kinds_of_one_answer(gold: str, text: str, kind: str) -> None:
    assert difference(gold, text) == kind


def test_kinds_of_other_types() -> None:
    assert (
        difference("B", "I hope it is C, or B", answer_type="choice") == "our rules read no answer"
    )
    assert (
        difference("A", "<answer>A</answer> not B", answer_type="choice")
        == "another answer was read"
    )
    assert (
        difference("4", "\\boxed{3/4}", answer_type="numeric") == "only the last number is compared"
    )
    assert difference("18", "18 or 20 is 2 less", answer_type="numeric") == ""
    assert difference("", "nothing", answer_type="text") == ""


def test_kinds_of_a_vote() -> None:
    texts = ["\\boxed{1/2}", "\\boxed{\\frac12}", "\\boxed{3}", "\\boxed{3}", "\\boxed{0.5}"]
    assert difference("\\frac{1}{2}", *texts) == "another answer was voted"
    assert difference("3", *texts) == "another answer was voted"
    assert difference("7", *["<answer>\\(7\\)</answer>"] * 3) == "math delimiters are not dropped"


def test_it_is_written_where_the_verdicts_differ(tmp_path: Path) -> None:
    question = Question(1, "math", "", "7", "math")
    line = regrade(Record(question, ("<answer>\\(7\\)</answer>",))).line()
    assert json.loads(json.dumps(line))["difference"] == "math delimiters are not dropped"
    assert "difference" not in regrade(Record(question, ("\\boxed{7}",))).line()
