"""The recorded cases of equality, and the gold answers of MATH against themselves and the next."""

from __future__ import annotations

import json

import pytest

from madm2.datasets.load import load_dataset
from madm2.grading.equal import grade
from madm2.grading.extract import extract, gold_answer
from tests.conftest import GOLDEN

CASES = [
    json.loads(line)
    for name in ("grading_cases.jsonl", "more_cases.jsonl")
    for line in (GOLDEN / name).open(encoding="utf-8")
]
TYPES = {"aime": "numeric", "gsm8k": "numeric", "math": "math", "mmlu_pro": "choice"}
WRAPPERS = ["{}", "\\({}\\)", "\\[{}\\]", "${}$", "\\boxed{{{}}}"]

# Neighbours that are equal though written differently: a unit or a percent sign is dropped.
NEXT_ALIKE = {("120^\\circ", "120"), ("7\\%", "7")}


@pytest.mark.parametrize("case", [c for c in CASES if c["kind"] == "equal"], ids=lambda c: c["id"])
def test_equality_cases(case: dict[str, str]) -> None:
    status = grade(gold=case["gold"], prediction=case["output"], answer_type=TYPES[case["dataset"]])
    assert (status == "correct") == case["want"], status


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["kind"] == "extract"], ids=lambda c: c["id"]
)
def test_verdicts_on_completions(case: dict[str, str]) -> None:
    answer_type = TYPES[case["dataset"]]
    answer = extract(case["output"], answer_type=answer_type)
    status = grade(gold=case["gold"], prediction=answer, answer_type=answer_type)
    assert (status == "correct") == case["grade"], (answer, status)


@pytest.fixture(scope="module")
def golds(shared) -> list[str]:
    questions = load_dataset("math", shared / "data")
    return [gold_answer(question.gold, answer_type="math") or "" for question in questions]


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_gold_answers_of_math_equal_themselves(golds: list[str], wrapper: str) -> None:
    wrong = [
        gold
        for gold in golds
        if grade(gold=gold, prediction=wrapper.format(gold), answer_type="math") != "correct"
    ]
    assert not wrong


def test_the_gold_answers_of_math_are_read_back_from_a_tag(golds: list[str]) -> None:
    wrong = []
    for gold in golds:
        answer = extract(f"So it is:\n<answer>\n{gold}\n</answer>", answer_type="math")
        if grade(gold=gold, prediction=answer, answer_type="math") != "correct":
            wrong.append((gold, answer))
    assert not wrong


def test_the_gold_answers_of_math_differ_from_the_next_one(golds: list[str]) -> None:
    alike = {
        (gold, other)
        for gold, other in zip(golds, golds[1:], strict=False)
        if gold != other and grade(gold=gold, prediction=other, answer_type="math") == "correct"
    }
    assert alike == NEXT_ALIKE
