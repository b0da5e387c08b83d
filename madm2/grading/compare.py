"""Compares parsed answers by their structure; expressions are left to a function that is given.

Every comparison is True, False, or None where that function cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from madm2.grading.forms import has_relations, in_form_of, interval_of
from madm2.grading.tree import (
    Answer,
    Apply,
    Bag,
    Expression,
    Matrix,
    Number,
    Numeral,
    Ratio,
    Relation,
    Symbol,
    Tuple,
    Union,
    Value,
    Words,
    bare_name,
    symbols,
)

Verdict: TypeAlias = bool | None


class Scalars:
    """How to compare expressions: `same` values, and equations with `proportional` ones.

    `same(gold, prediction)`; `proportional(one, other, positive)`: whether one is a constant
    (above 0 if `positive`) times the other.
    """

    def __init__(
        self,
        same: Callable[[Expression, Expression], Verdict],
        proportional: Callable[[Expression, Expression, bool], Verdict],
    ) -> None:
        self.same = same
        self.proportional = proportional


def compare(gold: Answer, prediction: Answer, scalars: Scalars) -> Verdict:
    """Whether a prediction means the gold answer."""
    gold, prediction = in_form_of(gold, prediction), in_form_of(prediction, gold)
    if isinstance(gold, Value) and isinstance(prediction, Value):
        if _units_differ(gold, prediction):
            return False
        return scalars.same(gold.expression, prediction.expression)
    if isinstance(gold, Tuple) and isinstance(prediction, Tuple):
        if gold.brackets != prediction.brackets:
            return False
        return _ordered(gold.items, prediction.items, scalars)
    if isinstance(gold, Bag) and isinstance(prediction, Bag):
        if has_relations(gold) != has_relations(prediction):
            return False
        return _unordered(gold.items, prediction.items, scalars)
    if isinstance(gold, Union) and isinstance(prediction, Union):
        return _unordered(gold.parts, prediction.parts, scalars)
    if isinstance(gold, Matrix) and isinstance(prediction, Matrix):
        return _matrices(gold, prediction, scalars)
    if isinstance(gold, Relation) and isinstance(prediction, Relation):
        return _relations(gold, prediction, scalars)
    if isinstance(gold, Words) or isinstance(prediction, Words):
        return _word(gold) is not None and _word(gold) == _word(prediction)
    if isinstance(gold, Ratio) and isinstance(prediction, Ratio):
        return gold.parts == prediction.parts and not _units_differ(gold, prediction)
    if isinstance(gold, Numeral):
        return gold == prediction
    return False


def _units_differ(gold: Value | Ratio, other: Value | Ratio) -> bool:
    return bool(gold.unit and other.unit) and gold.unit != other.unit


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """True when all are, False as soon as one is, else None."""
    unsure = False
    for verdict in verdicts:
        if verdict is False:
            return False
        unsure = unsure or verdict is None
    return None if unsure else True


def some(verdicts: Iterable[Verdict]) -> Verdict:
    """True as soon as one is, False when all are, else None."""
    unsure = False
    for verdict in verdicts:
        if verdict:
            return True
        unsure = unsure or verdict is None
    return None if unsure else False


def _ordered(gold: Sequence[Answer], other: Sequence[Answer], scalars: Scalars) -> Verdict:
    if len(gold) != len(other):
        return False
    return every(compare(a, b, scalars) for a, b in zip(gold, other, strict=True))


def _unordered(gold: Sequence[Answer], other: Sequence[Answer], scalars: Scalars) -> Verdict:
    """Whether each item of either side is on the other; how often does not count."""
    if bool(gold) != bool(other):
        return False
    return every(
        (
            every(some(compare(a, b, scalars) for b in other) for a in gold),
            every(some(compare(a, b, scalars) for a in gold) for b in other),
        )
    )


def _matrices(gold: Matrix, other: Matrix, scalars: Scalars) -> Verdict:
    if (len(gold.rows), len(gold.rows[0])) != (len(other.rows), len(other.rows[0])):
        return False
    cells = zip(sum(gold.rows, ()), sum(other.rows, ()), strict=True)
    return every(scalars.same(a, b) for a, b in cells)


def _word(answer: Answer) -> str | None:
    if isinstance(answer, Words):
        return answer.key
    if isinstance(answer, Value) and not answer.unit:
        return _letters(answer.expression)
    return None


def _letters(expression: Expression) -> str | None:
    """A variable, or a product of variables, read as a word."""
    if isinstance(expression, Symbol):
        return expression.name.casefold()
    if isinstance(expression, Apply) and expression.name == "mul":
        parts = [_letters(arg) for arg in expression.args]
        return "".join(p for p in parts if p) if all(parts) else None
    return None


def _relations(gold: Relation, other: Relation, scalars: Scalars) -> Verdict:
    if len(gold.signs) > 1 or len(other.signs) > 1:
        return _chains(gold, other, scalars)
    mine, theirs = _difference(gold), _difference(other)
    if mine is None or theirs is None or mine[0] != theirs[0]:
        whole = _ordered(gold.sides, other.sides, scalars)
        return whole if gold.signs == other.signs else False
    if gold.signs == ("=",) and bare_name(gold.sides[0]) and bare_name(other.sides[0]):
        same = compare(gold.sides[1], other.sides[1], scalars)
        if same is not False and _are_outputs(gold, other):
            return same
    return scalars.proportional(mine[1], theirs[1], mine[0] in ("<", "<="))


def _are_outputs(gold: Relation, other: Relation) -> bool:
    """Whether y = ... and f(x) = ... stand on the left, in either order."""
    names = {bare_name(gold.sides[0]) or "", bare_name(other.sides[0]) or ""}
    return "y" in names and any("(" in name for name in names)


def _difference(relation: Relation) -> tuple[str, Expression] | None:
    """The sign and right side minus left side, with the sign turned to `<`."""
    left, right = relation.sides
    if not (isinstance(left, Value) and isinstance(right, Value)):
        return None
    sign = relation.signs[0]
    one, other = right.expression, left.expression
    if sign in (">", ">="):
        sign, one, other = sign.replace(">", "<"), other, one
    if other == Number(Fraction(0)):
        return sign, one
    return sign, Apply("add", (one, Apply("neg", (other,))))


def _chains(gold: Relation, other: Relation, scalars: Scalars) -> Verdict:
    if set(gold.signs) | set(other.signs) == {"="}:
        return compare(gold.sides[-1], other.sides[-1], scalars)
    mine, theirs = interval_of(gold), interval_of(other)
    if mine and theirs:
        same_names = _variables(gold) == _variables(other)
        return compare(mine, theirs, scalars) if same_names else False
    if gold.signs != other.signs:
        return False
    return _ordered(gold.sides, other.sides, scalars)


def _variables(relation: Relation) -> frozenset[str]:
    return frozenset().union(
        *(symbols(side.expression) for side in relation.sides if isinstance(side, Value))
    )
