"""Reads what a text closes with that states no answer, where that is more than a guess."""

from __future__ import annotations

import re

from madm2.grading import numbers
from madm2.grading.boxes import math_segments
from madm2.grading.cues import Statement
from madm2.grading.reading import JOINED_MATH, first_math, last_value, worded
from madm2.grading.unwrap import is_placeholder, unwrap
from madm2.types import AnswerType

_SENTENCES = re.compile(r"(?<=[.!?。？！])\s+|(?<=[。？！])")
_CONCLUDES = re.compile(r"\W*(?:therefore|thus|hence|so|this means|in conclusion)\b", re.IGNORECASE)
# After a formula, these go on about it; before one, these say that it is only a condition.
_GOES_ON = re.compile(
    r"\W*(?:is|are|was|must|has|have|satisf\w+|can|will|should|does|do|for|to|in the|and|holds|"
    r"that)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:by|for|of|with|from|than|when|where|if|at|given)\W*$", re.IGNORECASE)
_LETTERS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7af]")
_BREAK = re.compile(r"([.!?])\s+|\s+")
_TAIL = 20_000
_MAX_PASSED = 200


def read_closing(text: str, answer_type: AnswerType) -> str | None:
    """What a text closes with that states no answer, where that is more than a guess."""
    lines = [line.strip() for line in _one_line_math(text[-_TAIL:]).split("\n") if line.strip()]
    if not lines or is_placeholder(text):
        return None
    if answer_type == "text":
        alone = len(lines) == 1 and len(lines[0]) <= 200
        return worded(unwrap(lines[0])) if alone else None
    if len(lines) == 1 and not _WORD.search(re.sub(r"\\[A-Za-z]+", "", lines[0])):
        if answer_type == "math":
            return worded(unwrap(lines[0]))
    passed = 0
    for line in reversed(lines):
        for sentence in reversed(_SENTENCES.split(numbers.without_label(line))):
            if answer_type == "math" and _CONCLUDES.match(sentence) and not _holds_value(sentence):
                return None
            if _holds_value(sentence):
                answer = _close_number if answer_type == "numeric" else _close_math
                return answer(sentence)
            passed += len(sentence) + 1
            if passed > _MAX_PASSED and answer_type == "math":
                return None
    return None


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
    segments = math_segments(sentence)
    if value := last_value(sentence):
        answer = first_math(Statement(0, value, "phrase"))
    elif not segments:
        found = numbers.NUMBER.findall(sentence)
        return numbers.last_number(sentence) if len(found) == 1 else None
    else:
        start, end, answer = _last_run(sentence, segments)
        if re.search(r"\d", sentence[end:]):
            return numbers.last_number(sentence[end:])
        if _GOES_ON.match(sentence[end:]) or _CONDITION.search(sentence[:start]):
            return None
        single = (start, end) == segments[-1][:2]
        left, _, right = answer.partition("=") if single else ("", "", "")
        if re.search(r"\w.*[-+*/ ^({].*\w", left.strip()) and not _LETTERS.search(right):
            answer = right  # a sum or a function that comes to a constant
    return worded(_last_side(unwrap(answer)))


def _last_run(text: str, segments: list[tuple[int, int, str]]) -> tuple[int, int, str]:
    """The last formula with those that "and" or a comma joins to it: (start, end, content)."""
    start, end, content = segments[-1]
    for before, stop, _ in reversed(segments[:-1]):
        if not JOINED_MATH.fullmatch(text[stop:start]):
            break
        start = before
        content = text[start:end]
    return start, end, content


def _last_side(answer: str) -> str:
    """The last side of a chain a = b = c; a single equation stays."""
    sides = answer.split("=")
    joined = re.search(r"[,;$]|\\[()]|\b(?:and|or)\b", answer)
    return sides[-1].strip() if len(sides) > 2 and not joined else answer


def _one_line_math(text: str) -> str:
    """The text without line breaks, or what looks like a sentence's end, inside math."""
    parts, position = [], 0
    for start, end, _ in math_segments(text):
        parts += [text[position:start], _BREAK.sub(lambda m: m[1] or " ", text[start:end])]
        position = end
    return "".join(parts) + text[position:]
