"""The trees that answers are parsed into: plain data, which no library evaluates by itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias


class NotUnderstoodError(ValueError):
    """A text that is no answer of a known form, or is too large to look into."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written; `decimals` counts the digits behind its point, None without one."""

    value: Fraction
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, or one of the constants pi, e, i and oo."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation or function, by name, of expressions."""

    name: str
    args: tuple[Expression, ...]


Expression: TypeAlias = Number | Symbol | Apply


@dataclass(frozen=True, slots=True)
class Value:
    """An expression with the unit written behind it ("" for none)."""

    expression: Expression
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A text, in the form in which equal texts are equal."""

    key: str


@dataclass(frozen=True, slots=True)
class Bag:
    """A set or a bare list: the order of its items is free."""

    items: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Tuple:
    """A point, vector or interval: its order and its brackets count."""

    brackets: str
    items: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """Sets joined by a union sign."""

    parts: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of expressions."""

    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A chain of equations or inequalities; `signs` stand between `sides`."""

    signs: tuple[str, ...]
    sides: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Numeral:
    """Digits in a stated base."""

    digits: str
    base: int


@dataclass(frozen=True, slots=True)
class Ratio:
    """Numbers with colons between them: a ratio or a time of day, with its known unit or ""."""

    parts: tuple[Fraction, ...]
    unit: str = ""


Answer: TypeAlias = Value | Words | Bag | Tuple | Union | Matrix | Relation | Numeral | Ratio

CONSTANTS = frozenset({"pi", "e", "i", "oo"})


def symbols(expression: Expression) -> frozenset[str]:
    """The names of an expression's variables."""
    if isinstance(expression, Symbol):
        return frozenset() if expression.name in CONSTANTS else frozenset({expression.name})
    if isinstance(expression, Apply):
        return frozenset().union(*(symbols(arg) for arg in expression.args))
    return frozenset()


def has_name(expression: Expression, name: str) -> bool:
    """Whether a variable or constant of this name occurs in an expression."""
    if isinstance(expression, Apply):
        return any(has_name(arg, name) for arg in expression.args)
    return isinstance(expression, Symbol) and expression.name == name


def last_side(answer: Answer) -> Answer:
    """What an equation ends in: m + n = 25 is 25."""
    if isinstance(answer, Relation) and set(answer.signs) <= {"=", "approx"}:
        return answer.sides[-1]
    return answer


def bare_name(answer: Answer) -> str | None:
    """The name, when a side of an equation is only that: x, f(x), a word."""
    if isinstance(answer, Words):
        return answer.key
    if isinstance(answer, Value) and isinstance(answer.expression, Symbol) and not answer.unit:
        return answer.expression.name
    return None
