"""The released code's rules for reading, voting and grading, without its faults of safety.

Written from a description of its behaviour (docs/grading.md) and held to measured input/output
pairs (tests/golden). Model text is never run as code, and every scan is linear.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from madm2.grading import worker
from madm2.types import AnswerType

Family = Literal["gsm8k", "math", "aime", "mmlu_pro"]
VoteKey = str | float | None

_HASHES = re.compile(r"####\s*(-?[\d.,]+)")
_THE = re.compile(r"[Tt]he(?:\sfinal)?(?:\sanswer)?(?:\sis)?:?\s*([^\n]+)")
_NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?")
_LETTER = re.compile(r"\b[A-J]\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the released code stores of a completion."""

    think: str
    answer: str


@dataclass(frozen=True, slots=True)
class ReleasedVote:
    """A vote over normalised answers; consensus when the winner has at least half."""

    key: VoteKey
    count: int
    consensus: bool


def family_of(dataset: str, answer_type: AnswerType) -> Family:
    """Which of the released code's rules a dataset falls under."""
    if dataset in ("gsm8k", "math", "mmlu_pro"):
        return dataset  # type: ignore[return-value]
    if dataset.startswith("aime"):
        return "aime"
    by_type: dict[AnswerType, Family] = {"numeric": "gsm8k", "choice": "mmlu_pro"}
    return by_type.get(answer_type, "math")


def read(text: str, family: Family) -> Reading:
    """Read a completion: its thinking, and its answer exactly as found (may be empty)."""
    think = _between(text, "<think>", "</think>")
    return Reading(text if think is None else think, _answer(text, family))


def _answer(text: str, family: Family) -> str:
    if family == "mmlu_pro":
        letters = _LETTER.findall(text)
        return letters[-1] if letters else _first_box(text)
    tagged = _last_tag(text)
    found = tagged if tagged is not None else _untagged(text)
    return found or _first_box(text)


def _untagged(text: str, last_resort: Callable[[str], str] = lambda text: "") -> str:
    """Rules 2 to 5: a box, the hashes, what follows "the", the last line."""
    return (
        _last_greedy(text, "\\boxed{")
        or _last_greedy(text, "\\fbox{")
        or _last(_HASHES, text).replace(",", "")
        or _last(_THE, text)
        or last_resort(text)
        or text.split("\n")[-1]
    )


def _between(text: str, opening: str, closing: str) -> str | None:
    start = text.find(opening)
    end = text.find(closing, start + len(opening)) if start >= 0 else -1
    return text[start + len(opening) : end] if end >= 0 else None


def _last_tag(text: str) -> str | None:
    found = None
    for line in text.split("\n"):
        position = 0
        while (start := line.find("<answer>", position)) >= 0:
            end = line.find("</answer>", start + 8)
            if end < 0:
                break
            found, position = line[start + 8 : end], end + 9
    return found


def _last_greedy(text: str, opening: str) -> str:
    """The last line with an opening: from its first one to the line's last closing brace."""
    for line in reversed(text.split("\n")):
        start, end = line.find(opening), line.rfind("}")
        if 0 <= start and start + len(opening) <= end:
            return line[start + len(opening) : end]
    return ""


def _last(pattern: re.Pattern[str], text: str) -> str:
    found = ""
    for match in pattern.finditer(text):
        found = match[1]
    return found


def _first_box(text: str) -> str:
    return (_between(text, "\\boxed{", "}") or "").strip()


def _last_number(text: str) -> float | None:
    numbers = _NUMBER.findall(text)
    return float(numbers[-1].replace(",", "")) if numbers else None


def vote_key(answer: str, family: Family) -> VoteKey:
    """The form in which answers are compared in a vote."""
    if family in ("gsm8k", "aime"):
        return _last_number(answer)
    if family == "math":
        return answer.strip()
    return unicodedata.normalize("NFKC", answer.strip())[:1].lower()


def vote(answers: Sequence[str], family: Family) -> ReleasedVote:
    """The most frequent key, first seen on ties; empty and None count."""
    counts = Counter(vote_key(answer, family) for answer in answers)
    key, count = counts.most_common(1)[0]
    return ReleasedVote(key, count, 2 * count >= len(answers))


def score(key: VoteKey, gold: str, family: Family) -> float:
    """Grade a voted key against the gold field of its row: 1.0 or 0.0.

    Where the released code raises, or would not end, the score is 0.
    """
    prediction = str(key)
    if family == "gsm8k":
        ours, theirs = _last_number(prediction), _last_number(gold)
        return float(ours is not None and theirs is not None and abs(ours - theirs) <= 1e-6)
    if family == "mmlu_pro":
        ours_letter, theirs_letter = _choice(prediction), _choice(gold)
        return float(bool(ours_letter) and ours_letter == theirs_letter)
    if family == "aime":
        return float(_equal(_untagged(prediction, _number_text), gold))
    return float(_equal(_untagged(prediction), _untagged(gold)))


def _number_text(text: str) -> str:
    numbers = _NUMBER.findall(text)
    return numbers[-1] if numbers else ""


def _choice(text: str) -> str:
    for pattern in (r"answer is \(?([A-J])\)?", r"[aA]nswer:\s*([A-J])"):
        if found := re.search(pattern, text):
            return found[1].lower()
    letters = _LETTER.findall(text) or re.findall(r"[A-Za-z]", text)[:1]
    return letters[-1].lower() if letters else ""


def _equal(prediction: str, gold: str) -> bool:
    ours, theirs = normalise(prediction), normalise(gold)
    return (
        _plus_minus(ours, theirs)
        or _plus_minus(theirs, ours)
        or ours == theirs
        or _floats_close(ours, theirs)
        or _same_parts(ours, theirs)
        or _same_expression(ours, theirs)
    )


def _plus_minus(one: str, other: str) -> bool:
    before, sign, after = one.partition("\\pm")
    parts = re.split("[,;]", other)
    return (
        bool(sign) and len(parts) == 2 and {f"{before}+{after}", f"{before}-{after}"} == set(parts)
    )


def _floats_close(ours: str, theirs: str) -> bool:
    try:
        return math.isclose(
            float(ours.replace(",", "")), float(theirs.replace(",", "")), rel_tol=1e-4
        )
    except ValueError:
        return False


def _same_parts(ours: str, theirs: str) -> bool:
    one, other = (
        sorted(filter(None, re.split("[,;]", side.strip("()[]{}")))) for side in (ours, theirs)
    )
    return len(one) > 1 and one == other


def _same_expression(ours: str, theirs: str) -> bool:
    try:
        return bool(worker.call("madm2.grading.symbolic:latex_difference_is_zero", ours, theirs))
    except (worker.WorkerTimeout, worker.WorkerError):
        return False


def normalise(text: str) -> str:
    """The released code's normal form of a MATH answer, step by step in its order."""
    text = text.strip()
    text = re.sub(r"\\(?:text|mbox)\{([^}]*)\}", r"\1", text)
    for token in ("^{\\circ}", "\\circ", "°", "\\%", "%"):
        text = text.replace(token, "")
    text = re.sub(r"(?i)(?<!\s)\s*degrees", "", text)
    for token in ("inches^2", "square inches", "\n"):
        text = text.replace(token, "")
    text = text.removesuffix(".")
    for old, new in (
        ("\\!", ""),
        ("\\ ", " "),
        ("\\\\", "\\"),
        ("tfrac", "frac"),
        ("dfrac", "frac"),
        ("\\left", ""),
        ("\\right", ""),
        ("$", ""),
        (" ", ""),
        ("\u200b", ""),
    ):
        text = text.replace(old, new)
    text = _brace_fractions(text)
    return re.sub(r"\\sqrt(\w+)", r"\\sqrt{\1}", text).strip()


def _brace_fractions(text: str) -> str:
    head, *rest = text.split("\\frac")
    out = head
    for part in rest:
        if part.startswith("{"):
            out += "\\frac" + part
        elif len(part) < 2:
            return text
        else:
            second = part[1] if part[1] == "{" else f"{{{part[1]}}}"
            out += f"\\frac{{{part[0]}}}{second}{part[2:]}"
    return out
