from __future__ import annotations

import json

import pytest

from madm2.seeds import request_seed, subset
from madm2.types import RequestKey
from tests.conftest import GOLDEN

RULES = json.loads((GOLDEN / "released_rules.json").read_text())


@pytest.mark.parametrize("case", RULES["subset"], ids=lambda c: f"{c['n']}-{c['seed']}")
def test_subset_is_the_released_one(case: dict[str, object]) -> None:
    drawn = subset(case["n"], case["seed"], case["size"])
    assert drawn[:10] == case["first10"]
    assert sum(drawn) == case["sum"]


def test_all_questions_come_in_file_order_and_more_samples_extend_a_subset() -> None:
    assert subset(30, 41, None) == list(range(30))
    assert subset(500, 41, 200)[:100] == subset(500, 41, 100)
    assert sorted(subset(20, 41, 100)) == list(range(20))


def test_request_seeds_are_pinned() -> None:
    # Changing one of these makes every recorded run unrepeatable.
    assert request_seed(42, RequestKey(7, 1, "answer", 0)) == 324234791
    assert request_seed(42, RequestKey("7", 1, "answer", 0)) == 133280808


def test_request_seeds_differ_in_every_part_of_the_key() -> None:
    keys = [
        RequestKey(q, r, p, a, i)
        for q in (1, "1", 2)
        for r in (1, 2)
        for p in ("answer", "judge")
        for a in (0, 1)
        for i in (0, 1)
    ]
    seeds = {request_seed(s, key) for key in keys for s in (41, 42)}
    assert len(seeds) == 2 * len(keys)
    assert all(0 <= seed < 2**31 for seed in seeds)
