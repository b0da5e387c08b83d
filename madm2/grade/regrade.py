"""Grades one record by both instruments."""

from __future__ import annotations

from typing import Any

from madm2.grade.kinds import kind_of_difference
from madm2.grade.sources import Record
from madm2.grading.extract import gold_answer
from madm2.instruments import INSTRUMENTS


def regrade(record: Record) -> tuple[dict[str, Any], str | None]:
    """Read, vote and grade a record; returns an output line and the kind of a difference."""
    question = record.question
    paper, released = INSTRUMENTS["paper"], INSTRUMENTS["released"]
    answers = record.answers or tuple(paper.read(text, question) for text in record.texts)
    verdict = paper.grade(paper.vote(answers, question), question)
    released_answers = record.released_answers
    if released_answers is None:
        released_answers = tuple(released.read(text, question) or "" for text in record.texts)
    vote = released.vote(released_answers, question)
    released_right = released.grade(vote, question).status == "correct"
    line = {
        "id": question.id,
        "answer": verdict.answer,
        "status": verdict.status,
        "score": float(verdict.status == "correct"),
        "released_answer": released_answers[0] if len(released_answers) == 1 else vote.answer,
        "released_score": float(released_right),
    }
    difference = None
    if (verdict.status == "correct") != released_right:
        ours = None if verdict.answer is None else str(verdict.answer)
        gold = gold_answer(question.gold, answer_type=question.answer_type) or ""
        difference = kind_of_difference(
            ours, vote.answer, gold, verdict.status == "correct", len(record.texts)
        )
    return line, difference
