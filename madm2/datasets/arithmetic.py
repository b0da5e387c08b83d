"""Sums, differences and products in figures and words; the gold is a whole number."""

from __future__ import annotations

import random
from collections.abc import Callable

from madm2.datasets.draws import PEOPLE, STANDARD, distinct
from madm2.datasets.spec import Row

Template = Callable[[random.Random, int], tuple[str, int]]

_THINGS = ("apples", "books", "coins", "stamps", "pens", "cups", "shells", "keys")


def _sum(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    return f"What is {a} + {b}?", a + b


def _difference(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = sorted((rng.randint(2, high), rng.randint(2, high)), reverse=True)
    return f"What is {a} - {b}?", a - b


def _product(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    return f"What is {a} times {b}?", a * b


def _gain(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    who, what = rng.choice(PEOPLE), rng.choice(_THINGS)
    return f"{who} has {a} {what} and gets {b} more. How many {what} does {who} have now?", a + b


def _packs(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    who, what = rng.choice(PEOPLE), rng.choice(_THINGS)
    question = f"{who} buys {a} boxes with {b} {what} in each. How many {what} is that in all?"
    return question, a * b


def _gain_then_loss(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    c = rng.randint(1, a + b - 1)
    who, what = rng.choice(PEOPLE), rng.choice(_THINGS)
    question = (
        f"{who} has {a} {what}, gets {b} more and then gives {c} away. "
        f"How many {what} does {who} have left?"
    )
    return question, a + b - c


def _packs_then_loss(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    c = rng.randint(1, a * b - 1)
    who, what = rng.choice(PEOPLE), rng.choice(_THINGS)
    question = (
        f"{who} buys {a} boxes with {b} {what} in each and gives {c} away. "
        f"How many {what} does {who} have left?"
    )
    return question, a * b - c


def _bracket(rng: random.Random, high: int) -> tuple[str, int]:
    a, b, c = (rng.randint(2, high) for _ in range(3))
    d = rng.randint(2, min(high, (a + b) * c))
    return f"What is ({a} + {b}) times {c} - {d}?", (a + b) * c - d


# Of each level: (template, largest operand, how often).
LEVELS: dict[str, tuple[tuple[Template, int, int], ...]] = {
    # From what a tiny model mostly gets right to two steps.
    STANDARD: (
        (_sum, 9, 8),
        (_gain, 9, 6),
        (_difference, 9, 3),
        (_product, 9, 3),
        (_packs, 9, 2),
        (_sum, 60, 2),
        (_gain_then_loss, 20, 2),
    ),
    "trivial": ((_sum, 9, 1), (_difference, 9, 1), (_gain, 9, 2)),
    "easy": ((_sum, 60, 2), (_difference, 60, 2), (_product, 9, 1), (_gain, 60, 2)),
    "medium": ((_product, 30, 1), (_packs, 20, 1), (_gain_then_loss, 200, 2)),
    "hard": ((_product, 999, 1), (_bracket, 99, 2), (_packs_then_loss, 99, 2)),
}


def arithmetic(rows: int, seed: int, level: str = STANDARD) -> list[Row]:
    """So many different questions; guessing has no chance worth naming.

    Args:
        rows: how many.
        seed: of the draws.
        level: `standard`, or one from `trivial` (one digit, one step) to `hard`.
    """
    rng = random.Random(seed)
    kinds, weights = zip(*((kind[:2], kind[2]) for kind in LEVELS[level]), strict=True)

    def draw() -> Row:
        template, high = rng.choices(kinds, weights)[0]
        question, answer = template(rng, high)
        return {"query": question, "answer": str(answer)}

    return distinct(draw, rows)
