"""Parts of a list of tokens: between separators outside brackets, and inside a bracket."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TypeAlias

from madm2.grading.tokens import CLOSING, OPENING, Token
from madm2.grading.tree import NotUnderstoodError

Tokens: TypeAlias = Sequence[Token]


def split(tokens: Tokens, separators: Container[str]) -> list[Tokens]:
    """The parts between separators that no bracket holds."""
    return [part for part, _ in split_with(tokens, separators)]


def split_with(tokens: Tokens, separators: Container[str]) -> list[tuple[Tokens, str]]:
    """The parts, each with the separator behind it ("" for the last)."""
    parts: list[tuple[Tokens, str]] = []
    depth, start = 0, 0
    for i, token in enumerate(tokens):
        if token.kind not in ("mark", "command"):
            continue
        if token.text in OPENING:
            depth += 1
        elif token.text in CLOSING:
            depth -= 1
        elif depth == 0 and token.text in separators:
            parts.append((tokens[start:i], token.text))
            start = i + 1
    parts.append((tokens[start:], ""))
    return parts


def closing_of(tokens: Tokens) -> int:
    """Where the bracket closes that opens the tokens."""
    depth = 0
    for i, token in enumerate(tokens):
        if token.kind in ("mark", "command"):
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if depth == 0:
                return i
    raise NotUnderstoodError("a bracket that is not closed")
