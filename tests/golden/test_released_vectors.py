"""The released instrument against what the released code itself answered."""

from __future__ import annotations

import json

import pytest

from madm2.grading import released
from tests.conftest import GOLDEN

GRADING = [json.loads(line) for line in (GOLDEN / "released_grading.jsonl").open()]
VOTES = json.loads((GOLDEN / "released_rules.json").read_text())["votes"]


@pytest.mark.parametrize("case", GRADING, ids=lambda c: c["id"])
def test_grading_vectors(case: dict[str, object]) -> None:
    family = released.family_of(case["dataset"], "math")
    key = case["output"]  # of an `equal` row it is what was graded
    if case["kind"] == "extract":
        answer = released.read(case["output"], family).answer
        assert answer == case["released_answer"]
        key = released.vote_key(answer, family)
        assert key == case["released_vote_key"]
    assert released.score(key, case["gold"], family) == case.get("released_score", 0)


@pytest.mark.parametrize("case", VOTES, ids=lambda c: f"{c['dataset']}-{c['answers']}")
def test_votes(case: dict[str, object]) -> None:
    vote = released.vote(case["answers"], released.family_of(case["dataset"], "math"))
    assert (vote.key, vote.consensus) == (case["pred"], case["consensus"])
