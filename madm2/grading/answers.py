r"""Parses a whole answer: what stands around expressions and between them.

An answer is split from the outside in: lists at commas and "or", chains of equations and
inequalities, unions, brackets, matrices; what is left are expressions with units, and words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from madm2.grading.normal import clean
from madm2.grading.parse import parse_expression
from madm2.grading.tokens import CLOSING, OPENING, Token, check_size, is_word, tokenize
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
    Relation,
    Symbol,
    Tuple,
    Union,
    Value,
    Words,
)
from madm2.grading.units import unit_key, unit_start
from madm2.grading.words import phrase_key

Tokens = Sequence[Token]

_SEPARATORS = frozenset({",", ";", "and", "or"})
_SIGNS = {"=": "=", "<": "<", ">": ">", "le": "<=", "ge": ">=", "ne": "!=", "approx": "="}
_BASE = re.compile(
    r"(-?[0-9A-Za-z]*\d[0-9A-Z]*(?:\.[0-9A-Z]+)?)\s*_\s*(?:\{\s*)?(\d{1,2})(?:\s*\})?"
)
_BASE_WORD = re.compile(r"_\{?\s*\\text\s*\{\s*([a-z]+)\s*\}\s*\}?")
_BASE_NAMES = {
    name: number
    for number, name in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen".split(),
        start=2,
    )
}
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_HALF_DAY = re.compile(r"(?<![A-Za-z])([aApP])\. ?[mM](?![A-Za-z])\.?")
_NAMED_FIGURE = re.compile(r"\\(?:overline|angle|triangle)\s*\{?\s*([A-Z]{1,4})\s*\}?")
_REPEATING = re.compile(r"(\d*)\.(\d*)\\(?:overline|bar)\s*\{(\d{1,40})\}")
_NAMED_BY_BRACKETS = frozenset("fghpqEFGHPQTVS")
_MAX_ITEMS = 60  # comparing without order takes the square of it
_REALS = Tuple("()", (Value(Apply("neg", (Symbol("oo"),))), Value(Symbol("oo"))))
_GROUPS = {"(": ")", "[": "]", "{": "}", "\\{": "\\}", "langle": "rangle"}
_CURRENCIES = "€£¥"


def read_answer(text: str) -> Answer:
    """Parse an answer.

    Raises:
        NotUnderstoodError: it has no known form, or is too large.
    """
    text = clean(text)
    check_size(text)
    return _read(text)


@lru_cache(maxsize=8192)
def _read(text: str) -> Answer:
    if only := _TEXT.fullmatch(text):
        text = clean(only[1])
    text = _HALF_DAY.sub(r" \1m", text)
    text = _REPEATING.sub(_fraction_of_repeating, text)
    text = _BASE_WORD.sub(_base_number, _NAMED_FIGURE.sub(r"\1", text))
    if _is_phrase(text):
        return Words(phrase_key(text))
    if based := _BASE.fullmatch(text):
        return Numeral(based[1].lstrip("0") or "0", int(based[2]))
    try:
        return _list(tokenize(text))
    except NotUnderstoodError:
        if _has_words(text):
            return Words(phrase_key(text))
        raise


def _base_number(found: re.Match[str]) -> str:
    return f"_{_BASE_NAMES[found[1]]}" if found[1] in _BASE_NAMES else found[0]


def _fraction_of_repeating(found: re.Match[str]) -> str:
    r"""0.1\overline{6} as the fraction that it is."""
    shift, period = 10 ** len(found[2]), 10 ** len(found[3]) - 1
    value = Fraction(int((found[1] or "0") + found[2]), shift) + Fraction(
        int(found[3]), shift * period
    )
    return f"({value})"


def _is_phrase(text: str) -> bool:
    if len(text) > 500 or re.search(r"[\\\d_^=<>+*/|(){}\[\]]", text):
        return False
    runs = re.findall(r"[A-Za-z]+", text)
    return any(is_word(run) for run in runs if run not in ("and", "or"))


def _has_words(text: str) -> bool:
    r"""Whether a text that is no mathematics holds words, and no command but \text."""
    plain = _TEXT.sub(r" \1 ", text)
    return "\\" not in plain and any(map(is_word, re.findall(r"[A-Za-z]+", plain)))


def _list(tokens: Tokens) -> Answer:
    tokens = _without_membership(tokens)
    parts = [part for part in _split(tokens, _SEPARATORS) if part]
    if len(parts) == 1:
        return _item(parts[0])
    if not parts:
        raise NotUnderstoodError("empty")
    return _bag(parts)


def _bag(parts: Sequence[Tokens]) -> Bag:
    if len(parts) > _MAX_ITEMS:
        raise NotUnderstoodError("too many items")
    items: list[Answer] = []
    for part in parts:
        item = _item(part)
        # 1 \pm \sqrt{5}, -2 are three values.
        items.extend(item.items if isinstance(item, Bag) and _has_two_signs(part) else [item])
    return Bag(tuple(items))


def _has_two_signs(tokens: Tokens) -> bool:
    return any(token.text in ("pm", "mp") for token in tokens)


def _without_membership(tokens: Tokens) -> Tokens:
    r"""Drop a leading `x \in`."""
    if len(tokens) > 2 and tokens[0].kind == "name":
        for i, token in enumerate(tokens[:6]):
            if token.text == "in" and token.kind == "command":
                return tokens[i + 1 :]
    return tokens


def _split(tokens: Tokens, separators: frozenset[str] | dict[str, str]) -> list[Tokens]:
    return [part for part, _ in _split_with(tokens, lambda token: token.text in separators)]


def _split_with(tokens: Tokens, separates: Callable[[Token], bool]) -> list[tuple[Tokens, str]]:
    """Parts between separators that no bracket holds, each with the separator behind it."""
    parts: list[tuple[Tokens, str]] = []
    depth, start = 0, 0
    for i, token in enumerate(tokens):
        if token.kind not in ("mark", "command"):
            continue
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
        elif depth == 0 and separates(token):
            parts.append((tokens[start:i], token.text))
            start = i + 1
    parts.append((tokens[start:], ""))
    return parts


def _item(tokens: Tokens) -> Answer:
    parts = _split_with(tokens, lambda token: token.text in _SIGNS)
    if len(parts) == 1:
        return _side(tokens)
    if any(not part for part, _ in parts):
        raise NotUnderstoodError("a relation with an empty side")
    first = Value(Symbol(name)) if (name := _bracketed_name(parts[0][0])) else _side(parts[0][0])
    signs = tuple(_SIGNS[sign] for _, sign in parts[:-1])
    return Relation(signs, (first, *(_side(part) for part, _ in parts[1:])))


def _bracketed_name(tokens: Tokens) -> str:
    """What stands left of `P(A) = ...`, if it is such a name."""
    plain = len(tokens) > 3 and tokens[0].text in _NAMED_BY_BRACKETS and tokens[1].text == "("
    if not plain or tokens[-1].text != ")":
        return ""
    inside = tokens[2:-1]
    if all(token.kind in ("name", "number", "text") or token.text == "," for token in inside):
        return "".join(token.text for token in tokens)
    return ""


def _side(tokens: Tokens) -> Answer:
    if not tokens:
        raise NotUnderstoodError("empty")
    parts = _split(tokens, frozenset({"cup"}))
    if len(parts) > 1:
        return Union(tuple(_side(part) for part in parts))
    if tokens[0].text in _GROUPS and _closing(tokens) == len(tokens) - 1:
        return _group(tokens[0].text, tokens[1:-1], tokens[-1].text)
    if len(tokens) == 1 and tokens[0].text == "emptyset":
        return Bag(())
    if [token.text for token in tokens] == ["mathbb", "{", "R", "}"]:
        return _REALS
    if tokens[-1].text == "end":
        return _matrix(tokens)
    ratio = _split(tokens, frozenset({":"}))
    if len(ratio) > 1:
        return _ratio(ratio)
    return _value(tokens)


def _closing(tokens: Tokens) -> int:
    """Where the bracket closes that opens the tokens."""
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind in ("mark", "command"):
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if depth == 0:
                return i
    raise NotUnderstoodError("a bracket that is not closed")


def _group(opening: str, inside: Tokens, closing: str) -> Answer:
    parts = _split(inside, frozenset({",", ";"}))
    if opening == "\\{":
        if closing != "\\}":
            raise NotUnderstoodError("brackets that do not match")
        if any(token.text in ("mid", "|", ":") for token in inside):
            raise NotUnderstoodError("a set by its property")
        return _bag(parts) if inside else Bag(())
    if len(parts) == 1:
        if _GROUPS[opening] != closing:
            raise NotUnderstoodError("brackets that do not match")
        return _item(inside)
    if opening == "{":
        return _bag(parts)
    if opening == "langle":
        opening, closing = "(", ")"
    if closing not in (")", "]"):
        raise NotUnderstoodError("brackets that do not match")
    return Tuple(opening + closing, tuple(_item(part) for part in parts))


def _matrix(tokens: Tokens) -> Answer:
    start = next((i for i, token in enumerate(tokens) if token.text == "begin"), len(tokens))
    if _closing(tokens[start:]) != len(tokens) - start - 1:
        raise NotUnderstoodError("something after a matrix")
    rows = []
    for row in _split(tokens[start + 1 : -1], frozenset({"\\\\"})):
        if row:
            cells = [parse_expression(cell) for cell in _split(row, frozenset({"&"}))]
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


def _ratio(parts: Sequence[Tokens]) -> Ratio:
    if any(len(part) != 1 or part[0].kind != "number" for part in parts):
        raise NotUnderstoodError("a colon between other things than numbers")
    return Ratio(tuple(Fraction(part[0].text) for part in parts))


def _value(tokens: Tokens) -> Answer:
    if tokens[0].text in _CURRENCIES or (tokens[-1].text in _CURRENCIES and len(tokens) > 1):
        sign = tokens[0].text
        tokens = tokens[1:] if sign in _CURRENCIES else tokens[:-1]
        return _value(tokens)
    end = unit_start(tokens)
    if end == 0:
        if any(token.kind != "text" for token in tokens):
            raise NotUnderstoodError("words and other things")
        return Words(phrase_key(" ".join(token.text for token in tokens)))
    unit = unit_key(" ".join(token.text for token in tokens[end:]))
    values = tuple(Value(expression, unit) for expression in parse_expression(tokens[:end]))
    return values[0] if len(values) == 1 else Bag(values)
