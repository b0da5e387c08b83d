r"""Why the two instruments differ on a question: a name for the kind.

A kind is found by trying: the released rules grade a variant of the answer (without math
delimiters, say), or tell by which of them they took it for right.
"""

from __future__ import annotations

import re

from madm2.grading import released, worker
from madm2.grading.equal import equal
from madm2.grading.extract import gold_answer
from madm2.types import Question, Status

_DELIMITERS = re.compile(r"\\[()\[\]]")
_UNITS = re.compile(r"\\(?:text|mbox|mathrm)\s*\{[^{}]*\}(?:\^\{?\d\}?)?|\^?\{?\\circ\}?|\\\$")
_BY_RULE: dict[str, str] = {
    "float": "differs by less than 1 in 10,000",
    "parts": "order or brackets are ignored",
    "plus_minus": r"a \pm is taken for its two values",
    "string": "equal in the released normal form",
    "latex": "the released parser reads it otherwise",
}


def kind_of_difference(
    question: Question,
    *,
    status: Status,
    answer: str | None,
    released_status: Status,
    key: released.VoteKey,
    released_answer: str,
    agents: int,
) -> str:
    """Name the kind of a difference between the two verdicts, of which one is `correct`.

    Args:
        question: what was asked.
        status: our verdict.
        answer: the answer that ours is on.
        released_status: the released rules' verdict.
        key: the voted value that theirs is on.
        released_answer: that value as it was found in a completion.
        agents: how many completions there were.
    """
    other = f"another answer was {'voted' if agents > 1 else 'read'}"
    if status == "correct":
        why = _why_released_is_wrong(question, answer or "", released_status, released_answer)
        return why or other
    if status == "grader_timeout":
        return "our comparison did not end in time"
    if status == "bad_gold":
        return "our rules find no gold answer"
    if answer is None:
        return "our rules read no answer"
    if not _same(answer, released_answer, question):
        return other
    return _why_released_is_right(question, key)


def _why_released_is_wrong(
    question: Question, answer: str, status: Status, text: str
) -> str | None:
    """The kind; None where it is another answer."""
    if status == "grader_timeout":
        return "the released comparison did not end in time"
    if not text or status == "no_answer":
        return "the released rules read no answer"
    if text.strip() == "</answer>":
        return "the answer stands on a line of its own in its tag"
    if _DELIMITERS.search(text) and _released_right(_DELIMITERS.sub("", text), question):
        return "math delimiters are not dropped"
    if not _same(answer, text, question):
        return None
    gold = gold_answer(question.gold, answer_type=question.answer_type) or ""
    bare, bare_gold = _UNITS.sub("", text), _UNITS.sub("", gold)
    if (bare, bare_gold) != (text, gold) and _released_right(bare, question, bare_gold):
        return "units and signs are not dropped"
    return "equal in value, not in form"


def _why_released_is_right(question: Question, key: released.VoteKey) -> str:
    family = released.family_of(question.dataset, question.answer_type)
    if family == "mmlu_pro":
        return "only one letter is compared"
    if family == "gsm8k":
        return "only the last number is compared"
    rule = released.rule(key, question.gold, family)
    both = str(key) + (gold_answer(question.gold, answer_type=question.answer_type) or "")
    if rule in ("float", "latex") and "_" in both:
        return "subscripts are ignored"
    if rule == "float" and "," in both:
        return "commas are dropped"
    return _BY_RULE[rule or "latex"]


def _released_right(text: str, question: Question, gold: str | None = None) -> bool:
    family = released.family_of(question.dataset, question.answer_type)
    return released.score(text, question.gold if gold is None else gold, family) == 1


def _same(answer: str, text: str, question: Question) -> bool:
    try:
        return equal(
            gold=answer,
            prediction=_DELIMITERS.sub("", text),
            answer_type=question.answer_type,
            options=question.options,
        )
    except (worker.WorkerTimeout, worker.WorkerError):
        return False
