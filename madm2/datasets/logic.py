"""Deductions with four options, of which exactly one holds in every model of what is said.

Three kinds: entailment between facts, knights and knaves, and orders of arrival. The gold is
found by trying all models; it is an option letter, each as often as the others.
"""

from __future__ import annotations

import itertools
import random

from madm2.datasets.draws import LETTERS, STANDARD, distinct
from madm2.datasets.entailment import entailment
from madm2.datasets.knights import knights
from madm2.datasets.ordering import ordering
from madm2.datasets.puzzle import Puzzle
from madm2.datasets.spec import Row

KINDS = (entailment, knights, ordering)


def logic(rows: int, seed: int, level: str = STANDARD) -> list[Row]:
    """So many different questions; guessing gets a quarter.

    Args:
        rows: how many.
        seed: of the draws.
        level: `standard` (entailment alone, as it comes with the project), or one from
            `trivial` to `hard` with the three kinds in turn.
    """
    rng = random.Random(seed)
    letters = itertools.cycle(LETTERS)
    kinds = itertools.cycle((entailment,) if level == STANDARD else KINDS)

    def draw() -> Row:
        kind = next(kinds)
        while (puzzle := kind(rng, level)) is None:
            pass
        return _row(puzzle, next(letters))

    return distinct(draw, rows)


def _row(puzzle: Puzzle, letter: str) -> Row:
    options = list(puzzle.wrong)
    options.insert(LETTERS.index(letter), puzzle.right)
    shown = [f"{name}. {text}" for name, text in zip(LETTERS, options, strict=True)]
    return {"query": "\n".join([*puzzle.lines, *shown]), "answer": letter, "options": options}
