"""Symbolic comparison with sympy. Runs only inside the worker process."""

from __future__ import annotations

import sympy
from latex2sympy2 import latex2sympy


def latex_difference_is_zero(one: str, other: str) -> bool:
    """Whether two LaTeX expressions differ by something that simplifies to 0."""
    difference = latex2sympy(one) - latex2sympy(other)
    return bool(sympy.simplify(difference) == 0)
