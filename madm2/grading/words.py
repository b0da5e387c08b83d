"""Texts in the form in which equal ones are equal strings."""

from __future__ import annotations

import re

_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_PAUSE = re.compile(r"[,;](?!\d)|\s-\s|(?<=[a-z]) ?-(?=[a-z])")
_PUNCTUATION = re.compile(r"\.(?!\d)|[?!\"'`~]|^\(|\)$")
_ARTICLES = frozenset({"a", "an", "the"})


def phrase_key(text: str) -> str:
    """A text without case, articles, punctuation that ends something, and spaces at will."""
    text = _TEXT.sub(r" \1 ", text).casefold()
    words = _PUNCTUATION.sub("", _PAUSE.sub(" ", text)).split()
    return " ".join(word for word in words if word not in _ARTICLES) or " ".join(words)
