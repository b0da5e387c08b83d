"""Grades one record by both instruments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from madm2.grade.kinds import kind_of_difference
from madm2.grade.record import Record
from madm2.grading import released
from madm2.grading.equal import grade
from madm2.grading.extract import gold_answer
from madm2.instruments import INSTRUMENTS
from madm2.types import Question, Status, Verdict


@dataclass(frozen=True, slots=True)
class Graded:
    """Both verdicts on a question.

    `released_answer` is what the released rules read in a single completion, as found, and of
    several the voted value. `difference` names why the two verdicts differ; empty where they do
    not.
    """

    question: Question
    verdict: Verdict
    released_verdict: Verdict
    released_answer: str | float | None
    difference: str

    def line(self) -> dict[str, Any]:
        """The line that is written."""
        line = {
            "id": self.question.id,
            "answer": self.verdict.answer,
            "status": self.verdict.status,
            "score": _score(self.verdict.status),
            "released_answer": _plain(self.released_answer),
            "released_score": _score(self.released_verdict.status),
        }
        return {**line, "difference": self.difference} if self.difference else line


def regrade(record: Record) -> Graded:
    """Read, vote and grade a record.

    An answer that is already extracted is neither read nor voted: both compare it as it stands.
    """
    question = record.question
    if record.extracted is not None:
        return _extracted(question, record.extracted)
    paper, theirs = INSTRUMENTS["paper"], INSTRUMENTS["released"]
    answers = [paper.read(text, question) for text in record.texts]
    verdict = paper.grade(paper.vote(answers, question), question)
    read = record.released_answers
    if read is None:
        read = tuple(theirs.read(text, question) or "" for text in record.texts)
    vote = theirs.vote(read, question)
    found = read[0] if len(read) == 1 else vote.answer
    return _graded(question, verdict, theirs.grade(vote, question), found, read)


def _extracted(question: Question, answer: str) -> Graded:
    gold = gold_answer(question.gold, answer_type=question.answer_type) or ""
    status = grade(
        gold=gold, prediction=answer, answer_type=question.answer_type, options=question.options
    )
    family = released.family_of(question.dataset, question.answer_type)
    released_verdict = Verdict(released.status(answer, question.gold, family), answer, "released")
    verdict = Verdict(status, answer if answer.strip() else None, "paper")
    return _graded(question, verdict, released_verdict, answer, (answer,))


def _graded(
    question: Question,
    verdict: Verdict,
    released_verdict: Verdict,
    found: str | float | None,
    read: Sequence[str],
) -> Graded:
    difference = ""
    if (verdict.status == "correct") != (released_verdict.status == "correct"):
        difference = kind_of_difference(
            question,
            status=verdict.status,
            answer=None if verdict.answer is None else str(verdict.answer),
            released_status=released_verdict.status,
            key=released_verdict.answer,
            released_answer=_as_found(question, released_verdict.answer, read),
            agents=len(read),
        )
    return Graded(question, verdict, released_verdict, found, difference)


def _as_found(question: Question, key: released.VoteKey, read: Sequence[str]) -> str:
    """The voted value as the first agent that gave it wrote it."""
    family = released.family_of(question.dataset, question.answer_type)
    found = (answer for answer in read if released.vote_key(answer, family) == key)
    return next(found, read[0])


def _score(status: Status) -> float:
    return float(status == "correct")


def _plain(value: str | float | None) -> str | float | None:
    # JSON has no infinity.
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value
