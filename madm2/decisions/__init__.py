"""How the answers of a debate become one; importing this package registers the decisions.

To add one: a module here that ends in `DECISIONS.add("name", ...)`, and its import below.
"""

from madm2.decisions import freemad, last_judge, majority
from madm2.decisions.base import DECISIONS, Deciding, Decision, concluded, decide_with

__all__ = [
    "DECISIONS",
    "Deciding",
    "Decision",
    "concluded",
    "decide_with",
    "freemad",
    "last_judge",
    "majority",
]
