"""Sparse debate: the agents stand in a ring, and each reads its two neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from madm2.methods.base import METHODS, Method
from madm2.methods.debate import debate


def neighbours(agent: int, num_agents: int) -> Sequence[int]:
    """The agents before and behind it in the ring, in agent order, without itself.

    Of two agents each has the other once; a single one has nobody.
    """
    return sorted({(agent - 1) % num_agents, (agent + 1) % num_agents} - {agent})


METHODS.add(
    "sparse_mad",
    Method("sparse_mad", partial(debate, name="sparse_mad", reads=neighbours), neighbours),
)
