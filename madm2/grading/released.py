"""The released code's rules for reading, voting and grading, without its faults of safety.

Written from a description of its behaviour (docs/released.md) and held to measured input/output
pairs (tests/golden). Model text is never run as code, and every scan is linear. When two MATH
answers are equal is told by `released_equal`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from madm2.grading import worker
from madm2.grading.released_equal import Rule, matching_rule
from madm2.types import AnswerType, Status

Family = Literal["gsm8k", "math", "aime", "mmlu_pro"]
VoteKey = str | float | None

_HASHES = re.compile(r"####\s*(-?[\d.,]+)")
_THE = re.compile(r"[Tt]he(?:\sfinal)?(?:\sanswer)?(?:\sis)?:?\s*([^\n]+)")
_NUMBER = re.compile(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?")
_LETTER = re.compile(r"\b[A-J]\b")
_STATED_LETTER = (
    re.compile(r"answer is \(?([A-J])\)?"),
    re.compile(r"[aA]nswer:\s*([A-J])"),
)
_ANY_LETTER = re.compile(r"[A-Za-z]")


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
    box = _last_greedy(text, "\\boxed{")
    if box is None:
        box = _last_greedy(text, "\\fbox{")
    return (
        box
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


def _last_greedy(text: str, opening: str) -> str | None:
    """In the last line that has it: from the first opening to the last closing brace."""
    for line in reversed(text.split("\n")):
        start, end = line.find(opening), line.rfind("}")
        if 0 <= start and start + len(opening) <= end:
            return line[start + len(opening) : end]
    return None


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
    return unicodedata.normalize("NFKC", answer.strip()[:1])[:1].lower()


def vote(answers: Sequence[str], family: Family) -> ReleasedVote:
    """The most frequent key, first seen on ties; empty and None count. Needs an answer."""
    counts = Counter(vote_key(answer, family) for answer in answers)
    key, count = counts.most_common(1)[0]
    return ReleasedVote(key, count, 2 * count >= len(answers))


def score(key: VoteKey, gold: str, family: Family) -> float:
    """Grade a voted key against the gold field of its row: 1.0 or 0.0.

    Where the released code raises, or would not end, the score is 0.
    """
    return float(status(key, gold, family) == "correct")


def status(key: VoteKey, gold: str, family: Family) -> Status:
    """The verdict behind `score`: tells no answer and a comparison cut short from a wrong one."""
    try:
        right = bool(rule(key, gold, family))
    except worker.WorkerTimeout:
        return "grader_timeout"
    if right:
        return "correct"
    return "no_answer" if key is None or not str(key).strip() else "incorrect"


def rule(key: VoteKey, gold: str, family: Family) -> Rule | None:
    """By which rule a voted key counts as right; None when by none.

    Raises:
        WorkerTimeout: undecided in time.
    """
    prediction = str(key)
    if family == "gsm8k":
        ours = key if isinstance(key, float) else _last_number(prediction)
        theirs = _last_number(gold)
        same = ours is not None and theirs is not None and abs(ours - theirs) <= 1e-6
        return "float" if same else None
    if family == "mmlu_pro":
        letter = _choice(prediction)
        return "string" if letter and letter == _choice(gold) else None
    if family == "aime":
        return matching_rule(_untagged(prediction, _number_text), gold)
    return matching_rule(_untagged(prediction), _untagged(gold))


def _number_text(text: str) -> str:
    numbers = _NUMBER.findall(text)
    return numbers[-1] if numbers else ""


def _choice(text: str) -> str:
    for pattern in _STATED_LETTER:
        if found := pattern.search(text):
            return found[1].lower()
    letters = _LETTER.findall(text) or _ANY_LETTER.findall(text)[:1]
    return letters[-1].lower() if letters else ""
