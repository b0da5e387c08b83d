"""Reads what a text closes with that states no answer, where that is more than a guess."""

from __future__ import annotations

import re

from madm2.grading import numbers
from madm2.grading.boxes import math_segments
from madm2.grading.cue_words import alternatives
from madm2.grading.cues import answer_statements
from madm2.grading.reading import JOINED_MATH, worded
from madm2.grading.unwrap import is_placeholder, unwrap
from madm2.types import AnswerType

_SENTENCES = re.compile(r"(?<=[.!?。？！])\s+|(?<=[。？！])")
_CONCLUDES = re.compile(
    r"\W*(?:therefore|thus|hence|so|since|now|next|then|let|this means|in conclusion)\b",
    re.IGNORECASE,
)
# What a sentence says of its subject right before the value.
_VERBS = alternatives(
    r"""
    is|are|was|be|(?<!to )equals?|becomes?|have|has|needs?|gets?|obtain|yields?|conclude(?: that)?
    gives?(?: us)?|giving(?: us)?|(?<=we )(?:choose|find|take)
    (?:simplif|reduc|evaluat|amount|com|add|round|convert)\w+ (?:out |up )?to
    es|est|ist|è|é|son|sont|sind|равн[аоы]?
    """
)
_IDLE = alternatives(
    r"""
    exactly|only|just|therefore|thus|then|simply|approximately|about|equal to|given by|indeed
    always|at|also|a total of
    """
)
_HOLDER = "\ufdd0"  # stands for a formula
_VALUE = re.compile(
    rf"(?:(?<!\w)(?:{_VERBS})(?!\w)|是|为|為|は|が|는|은)[\s:：]*(?:(?:{_IDLE})[\s:]+){{0,2}}(?P<value>{_HOLDER}"
    r"|-?[$€£]?\d[\d,.]*(?<![.,])(?:\s*[-+*/×^=]\s*-?[$€£]?\d[\d,.]*(?<![.,]))*)",
    re.IGNORECASE,
)
# These go on about the number itself: "3 to 4", "3 times as many".
_GOES_ON = re.compile(
    r"\s*(?:(?:to|times|more|less|fewer|out|of|plus|minus|over|by)\b|[-+*/×^=<>≤≥]|,\s*\d)"
)
# What a formula at a sentence's end may follow, to be what the sentence comes to.
_LEADS = re.compile(
    r"(?:^|[:：])\W*$|(?<!\w)(?:so|thus|hence|therefore|then|that|donc|also|por tanto|portanto|"
    r"значит|所以|因此|故)[\s,，]*$",
    re.IGNORECASE,
)
_SAYS = re.compile(  # a formula that is more than a name
    r"\d|\\(?:pi|sqrt|infty|emptyset|varnothing|frac|text|log|ln|sin|cos|tan|pm)|=|\\in(?![a-z])"
)
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7af]")
_LETTERS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]")  # commands apart
_BREAK = re.compile(r"([.!?])\s+|\s+")
_TAIL = 20_000
_MAX_WORDS = 6


def read_closing(text: str, answer_type: AnswerType) -> str | None:
    """What a text closes with that states no answer, where that is more than a guess."""
    text = text[-_TAIL:].replace(_HOLDER, "")
    lines = [line.strip() for line in _one_line_math(text).split("\n") if line.strip()]
    if not lines or is_placeholder(text):
        return None
    if answer_type == "text":
        alone = len(lines) == 1 and len(lines[0]) <= 200 and not answer_statements(text)
        return worded(unwrap(lines[0])) if alone else None
    if answer_type == "math" and len(lines) == 1 and _is_formula(lines[0]):
        return worded(unwrap(lines[0]))
    for line in reversed(lines):
        for sentence in reversed(_SENTENCES.split(numbers.without_label(line))):
            if _holds_value(sentence):
                return (_close_number if answer_type == "numeric" else _close_math)(sentence)
            idle = len(sentence.split()) <= _MAX_WORDS and not _CONCLUDES.match(sentence)
            if answer_type == "math" and not idle:
                return None
    return None


def _is_formula(line: str) -> bool:
    """Whether a line is nothing but math, with or without its delimiters."""
    masked, runs = _masked(line)
    if runs:
        return not re.search(r"[^\W\d_]", masked)
    return not _WORD.search(re.sub(r"\\[A-Za-z]+", "", line))


def _holds_value(sentence: str) -> bool:
    return bool(re.search(r"\d", sentence) or math_segments(sentence))


def _close_number(sentence: str) -> str | None:
    segments = math_segments(sentence)
    if segments:
        _, end, content = segments[-1]
        if re.search(r"\d", content) and not re.search(r"\d", sentence[end:]):
            return numbers.read_number(content, prose=False)
    return numbers.last_number(sentence)


def _close_math(sentence: str) -> str | None:
    masked, runs = _masked(sentence)
    masked = numbers.plain_characters(masked)
    found = None
    for value in _VALUE.finditer(masked):
        if not _GOES_ON.match(masked, value.end()):
            found = value["value"], masked.count(_HOLDER, 0, value.start("value"))
    bare = masked.rstrip(" .!。．*")
    if bare.endswith(_HOLDER) and _LEADS.search(bare[:-1]):
        found = _HOLDER, len(runs) - 1
    if found is None:
        return None
    answer, number = found
    if answer == _HOLDER:
        answer = runs[number]
        if not _SAYS.search(answer):
            return None
    return worded(_last_side(unwrap(answer)))


def _masked(text: str) -> tuple[str, list[str]]:
    """The text with a holder for each formula, and these; "and" or a comma joins several."""
    runs: list[tuple[int, int, str]] = []
    for start, end, content in math_segments(text):
        if runs and JOINED_MATH.fullmatch(text[runs[-1][1] : start]):
            start = runs.pop()[0]
            content = text[start:end]
        runs.append((start, end, content))
    pieces, position = [], 0
    for start, end, _ in runs:
        pieces += [text[position:start], _HOLDER]
        position = end
    return "".join(pieces) + text[position:], [content for _, _, content in runs]


def _last_side(answer: str) -> str:
    """The last side of a chain a = b = c, or of a sum that comes to a number; x = 3 stays."""
    sides = answer.split("=")
    joined = re.search(r"[,;$]|\\[()]|\b(?:and|or)\b", answer)
    if joined or len(sides) < 2 or (len(sides) == 2 and _LETTERS.search(answer)):
        return answer
    return sides[-1].strip()


def _one_line_math(text: str) -> str:
    """The text without line breaks, or what looks like a sentence's end, inside math."""
    parts, position = [], 0
    for start, end, _ in math_segments(text):
        parts += [text[position:start], _BREAK.sub(lambda m: m[1] or " ", text[start:end])]
        position = end
    return "".join(parts) + text[position:]
