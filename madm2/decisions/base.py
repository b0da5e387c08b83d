"""What a decision is: it chooses the final answer, from the rounds and what it asks the model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from madm2.instruments import Answers, Decide, Instrument
from madm2.registry import Registry
from madm2.settings import DebateSettings
from madm2.types import Choice, Completion, Question, Request, Transcript, Vote

Deciding = Generator[list[Request], list[Completion], tuple[Completion, ...]]
Concluding = Generator[list[Request], list[Completion], Transcript]
Clusters = tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A named way to choose the final answer.

    It has two parts. `ask` belongs to the debate, and follows the run's instrument; `decide` needs
    no model, and is applied under both instruments.

    Args:
        name: as it is registered.
        decide: `decide(instrument, transcript, answers, votes, settings)` gives the vote whose
            answer is graded, and how it was chosen (None: it is the last vote).
        ask: given the rounds and settings, yields the requests it needs; None for none at all.
        least_rounds: with fewer it makes no sense.
    """

    name: str
    decide: Callable[
        [Instrument, Transcript, Answers, tuple[Vote, ...], DebateSettings],
        tuple[Vote, Choice | None],
    ]
    ask: Callable[[Transcript, DebateSettings], Deciding] | None = None
    least_rounds: int = 1


DECISIONS: Registry[Decision] = Registry("decision")


def concluded(debate: Concluding, decision: Decision, settings: DebateSettings) -> Concluding:
    """A debate that, at its end, asks what its decision needs to know."""
    transcript = yield from debate
    if decision.ask is None:
        return transcript
    completions = yield from decision.ask(transcript, settings)
    return replace(transcript, decided_by=completions)


def decide_with(decision: Decision, settings: DebateSettings) -> Decide:
    """The decision in the form that `Instrument.score` applies."""

    def decide(
        instrument: Instrument, transcript: Transcript, answers: Answers, votes: tuple[Vote, ...]
    ) -> tuple[Vote, Choice | None]:
        return decision.decide(instrument, transcript, answers, votes, settings)

    return decide


def cluster_rounds(
    instrument: Instrument, question: Question, answers: Answers
) -> tuple[Clusters, tuple[str, ...]]:
    """Number the clusters of equal answers over several rounds, in order of first appearance.

    Returns:
        The number of each agent's answer in each round, None for one that is unparsed (which
        under `released` has a vote, but is no answer); and the first answer of each cluster.
    """
    texts = [answer for row in answers for answer in row]
    if not texts:
        return (), ()
    voted = instrument.vote(texts, question).clusters
    numbers: dict[int, int | None] = {}
    leaders: list[str] = []
    for cluster, text in zip(voted, texts, strict=True):
        if cluster is None or cluster in numbers:
            continue
        parsed = bool(text) and instrument.vote([text], question).answer not in (None, "")
        numbers[cluster] = len(leaders) if parsed else None
        if text and parsed:
            leaders.append(text)
    flat = iter([None if cluster is None else numbers[cluster] for cluster in voted])
    return tuple(tuple(next(flat) for _ in row) for row in answers), tuple(leaders)


def vote_for(instrument: Instrument, question: Question, answer: str) -> Vote:
    """The vote that one answer wins alone: it has the form that the instrument grades."""
    return instrument.vote([answer], question)


def best(scores: Sequence[Fraction | float]) -> list[int]:
    """The clusters with the highest score, in order."""
    return [number for number, score in enumerate(scores) if score == max(scores)]
