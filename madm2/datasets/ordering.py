"""Orders of arrival: who came in a given place? The one person whom all fitting orders agree on."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

from madm2.datasets.draws import LETTERS, PEOPLE
from madm2.datasets.puzzle import Puzzle

Order = tuple[int, ...]  # of each person, the place: 0 is first
Clue = tuple[str, Callable[[Order], bool]]

# Of each level: how many people, and the forms of its clues.
_LEVELS = {
    "trivial": (4, ("place", "next")),
    "easy": (4, ("next", "before")),
    "medium": (5, ("next", "before", "not first", "not last")),
    "hard": (6, ("before", "before", "between", "not first", "not last")),
}
_NAMED = ("first", "second", "third", "fourth", "fifth", "sixth")


def ordering(rng: random.Random, level: str) -> Puzzle | None:
    """Clues are added until one place is settled; None: they were not enough."""
    n, forms = _LEVELS[level]
    people = rng.sample(PEOPLE, n)
    truth = tuple(rng.sample(range(n), n))
    asked = rng.randrange(n)
    right = truth.index(asked)
    clues: list[Clue] = []
    orders = list(itertools.permutations(range(n)))
    for _ in range(4 * n):
        clue = _clue(rng, people, rng.choice(forms))
        if not clue[1](truth) or (clue[0].endswith(f" came {_NAMED[asked]}.")):
            continue  # it is false, or gives the answer away
        fitting = [order for order in orders if clue[1](order)]
        if len(fitting) == len(orders):
            continue  # it says nothing new
        orders, clues = fitting, [*clues, clue]
        if all(order[right] == asked for order in orders):
            wrong = rng.sample([i for i in range(n) if i != right], len(LETTERS) - 1)
            return Puzzle(
                (
                    f"{', '.join(people[:-1])} and {people[-1]} arrived one after the other.",
                    *(text for text, _ in clues),
                    f"Who came {_NAMED[asked]} of the {_COUNT[n]}?",
                ),
                people[right],
                tuple(people[i] for i in wrong),
            )
    return None


_COUNT = {4: "four", 5: "five", 6: "six"}


def _clue(rng: random.Random, people: Sequence[str], form: str) -> Clue:
    a, b = rng.sample(range(len(people)), 2)
    last = len(people) - 1
    one, other = people[a], people[b]
    if form == "place":
        place = rng.randrange(len(people))
        return f"{one} came {_NAMED[place]}.", lambda order: order[a] == place
    if form == "next":
        return f"{one} came directly after {other}.", lambda order: order[a] == order[b] + 1
    if form == "before":
        return f"{one} came before {other}.", lambda order: order[a] < order[b]
    if form == "between":
        return (
            f"Exactly one person came between {one} and {other}.",
            lambda order: abs(order[a] - order[b]) == 2,
        )
    if form == "not first":
        return f"{one} did not come first.", lambda order: order[a] != 0
    return f"{one} did not come last.", lambda order: order[a] != last
