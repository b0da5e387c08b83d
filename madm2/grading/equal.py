r"""Says whether two answers are equal, and grades one against the gold answer.

The normal form decides most pairs, our own parser and plain arithmetic nearly all of the rest;
only expressions that agree as far as floats can tell go to sympy, in the worker process.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from madm2.grading import worker
from madm2.grading.answers import read_answer
from madm2.grading.choice import read_choice
from madm2.grading.compare import compare
from madm2.grading.normal import clean, normal, plain_number
from madm2.grading.scalars import QUICK
from madm2.grading.tokens import check_size
from madm2.grading.tree import NotUnderstoodError, last_side
from madm2.grading.words import phrase_key
from madm2.types import AnswerType, Status

# What our parser leaves to latex2sympy2.
_HIGHER = re.compile(r"\\(?:int|sum|prod|lim)(?![A-Za-z])")


def equal(
    *,
    gold: str,
    prediction: str,
    answer_type: AnswerType,
    options: Sequence[str] = (),
    timeout: float = worker.TIMEOUT_S,
) -> bool:
    """Whether a prediction is the gold answer, both already extracted.

    Args:
        gold: the right answer.
        prediction: the answer to judge. The order matters only where the gold is a rounded
            decimal.
        answer_type: numeric, math, choice or text.
        options: texts of a multiple-choice question's options, where known.
        timeout: seconds that symbolic work may take.

    Raises:
        WorkerTimeout: undecided within `timeout`.
    """
    if not gold.strip() or not prediction.strip():
        return False
    if answer_type == "choice":
        return _same_choice(gold, prediction, options)
    one, other = normal(gold), normal(prediction)
    if one == other:
        return True
    left, right = plain_number(one), plain_number(other)
    if left is not None and right is not None:
        return left == right
    if answer_type == "text":
        return phrase_key(clean(gold)) == phrase_key(clean(prediction))
    return _same_math(gold, prediction, answer_type == "numeric", timeout)


def grade(
    *,
    gold: str,
    prediction: str | None,
    answer_type: AnswerType,
    options: Sequence[str] = (),
) -> Status:
    """The status of an extracted answer; None or blank is `no_answer`, a blank gold `bad_gold`."""
    if not gold.strip():
        return "bad_gold"
    if prediction is None or not prediction.strip():
        return "no_answer"
    try:
        same = equal(gold=gold, prediction=prediction, answer_type=answer_type, options=options)
    except worker.WorkerTimeout:
        return "grader_timeout"
    except worker.WorkerError:
        return "incorrect"
    return "correct" if same else "incorrect"


def _same_choice(gold: str, prediction: str, options: Sequence[str]) -> bool:
    wanted, mine = read_choice(gold, options), read_choice(prediction, options)
    if wanted and mine:
        return wanted == mine
    return phrase_key(clean(gold)) == phrase_key(clean(prediction))


def _same_math(gold: str, prediction: str, numeric: bool, timeout: float) -> bool:
    try:
        wanted, mine = read_answer(gold), read_answer(prediction)
    except NotUnderstoodError:
        return _second_opinion(gold, prediction, timeout)
    if numeric:
        wanted, mine = last_side(wanted), last_side(mine)
    verdict = compare(wanted, mine, QUICK)
    if verdict is None:
        function = "madm2.grading.symbolic:same_answer"
        return bool(worker.call(function, gold, prediction, numeric, timeout=timeout))
    return verdict


def _second_opinion(gold: str, prediction: str, timeout: float) -> bool:
    if not (_HIGHER.search(gold) or _HIGHER.search(prediction)):
        return False
    try:
        check_size(normal(gold) + normal(prediction))
    except NotUnderstoodError:
        return False
    function = "madm2.grading.symbolic:latex_difference_is_zero"
    return bool(worker.call(function, normal(prediction), normal(gold), timeout=timeout))
