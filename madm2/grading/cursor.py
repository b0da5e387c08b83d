"""A position in a list of tokens, for a recursive-descent parser."""

from __future__ import annotations

from collections.abc import Sequence

from madm2.grading.tokens import CLOSING, OPENING, Token
from madm2.grading.tree import NotUnderstoodError

_END = Token("end", "", False)


class Cursor:
    r"""Reads tokens one by one; `plus` says how to read \pm, `two_signs` whether one was read."""

    def __init__(self, tokens: Sequence[Token], plus: bool) -> None:
        self.tokens = tokens
        self.position = 0
        self.plus = plus
        self.two_signs = False

    def peek(self, ahead: int = 0) -> Token:
        """The next token; an empty one at the end."""
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else _END

    def next(self) -> Token:
        """Read a token."""
        token = self.peek()
        self.position += 1
        return token

    def expect(self, text: str) -> None:
        """Read a token that must be this one."""
        if self.next().text != text:
            raise NotUnderstoodError(f"no {text!r} where one should be")

    def sign(self) -> int:
        """Read signs: -1 when they make a minus, 1 a plus, 0 when there are none."""
        total = 0
        while True:
            text = self.peek().text
            if text not in ("+", "-", "pm", "mp"):
                return total
            self.next()
            if text in ("pm", "mp"):
                self.two_signs = True
                text = "+" if (text == "pm") == self.plus else "-"
            total = (total or 1) * (1 if text == "+" else -1)

    def raw_group(self) -> str:
        """Read a bracket with all it holds, as text."""
        texts: list[str] = []
        level = 0
        while True:
            token = self.next()
            if token is _END:
                raise NotUnderstoodError("a bracket that is not closed")
            level += (token.text in OPENING) - (token.text in CLOSING)
            if level == 0:
                return " ".join(texts[1:])
            texts.append(token.text)

    def raw_argument(self) -> str:
        """Read an index, as text: one token or a braced group."""
        if self.peek().text == "{":
            return self.raw_group()
        token = self.next()
        if token.kind not in ("number", "name", "text"):
            raise NotUnderstoodError("an odd index")
        return token.text
