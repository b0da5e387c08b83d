"""Properties of equality: wrappers, symmetry, order of grading; and answers meant to harm."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.hostile import hostile_answers
from madm2.grading.equal import equal, grade
from madm2.grading.normal import clean, normal
from tests.unit.test_equal import DIFFERENT, EQUAL, pairs

WRAPPERS = [
    "${}$",
    "$${}$$",
    "\\({}\\)",
    "\\[{}\\]",
    "\\boxed{{{}}}",
    "$\\boxed{{{}}}$",
    "**{}**",
    "**${}$**",
    " {} ",
    "{}.",
    "\\displaystyle {}",
    "\n{}\n",
]
# Prose and broken LaTeX are left out: a box around an open brace is another text.
MATH = [
    pair
    for pair in pairs(EQUAL) + pairs(DIFFERENT)
    if not any(part.count("{") != part.count("}") or "__" in part for part in pair)
]
EXACT = [pair for pair in MATH if not re.search(r"\.\d{3}", " ".join(pair))]

leaves = st.one_of(
    st.integers(-20, 20).map(str),
    st.sampled_from(["x", "y", "\\pi", "\\sqrt{2}", "i", "0.5", "\\frac12", "e"]),
)
expressions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: f"\\frac{{{p[0]}}}{{{p[1]}}}"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]})+({p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]})({p[1]})"),
        inner.map(lambda e: f"({e})^2"),
        inner.map(lambda e: f"\\sqrt{{{e}}}"),
    ),
    max_leaves=5,
)


def verdict(gold: str, prediction: str) -> str:
    return grade(gold=gold, prediction=prediction, answer_type="math")


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(MATH), st.sampled_from(WRAPPERS), st.sampled_from(WRAPPERS))
def test_a_wrapper_never_changes_a_verdict(pair: tuple[str, str], one: str, other: str) -> None:
    gold, prediction = pair
    assert verdict(one.format(gold), other.format(prediction)) == verdict(gold, prediction)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(EXACT))
def test_equality_is_symmetric_for_exact_values(pair: tuple[str, str]) -> None:
    assert verdict(*pair) == verdict(*reversed(pair))


@settings(max_examples=60, deadline=None)
@given(expressions, expressions)
def test_equality_of_expressions_is_symmetric(one: str, other: str) -> None:
    assert verdict(one, other) == verdict(other, one)


@settings(max_examples=60, deadline=None)
@given(expressions)
def test_an_expression_equals_itself_and_not_its_successor(expression: str) -> None:
    assert verdict(expression, f" {{{expression}}} ") == "correct"
    assert verdict(expression, f"({expression})+1") != "correct"


@given(
    st.fractions(-1000, 1000, max_denominator=500), st.fractions(-1000, 1000, max_denominator=500)
)
def test_fractions_are_equal_when_their_values_are(one: Fraction, other: Fraction) -> None:
    written = f"\\frac{{{one.numerator}}}{{{one.denominator}}}"
    assert equal(gold=written, prediction=str(one), answer_type="math")
    assert equal(gold=written, prediction=str(other), answer_type="math") == (one == other)


@given(st.integers(-(10**12), 10**12))
def test_thousands_may_be_grouped(number: int) -> None:
    assert equal(gold=str(number), prediction=f"{number:,}", answer_type="math")
    assert not equal(gold=str(number), prediction=f"{number + 1:,}", answer_type="math")


@given(st.text(max_size=300))
def test_any_text_has_a_normal_form_that_is_its_own(text: str) -> None:
    assert normal(text) == normal(f" {text} ")
    assert isinstance(clean(text), str)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="0123456789xy+-*/^_(){}[],.\\ =<>|!%sqrtfracpm", max_size=60))
def test_any_text_is_graded_and_equal_to_itself(text: str) -> None:
    assert verdict(text, text) == ("correct" if text.strip() else "bad_gold")
    assert verdict("12345.6789", text) in ("correct", "incorrect", "no_answer", "grader_timeout")


def test_the_order_of_grading_never_matters() -> None:
    sample = random.Random(1).sample(MATH, 120)
    before = {pair: verdict(*pair) for pair in sample}
    for seed in range(3):
        random.Random(seed).shuffle(sample)
        assert {pair: verdict(*pair) for pair in sample} == before


@pytest.fixture(scope="module")
def canary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("canary") / "written_by_an_answer"


@pytest.mark.parametrize("number", range(60))
def test_hostile_answers(number: int, canary: Path) -> None:
    answer = hostile_answers(60, 20, str(canary))[number]
    assert verdict("5", answer) in ("incorrect", "grader_timeout")
    assert verdict(answer, answer + " + 1") in ("incorrect", "grader_timeout")
    assert verdict("\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt{2}}{2}") == "correct"
    assert not canary.exists()
