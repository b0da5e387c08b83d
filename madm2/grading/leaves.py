"""Reads the innermost parts of an answer: values with units, numerals, ratios, matrices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from madm2.grading.brackets import Tokens, closing_of, split
from madm2.grading.parse import parse_expression
from madm2.grading.tokens import Token
from madm2.grading.tree import (
    Answer,
    Apply,
    Bag,
    Expression,
    Matrix,
    NotUnderstoodError,
    Number,
    Numeral,
    Ratio,
    Value,
    Words,
)
from madm2.grading.units import CURRENCIES, unit_key, unit_start
from madm2.grading.words import phrase_key

_BASED = re.compile(
    r"(?P<open>\()?(?P<digits>-?[0-9A-Fa-f]+(?:\.[0-9A-Fa-f]+)?)(?(open)\))"
    r"_(?:\{\(?)?(?P<base>\d{1,2})(?:\)?\})?"
)


def read_matrix(tokens: Tokens) -> Matrix:
    """Read a matrix, perhaps with a factor before it."""
    start = next((i for i, token in enumerate(tokens) if token.text == "begin"), len(tokens))
    if closing_of(tokens[start:]) != len(tokens) - start - 1:
        raise NotUnderstoodError("something after a matrix")
    rows = []
    for row in split(tokens[start + 1 : -1], frozenset({"\\\\"})):
        if row:
            cells = [parse_expression(cell) for cell in split(row, frozenset({"&"}))]
            rows.append(tuple(cell[0] for cell in cells))
    if len({len(row) for row in rows}) != 1:
        raise NotUnderstoodError("rows of different lengths")
    if start == 0:
        return Matrix(tuple(rows))
    factor = _factor(tokens[:start])
    return Matrix(tuple(tuple(Apply("mul", (factor, cell)) for cell in row) for row in rows))


def _factor(tokens: Tokens) -> Expression:
    if len(tokens) == 1 and tokens[0].text == "-":
        return Number(Fraction(-1))
    if tokens[-1].text in ("cdot", "times", "*"):
        tokens = tokens[:-1]
    return parse_expression(tokens)[0]


def read_ratio(parts: Sequence[Tokens]) -> Ratio:
    """Read numbers with colons between them, perhaps with a unit (4:30 p.m.)."""
    *before, last = parts
    end = unit_start(last)
    numbers = [*before, last[:end]]
    if any(len(part) != 1 or part[0].kind != "number" for part in numbers):
        raise NotUnderstoodError("a colon between other things than numbers")
    unit = unit_key(" ".join(token.text for token in last[end:]))
    return Ratio(tuple(Fraction(part[0].text) for part in numbers), unit)


def read_numeral(tokens: Tokens) -> Numeral | None:
    """Read digits with their base, 1A_{16}, if that is what the tokens are."""
    if not 3 <= len(tokens) <= 12 or all(token.text != "_" for token in tokens):
        return None
    if any(token.kind == "command" for token in tokens):
        return None
    found = _BASED.fullmatch("".join(token.text for token in tokens))
    if not found:
        return None
    digits, base = found["digits"], int(found["base"])
    if re.search("[A-Fa-f]", digits) and (base <= 10 or digits.isalpha() and len(digits) == 1):
        return None
    return Numeral(digits.upper().lstrip("0") or "0", base)


def read_value(tokens: Tokens) -> Answer:
    r"""Read an expression with its unit or currency; two of them for \pm; or words."""
    tokens, currency = _without_currency(tokens)
    end = unit_start(tokens)
    if end == 0:
        if currency or any(token.kind != "text" for token in tokens):
            raise NotUnderstoodError("words and other things")
        return Words(phrase_key(" ".join(token.text for token in tokens)))
    unit = unit_key(" ".join(token.text for token in tokens[end:])) or currency
    values = tuple(Value(expression, unit) for expression in parse_expression(tokens[:end]))
    return values[0] if len(values) == 1 else Bag(values)


def _without_currency(tokens: Tokens) -> tuple[Tokens, str]:
    """Take a currency from the front, behind a sign, or from the end."""
    for i in range(min(2, len(tokens) - 1)):
        if currency := CURRENCIES.get(_bare(tokens[i])):
            return [*tokens[:i], *tokens[i + 1 :]], currency
        if tokens[i].text not in ("-", "+"):
            break
    if len(tokens) > 1 and (currency := CURRENCIES.get(_bare(tokens[-1]))):
        return tokens[:-1], currency
    return tokens, ""


def _bare(token: Token) -> str:
    return token.text.lower().rstrip(".")
