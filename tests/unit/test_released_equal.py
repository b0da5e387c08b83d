"""The released code's normal form and its five rules of equality."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.grading import released_equal, worker
from madm2.grading.released_equal import matching_rule, normalise


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  5\t", "5"),
        ("\\text{a}b\\mbox{c}", "abc"),
        ("\\text{a{b}c}", "a{bc}"),
        ("\\mbox{x", "\\mbox{x"),
        ("\\text{}\\text{x", "\\text{x"),
        ("30^{\\circ}", "30"),
        ("30^\\circ", "30^"),
        ("30°", "30"),
        ("10\\%", "10"),
        ("10%", "10"),
        ("30 \t Degrees", "30"),
        ("30degrees", "30"),
        ("3 inches^2", "3"),
        ("12 square inches", "12"),
        ("12 inches", "12inches"),
        ("a\nb", "ab"),
        ("1..", "1."),
        ("1\n.", "1"),
        ("1\\!2", "12"),
        ("a\\ b", "ab"),
        ("a\\\\b", "a\\b"),
        ("\\dfrac12", "\\frac{1}{2}"),
        ("\\tfrac{1}{2}", "\\frac{1}{2}"),
        ("\\left(1\\right)", "(1)"),
        ("\\leftarrow", "arrow"),
        ("$x$", "x"),
        ("1 0", "10"),
        ("1\u200b0", "10"),
        ("\\frac1{2}", "\\frac{1}{2}"),
        ("\\frac123", "\\frac{1}{2}3"),
        ("\\frac 1 2", "\\frac{1}{2}"),
        ("\\frac{1}2", "\\frac{1}2"),
        ("\\frac12\\frac3", "\\frac12\\frac3"),
        ("\\frac", "\\frac"),
        ("\\sqrt2x", "\\sqrt{2x}"),
        ("\\sqrt{2}", "\\sqrt{2}"),
        ("\\sqrt[3]2", "\\sqrt[3]2"),
        ("\\(5\\)", "\\(5\\)"),
        ("\\[5\\]", "\\[5\\]"),
        ("5\\,000", "5\\,000"),
        ("5 cm", "5cm"),
        ("", ""),
    ],
)
def test_the_normal_form(text: str, normal: str) -> None:
    assert normalise(text) == normal


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        ("3\\pm 2", "3-2, 3+2", "plus_minus"),
        ("x\\pm y", "x+y;x-y", "plus_minus"),
        ("3\\pm2", "1,5", None),  # not evaluated
        ("\\pm6", "-6,6", None),
        ("3\\pm2", "3+2,3-2,", None),  # three parts
        ("3\\pm2", "3+2", None),
        ("3\\pm2", "3\\pm 2", "string"),
        ("\\text{ Even }", "Even", "string"),
        ("", "", "string"),
        ("nan", "nan", "string"),
        ("1,000", "1000", "float"),
        ("1e5", "100000", "float"),
        ("inf", "Infinity", "float"),
        ("1e999", "inf", "float"),
        ("1_000", "1000", "float"),
        ("10001", "10000", "float"),
        ("10002", "10000", None),
        ("100", "100.01", "float"),
        ("0", "0.00001", None),
        ("-0", "0", "float"),
        ("5,", "5", "float"),
        ("nan", "NaN", None),
        ("(2,1)", "(1,2)", "parts"),
        ("[0,1)", "(0,1]", "parts"),
        ("{1,2}", "2;1", "parts"),
        ("1,,2", "2,1", "parts"),
        ("1,1,2", "1,2,1", "parts"),
        ("1,1,2", "2,2,1", None),
        ("1,2,3", "1,2", None),
        ("(a]", "a", None),  # a single part is no list
        ("x+1", "1+x", "latex"),
        ("\\frac{x}{2}", "x/2", "latex"),
        ("k=14", "14", "latex"),
        ("101_2", "101_3", "latex"),
        ("x", "y", None),
        ("x^", "x", None),
        ("", "5", None),
        ("%", "5", None),
        ("2", "3", None),
    ],
)
def test_the_rules(one: str, other: str, rule: str | None) -> None:
    assert matching_rule(one, other) == rule
    assert matching_rule(other, one) == rule


@pytest.mark.parametrize(
    "text", ["", "x" * 1001, "(" * 51 + "x" + ")" * 51, "{" * 400 + "x", "9" * 5000]
)
def test_what_no_parser_sees(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def fail(*args: object, **kwargs: object) -> object:
        raise AssertionError("the parser was called")

    monkeypatch.setattr(released_equal.worker, "call", fail)
    assert matching_rule(text, "y") is None
    assert matching_rule("y", text) is None
    assert matching_rule("12.5", "-13") is None  # numbers need no parser


def test_a_comparison_that_does_not_end_is_told() -> None:
    with pytest.raises(worker.WorkerTimeout):
        matching_rule("9^{9^{9^{9}}}", "x")


@given(st.text(st.sampled_from("\\frac{12}sqrtex%$ ,;()[]pm.°\n") | st.characters(), max_size=40))
def test_a_text_equals_itself(text: str) -> None:
    assert matching_rule(text, text) in ("string", "plus_minus")
    assert " " not in normalise(text) and "$" not in normalise(text)
