"""Whether two expressions are equal: what plain arithmetic can say, before any algebra.

Conventions are here: exact values must be equal exactly. Only a gold answer that is itself a
rounded decimal is met by an exact value that rounds to it.
"""

from __future__ import annotations

from madm2.grading.compare import Scalars, Verdict
from madm2.grading.estimate import (
    divides_by_zero,
    exact,
    is_huge_power,
    rounds_to,
    surely_differ,
    surely_not_proportional,
)
from madm2.grading.tree import Apply, Expression, Number, Symbol, has_name, symbols

# Digits that a rounded gold needs: an irrational number is written rounded because it must be, a
# fraction need not be.
_DIGITS_FOR_IRRATIONAL = 3
_DIGITS_FOR_FRACTION = 4


def quick_same(gold: Expression, prediction: Expression) -> Verdict:
    """Whether values are equal; None when only algebra can tell."""
    if gold == prediction:
        return True
    if has_name(gold, "oo") or has_name(prediction, "oo"):
        return False
    if is_huge_power(gold) or is_huge_power(prediction):
        return False
    if divides_by_zero(gold) or divides_by_zero(prediction):
        return False
    if _is_rounding(gold, prediction):
        return True
    left, right = exact(gold), exact(prediction)
    if left is not None and right is not None:
        return left == right
    if surely_differ(gold, prediction):
        return False
    return None


def quick_proportional(one: Expression, other: Expression, positive: bool) -> Verdict:
    """Whether equations one = 0 and other = 0 are the same up to a factor; None if unclear."""
    if one == other:
        return True
    if symbols(one) != symbols(other) or not symbols(one):
        return False
    if is_huge_power(one) or is_huge_power(other):
        return False
    return False if surely_not_proportional(one, other, positive) else None


def _is_rounding(gold: Expression, prediction: Expression) -> bool:
    if isinstance(gold, Apply) and gold.name == "neg" and isinstance(gold.args[0], Number):
        return _is_rounding(gold.args[0], Apply("neg", (prediction,)))
    if not isinstance(gold, Number) or not gold.decimals or _is_written_out(prediction):
        return False
    digits = len(str(int(gold.value * 10**gold.decimals)))
    needed = _DIGITS_FOR_IRRATIONAL if exact(prediction) is None else _DIGITS_FOR_FRACTION
    if min(digits, gold.decimals) < needed or symbols(prediction):
        return False
    return rounds_to(gold, prediction)


def _is_written_out(expression: Expression) -> bool:
    """Whether it is an integer or decimal, perhaps with a sign or a power of ten."""
    if isinstance(expression, Apply) and expression.name in ("neg", "mul", "pow"):
        return all(_is_written_out(arg) for arg in expression.args)
    return isinstance(expression, Number) or (
        isinstance(expression, Symbol) and bool(symbols(expression))
    )


QUICK = Scalars(quick_same, quick_proportional)
