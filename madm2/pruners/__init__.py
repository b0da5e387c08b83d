"""Memory masking strategies; importing this package registers them.

To add one: a module here that ends in `PRUNERS.add("name", ...)`, and its import below.
"""

from madm2.pruners import naive, objective, subjective
from madm2.pruners.base import PRUNERS, Masking, Pruner, without_model

__all__ = ["PRUNERS", "Masking", "Pruner", "naive", "objective", "subjective", "without_model"]
