r"""Parses a whole answer: what stands around expressions and between them.

An answer is split from the outside in: lists at commas and "or", chains of equations and
inequalities, unions, brackets, matrices; what is left are expressions with units, and words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from madm2.grading.brackets import Tokens, closing_of, split, split_with
from madm2.grading.leaves import read_matrix, read_numeral, read_ratio, read_value
from madm2.grading.normal import clean
from madm2.grading.spelling import TEXT, respell
from madm2.grading.tokens import PLAIN_NAMES, check_size, is_word, tokenize
from madm2.grading.tree import (
    Answer,
    Apply,
    Bag,
    NotUnderstoodError,
    Relation,
    Symbol,
    Tuple,
    Union,
    Value,
    Words,
)
from madm2.grading.units import has_measures
from madm2.grading.words import phrase_key

_CONJUNCTIONS = frozenset({"and", "or", "&"})
_SEPARATORS = _CONJUNCTIONS | {",", ";"}
_SIGNS = {"=": "=", "<": "<", ">": ">", "le": "<=", "ge": ">=", "ne": "!=", "approx": "="}
_NAMED_BY_BRACKETS = frozenset("fghpqEFGHPQTVS")
_MAX_ITEMS = 60  # comparing without order takes the square of it
_REALS = Tuple("()", (Value(Apply("neg", (Symbol("oo"),))), Value(Symbol("oo"))))
_IN_REALS = ["in", "mathbb", "{", "R", "}"]
_GROUPS = {"(": ")", "[": "]", "{": "}", "\\{": "\\}", "langle": "rangle"}


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
    if only := TEXT.fullmatch(text):
        text = clean(only[1])
        if text.isalpha() and len(text) > 1 and text not in PLAIN_NAMES:
            return Words(phrase_key(text))
    text = respell(text)
    if _is_phrase(text):
        return Words(phrase_key(text))
    try:
        return _list(tokenize(text))
    except NotUnderstoodError:
        if _has_words(text):
            return Words(phrase_key(text))
        raise


def _is_phrase(text: str) -> bool:
    if len(text) > 500 or re.search(r"[\\\d_^=<>+*/|(){}\[\]]", text):
        return False
    runs = re.findall(r"[A-Za-z]+", text)
    return any(is_word(run) for run in runs if run not in ("and", "or"))


def _has_words(text: str) -> bool:
    r"""Whether a text that is no mathematics holds words, and no command but \text."""
    plain = TEXT.sub(r" \1 ", text)
    return "\\" not in plain and any(map(is_word, re.findall(r"[A-Za-z]+", plain)))


def _list(tokens: Tokens) -> Answer:
    parts = _parts(_without_membership(tokens), _SEPARATORS)
    return _item(parts[0]) if len(parts) == 1 else _bag(parts)


def _parts(tokens: Tokens, separators: frozenset[str]) -> list[Tokens]:
    """What stands between separators; `, and` is one of them."""
    parts: list[Tokens] = []
    before = ""
    for part, separator in split_with(tokens, separators):
        if part:
            parts.append(part)
        elif before == "," and separator not in _CONJUNCTIONS:
            raise NotUnderstoodError("nothing between two commas")
        elif not separator or not before:
            raise NotUnderstoodError("a separator at an end")
        before = separator
    return parts


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


def _item(tokens: Tokens) -> Answer:
    if tokens[0].text == "=":
        tokens = tokens[1:]  # what a line of a computation goes on with
    parts = split_with(tokens, _SIGNS)
    if len(parts) == 1:
        return _side(tokens)
    if any(not part for part, _ in parts):
        raise NotUnderstoodError("a relation with an empty side")
    signs = tuple(_SIGNS[sign] for _, sign in parts[:-1])
    *steps, last = (part for part, _ in parts)
    return Relation(signs, (*(_step(step, signs) for step in steps), _side(last)))


def _step(tokens: Tokens, signs: tuple[str, ...]) -> Answer:
    """Read a side that is not the last; in a chain of equations it may be anything."""
    if name := _bracketed_name(tokens):
        return Value(Symbol(name))
    try:
        return _side(tokens)
    except NotUnderstoodError:
        texts = [token.text for token in tokens]
        if set(signs) == {"="} and (len(signs) > 1 or has_measures(tokens)):
            return Words(" ".join(texts))
        raise


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
    parts = split(tokens, frozenset({"cup"}))
    if len(parts) > 1:
        return Union(tuple(_side(part) for part in parts))
    if tokens[0].text in _GROUPS and closing_of(tokens) == len(tokens) - 1:
        return _group(tokens[0].text, tokens[1:-1], tokens[-1].text)
    if len(tokens) == 1 and tokens[0].text == "emptyset":
        return Bag(())
    if [token.text for token in tokens] == _IN_REALS[1:]:
        return _REALS
    if tokens[-1].text == "end":
        return read_matrix(tokens)
    if numeral := read_numeral(tokens):
        return numeral
    ratio = split(tokens, frozenset({":"}))
    if len(ratio) > 1:
        return read_ratio(ratio)
    return read_value(tokens)


def _group(opening: str, inside: Tokens, closing: str) -> Answer:
    if opening == "\\{":
        if closing != "\\}":
            raise NotUnderstoodError("brackets that do not match")
        return _set(inside) if inside else Bag(())
    parts = _parts(inside, frozenset({",", ";"}))
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


def _set(inside: Tokens) -> Answer:
    r"""Read a set by its items, or by a property of one variable: {x | x > 3}."""
    parts = split(inside, frozenset({"|", ":"}))
    if len(parts) == 2 and parts[0] and parts[0][0].kind == "name":
        if len(parts[0]) == 1 or [t.text for t in parts[0][1:]] == _IN_REALS:
            return _list(parts[1])
        raise NotUnderstoodError("a set by its property")
    return _bag(_parts(inside, frozenset({",", ";"})))
