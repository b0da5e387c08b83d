"""Pairs of answers that are equal and pairs that are not, by kind."""

from __future__ import annotations

import pytest

from madm2.grading import worker
from madm2.grading.equal import equal, grade
from tests.conftest import GOLDEN

# One line a pair, by kind: gold ~ prediction.
EQUAL = (GOLDEN / "pairs_equal.txt").read_text(encoding="utf-8")
DIFFERENT = (GOLDEN / "pairs_different.txt").read_text(encoding="utf-8")


def pairs(table: str) -> list[tuple[str, str]]:
    lines = [line for line in table.strip().splitlines() if not line.startswith("#")]
    return [(gold, prediction) for gold, _, prediction in (line.partition(" ~ ") for line in lines)]


def check(gold: str, prediction: str, answer_type: str) -> bool:
    return equal(gold=gold, prediction=prediction, answer_type=answer_type)


@pytest.mark.parametrize(("gold", "prediction"), pairs(EQUAL))
def test_equal(gold: str, prediction: str) -> None:
    assert check(gold, prediction, "math")


@pytest.mark.parametrize(("gold", "prediction"), pairs(DIFFERENT))
def test_different(gold: str, prediction: str) -> None:
    assert not check(gold, prediction, "math")


def test_the_tables_are_large() -> None:
    assert len(pairs(EQUAL)) + len(pairs(DIFFERENT)) >= 200


NUMERIC = [
    ("18", "$18.00", True),
    ("5", "5 apples", True),
    ("25", "m+n=25", True),
    ("073", "73", True),
    ("33", "033", True),
    ("336", "336^\\circ", True),
    ("1234", "1,234", True),
    ("70000", "$70,000", True),
    ("20", "20%", True),
    ("0.5", "1/2", True),
    ("18", "\\frac{36}{2}", True),
    ("18", "x = 18", True),
    ("18", "9 * 2 = 18", True),
    ("10", "\\boxed{10}", True),
    ("-3", "−3", True),
    ("3.5", "3 1/2", True),
    ("16", "\\sqrt{256}", True),
    ("4", "3/4", False),
    ("3", "3/4", False),
    ("5", "25", False),
    ("11", "711", False),
    ("25", "-25", False),
    ("18", "18.5", False),
    ("18", "17.9999", False),
    ("12", "1,2", False),
    ("5", "5 or 6", False),
    ("5", "five", False),
    ("25", "m+n=26", False),
    ("25", "25=m+1", False),
    ("3", "3 hours 20 minutes", False),
    ("1000000", "1000001", False),
]

OPTIONS = ("Apple", "Banana", "3.5 m", "42")
CHOICE = [
    ("B", "(B)", (), True),
    ("B", "B.", (), True),
    ("B", "b", (), True),
    ("B", "\\text{B}", (), True),
    ("B", "B) Banana", (), True),
    ("B", "**B**", (), True),
    ("B", "Banana", OPTIONS, True),
    ("C", "3.5 m", OPTIONS, True),
    ("Banana", "B", OPTIONS, True),
    ("D", "42", OPTIONS, True),
    ("A", "AB", (), False),
    ("A", "Apple", (), False),
    ("A", "B", (), False),
    ("A", "Banana", OPTIONS, False),
    ("A", "A or B", (), False),
    ("B", "42", OPTIONS, False),
    ("A", "", (), False),
]

TEXT = [
    ("Paris", "paris", True),
    ("Paris", "Paris.", True),
    ("the Eiffel Tower", "Eiffel tower", True),
    ("ice-cream", "ice  cream", True),
    ("Yes", '"yes!"', True),
    ("1,000", "1000", True),
    ("U.S.", "US", True),
    ("\\text{even}", "even", True),
    ("Paris", "London", False),
    ("Brian", "Brain", False),
    ("not valid", "valid", False),
    ("New York", "York", False),
    ("12", "1.2", False),
]


@pytest.mark.parametrize(("gold", "prediction", "same"), NUMERIC)
def test_numeric(gold: str, prediction: str, same: bool) -> None:
    assert check(gold, prediction, "numeric") is same


@pytest.mark.parametrize(("gold", "prediction", "options", "same"), CHOICE)
def test_choice(gold: str, prediction: str, options: tuple[str, ...], same: bool) -> None:
    found = equal(gold=gold, prediction=prediction, answer_type="choice", options=options)
    assert found is same


@pytest.mark.parametrize(("gold", "prediction", "same"), TEXT)
def test_text(gold: str, prediction: str, same: bool) -> None:
    assert check(gold, prediction, "text") is same


@pytest.mark.parametrize(
    ("gold", "prediction", "status"),
    [
        ("7", "7", "correct"),
        ("7", "8", "incorrect"),
        ("7", None, "no_answer"),
        ("7", " \n", "no_answer"),
        ("", "7", "bad_gold"),
        (" ", None, "bad_gold"),
        ("x^2-1", "(x-1)(x+1)", "correct"),
    ],
)
def test_statuses(gold: str, prediction: str | None, status: str) -> None:
    assert grade(gold=gold, prediction=prediction, answer_type="math") == status


def test_what_the_worker_cannot_decide_is_no_mistake_of_the_answer(monkeypatch) -> None:
    def fail(error: type[Exception]) -> str:
        def call(*args: object, **kwargs: object) -> None:
            raise error("for the test")

        monkeypatch.setattr(worker, "call", call)
        return grade(gold="x^2-1", prediction="(x-1)(x+1)", answer_type="math")

    assert fail(worker.WorkerTimeout) == "grader_timeout"
    assert fail(worker.WorkerError) == "incorrect"


def test_few_pairs_need_the_worker(monkeypatch) -> None:
    needed = []

    def call(function: str, gold: str, *args: object, **kwargs: object) -> bool:
        needed.append(gold)
        return False

    monkeypatch.setattr(worker, "call", call)
    assert not any(check(gold, prediction, "math") for gold, prediction in pairs(DIFFERENT))
    assert len(needed) < 0.05 * len(pairs(DIFFERENT)), needed


@pytest.mark.parametrize("latex", ["\\int_0^1 x \\, dx", "\\sum_{k=1}^{1} \\frac{k}{2}"])
def test_latex2sympy_reads_what_our_parser_does_not(latex: str) -> None:
    assert check("\\frac{1}{2}", latex, "math")
    assert not check("\\frac{1}{3}", latex, "math")
