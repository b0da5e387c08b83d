"""Groups equal answers, for a vote."""

from __future__ import annotations

from collections.abc import Sequence

from madm2.grading import worker
from madm2.grading.equal import equal
from madm2.types import AnswerType


def clusters(
    answers: Sequence[str | None], *, answer_type: AnswerType, options: Sequence[str] = ()
) -> list[int | None]:
    """Number the cluster of each answer, in order of first appearance.

    An answer joins the first cluster whose first member it equals; what cannot be decided in
    time counts as different. No answer (None or blank) belongs to none.
    """
    leaders: list[str] = []
    numbers: list[int | None] = []
    for answer in answers:
        if answer is None or not answer.strip():
            numbers.append(None)
            continue
        for number, leader in enumerate(leaders):
            if _same(leader, answer, answer_type, options):
                numbers.append(number)
                break
        else:
            numbers.append(len(leaders))
            leaders.append(answer)
    return numbers


def _same(leader: str, answer: str, answer_type: AnswerType, options: Sequence[str]) -> bool:
    try:
        return equal(gold=leader, prediction=answer, answer_type=answer_type, options=options)
    except (worker.WorkerTimeout, worker.WorkerError):
        return False
