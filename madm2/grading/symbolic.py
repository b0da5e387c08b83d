"""Symbolic comparison with sympy. Runs only inside the worker process.

Expressions are built from our own trees, node by node; no text reaches sympy's parser. Two are
equal when their difference is 0 to 150 digits at every one of a few fixed points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import sympy
from latex2sympy2 import latex2sympy

from madm2.grading.answers import read_answer
from madm2.grading.compare import Scalars, compare
from madm2.grading.estimate import shared_points
from madm2.grading.scalars import quick_proportional, quick_same
from madm2.grading.tree import Expression, Number, Symbol, last_side

Point: TypeAlias = Mapping[str, float]
_DIGITS = 150
_UNDEFINED = (sympy.nan, sympy.zoo, sympy.oo)


def latex_difference_is_zero(one: str, other: str) -> bool:
    """Whether two LaTeX expressions differ by something that simplifies to 0."""
    difference = latex2sympy(one) - latex2sympy(other)
    return bool(sympy.simplify(difference) == 0)


def same_answer(gold: str, prediction: str, numeric: bool) -> bool:
    """Whether a prediction means the gold answer; our own parser must understand both."""
    wanted, mine = read_answer(gold), read_answer(prediction)
    if numeric:
        wanted, mine = last_side(wanted), last_side(mine)
    return compare(wanted, mine, _ALGEBRA) is True


def _same(gold: Expression, prediction: Expression) -> bool:
    quick = quick_same(gold, prediction)
    if quick is not None:
        return quick
    return _agree(to_sympy(gold), to_sympy(prediction), shared_points(gold, prediction))


def _agree(one: Any, other: Any, where: Sequence[Point]) -> bool:
    """Whether two sympy expressions have the same values wherever they are defined."""
    if one.has(*_UNDEFINED) or other.has(*_UNDEFINED):
        return False
    if one == other:
        return True
    zeros = []
    for point in where:
        difference = (_at(one, point) - _at(other, point)).evalf(15, maxn=_DIGITS)
        if difference.is_number and not difference.has(*_UNDEFINED):
            zeros.append(_is_zero(difference))
    return bool(zeros) and all(zeros)


def _proportional(one: Expression, other: Expression, positive: bool) -> bool:
    quick = quick_proportional(one, other, positive)
    if quick is not None:
        return quick
    left, right = to_sympy(one), to_sympy(other)
    where = shared_points(one, other)
    for point in where:
        a, b = _at(left, point), _at(right, point)
        if _is_zero(a.evalf(15, maxn=_DIGITS)) or _is_zero(b.evalf(15, maxn=_DIGITS)):
            continue
        ratio = (a / b).evalf(15)
        if not ratio.is_real or (positive and ratio < 0):
            return False
        return _agree(left * b, right * a, where)
    return False


_ALGEBRA = Scalars(_same, _proportional)


def _at(expression: Any, point: Point) -> Any:
    values = {sympy.Symbol(name): sympy.Rational(str(value)) for name, value in point.items()}
    return expression.subs(values)


def _is_zero(value: Any) -> bool:
    """Whether a value is 0, or has no digit left that is known to be right (but a few bits)."""
    return all(part == 0 or getattr(part, "_prec", 53) <= 10 for part in value.as_real_imag())


def to_sympy(expression: Expression) -> Any:
    """Build the sympy expression of a tree."""
    if isinstance(expression, Number):
        return sympy.Rational(expression.value.numerator, expression.value.denominator)
    if isinstance(expression, Symbol):
        return _CONSTANTS.get(expression.name) or sympy.Symbol(expression.name)
    return _FUNCTIONS[expression.name](*map(to_sympy, expression.args))


def _root(value: Any, degree: Any) -> Any:
    if value.is_negative and degree.is_odd:
        return -sympy.root(-value, degree)
    return sympy.root(value, degree)


_CONSTANTS = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "oo": sympy.oo}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": sympy.Add,
    "neg": lambda a: -a,
    "mul": sympy.Mul,
    "inverse": lambda a: 1 / a,
    "div": lambda a, b: a / b,
    "pow": sympy.Pow,
    "root": _root,
    "abs": sympy.Abs,
    "conjugate": sympy.conjugate,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
    "factorial": sympy.factorial,
    "binom": sympy.binomial,
    "degree": lambda a: a * sympy.pi / 180,
    "log": sympy.log,
    "exp": sympy.exp,
    **{
        name: getattr(sympy, name)
        for name in "sin cos tan cot sec csc sinh cosh tanh coth sech csch".split()
    },
    **{
        "arc" + name: getattr(sympy, "a" + name)
        for name in "sin cos tan cot sec csc sinh cosh tanh".split()
    },
}
