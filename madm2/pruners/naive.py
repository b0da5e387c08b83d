"""Naive: every memory is kept, as in plain multi-agent debate."""

from __future__ import annotations

from collections.abc import Sequence

from madm2.pruners.base import PRUNERS, without_model
from madm2.settings import DebateSettings
from madm2.types import Evidence, Mask, Memory, Question


def keep_all(question: Question, memories: Sequence[Memory], settings: DebateSettings) -> Mask:
    """Keep every memory."""
    return Mask("naive", tuple(True for _ in memories), tuple(Evidence() for _ in memories))


PRUNERS.add("naive", without_model(keep_all))
