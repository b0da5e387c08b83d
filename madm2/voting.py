"""Votes over one round's answers: the paper's clusters, with the released code's beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from madm2.grading import released
from madm2.grading.clusters import clusters
from madm2.types import Question, Vote


def paper_vote(answers: Sequence[str | None], question: Question) -> Vote:
    """Plurality over clusters of equal answers (paper, section 3).

    Unparsed answers (None) have no vote. A tie goes to the cluster reached first in agent
    order and is recorded; consensus means more than half of all agents.
    """
    numbers = clusters(answers, answer_type=question.answer_type, options=question.options)
    counts = Counter(n for n in numbers if n is not None)
    if not counts:
        return Vote(None, 0, tie=False, consensus=False, clusters=tuple(numbers))
    # Clusters are numbered by first appearance and Counter keeps that order.
    winner, count = max(counts.items(), key=lambda item: item[1])
    return Vote(
        answer=answers[numbers.index(winner)],
        count=count,
        tie=list(counts.values()).count(count) > 1,
        consensus=2 * count > len(answers),
        clusters=tuple(numbers),
    )


def released_vote(answers: Sequence[str | None], question: Question) -> Vote:
    """The released code's vote: normalised strings, unparsed answers vote, first on ties."""
    family = released.family_of(question.dataset, question.answer_type)
    texts = [answer or "" for answer in answers]
    keys = [released.vote_key(text, family) for text in texts]
    vote = released.vote(texts, family)
    counts = Counter(keys)
    numbers = {key: number for number, key in enumerate(counts)}
    return Vote(
        answer=vote.key,
        count=vote.count,
        tie=list(counts.values()).count(vote.count) > 1,
        consensus=vote.consensus,
        clusters=tuple(numbers[key] for key in keys),
    )
