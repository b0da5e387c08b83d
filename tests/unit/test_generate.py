from __future__ import annotations

import errno
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from madm2.datasets import files, generate
from madm2.datasets.arithmetic import arithmetic
from madm2.datasets.draws import LETTERS, LEVELS, STANDARD
from madm2.datasets.entailment import FACTS
from madm2.datasets.knights import INTRODUCTION
from madm2.datasets.knights import QUESTION as WHO_IS
from madm2.datasets.load import load_dataset
from madm2.datasets.logic import logic
from madm2.datasets.registry import DATASETS
from tests.conftest import ROOT

NAMES = sorted(generate.GENERATORS)


def committed(name: str) -> Path:
    return ROOT / "processed_data" / name / f"{name}_test.jsonl"


@pytest.mark.parametrize("name", NAMES)
def test_the_command_writes_the_committed_files_byte_for_byte(name: str, tmp_path: Path) -> None:
    assert generate.main(["--output_dir", str(tmp_path)]) == 0
    made = tmp_path / name
    assert (made / f"{name}_test.jsonl").read_bytes() == committed(name).read_bytes()
    assert len(list(made.iterdir())) == 2
    records = [
        json.loads((folder / f"{name}.meta.json").read_text())
        for folder in (made, committed(name).parent)
    ]
    for record in records:
        assert len(record.pop("date")) == len("2026-01-01")
    assert records[0] == records[1]


def test_a_set_that_is_there_is_left_alone(tmp_path: Path) -> None:
    command = ["logic", "--size", "5", "--level", "easy", "--output_dir", str(tmp_path)]
    assert generate.main(command) == 0
    record = tmp_path / "logic" / "logic.meta.json"
    record.write_text(record.read_text().replace(date.today().isoformat(), "2026-01-01"))
    before = record.read_text()
    assert generate.main(command) == 0
    assert record.read_text() == before
    assert generate.main([*command, "--seed", "1"]) == 0
    assert record.read_text() != before
    assert len(load_dataset("logic", tmp_path)) == 5


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["sums"], "unknown generated dataset 'sums'"),
        (["logic", "--level", "heard"], "did you mean 'hard'?"),
        (["logic", "--size", "0"], "--size must be"),
        (["arithmetic", "--level", "trivial", "--size", "100000"], "take a smaller --size"),
        (["arithmetic", "--sizes", "3"], "unrecognized arguments"),
    ],
)
def test_a_mistake_is_one_message(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate.main([*args, "--output_dir", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    assert generate.main(["logic", "--size", "5", "--output_dir", str(tmp_path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_many_distinct_and_load(name: str) -> None:
    questions = load_dataset(name, ROOT / "processed_data")
    assert len(questions) >= 200
    assert [q.id for q in questions] == list(range(len(questions)))
    assert len({q.query for q in questions}) == len(questions)


def test_the_chance_level_is_stated() -> None:
    letters = Counter(str(row["answer"]) for row in logic(generate.ROWS, generate.SEED))
    assert set(letters) == set(LETTERS)
    assert len(set(letters.values())) == 1, "no letter may be a better guess than another"
    assert DATASETS["logic"].chance == 1 / len(LETTERS)
    # The best blind guess at a number is the most frequent one.
    numbers = Counter(str(row["answer"]) for row in arithmetic(generate.ROWS, generate.SEED))
    assert numbers.most_common(1)[0][1] / generate.ROWS < 0.15


# What each question of `arithmetic` asks, read from its text.
SUMS = (
    (r"What is (\d+) \+ (\d+)\?", lambda a, b: a + b),
    (r"What is (\d+) - (\d+)\?", lambda a, b: a - b),
    (r"What is (\d+) times (\d+)\?", lambda a, b: a * b),
    (r"What is \((\d+) \+ (\d+)\) times (\d+) - (\d+)\?", lambda a, b, c, d: (a + b) * c - d),
    (r"\w+ has (\d+) (\w+) and gets (\d+) more\. How many \2 does \w+ have now\?", lambda a, b: a + b),
    (r"\w+ buys (\d+) boxes with (\d+) (\w+) in each\. How many \3 is that in all\?", lambda a, b: a * b),
    (r"\w+ buys (\d+) boxes with (\d+) (\w+) in each and gives (\d+) away\. How many \3 does \w+ have left\?", lambda a, b, c: a * b - c),
    (r"\w+ has (\d+) (\w+), gets (\d+) more and then gives (\d+) away\. How many \2 does \w+ have left\?", lambda a, b, c: a + b - c),
)  # fmt: skip


def computed(query: str) -> int:
    (found,) = [(m, f) for pattern, f in SUMS if (m := re.fullmatch(pattern, query))]
    match, formula = found
    return formula(*(int(g) for g in match.groups() if g.isdigit()))


@given(st.integers(0, 2**32), st.sampled_from((STANDARD, *LEVELS)))
@example(114024, "hard")
@settings(max_examples=20, deadline=None)
def test_the_gold_of_arithmetic_is_what_its_text_asks_for(seed: int, level: str) -> None:
    for row in arithmetic(60, seed, level):
        assert row["answer"] == str(computed(str(row["query"])))
        assert int(str(row["answer"])) >= 0


NEGATION = {a: b for pair in FACTS for a, b in (pair, pair[::-1])}
POSITIVE = {a for a, _ in FACTS}
World = dict[str, bool]
Order = dict[str, int]


def holds(literal: str, world: World) -> bool:
    return world[literal] if literal in POSITIVE else not world[NEGATION[literal]]


def premise_holds(line: str, world: World) -> bool:
    line = line.rstrip(".")
    if m := re.fullmatch(r"If (.+), then (.+)", line):
        return not holds(m[1], world) or holds(m[2], world)
    if m := re.fullmatch(r"At least one holds: (.+), or (.+)", line):
        return holds(m[1], world) or holds(m[2], world)
    if m := re.fullmatch(r"It is not the case that both (.+) and (.+)", line):
        return not (holds(m[1], world) and holds(m[2], world))
    return holds(line[0].lower() + line[1:], world)


def entailed(lines: list[str], options: list[str]) -> list[bool]:
    *premises, question = lines
    assert question == "Which of these must be true?"
    facts = sorted(POSITIVE)
    values = itertools.product((True, False), repeat=len(facts))
    worlds = [dict(zip(facts, value, strict=True)) for value in values]
    models = [w for w in worlds if all(premise_holds(line, w) for line in premises)]
    assert models, "the premises contradict each other"
    return [all(premise_holds(text, w) for w in models) for text in options]


def said_holds(text: str, knight: World) -> bool:
    """Whether a sentence of the island is true; `knight` says of each person whether one."""
    if m := re.fullmatch(r"(\w+) is a (knight|knave)\.", text):
        return knight[m[1]] == (m[2] == "knight")
    if m := re.fullmatch(r"(\w+) and (\w+) are of (the same kind|different kinds)\.", text):
        return (knight[m[1]] == knight[m[2]]) == (m[3] == "the same kind")
    if m := re.fullmatch(r"At least one of (\w+) and (\w+) is a (knight|knave)\.", text):
        return (m[3] == "knight") in (knight[m[1]], knight[m[2]])
    m = re.fullmatch(r"If (\w+) is a knight, then (\w+) is a (knight|knave)\.", text)
    assert m, text
    return not knight[m[1]] or knight[m[2]] == (m[3] == "knight")


def assigned(lines: list[str], options: list[str]) -> list[bool]:
    introduction, *said, question = lines
    assert (introduction, question) == (INTRODUCTION, WHO_IS)
    spoken = [re.fullmatch(r'(\w+) says: "(.+)"', line) for line in said]
    assert all(spoken)
    people = [m[1] for m in spoken if m]
    values = itertools.product((True, False), repeat=len(people))
    worlds = [dict(zip(people, value, strict=True)) for value in values]
    models = [w for w in worlds if all(w[m[1]] == said_holds(m[2], w) for m in spoken if m)]
    assert len(models) == 1
    claims = [re.findall(r"(\w+) is a (knight|knave)", text) for text in options]
    return [{who: kind == "knight" for who, kind in claim} == models[0] for claim in claims]


PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
CLUES: tuple[tuple[str, Callable[[Order, re.Match[str]], bool]], ...] = (
    (r"(\w+) came (\w+)\.", lambda at, m: at[m[1]] == PLACES.index(m[2])),
    (r"(\w+) came directly after (\w+)\.", lambda at, m: at[m[1]] - at[m[2]] == 1),
    (r"(\w+) came before (\w+)\.", lambda at, m: at[m[1]] < at[m[2]]),
    (r"Exactly one person came between (\w+) and (\w+)\.", lambda at, m: abs(at[m[1]] - at[m[2]]) == 2),
    (r"(\w+) did not come first\.", lambda at, m: at[m[1]] > 0),
    (r"(\w+) did not come last\.", lambda at, m: at[m[1]] < len(at) - 1),
)  # fmt: skip


def clue_holds(line: str, at: Order) -> bool:
    (found,) = [(m, rule) for pattern, rule in CLUES if (m := re.fullmatch(pattern, line))]
    return found[1](at, found[0])


def arrived(lines: list[str], options: list[str]) -> list[bool]:
    introduction, *clues, question = lines
    people = re.findall(r"[A-Z]\w+", introduction)
    asked = re.fullmatch(r"Who came (\w+) of the (\w+)\?", question)
    assert asked
    orders = [
        dict(zip(people, order, strict=True))
        for order in itertools.permutations(range(len(people)))
    ]
    models = [at for at in orders if all(clue_holds(clue, at) for clue in clues)]
    assert models, "the clues contradict each other"
    return [all(at[who] == PLACES.index(asked[1]) for at in models) for who in options]


@given(st.integers(0, 2**32), st.sampled_from((STANDARD, *LEVELS)))
@settings(max_examples=20, deadline=None)
def test_exactly_the_gold_option_of_logic_holds_in_every_model_of_its_text(
    seed: int, level: str
) -> None:
    kinds = Counter()
    for row in logic(12, seed, level):
        lines = str(row["query"]).split("\n")
        options = [line.partition(". ")[::2] for line in lines[-4:]]
        assert [letter for letter, _ in options] == list(LETTERS)
        assert [text for _, text in options] == row["options"]
        assert len(set(row["options"])) == 4
        rule = {INTRODUCTION: assigned}.get(lines[0]) or (
            arrived if "arrived one after the other" in lines[0] else entailed
        )
        kinds[rule] += 1
        found = rule(lines[:-4], row["options"])
        assert [a for a, true in zip(LETTERS, found, strict=True) if true] == [row["answer"]]
    assert kinds == (
        {entailed: 12} if level == STANDARD else {entailed: 4, assigned: 4, arrived: 4}
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", NAMES)
def test_every_level_has_a_full_set_that_loads(name: str, level: str, tmp_path: Path) -> None:
    assert generate.main([name, "--level", level, "--output_dir", str(tmp_path)]) == 0
    assert len({q.query for q in load_dataset(name, tmp_path)}) == generate.ROWS


def test_harder_levels_ask_for_more() -> None:
    def mean(rows: list[dict[str, object]], measure: Callable[[dict[str, object]], int]) -> float:
        return sum(map(measure, rows)) / len(rows)

    lengths = [mean(logic(60, 1, level), lambda row: len(str(row["query"]))) for level in LEVELS]
    assert lengths == sorted(lengths)
    sizes = [
        mean(arithmetic(200, 1, level), lambda row: len(str(row["answer"]))) for level in LEVELS
    ]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_rows_and_another_seed_others(name: str) -> None:
    make = partial(generate.GENERATORS[name], level=STANDARD)
    assert make(30, 7) == make(30, 7)
    assert make(30, 7) != make(30, 8)


def test_rows_are_plain_json() -> None:
    for line in committed("logic").read_text(encoding="utf-8").splitlines():
        assert set(json.loads(line)) == {"id", "query", "answer", "options"}
