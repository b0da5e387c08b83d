"""Draws distinct rows at random: what the generated sets have in common."""

from __future__ import annotations

from collections.abc import Callable

from madm2.datasets.spec import Row
from madm2.errors import UserError

STANDARD = "standard"  # the mixture that comes with the project
LEVELS = ("trivial", "easy", "medium", "hard")
LETTERS = "ABCD"
PEOPLE = ("Ana", "Ben", "Chen", "Dora", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jo")
_PATIENCE = 2000  # draws without a new row: then there are hardly more


def distinct(draw: Callable[[], Row], rows: int) -> list[Row]:
    """So many rows of different questions, counted from 0.

    Raises:
        UserError: the level has not that many.
    """
    seen: dict[str, Row] = {}
    idle = 0
    while len(seen) < rows:
        row = draw()
        before = len(seen)
        seen.setdefault(str(row["query"]), row)
        idle = 0 if len(seen) > before else idle + 1
        if idle > _PATIENCE:
            raise UserError(
                f"there are hardly more than {len(seen)} different questions of this level",
                need=f"{rows}",
                fix="take a smaller --size or a harder --level",
            )
    return [{"id": number, **row} for number, row in enumerate(seen.values())]
