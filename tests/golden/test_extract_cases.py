from __future__ import annotations

import json

import pytest

from madm2.datasets.load import load_dataset
from madm2.grading.extract import extract, gold_answer
from tests.conftest import GOLDEN

CASES = [
    json.loads(line)
    for name in ("grading_cases.jsonl", "more_cases.jsonl")
    for line in (GOLDEN / name).open(encoding="utf-8")
]
TYPES = {"aime": "numeric", "gsm8k": "numeric", "math": "math", "mmlu_pro": "choice"}


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["kind"] == "extract"], ids=lambda c: c["id"]
)
def test_extraction_cases(case: dict[str, object]) -> None:
    assert extract(case["output"], answer_type=TYPES[case["dataset"]]) == case["want"]


@pytest.mark.parametrize("name", ["gsm8k", "math", "aime24", "aime25"])
def test_every_gold_of_the_real_sets_has_an_answer(shared, name: str) -> None:
    for question in load_dataset(name, shared / "data"):
        answer = gold_answer(question.gold, answer_type=question.answer_type)
        assert answer, question.id
        if name != "math":
            assert answer.replace(".", "").lstrip("-").isdigit(), (question.id, answer)
