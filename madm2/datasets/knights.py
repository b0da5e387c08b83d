"""Knights and knaves: who tells the truth? The one assignment that fits all that is said."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

from madm2.datasets.draws import LETTERS, PEOPLE
from madm2.datasets.puzzle import Puzzle

World = tuple[bool, ...]  # of each person, whether a knight
Statement = tuple[str, Callable[[World], bool]]

INTRODUCTION = "Knights always tell the truth, knaves always lie, and everyone is one or the other."
QUESTION = "Which of these is the case?"
_SIZES = {"trivial": 2, "easy": 3, "medium": 4, "hard": 5}


def knights(rng: random.Random, level: str) -> Puzzle | None:
    """Everyone says something, and one assignment alone fits; None: none or several do."""
    people = rng.sample(PEOPLE, _SIZES[level])
    said = [_statement(rng, people, speaker, level) for speaker in range(len(people))]
    worlds = list(itertools.product((False, True), repeat=len(people)))
    fitting = [w for w in worlds if all(w[i] == holds(w) for i, (_, holds) in enumerate(said))]
    if len(fitting) != 1:
        return None
    others = rng.sample([w for w in worlds if w != fitting[0]], len(LETTERS) - 1)
    lines = [f'{who} says: "{text}"' for who, (text, _) in zip(people, said, strict=True)]
    return Puzzle(
        (INTRODUCTION, *lines, QUESTION),
        _described(people, fitting[0]),
        tuple(_described(people, world) for world in others),
    )


def _statement(rng: random.Random, people: Sequence[str], speaker: int, level: str) -> Statement:
    a = rng.choice([i for i in range(len(people)) if i != speaker])
    b = rng.choice([i for i in range(len(people)) if i != a])
    form = rng.choice(
        ("one", "one", "same") if level == "trivial" else ("one", "same", "any", "if")
    )
    kind = rng.choice((True, False))
    noun = "knight" if kind else "knave"
    if form == "one":
        return f"{people[a]} is a {noun}.", lambda w: w[a] == kind
    pair = f"{people[a]} and {people[b]}"
    if form == "same":
        degree = "the same kind" if kind else "different kinds"
        return f"{pair} are of {degree}.", lambda w: (w[a] == w[b]) == kind
    if form == "any":
        return f"At least one of {pair} is a {noun}.", lambda w: kind in (w[a], w[b])
    return (
        f"If {people[a]} is a knight, then {people[b]} is a {noun}.",
        lambda w: not w[a] or w[b] == kind,
    )


def _described(people: Sequence[str], world: World) -> str:
    kinds = [
        f"{who} is a {'knight' if true else 'knave'}"
        for who, true in zip(people, world, strict=True)
    ]
    return f"{', '.join(kinds)}."
