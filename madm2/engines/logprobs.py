"""Sums the log-probabilities of a completion as its tokens come from the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from madm2.types import LogprobSummary

# float32 softmax gives no token a probability between 0 and e^-104. A lower value (-inf where a
# mask met rounding, nan from broken weights) would make sums and JSON useless.
LOGPROB_FLOOR = -104.0


def summarise(token_ids: Sequence[int], positions: Iterable[Mapping[int, Any]]) -> LogprobSummary:
    """Sum the log-probabilities of the sampled and of the most likely token at each position."""
    count, sampled_sum, top_sum = 0, 0.0, 0.0
    for token, entries in zip(token_ids, positions, strict=True):
        count += 1
        sampled_sum += _finite(entries[token].logprob)
        top_sum += max(_finite(entry.logprob) for entry in entries.values())
    return LogprobSummary(count, sampled_sum, top_sum)


def _finite(logprob: float) -> float:
    return logprob if logprob > LOGPROB_FLOOR else LOGPROB_FLOOR
