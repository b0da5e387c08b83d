"""Objective masking: memories are kept by the model's own confidence in them (perplexity)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from madm2.pruners.base import PRUNERS, without_model
from madm2.settings import DebateSettings
from madm2.types import Evidence, Mask, Memory, Question


def keep_lowest(perplexities: Sequence[float], empty: Sequence[bool], keep: int) -> list[bool]:
    """The paper's rule (section 4.2): keep the `keep` memories of lowest perplexity.

    Ties go to the lowest agent. An empty completion is never kept before another one.
    """
    # NaN has no order; a memory without a usable perplexity comes last of its kind.
    order = sorted(
        range(len(perplexities)),
        key=lambda i: (empty[i], math.isnan(perplexities[i]), perplexities[i], i),
    )
    kept = set(order[:keep])
    return [i in kept for i in range(len(perplexities))]


def keep_above_median(scores: Sequence[float]) -> list[bool]:
    """The released code's rule: keep scores strictly above the one at index n // 2, descending.

    Ties at that value are dropped, and so is a single memory: it may keep none.
    """
    threshold = sorted(scores, reverse=True)[len(scores) // 2]
    return [score > threshold for score in scores]


def mask(question: Question, memories: Sequence[Memory], settings: DebateSettings) -> Mask:
    """Apply the instrument's rule; the evidence is its score of each memory."""
    completions = [memory.completion for memory in memories]
    if settings.instrument.name == "released":
        scores = [c.logprobs.released_score for c in completions]
        keep = keep_above_median(scores)
    else:
        scores = [c.logprobs.perplexity for c in completions]
        empty = [not c.text.strip() for c in completions]
        keep = keep_lowest(scores, empty, settings.objective_keep)
    return Mask("objective", tuple(keep), tuple(Evidence(score=score) for score in scores))


PRUNERS.add("objective", without_model(mask))
