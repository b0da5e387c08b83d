"""What a pruner is: it decides, at a round boundary, which memories the next round may read."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from madm2.registry import Registry
from madm2.settings import DebateSettings
from madm2.types import Completion, Mask, Memory, Question, Request

Masking = Generator[list[Request], list[Completion], Mask]
Pruner = Callable[[Question, Sequence[Memory], DebateSettings], Masking]
"""Given the memories of the previous round (one an agent, in agent order), yields the lists of
requests it needs answered, if any, and returns a mask with one entry a memory."""

PRUNERS: Registry[Pruner] = Registry("prune strategy")
READS_GOLD: set[str] = set()
"""Those that read the gold answer: what they reach is an upper bound, and must be named so."""


def without_model(
    rule: Callable[[Question, Sequence[Memory], DebateSettings], Mask],
) -> Pruner:
    """Make a pruner of a rule that needs no completions of its own."""

    def pruner(question: Question, memories: Sequence[Memory], settings: DebateSettings) -> Masking:
        yield from ()
        return rule(question, memories, settings)

    return pruner
