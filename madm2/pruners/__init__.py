"""Memory masking strategies; importing this package registers them.

To add one: a module here that ends in `PRUNERS.add("name", ...)`, and its import below.
"""

from madm2.pruners import naive, objective, oracle, random_k, subjective
from madm2.pruners.base import PRUNERS, READS_GOLD, Masking, Pruner, without_model

__all__ = [
    "PRUNERS",
    "READS_GOLD",
    "Masking",
    "Pruner",
    "naive",
    "objective",
    "oracle",
    "random_k",
    "subjective",
    "without_model",
]
