"""Oracle masking: exactly the right memories are kept, by the gold answer; an upper bound."""

from __future__ import annotations

from collections.abc import Sequence

from madm2.pruners.base import PRUNERS, READS_GOLD, without_model
from madm2.settings import DebateSettings
from madm2.types import Evidence, Mask, Memory, Question


def mask(question: Question, memories: Sequence[Memory], settings: DebateSettings) -> Mask:
    """Keep the memories whose answers the run's instrument grades as correct, each alone."""
    instrument = settings.instrument
    votes = [instrument.vote([memory.answer], question) for memory in memories]
    keep = tuple(instrument.grade(vote, question).status == "correct" for vote in votes)
    evidence = (Evidence(label="yes" if right else "no", source="gold") for right in keep)
    return Mask("oracle", keep, tuple(evidence))


PRUNERS.add("oracle", without_model(mask))
READS_GOLD.add("oracle")
