"""Reads an option letter, told from the words A and I, or from an option's text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WRAP = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mathbb|mbox|textit)\s*\{([^{}]*)\}")
_LEAD = re.compile(
    r"^[\s\"'“‘*_`$\[({<]*(?:(?:the|la|el|die|der|das|le)\s+)?"
    r"(?:(?:options?|choices?|letter|answer|opción|option|réponse|antwort|选项|選項|вариант|опция)\s*:?\s*)?"
    r"[\s\"'“‘*_`$\[({<]*",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?P<letter>[A-Za-z])(?P<close>[\s\"'”’*_`$\])}>]*)(?P<rest>.*)", re.DOTALL)
# After a lone A or I these go on about the choice; any other word makes it an article or pronoun.
_GOES_ON = re.compile(
    r"^(?:$|[.,:;!?)\]}(\-–—=。，、：；（]|(?:because|since|as|is|was|with|which|for|due|given|so|but|"
    r"based|according|if|when|by|from|porque|ya|car|parce|weil|da|perché|pois|因为|因為|が|です|입니다|이다|है)"
    r"(?!\w))",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r"^[\s,]*(?:and|or|&|/|,|und|oder|et|ou|y|o|и|или|和|或)\s*(?:options?\s*)?[(\[]?[A-Z](?![\w'’])"
)
_CLAIMS = (
    re.compile(
        r"\b([A-Z])\b\)?\s{1,3}(?:is|must be|would be|seems)\s+"
        r"(?:the\s+)?(?:most\s+)?(?:correct|right|best|true|valid|appropriate)\b"
    ),
    re.compile(
        r"\b(?:choose|pick|select|go with|chose|choosing|elijo|wähle)\s+"
        r"(?:(?:option|answer|choice)\s+)?\(?([A-Z])(?![\w'’])\)?(?!\s+(?:random|few|number|different))"
    ),
)


def letters_of(options: Sequence[str]) -> str:
    """The letters in use: A up to the number of options, or A to J where they are unknown."""
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(options) or 10]


def read_choice(content: str, options: Sequence[str], stated: bool = True) -> str | None:
    """The one letter that a stated answer names; None when it names none, or several.

    Args:
        content: what a tag or box holds, or what follows an answer phrase.
        options: the options' texts, where known.
        stated: a letter may be lower-case and stand without punctuation.
    """
    text = unicodedata.normalize("NFKC", content[:2000]).strip()
    text = _WRAP.sub(r"\1", _WRAP.sub(r"\1", text)).strip()
    if letter := _option_with_text(text, options):
        return letter
    found = _LETTER.match(text, _LEAD.match(text).end())  # type: ignore[union-attr]
    if not found:
        return None
    letter, close, rest = found["letter"], found["close"], found["rest"]
    if rest and not close and (rest[0].isalnum() or rest[0] in "'’_"):
        return None
    bracketed = ")" in close or "]" in close
    alone = not rest.strip(" .,:;!?。")
    marked = bracketed or alone or rest[:1] in ".:)"
    if letter.islower() and not (stated and marked):
        return None
    if letter in "AI" and not marked and not _GOES_ON.match(rest):
        return None
    if _SECOND.match(rest) or letter.upper() not in letters_of(options):
        return None
    return letter.upper()


def claimed_choice(text: str, options: Sequence[str]) -> str | None:
    """The letter of the last claim such as "B is correct" or "I pick B"."""
    text = unicodedata.normalize("NFKC", text)
    for pattern in _CLAIMS:
        letters = [m[1] for m in pattern.finditer(text) if m[1] in letters_of(options)]
        if letters:
            return letters[-1]
    return None


def bare_choice(text: str, options: Sequence[str]) -> str | None:
    """A letter that a short answer opens with ("B.", "C) because ..."), or closes with."""
    lines = [line for line in text.strip().split("\n") if line.strip()]
    if not lines:
        return None
    opening = re.match(
        r"[\s*_(\[\"']*([A-Z])[*_\"']*(?:[).:\]]|$)", unicodedata.normalize("NFKC", lines[0])
    )
    listed = sum(bool(re.match(r"[\s*_(\[]*[A-Z][*_]*[).:\]]", line)) for line in lines)
    if opening and listed == 1:
        return read_choice(lines[0], options, stated=False)
    last = lines[-1].strip()
    if len(last) <= 12 and listed <= 1:
        return read_choice(last, options, stated=False)
    bracketed = set(re.findall(r"[(\[]([A-Z])[)\]]", last))
    if len(bracketed) == 1 and listed <= 1:
        return read_choice(bracketed.pop(), options)
    return _option_with_text(text.strip(), options)


def _option_with_text(text: str, options: Sequence[str]) -> str | None:
    wanted = _plain(text)
    same = [i for i, option in enumerate(options) if wanted and _plain(option) == wanted]
    return letters_of(options)[same[0]] if len(same) == 1 else None


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w.%/+-]+", " ", text.casefold()).strip(" .").split())
