"""What a report keeps of one question: who was right when, what was kept, what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from madm2.instruments import INSTRUMENTS, Instrument
from madm2.types import Evidence, InstrumentName, Question, QuestionId, Sample, Score, Vote


@dataclass(frozen=True, slots=True)
class Reading:
    """One instrument's view of one debate; the outer tuples run over rounds, the first first.

    Args:
        answers: which agents' answers are right.
        votes: whether the vote is right; the last one is the debate's verdict.
        ties, consensus: as the votes say.
        unparsed: answers that could not be read.
        status: of the verdict: correct, incorrect, no_answer, grader_timeout, bad_gold.
    """

    answers: tuple[tuple[bool, ...], ...]
    votes: tuple[bool, ...]
    ties: tuple[bool, ...]
    consensus: tuple[bool, ...]
    unparsed: int
    status: str

    @property
    def right(self) -> bool:
        """Whether the debate's verdict is right."""
        return self.status == "correct"


@dataclass(frozen=True, slots=True)
class Boundary:
    """What was kept of one round for the next.

    Args:
        round: whose answers are the memories.
        keep: one entry an agent.
        labels: the judge's, None where there was no judge (an oracle's are no labels).
    """

    round: int
    keep: tuple[bool, ...]
    labels: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """One question without its texts.

    Args:
        id: of the question.
        readings: of both instruments.
        boundaries: of the rounds that had memories to mask.
        tokens: (input, output) by purpose.
        calls: completions by purpose.
        finish_reasons: of all completions.
        rounds: that were debated.
    """

    id: QuestionId
    readings: Mapping[InstrumentName, Reading]
    boundaries: tuple[Boundary, ...]
    tokens: Mapping[str, tuple[int, int]]
    calls: Mapping[str, int]
    finish_reasons: Mapping[str, int]
    rounds: int


def record_of(sample: Sample) -> Record:
    """Take from a sample what the tables need; every single answer is graded."""
    transcript = sample.transcript
    tokens_in, tokens_out = Counter[str](), Counter[str]()
    calls, reasons = Counter[str](), Counter[str]()
    for completion in transcript.completions():
        purpose = completion.key.purpose
        calls[purpose] += 1
        tokens_in[purpose] += completion.input_tokens
        tokens_out[purpose] += completion.output_tokens
        reasons[completion.finish_reason] += 1
    boundaries = tuple(
        Boundary(rnd.index - 1, rnd.mask.keep, tuple(map(_label, rnd.mask.evidence)))
        for rnd in transcript.rounds
        if rnd.mask is not None
    )
    return Record(
        transcript.question.id,
        {
            name: _reading(score, transcript.question, INSTRUMENTS[name])
            for name, score in sample.scores.items()
        },
        boundaries,
        {purpose: (tokens_in[purpose], tokens_out[purpose]) for purpose in calls},
        dict(calls),
        dict(reasons),
        len(transcript.rounds),
    )


def _label(evidence: Evidence) -> str | None:
    return None if evidence.source == "gold" else evidence.label


def _reading(score: Score, question: Question, instrument: Instrument) -> Reading:
    verdict = score.verdict

    def is_right(value: str | float | None) -> bool:
        if value == verdict.answer:
            return verdict.status == "correct"
        return _is_right(instrument.name, value, question)

    def alone(answer: str | None) -> bool:
        return is_right(instrument.vote([answer], question).answer)

    return Reading(
        tuple(tuple(alone(answer) for answer in row) for row in score.answers),
        (*(is_right(vote.answer) for vote in score.votes[:-1]), verdict.status == "correct"),
        tuple(vote.tie for vote in score.votes),
        tuple(vote.consensus for vote in score.votes),
        sum(not answer for row in score.answers for answer in row),
        verdict.status,
    )


# Methods share their seeds' first rounds, and agents repeat one another.
@lru_cache(maxsize=65536)
def _is_right(name: InstrumentName, value: str | float | None, question: Question) -> bool:
    """Whether a value would be graded as right, had all agents voted for it."""
    vote = Vote(value, 1, tie=False, consensus=True, clusters=())
    return INSTRUMENTS[name].grade(vote, question).status == "correct"


def tokens_of(records: Iterable[Record]) -> dict[str, tuple[int, int]]:
    """(input, output) tokens by purpose, over all records."""
    totals: dict[str, tuple[int, int]] = {}
    for record in records:
        for purpose, (one, other) in record.tokens.items():
            before = totals.get(purpose, (0, 0))
            totals[purpose] = (before[0] + one, before[1] + other)
    return totals


def memories(
    record: Record, instrument: InstrumentName
) -> Iterator[tuple[Boundary, tuple[bool, ...]]]:
    """Each boundary of a record with the correctness of its memories."""
    for boundary in record.boundaries:
        yield boundary, record.readings[instrument].answers[boundary.round - 1]
