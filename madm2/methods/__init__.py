"""Ways to answer a question; importing this package registers them.

To add one: a module here that ends in `METHODS.add("name", ...)`, and its import below.
"""

from madm2.methods import cot, cot_sc, debate, sparse_mad
from madm2.methods.base import METHODS, Debate, Method, Reads

__all__ = ["METHODS", "Debate", "Method", "Reads", "cot", "cot_sc", "debate", "sparse_mad"]
