"""Equal answers are one cluster, whatever their order and their spelling."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madm2.grading import worker
from madm2.grading.clusters import clusters

CASES = [
    ("math", ["1/2", "\\frac12", "0.5"], [0, 0, 0]),
    ("math", ["1/2", "2", "\\frac12", None, "2.0"], [0, 1, 0, None, 1]),
    ("math", [None, "x+1", "1+x", ""], [None, 0, 0, None]),
    ("math", ["(1,2)", "(2,1)", "1,2", "2,1"], [0, 1, 2, 2]),
    ("math", ["\\text{even}", "odd", "even"], [0, 1, 0]),
    ("math", ["2\\sqrt3", "\\sqrt{12}", "√12", "3.46"], [0, 0, 0, 1]),
    ("numeric", ["18", "$18.00", "18 dollars", "81"], [0, 0, 0, 1]),
    ("choice", ["A", "b", "(A)", "B.", None], [0, 1, 0, 1, None]),
    ("text", ["Paris", "paris.", "London"], [0, 0, 1]),
    ("math", [], []),
    ("math", [None, None], [None, None]),
]


@pytest.mark.parametrize(("answer_type", "answers", "wanted"), CASES)
def test_clusters(answer_type: str, answers: list[str | None], wanted: list[int | None]) -> None:
    assert clusters(answers, answer_type=answer_type) == wanted


def test_the_text_of_an_option_is_its_letter() -> None:
    answers = ["B", "Banana", "Apple"]
    assert clusters(answers, answer_type="choice", options=("Apple", "Banana")) == [0, 0, 1]


@pytest.mark.parametrize("error", [worker.WorkerTimeout, worker.WorkerError])
def test_what_cannot_be_decided_is_different(monkeypatch, error: type[Exception]) -> None:
    def call(*args: object, **kwargs: object) -> None:
        raise error("for the test")

    monkeypatch.setattr(worker, "call", call)
    answers = ["x^2-1", "(x-1)(x+1)", "x^2-1"]
    assert clusters(answers, answer_type="math") == [0, 1, 0]


answers = st.lists(
    st.sampled_from(["1/2", "0.5", "x+1", "1+x", "2\\sqrt3", "√12", "(1,2)", "odd", None]),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(answers, st.randoms())
def test_order_changes_the_numbers_but_not_the_groups(answers: list[str | None], random) -> None:
    def groups(given: list[str | None]) -> set[frozenset[str]]:
        found: dict[int, set[str]] = {}
        for answer, number in zip(given, clusters(given, answer_type="math"), strict=True):
            if answer is not None and number is not None:
                found.setdefault(number, set()).add(answer)
        return {frozenset(group) for group in found.values()}

    numbers = [n for n in clusters(answers, answer_type="math") if n is not None]
    assert list(dict.fromkeys(numbers)) == list(range(len(set(numbers))))
    shuffled = answers.copy()
    random.shuffle(shuffled)
    assert groups(shuffled) == groups(answers)
