"""Reads an option letter, told from the words A and I, or from an option's text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from madm2.grading import choice_words as words

_WRAP = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf|mathbb|mathsf|mbox|textit|textrm)\s*\{([^{}]*)\}"
)
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|[。！？\n]")
_MAX_CHARS = 2000


def letters_of(options: Sequence[str]) -> str:
    """The letters in use: A up to the number of options, or A to J where they are unknown."""
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(options) or 10]


def read_choice(content: str, options: Sequence[str], stated: bool = True) -> str | None:
    """The one letter that a stated answer names; None when it names none, or several.

    Args:
        content: what a tag or box holds, or what follows an answer phrase.
        options: the options' texts, where known.
        stated: False where nothing says that this is an answer: then I and A need more.
    """
    text = _clean(content[:_MAX_CHARS])
    letter = _named(text, options, stated)
    return letter if letter and letter in letters_of(options) else None


def closing_choice(text: str, options: Sequence[str]) -> str | None:
    """The letter that a text without an answer phrase claims, opens with or closes with."""
    lines = [line.strip() for line in _clean(text).split("\n") if line.strip()]
    if not lines:
        return None
    first, last = lines[0], lines[-1]
    valid = letters_of(options)
    listed = sum(bool(words.LISTED.match(line)) for line in lines)
    if words.LONE.fullmatch(first) and words.LONE.fullmatch(last) and first != last:
        return None  # the letters only
    opens = len(lines) == 1 or (listed <= 1 and words.OPENING.match(first))
    if opens or words.LONE.fullmatch(first):
        if letter := read_choice(first, options, stated=False):
            return letter
    if (found := words.CONCLUDES.search(last[-300:])) and found["letter"] in valid:
        return found["letter"]
    if claims := [c for c in _claims("\n".join(lines)) if c[1] in valid]:
        return max(claims)[1]
    if listed > 1 and not words.LONE.fullmatch(last):
        return None
    if len(last) <= 12 and (letter := read_choice(last, options, stated=False)):
        return letter
    letter = _only_mention(re.split(r"(?<=[.!?。])\s+", last)[-1])
    return letter if letter and letter in valid else None


def _named(text: str, options: Sequence[str], stated: bool) -> str | None:
    """The letter that a text names, whether or not there is such an option."""
    if lone := words.LONE.fullmatch(text):
        return lone[1].upper()
    line = text.split("\n", 1)[0]
    sentence = _SENTENCE_END.split(text, maxsplit=1)[0]
    for part in (text, line, sentence, words.REASONED.sub("", sentence)):
        if letter := _option_with_text(part, options):
            return letter
    _, but, contrast = line.partition(" but ")
    if but and (claims := _claims(contrast)):
        return max(claims)[1]
    letter, decided = _leading_letter(text, options, stated)
    if decided or not stated:
        return letter
    if concluding := words.CONCLUDES.search(sentence):
        return concluding["letter"]
    return _only_mention(sentence)


def _leading_letter(text: str, options: Sequence[str], stated: bool) -> tuple[str | None, bool]:
    """The letter that a text opens with, and whether that settles it.

    It does with no letter too: when two are named, or one is turned down.
    """
    lead = words.LEAD.match(text)
    found = words.LETTER.match(text, lead.end() if lead else 0)
    if not found:
        return None, False
    letter, close, rest = found["letter"], found["close"], found["rest"]
    if words.SECOND.match(rest):
        return None, True
    if _same_text(rest, options, letter.upper()):
        return letter.upper(), True
    if rest and not close and not _stands_apart(rest):
        return None, False
    if words.DENIED.match(rest) or (not stated and words.TURNED_DOWN.match(rest)):
        return None, True
    named = bool(lead and lead["noun"]) and letter not in "AI"
    marked = named or ")" in close or "]" in close or rest[:1] in (".", ":", ")")
    reasoned = stated and letter not in "ai" and words.REASON.match(rest)
    if letter.islower() and not (reasoned or named or (marked and rest)):
        return None, False
    if marked:
        return letter.upper(), True
    if letter in "AI" and not stated:
        goes_on = bool(words.GOES_ON_UNSTATED.match(rest))
    else:
        labels = stated and letter not in "AIai" and words.LABELS.match(rest)
        goes_on = bool(labels or words.GOES_ON.match(rest))
    return (letter.upper(), True) if goes_on else (None, False)


def _stands_apart(rest: str) -> bool:
    """Whether a letter directly before this is a letter of its own, not part of a word."""
    if words.ATTACHED.match(rest):
        return rest[0] in "'’" or bool(words.GOES_ON.match(rest))
    return not (rest[0] in "'’_+#^/-|" or rest[0].isalnum() or words.TERM.match(rest))


def _claims(text: str) -> list[tuple[int, str]]:
    """Every claim such as "B is correct" or "I pick B": (position, letter)."""
    return [(m.end(), m["letter"]) for claim in words.CLAIMS for m in claim.finditer(text)]


def _only_mention(sentence: str) -> str | None:
    """The one option that a sentence mentions, where it does not turn it down."""
    mentioned = {m["letter"] or m["bare"] for m in words.MENTION.finditer(sentence)}
    return mentioned.pop() if len(mentioned) == 1 and not words.NEGATIVE.search(sentence) else None


def _clean(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).replace("−", "-")
    return _WRAP.sub(r"\1", _WRAP.sub(r"\1", text)).replace("\\ ", " ").strip()


def _same_text(rest: str, options: Sequence[str], letter: str) -> bool:
    index = letters_of(options).find(letter)
    return bool(options) and index >= 0 and _plain(rest) == _plain(options[index]) != ""


def _option_with_text(text: str, options: Sequence[str]) -> str | None:
    wanted = _plain(text)
    same = [i for i, option in enumerate(options) if wanted and _plain(option) == wanted]
    return letters_of(options)[same[0]] if len(same) == 1 else None


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).replace("−", "-").casefold()
    return " ".join(re.sub(r"[^\w.%/+<>=*^|!-]+", " ", text).strip(" .!*").split())
