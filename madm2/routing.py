"""Routing: which questions are debated, decided by the vote over their first answers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from madm2.errors import UserError
from madm2.types import Vote

_FORM = re.compile(r"majority:(\d?\.?\d{1,12}|\d{1,6}/\d{1,6})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Route:
    """Debate a question only where its largest cluster of first answers is small.

    Args:
        threshold: the part of the agents, 0 < threshold ≤ 1, that is enough to end after round 1.
    """

    threshold: Fraction

    def debates(self, vote: Vote, num_agents: int) -> bool:
        """Whether fewer than the threshold agree; a question without any answer is debated."""
        return Fraction(vote.count, num_agents) < self.threshold

    def __str__(self) -> str:
        """The route as `parse_route` reads it, the same for the same threshold."""
        decimal = f"{float(self.threshold):.12f}".rstrip("0").rstrip(".")
        return f"majority:{decimal if Fraction(decimal) == self.threshold else self.threshold}"


def parse_route(text: str | None) -> Route | None:
    """Read `majority:T`, with T as 0.67 or 2/3; None, or `none`, debates every question.

    Raises:
        UserError: it is neither, or T is out of range.
    """
    if text is None or text == "none":
        return None
    found = _FORM.fullmatch(text)
    try:
        threshold = Fraction(found[1]) if found else Fraction(0)
    except ZeroDivisionError:
        threshold = Fraction(0)
    if not 0 < threshold <= 1:
        raise UserError(
            "the route is not one that is known",
            have=repr(text),
            need="majority:T with 0 < T ≤ 1, such as majority:0.67 or majority:2/3, or none",
        )
    return Route(threshold)
