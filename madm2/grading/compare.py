"""Compares parsed answers by their structure; expressions are left to a function that is given.

Every comparison is True, False, or None where that function cannot tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

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
    gold, prediction = _plain(gold, prediction), _plain(prediction, gold)
    if isinstance(gold, Value) and isinstance(prediction, Value):
        if gold.unit != prediction.unit and gold.unit and prediction.unit:
            return False
        return scalars.same(gold.expression, prediction.expression)
    if isinstance(gold, Tuple) and isinstance(prediction, Tuple):
        if gold.brackets != prediction.brackets:
            return False
        return _ordered(gold.items, prediction.items, scalars)
    if isinstance(gold, Bag) and isinstance(prediction, Bag):
        if _has_relations(gold) != _has_relations(prediction):
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
    if isinstance(gold, (Numeral, Ratio)):
        return gold == prediction
    return False


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


def _has_relations(bag: Bag) -> bool:
    return any(isinstance(item, Relation) for item in bag.items)


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


def _plain(answer: Answer, other: Answer) -> Answer:
    """An answer in the form of the other: without the name it is given, as a set of numbers."""
    if isinstance(answer, Relation) and not isinstance(other, Relation):
        if set(answer.signs) <= {"=", "approx"} and _names_something(answer):
            return answer.sides[-1]
        if isinstance(other, (Tuple, Union)) and (interval := _interval(answer)):
            return interval
    if isinstance(answer, Bag) and isinstance(other, (Bag, Union)):
        if isinstance(other, Union):
            intervals = [_interval(i) for i in answer.items if isinstance(i, Relation)]
            if len(intervals) == len(answer.items) and None not in intervals:
                return Union(tuple(i for i in intervals if i))
        elif not _has_relations(other):
            return _without_names(answer)
    return answer


def _names_something(relation: Relation) -> bool:
    first = relation.sides[0]
    if bare_name(first) is not None or _is_names(first):
        return True
    if isinstance(first, Value) and not isinstance(relation.sides[-1], Value):
        return True  # a function's name, such as y' = ...
    # A computation: 3 + 4 = 7.
    return all(isinstance(s, Value) and not symbols(s.expression) for s in relation.sides)


def _is_names(answer: Answer) -> bool:
    """Whether it is (x, y), as in (x, y) = (1, 2)."""
    return isinstance(answer, Tuple) and all(bare_name(i) is not None for i in answer.items)


def _without_names(bag: Bag) -> Bag:
    """`x = 4, x = -7` as 4, -7; names that differ stay."""
    items: list[Answer] = []
    names = set()
    for item in bag.items:
        if isinstance(item, Relation) and set(item.signs) == {"="} and _names_something(item):
            names.add((bare_name(item.sides[0]) or "").partition("_")[0])
            items.append(item.sides[-1])
        else:
            items.append(item)
    return Bag(tuple(items)) if len(names) == 1 else bag


def _interval(relation: Relation) -> Tuple | None:
    """The interval that an inequality in one variable describes: 2 < x <= 5 is (2,5]."""
    signs, sides = relation.signs, relation.sides
    if all(sign in (">", ">=") for sign in signs):
        signs = tuple(sign.replace(">", "<") for sign in reversed(signs))
        sides = tuple(reversed(sides))
    if not all(sign in ("<", "<=") for sign in signs) or len(sides) > 3:
        return None
    infinity = Symbol("oo")
    low: Answer = Value(Apply("neg", (infinity,)))
    high: Answer = Value(infinity)
    opening, closing = "(", ")"
    middle = 1 if len(sides) == 3 or bare_name(sides[0]) is None else 0
    if bare_name(sides[middle]) is None:
        return None
    if middle:
        low, opening = sides[0], "(" if signs[0] == "<" else "["
    if middle + 1 < len(sides):
        high, closing = sides[middle + 1], ")" if signs[-1] == "<" else "]"
    return Tuple(opening + closing, (low, high))


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
    mine, theirs = _interval(gold), _interval(other)
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
