"""One command, several runs: the flags that take lists, spread out into the flags of each run."""

from __future__ import annotations

import itertools
from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from madm2.methods import METHODS

# In the order of the loops: runs that may share a first round come one after the other.
LISTED = ("dataset", "seed", "method", "prune_strategy")
# What a list of methods means for debates only, and what it is for the others.
_OF_DEBATES = {
    "num_agents": None,
    "max_round": None,
    "prune_strategy": "naive",
    "route": None,
    "only_voting": False,
}


def spread(args: Namespace) -> list[Namespace]:
    """The flags of every run that a command line asks for, each with single values.

    Of several methods, those of a single round have no use for the flags of debates, and get
    none; the number of reasoning paths is `cot_sc`'s. What comes out twice is run once.
    """
    lists = [_listed(getattr(args, name)) for name in LISTED]
    runs: list[dict[str, Any]] = []
    for values in itertools.product(*lists):
        flags = {**vars(args), **dict(zip(LISTED, values, strict=True))}
        method = flags["method"]
        if len(_listed(args.method)) > 1 and method in METHODS:
            if METHODS[method].reads is None:
                flags |= _OF_DEBATES
            if method != "cot_sc":
                flags["num_reasoning_paths"] = None
        if flags not in runs:
            runs.append(flags)
    return [Namespace(**flags) for flags in runs]


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [value]
