"""The released instrument against what the released code itself answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.grade.__main__ import main
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


def test_the_regrade_command_agrees(tmp_path: Path) -> None:
    """On the rows as they are (`equal` rows are told by their kind), and with `answer` named."""
    out = tmp_path / "out.jsonl"
    named = tmp_path / "named.jsonl"
    with named.open("w") as file:
        for case in GRADING:
            row = {k: v for k, v in case.items() if not k.startswith("released")}
            if row.pop("kind") == "equal":
                row["answer"] = row.pop("output")
            file.write(json.dumps(row) + "\n")
    for path in (GOLDEN / "released_grading.jsonl", named):
        assert main([str(path), "--output", str(out)]) == 0
        for case, text in zip(GRADING, out.open(), strict=True):
            line = json.loads(text)
            assert line["id"] == case["id"]
            assert line["released_score"] == case.get("released_score", 0)
            assert line["released_answer"] == case.get("released_answer", case["output"] or "")
