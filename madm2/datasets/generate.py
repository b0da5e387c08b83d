"""Makes the two small sets that come with the project: `arithmetic` and `logic`.

Both are exact by computation and the same on every machine. Run
`python -m madm2.datasets.generate` to write them again to processed_data/.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from madm2.config import DEFAULT_CONFIG

SEED = 20260320
ROWS = 240
LETTERS = "ABCD"

Row = dict[str, object]
World = tuple[bool, ...]
Formula = tuple[str, Callable[[World], bool]]

_PEOPLE = ("Ana", "Ben", "Chen", "Dora", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jo")
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
    who, what = rng.choice(_PEOPLE), rng.choice(_THINGS)
    return f"{who} has {a} {what} and gets {b} more. How many {what} does {who} have now?", a + b


def _packs(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    who, what = rng.choice(_PEOPLE), rng.choice(_THINGS)
    question = f"{who} buys {a} boxes with {b} {what} in each. How many {what} is that in all?"
    return question, a * b


def _gain_then_loss(rng: random.Random, high: int) -> tuple[str, int]:
    a, b = rng.randint(2, high), rng.randint(2, high)
    c = rng.randint(1, a + b - 1)
    who, what = rng.choice(_PEOPLE), rng.choice(_THINGS)
    question = (
        f"{who} has {a} {what}, gets {b} more and then gives {c} away. "
        f"How many {what} does {who} have left?"
    )
    return question, a + b - c


# (template, largest operand, how often): from what a tiny model mostly gets right to two steps.
_ARITHMETIC: tuple[tuple[Callable[[random.Random, int], tuple[str, int]], int, int], ...] = (
    (_sum, 9, 8),
    (_gain, 9, 6),
    (_difference, 9, 3),
    (_product, 9, 3),
    (_packs, 9, 2),
    (_sum, 60, 2),
    (_gain_then_loss, 20, 2),
)


def arithmetic(rows: int = ROWS, seed: int = SEED) -> list[Row]:
    """Sums, differences and products in figures and words; the gold is a whole number.

    Guessing has no chance worth naming. Levels run from one-digit sums to two steps.
    """
    rng = random.Random(seed)
    kinds, weights = zip(*((kind[:2], kind[2]) for kind in _ARITHMETIC), strict=True)

    def draw() -> Row:
        template, high = rng.choices(kinds, weights)[0]
        question, answer = template(rng, high)
        return {"query": question, "answer": str(answer)}

    return _distinct(draw, rows)


_FACTS = (
    ("the lamp is on", "the lamp is off"),
    ("the door is open", "the door is closed"),
    ("the bus is late", "the bus is on time"),
    ("the cat is inside", "the cat is outside"),
    ("the shop is full", "the shop is not full"),
    ("the soup is hot", "the soup is cold"),
    ("the bell rings", "the bell does not ring"),
    ("the road is wet", "the road is dry"),
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


def _logic_puzzle(rng: random.Random) -> tuple[list[Formula], list[Formula]] | None:
    """Premises and four conclusions, the first of which alone follows; None when none is found."""
    n = rng.choice((3, 4))
    facts = rng.sample(_FACTS, n)
    literals = [_literal(facts, i, true) for i in range(n) for true in (True, False)]
    chain = rng.sample(range(n), n)
    premises = [rng.choice(literals[2 * chain[0] : 2 * chain[0] + 2])]
    for a, b in itertools.pairwise(chain):
        left, right = (
            rng.choice(literals[2 * a : 2 * a + 2]),
            rng.choice(literals[2 * b : 2 * b + 2]),
        )
        premises.append(_rule(left, right, rng.choice(("if", "if", "or", "not both"))))
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
    return premises, [entailed[0], *others[: len(LETTERS) - 1]]


def logic(rows: int = ROWS, seed: int = SEED) -> list[Row]:
    """Deductions: which of four statements must be true? Exactly one follows, by truth table.

    The gold is an option letter, each as often as the others; guessing gets a quarter.
    """
    rng = random.Random(seed)
    letters = itertools.cycle(LETTERS)

    def draw() -> Row | None:
        puzzle = _logic_puzzle(rng)
        if puzzle is None:
            return None
        premises, (right, *wrong) = puzzle
        letter = next(letters)
        options = [_sentence(w[0]) for w in wrong]
        options.insert(LETTERS.index(letter), _sentence(right[0]))
        lines = [_sentence(p[0]) for p in premises]
        lines.append("Which of these must be true?")
        lines += [f"{name}. {text}" for name, text in zip(LETTERS, options, strict=True)]
        return {"query": "\n".join(lines), "answer": letter, "options": options}

    return _distinct(draw, rows)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _distinct(draw: Callable[[], Row | None], rows: int) -> list[Row]:
    seen: dict[str, Row] = {}
    while len(seen) < rows:
        row = draw()
        if row is not None:
            seen.setdefault(str(row["query"]), row)
    return [{"id": number, **row} for number, row in enumerate(seen.values())]


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Rows as JSONL."""
    for row in rows:
        yield json.dumps(row) + "\n"


GENERATORS: dict[str, Callable[[], list[Row]]] = {"arithmetic": arithmetic, "logic": logic}


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m madm2.datasets.generate [--output_dir DIR]`."""
    parser = argparse.ArgumentParser(prog="python -m madm2.datasets.generate", description=__doc__)
    parser.add_argument("--output_dir", type=Path, default=DEFAULT_CONFIG.parent / "processed_data")
    args = parser.parse_args(argv)
    for name, generate in GENERATORS.items():
        path = args.output_dir / name / f"{name}_test.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        partial.write_text("".join(lines(generate())), encoding="utf-8")
        os.replace(partial, path)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
