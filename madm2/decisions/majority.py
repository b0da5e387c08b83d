"""Majority: the vote over the last round, as the paper and the released code decide."""

from __future__ import annotations

from madm2.decisions.base import DECISIONS, Decision
from madm2.instruments import Answers, Instrument, last_vote
from madm2.settings import DebateSettings
from madm2.types import Choice, Transcript, Vote


def decide(
    instrument: Instrument,
    transcript: Transcript,
    answers: Answers,
    votes: tuple[Vote, ...],
    settings: DebateSettings,
) -> tuple[Vote, Choice | None]:
    """Take the last vote, ties and all, by the instrument's rules."""
    return last_vote(instrument, transcript, answers, votes)


DECISIONS.add("majority", Decision("majority", decide))
