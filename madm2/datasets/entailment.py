"""Entailment: which of four statements follows from a few facts and rules? By truth table."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

from madm2.datasets.draws import LETTERS, STANDARD
from madm2.datasets.puzzle import Puzzle

World = tuple[bool, ...]
Formula = tuple[str, Callable[[World], bool]]

FACTS = (
    ("the lamp is on", "the lamp is off"),
    ("the door is open", "the door is closed"),
    ("the bus is late", "the bus is on time"),
    ("the cat is inside", "the cat is outside"),
    ("the shop is full", "the shop is not full"),
    ("the soup is hot", "the soup is cold"),
    ("the bell rings", "the bell does not ring"),
    ("the road is wet", "the road is dry"),
)
# Of each level: how many facts there may be, and the forms of its rules.
_SIZES = {STANDARD: (3, 4), "trivial": (3,), "easy": (4,), "medium": (5,), "hard": (6,)}
_FORMS = ("if", "if", "or", "not both")


def entailment(rng: random.Random, level: str) -> Puzzle | None:
    """A chain of rules and four conclusions, of which one alone follows; None: none was found."""
    n = rng.choice(_SIZES[level])
    facts = rng.sample(FACTS, n)
    literals = [_literal(facts, i, true) for i in range(n) for true in (True, False)]
    chain = rng.sample(range(n), n)
    premises = [rng.choice(literals[2 * chain[0] : 2 * chain[0] + 2])]
    for a, b in itertools.pairwise(chain):
        left, right = (
            rng.choice(literals[2 * a : 2 * a + 2]),
            rng.choice(literals[2 * b : 2 * b + 2]),
        )
        form = "if" if level == "trivial" else rng.choice(_FORMS)
        premises.append(_rule(left, right, form))
    consistent = any(
        all(p[1](w) for p in premises) for w in itertools.product((False, True), repeat=n)
    )
    candidates = literals[:]
    rng.shuffle(candidates)
    entailed = [c for c in candidates if c is not premises[0] and _follows(premises, c, n)]
    others = [c for c in candidates if not _follows(premises, c, n)]
    if not consistent or not entailed or len(others) < len(LETTERS) - 1:
        return None
    rng.shuffle(premises)
    lines = [_sentence(p[0]) for p in premises]
    return Puzzle(
        (*lines, "Which of these must be true?"),
        _sentence(entailed[0][0]),
        tuple(_sentence(c[0]) for c in others[: len(LETTERS) - 1]),
    )


def _literal(facts: Sequence[tuple[str, str]], i: int, true: bool) -> Formula:
    return facts[i][0 if true else 1], lambda world: world[i] == true


def _rule(a: Formula, b: Formula, form: str) -> Formula:
    if form == "if":
        return f"If {a[0]}, then {b[0]}", lambda w: not a[1](w) or b[1](w)
    if form == "or":
        return f"At least one holds: {a[0]}, or {b[0]}", lambda w: a[1](w) or b[1](w)
    return f"It is not the case that both {a[0]} and {b[0]}", lambda w: not (a[1](w) and b[1](w))


def _follows(premises: Sequence[Formula], conclusion: Formula, n: int) -> bool:
    """Whether the conclusion holds in every world in which all premises do."""
    worlds = itertools.product((False, True), repeat=n)
    return all(conclusion[1](w) for w in worlds if all(p[1](w) for p in premises))


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."
