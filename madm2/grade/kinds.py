"""Why the two instruments differ on a question: a name for the kind."""

from __future__ import annotations

import math
import re

from madm2.grading.normal import clean


def kind_of_difference(
    ours: str | None, theirs: str | float | None, gold: str, ours_right: bool, n_answers: int
) -> str:
    """Name the kind of a difference between the paper's and the released verdict.

    Args:
        ours: the answer that our instrument graded.
        theirs: the key that the released rules graded.
        gold: the gold answer.
        ours_right: ours was correct and theirs was not; False for the other way round.
        n_answers: answers voted over.
    """
    text = "" if theirs is None else str(theirs)
    if ours_right:
        if not text:
            return "the released rules read no answer"
        if re.search(r"\\[(\[]|\\[)\]]", text) and _same(ours, text):
            return "math delimiters are not dropped"
        if text != text.strip() or "\n" in text:
            return "answer on a line of its own"
        if not _same(ours, text):
            return "another answer was voted" if n_answers > 1 else "another answer was read"
        return "equal in value or unit, not in form"
    if ours is None:
        return "our rules read no answer"
    if not _same(ours, text):
        return "another answer was voted" if n_answers > 1 else "another answer was read"
    if re.search(r"[,;]", text):
        return "order or brackets ignored"
    if _is_float(text) and _is_float(clean(gold)):
        return "tolerance of 1 in 10,000"
    return "the released parser reads the gold otherwise"


def _same(ours: str | None, theirs: str) -> bool:
    if ours is None:
        return False
    one, other = clean(ours), clean(theirs)
    return one == other or (_is_float(ours) and _is_float(theirs) and float(ours) == float(theirs))


def _is_float(text: str) -> bool:
    try:
        return math.isfinite(float(text.replace(",", "")))
    except ValueError:
        return False
