"""The released code's last comparison, with the LaTeX parser. Runs only inside the worker."""

from __future__ import annotations

from typing import Any

import latex2sympy2
import sympy


def difference_is_zero(one: str, other: str) -> bool:
    """Whether the difference of two LaTeX expressions simplifies to 0; raises what they raise."""
    return bool(sympy.simplify(_parse(one) - _parse(other)) == 0)


def _parse(text: str) -> Any:
    latex2sympy2.set_variances({})  # what an earlier text assigned to a name
    return latex2sympy2.latex2sympy(text)


def warm_up() -> None:
    """Fill the caches of parser and sympy, which only the first call of a process has to."""
    difference_is_zero(r"\frac{x}{2}+\sqrt{3}", r"2\pi\cdot x^{2}-e")
    difference_is_zero(r"\sin(2x)", r"(y+1)\log(4)")
