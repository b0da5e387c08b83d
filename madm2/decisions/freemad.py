"""Free-MAD: every answer of the trajectory scores, and changes of mind count (arXiv 2509.11035)."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from fractions import Fraction

from madm2.decisions.base import DECISIONS, Clusters, Decision, best, cluster_rounds, vote_for
from madm2.errors import UserError
from madm2.instruments import Answers, Instrument
from madm2.seeds import request_seed
from madm2.settings import DebateSettings, FreeMadWeights
from madm2.types import Choice, QuestionId, RequestKey, Transcript, Vote

_WEIGHT = re.compile(r"\d{1,6}(?:\.\d{1,6})?", re.ASCII)


def parse_weights(text: str) -> FreeMadWeights:
    """Read four numbers, as in `20,25,30,20`.

    Raises:
        UserError: they are not four decimal numbers ≥ 0, or all are 0.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 4 or not all(_WEIGHT.fullmatch(part) for part in parts):
        raise _no_weights(text)
    first, left, taken, kept = (Fraction(part) for part in parts)
    if not any((first, left, taken, kept)):
        raise _no_weights(text)
    return first, left, taken, kept


def _no_weights(text: str) -> UserError:
    return UserError(
        "the weights of freemad are not four numbers ≥ 0",
        have=repr(text),
        need="for a first answer, one that was left, taken up, kept: such as 20,25,30,20",
    )


def trajectory_scores(clusters: Clusters, weights: FreeMadWeights) -> list[Fraction]:
    """Score each cluster over all rounds.

    Step k = 0 holds the first answers; what happens at step k counts 1/(k + 1). A first answer
    earns the first weight. Later, an agent that changed takes the second from the answer it left
    and gives the third to its new one; an agent that stayed gives the fourth to its answer. An
    unparsed answer (None) earns and costs nothing: who falls silent takes nothing from what it
    said before, and who then speaks has taken up what it says.

    Args:
        clusters: by round and agent, numbered from 0.
        weights: the four.
    """
    first, left, taken, kept = weights
    numbers = {number for row in clusters for number in row if number is not None}
    scores = [Fraction(0)] * (max(numbers, default=-1) + 1)
    for step, row in enumerate(clusters):
        factor = Fraction(1, step + 1)
        for agent, now in enumerate(row):
            if now is None:
                continue
            before = clusters[step - 1][agent] if step else None
            if step == 0:
                scores[now] += first * factor
            elif before == now:
                scores[now] += kept * factor
            else:
                scores[now] += taken * factor
                if before is not None:
                    scores[before] -= left * factor
    return scores


def draw(tied: Sequence[int], seed: int, question_id: QuestionId) -> int:
    """Choose one of the tied clusters by lot, from the run's seed and the question alone."""
    lot = request_seed(seed, RequestKey(question_id, 0, "freemad", 0))
    return random.Random(lot).choice(tied)


def decide(
    instrument: Instrument,
    transcript: Transcript,
    answers: Answers,
    votes: tuple[Vote, ...],
    settings: DebateSettings,
) -> tuple[Vote, Choice | None]:
    """Take the answer with the highest score over all rounds."""
    question = transcript.question
    clusters, leaders = cluster_rounds(instrument, question, answers)
    scores = trajectory_scores(clusters, settings.freemad_weights)
    plain = tuple(float(score) for score in scores)
    if not scores:  # nobody answered, and the last vote says so
        return votes[-1], Choice("freemad", plain, clusters, None, tie=False)
    tied = best(scores)
    winner = tied[0] if len(tied) == 1 else draw(tied, settings.seed, question.id)
    chosen = vote_for(instrument, question, leaders[winner])
    return chosen, Choice("freemad", plain, clusters, winner, tie=len(tied) > 1)


DECISIONS.add("freemad", Decision("freemad", decide, least_rounds=2))
