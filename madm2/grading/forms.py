"""Turns an answer into the form of the one it is compared with, where both mean the same.

`x = 7` beside a number is 7, `x > 3` beside an interval is one, `x = 1, y = 2` beside a point is
one, `5m` beside metres is 5.
"""

from __future__ import annotations

from madm2.grading.tree import (
    Answer,
    Apply,
    Bag,
    Number,
    Numeral,
    Relation,
    Symbol,
    Tuple,
    Union,
    Value,
    bare_name,
    symbols,
)

_INFINITY = Value(Symbol("oo"))
_MINUS_INFINITY = Value(Apply("neg", (Symbol("oo"),)))


def in_form_of(answer: Answer, other: Answer) -> Answer:
    """An answer in the form of the other: without the name it is given, as a set of numbers."""
    if isinstance(answer, Value) and isinstance(other, Numeral):
        return _in_base(answer, other)
    if isinstance(answer, Value) and isinstance(other, Value):
        return _without_unit_letter(answer, other)
    if isinstance(answer, Relation) and not isinstance(other, Relation):
        if isinstance(other, Bag) and has_relations(other):
            return _each_name(answer)
        if set(answer.signs) <= {"=", "approx"} and _names_something(answer):
            return answer.sides[-1]
        if isinstance(other, (Tuple, Union)) and (interval := interval_of(answer)):
            return interval
        if isinstance(other, Union) and answer.signs == ("!=",):
            return _all_but(answer)
    if isinstance(answer, Bag) and isinstance(other, Tuple) and other.brackets == "()":
        return _point(answer)
    if isinstance(answer, Bag) and isinstance(other, (Bag, Union)):
        if isinstance(other, Union):
            intervals = [interval_of(i) for i in answer.items if isinstance(i, Relation)]
            if len(intervals) == len(answer.items) and None not in intervals:
                return Union(tuple(i for i in intervals if i))
        elif not has_relations(other):
            return _without_names(answer)
    return answer


def _names_something(relation: Relation) -> bool:
    first = relation.sides[0]
    if len(relation.sides) > 2:
        return True  # a computation; as an answer in itself an equation has two sides
    if bare_name(first) is not None or _is_names(first):
        return True
    if isinstance(first, Value) and not isinstance(relation.sides[-1], Value):
        return True  # a function's name, such as y' = ...
    # A computation: 3 + 4 = 7.
    return all(isinstance(s, Value) and not symbols(s.expression) for s in relation.sides)


def _is_names(answer: Answer) -> bool:
    """Whether it is (x, y), as in (x, y) = (1, 2)."""
    return isinstance(answer, Tuple) and all(bare_name(i) is not None for i in answer.items)


def _each_name(relation: Relation) -> Answer:
    """`(x, y) = (1, 2)` as x = 1, y = 2."""
    names, values = relation.sides[0], relation.sides[-1]
    if relation.signs != ("=",) or not (isinstance(values, Tuple) and isinstance(names, Tuple)):
        return relation
    if not _is_names(names) or len(names.items) != len(values.items):
        return relation
    pairs = zip(names.items, values.items, strict=True)
    return Bag(tuple(Relation(("=",), pair) for pair in pairs))


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


def _in_base(value: Value, other: Numeral) -> Answer:
    """An integer whose digits are those of the base that the other side states."""
    expression = value.expression
    if not isinstance(expression, Number) or expression.decimals is not None or value.unit:
        return value
    return Numeral(str(expression.value), other.base)


def _point(bag: Bag) -> Answer:
    """The point (1, 2) that x = 1, y = 2 is; its coordinates in the order of the alphabet."""
    named: dict[str, Answer] = {}
    for item in bag.items:
        if (
            isinstance(item, Relation)
            and item.signs == ("=",)
            and (name := bare_name(item.sides[0]))
        ):
            named[name] = item.sides[1]
    if len(named) < len(bag.items):
        return bag
    return Tuple("()", tuple(named[name] for name in sorted(named)))


def _all_but(relation: Relation) -> Answer:
    """The two intervals that x != 3 leaves."""
    left, right = relation.sides
    if bare_name(left) is None:
        return relation
    return Union((Tuple("()", (_MINUS_INFINITY, right)), Tuple("()", (right, _INFINITY))))


def interval_of(relation: Relation) -> Tuple | None:
    """The interval that an inequality in one variable describes: 2 < x <= 5 is (2,5]."""
    signs, sides = relation.signs, relation.sides
    if all(sign in (">", ">=") for sign in signs):
        signs = tuple(sign.replace(">", "<") for sign in reversed(signs))
        sides = tuple(reversed(sides))
    if not all(sign in ("<", "<=") for sign in signs) or len(sides) > 3:
        return None
    low: Answer = _MINUS_INFINITY
    high: Answer = _INFINITY
    opening, closing = "(", ")"
    middle = 1 if len(sides) == 3 or bare_name(sides[0]) is None else 0
    if bare_name(sides[middle]) is None:
        return None
    if middle:
        low, opening = sides[0], "(" if signs[0] == "<" else "["
    if middle + 1 < len(sides):
        high, closing = sides[middle + 1], ")" if signs[-1] == "<" else "]"
    return Tuple(opening + closing, (low, high))


def has_relations(bag: Bag) -> bool:
    """Whether equations or inequalities are among its items."""
    return any(isinstance(item, Relation) for item in bag.items)


def _without_unit_letter(answer: Value, other: Value) -> Value:
    """Drop the m of 5m where the other side says that it is a unit."""
    expression = answer.expression
    if isinstance(expression, Apply) and expression.name == "mul" and not answer.unit:
        *factors, last = expression.args
        if isinstance(last, Symbol) and last.name == other.unit:
            return Value(Apply("mul", tuple(factors)), other.unit)
    return answer
