"""Random masking: a number of memories is kept by lot, as a control for the other masks."""

from __future__ import annotations

from collections.abc import Sequence

from madm2.pruners.base import PRUNERS, without_model
from madm2.seeds import request_seed
from madm2.settings import DebateSettings
from madm2.types import Evidence, Mask, Memory, Question, RequestKey


def mask(question: Question, memories: Sequence[Memory], settings: DebateSettings) -> Mask:
    """Keep `random_keep` memories, or all where there are fewer.

    Each memory draws a number from the run's seed, the question, the round and its agent; the
    lowest are kept. So any choice is as likely, and a run that is made again masks the same.
    """

    def lot(memory: Memory) -> int:
        key = RequestKey(question.id, memory.round + 1, "random_k", memory.agent)
        return request_seed(settings.seed, key)

    kept = {memory.agent for memory in sorted(memories, key=lot)[: settings.random_keep]}
    keep = tuple(memory.agent in kept for memory in memories)
    return Mask("random_k", keep, tuple(Evidence() for _ in memories))


PRUNERS.add("random_k", without_model(mask))
