"""Ways to answer a question; importing this package registers them."""

from madm2.methods import debate
from madm2.methods.base import METHODS, Debate, Method

__all__ = ["METHODS", "Debate", "Method", "debate"]
