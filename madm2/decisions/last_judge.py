"""Last judge: the last round's plurality wins, and a tie is put to the model once."""

from __future__ import annotations

from collections import Counter

from madm2.decisions.base import DECISIONS, Deciding, Decision, best, cluster_rounds, vote_for
from madm2.instruments import Answers, Instrument
from madm2.settings import DebateSettings
from madm2.types import Choice, Memory, Question, Request, RequestKey, Transcript, Vote


def tally(
    instrument: Instrument, question: Question, row: tuple[str | None, ...]
) -> tuple[tuple[int | None, ...], tuple[str, ...], list[int]]:
    """Count the parsed answers of one round.

    Returns:
        The cluster of each agent, the first answer of each cluster, the votes of each cluster.
    """
    (clusters,), leaders = cluster_rounds(instrument, question, (row,))
    counts = Counter(clusters)
    return clusters, leaders, [counts[number] for number in range(len(leaders))]


def ask(transcript: Transcript, settings: DebateSettings) -> Deciding:
    """On a tie, show the model one solution of each tied answer and have it verify and choose.

    The solution is that of the first agent who gave the answer.
    """
    question, last = transcript.question, transcript.rounds[-1]
    row = tuple(settings.instrument.read(c.text, question) for c in last.completions)
    clusters, _, counts = tally(settings.instrument, question, row)
    tied = best(counts)
    if len(tied) < 2:
        return ()
    agents = [clusters.index(number) for number in tied]
    candidates = [Memory(a, last.index, last.completions[a], row[a]) for a in agents]
    key = RequestKey(question.id, last.index, "decision", 0)
    reads = tuple(memory.completion.key for memory in candidates)
    messages = settings.choose(question, candidates)
    completions = yield [Request(key, messages, settings.judge_sampling, reads)]
    return tuple(completions)


def decide(
    instrument: Instrument,
    transcript: Transcript,
    answers: Answers,
    votes: tuple[Vote, ...],
    settings: DebateSettings,
) -> tuple[Vote, Choice | None]:
    """Take the plurality; of tied answers the one that the model chose.

    Where it chose none of them, or was not asked because the instrument of the run saw no tie, the
    tied answer that comes first in agent order is taken.
    """
    question = transcript.question
    clusters, leaders, counts = tally(instrument, question, answers[-1])
    scores = tuple(float(count) for count in counts)
    if not leaders:
        return votes[-1], Choice("last_judge", scores, (clusters,), None, tie=False)
    tied = best(counts)
    winner = tied[0]
    for completion in transcript.decided_by if len(tied) > 1 else ():
        said = instrument.read(completion.text, question)
        known = tuple(leaders[number] for number in tied)
        (matched,), _ = cluster_rounds(instrument, question, ((*known, said),))
        if matched[-1] is not None and matched[-1] < len(tied):
            winner = tied[matched[-1]]
    chosen = vote_for(instrument, question, leaders[winner])
    return chosen, Choice("last_judge", scores, (clusters,), winner, tie=len(tied) > 1)


DECISIONS.add("last_judge", Decision("last_judge", decide, ask))
