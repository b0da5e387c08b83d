from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madm2.datasets import generate
from madm2.datasets.load import load_dataset
from madm2.datasets.registry import DATASETS
from tests.conftest import ROOT

NAMES = sorted(generate.GENERATORS)


def committed(name: str) -> Path:
    return ROOT / "processed_data" / name / f"{name}_test.jsonl"


@pytest.mark.parametrize("name", NAMES)
def test_the_command_writes_the_committed_file_byte_for_byte(name: str, tmp_path: Path) -> None:
    assert generate.main(["--output_dir", str(tmp_path)]) == 0
    made = tmp_path / name
    assert (made / f"{name}_test.jsonl").read_bytes() == committed(name).read_bytes()
    assert len(list(made.iterdir())) == 1


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_many_distinct_and_load(name: str) -> None:
    questions = load_dataset(name, ROOT / "processed_data")
    assert len(questions) >= 200
    assert [q.id for q in questions] == list(range(len(questions)))
    assert len({q.query for q in questions}) == len(questions)


def test_the_chance_level_is_stated() -> None:
    letters = Counter(str(row["answer"]) for row in generate.logic())
    assert set(letters) == set(generate.LETTERS)
    assert len(set(letters.values())) == 1, "no letter may be a better guess than another"
    assert DATASETS["logic"].chance == 1 / len(generate.LETTERS)
    # The best blind guess at a number is the most frequent one.
    numbers = Counter(str(row["answer"]) for row in generate.arithmetic())
    assert numbers.most_common(1)[0][1] / generate.ROWS < 0.15


# What each question of `arithmetic` asks, read from its text.
SUMS = (
    (r"What is (\d+) \+ (\d+)\?", lambda a, b: a + b),
    (r"What is (\d+) - (\d+)\?", lambda a, b: a - b),
    (r"What is (\d+) times (\d+)\?", lambda a, b: a * b),
    (r"\w+ has (\d+) (\w+) and gets (\d+) more\. How many \2 does \w+ have now\?", lambda a, b: a + b),
    (r"\w+ buys (\d+) boxes with (\d+) (\w+) in each\. How many \3 is that in all\?", lambda a, b: a * b),
    (r"\w+ has (\d+) (\w+), gets (\d+) more and then gives (\d+) away\. How many \2 does \w+ have left\?", lambda a, b, c: a + b - c),
)  # fmt: skip


def computed(query: str) -> int:
    (found,) = [(m, f) for pattern, f in SUMS if (m := re.fullmatch(pattern, query))]
    match, formula = found
    return formula(*(int(g) for g in match.groups() if g.isdigit()))


@given(st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_the_gold_of_arithmetic_is_what_its_text_asks_for(seed: int) -> None:
    for row in generate.arithmetic(60, seed):
        assert row["answer"] == str(computed(str(row["query"])))
        assert int(str(row["answer"])) >= 0


NEGATION = {a: b for pair in generate._FACTS for a, b in (pair, pair[::-1])}
POSITIVE = {a for a, _ in generate._FACTS}


def holds(literal: str, world: dict[str, bool]) -> bool:
    return world[literal] if literal in POSITIVE else not world[NEGATION[literal]]


def premise_holds(line: str, world: dict[str, bool]) -> bool:
    line = line.rstrip(".")
    if m := re.fullmatch(r"If (.+), then (.+)", line):
        return not holds(m[1], world) or holds(m[2], world)
    if m := re.fullmatch(r"At least one holds: (.+), or (.+)", line):
        return holds(m[1], world) or holds(m[2], world)
    if m := re.fullmatch(r"It is not the case that both (.+) and (.+)", line):
        return not (holds(m[1], world) and holds(m[2], world))
    return holds(line[0].lower() + line[1:], world)


@given(st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_exactly_the_gold_option_of_logic_follows_from_its_text(seed: int) -> None:
    facts = sorted(POSITIVE)
    for row in generate.logic(12, seed):
        premises, shown = str(row["query"]).split("\nWhich of these must be true?\n")
        options = [line.partition(". ")[::2] for line in shown.split("\n")]
        assert [letter for letter, _ in options] == list(generate.LETTERS)
        assert [text for _, text in options] == row["options"]
        worlds = [
            world
            for values in itertools.product((True, False), repeat=len(facts))
            for world in [dict(zip(facts, values, strict=True))]
            if all(premise_holds(line, world) for line in premises.split("\n"))
        ]
        assert worlds, "the premises contradict each other"
        follows = [
            letter for letter, text in options if all(premise_holds(text, w) for w in worlds)
        ]
        assert follows == [row["answer"]]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_rows_and_another_seed_others(name: str) -> None:
    make = getattr(generate, name)
    assert make(30, 7) == make(30, 7)
    assert make(30, 7) != make(30, 8)


def test_rows_are_plain_json() -> None:
    for line in committed("logic").read_text(encoding="utf-8").splitlines():
        assert set(json.loads(line)) == {"id", "query", "answer", "options"}
