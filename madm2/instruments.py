"""The two instruments side by side: how each reads, shows, votes and grades an answer.

`paper` follows the paper's text and grades robustly; `released` follows the released code's
rules, so that its numbers compare with the paper's tables. What a pruner does differently under
each lies with that pruner.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from madm2.grading import released
from madm2.grading.equal import grade
from madm2.grading.extract import extract, gold_answer, strip_thinking
from madm2.types import (
    AnswerType,
    Choice,
    InstrumentName,
    Question,
    Score,
    Transcript,
    Verdict,
    Vote,
)
from madm2.voting import paper_vote, released_vote

Head = Callable[[str, int], str]
Answers = tuple[tuple[str | None, ...], ...]
Decide = Callable[["Instrument", Transcript, Answers, tuple[Vote, ...]], tuple[Vote, Choice | None]]
"""Given the answers and the votes of all rounds: the vote whose answer is graded, and how it was
chosen where that is not the last vote."""
_TAGS = re.compile(r"</?think>", re.IGNORECASE)
_THOUGHTS = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


def last_vote(
    instrument: Instrument, transcript: Transcript, answers: Answers, votes: tuple[Vote, ...]
) -> tuple[Vote, Choice | None]:
    """The decision that the paper and the released code make."""
    return votes[-1], None


@dataclass(frozen=True, slots=True)
class Instrument:
    """How a debate is measured.

    Args:
        name: `paper` or `released`.
        read: the answer in a completion's text; None when there is none (`released`: empty).
        show: a completion's text as another agent's memory.
        vote: the vote over one round's answers.
        grade: the verdict on a voted answer.
        joiner: what stands between two memories; None leaves it to the prompt set.
        double_bos: the engine tokenizes the chat template's text again with special tokens, so
            that a tokenizer which adds BOS doubles it.
    """

    name: InstrumentName
    read: Callable[[str, Question], str | None]
    show: Callable[[str, Question, Head, int], str]
    vote: Callable[[Sequence[str | None], Question], Vote]
    grade: Callable[[Vote, Question], Verdict]
    joiner: str | None
    double_bos: bool

    def score(self, transcript: Transcript, decide: Decide = last_vote) -> Score:
        """Read, vote, decide and grade a finished transcript."""
        question = transcript.question
        answers = tuple(
            tuple(self.read(c.text, question) for c in rnd.completions) for rnd in transcript.rounds
        )
        votes = tuple(self.vote(row, question) for row in answers)
        chosen, choice = decide(self, transcript, answers, votes)
        return Score(answers, votes, self.grade(chosen, question), choice)


def split_thinking(text: str) -> tuple[str, str]:
    """Part a completion into its thinking and the rest, which is what answers are read in."""
    rest = strip_thinking(text).strip()
    whole = text.strip()
    if whole.endswith(rest):
        thinking = whole[: len(whole) - len(rest)]
    else:  # something was said before the thinking, too
        thinking = "\n".join(_THOUGHTS.findall(text))
    return _TAGS.sub("", thinking).strip(), rest


def _paper_read(text: str, question: Question) -> str | None:
    return _extract(text, question.answer_type, question.options)


# A completion is read when it becomes a memory, and soon after when its transcript is scored.
@lru_cache(maxsize=2048)
def _extract(text: str, answer_type: AnswerType, options: tuple[str, ...]) -> str | None:
    return extract(text, answer_type=answer_type, options=options)


def _paper_show(text: str, question: Question, head: Head, max_tokens: int) -> str:
    thinking, rest = split_thinking(text)
    if thinking:
        thinking = f"<think>{head(thinking, max_tokens)}</think>\n"
    return f"<solution>\n{thinking}{rest}\n</solution>"


def _paper_grade(vote: Vote, question: Question) -> Verdict:
    answer = None if vote.answer is None else str(vote.answer)
    status = grade(
        gold=gold_answer(question.gold, answer_type=question.answer_type) or "",
        prediction=answer,
        answer_type=question.answer_type,
        options=question.options,
    )
    return Verdict(status, answer, "paper")


def _released_read(text: str, question: Question) -> str:
    return released.read(text, released.family_of(question.dataset, question.answer_type)).answer


def _released_show(text: str, question: Question, head: Head, max_tokens: int) -> str:
    reading = released.read(text, released.family_of(question.dataset, question.answer_type))
    return repr({"think": reading.think, "answer": reading.answer})


def _released_grade(vote: Vote, question: Question) -> Verdict:
    family = released.family_of(question.dataset, question.answer_type)
    status = released.status(vote.answer, question.gold, family)
    return Verdict(status, vote.answer, "released")


INSTRUMENTS: dict[InstrumentName, Instrument] = {
    "paper": Instrument("paper", _paper_read, _paper_show, paper_vote, _paper_grade, None, False),
    "released": Instrument(
        "released", _released_read, _released_show, released_vote, _released_grade, "\n", True
    ),
}
