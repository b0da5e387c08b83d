"""Says whether two answers are equal, and grades one against the gold answer."""

from __future__ import annotations

from collections.abc import Sequence

from madm2.grading import worker
from madm2.grading.choice import read_choice
from madm2.grading.normal import normal, plain_number
from madm2.types import AnswerType, Status


def equal(
    *,
    gold: str,
    prediction: str,
    answer_type: AnswerType,
    options: Sequence[str] = (),
    timeout: float = worker.TIMEOUT_S,
) -> bool:
    """Whether a prediction is the gold answer, both already extracted.

    Raises:
        WorkerTimeout: undecided within `timeout` seconds.
    """
    if answer_type == "choice":
        mine, wanted = read_choice(prediction, options), read_choice(gold, options)
        if mine and wanted:
            return mine == wanted
    one, other = normal(prediction), normal(gold)
    if one == other:
        return True
    left, right = plain_number(one), plain_number(other)
    return left is not None and left == right


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
