"""Runs recorded by the released code, replayed: every mask, vote and score comes out the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.cli import main


@pytest.mark.parametrize(
    ("name", "right", "ours"),
    [("cot", 23, 27), ("mad", 30, 37), ("mad_objective", 33, 40), ("mad_subjective", 30, 36)],
)
def test_a_recorded_run(shared: Path, tmp_path: Path, name: str, right: int, ours: int) -> None:
    form = "" if name == "cot" else "_3agents_2rounds"
    source = shared / "traces" / "qwen2.5-7b_math50_seed41" / f"{name}{form}_seed41.json"
    args = ["--engine", "replay", "--from", str(source), "--save_path", str(tmp_path)]
    assert main(args) == 0
    [figures] = tmp_path.rglob("results.json")
    statuses = json.loads(figures.read_text())["statuses"]
    assert statuses["released"]["correct"] == right
    assert statuses["paper"]["correct"] == ours
    folder = figures.parent
    again = json.loads(folder.with_name(f"{folder.name}.json").read_text())
    first = json.loads(source.read_text())
    assert again["accuracy"] == first["accuracy"]
    for mine, theirs in zip(again["results"], first["results"], strict=True):
        assert mine["id"] == theirs["id"]
        if name == "cot":
            assert mine.pop("perplexity") == pytest.approx(theirs.pop("perplexity"), rel=1e-12)
            assert mine == theirs
            continue
        assert {k: v for k, v in mine.items() if k != "perplexity_history"} == {
            k: v for k, v in theirs.items() if k != "perplexity_history"
        }
        for row, other in zip(
            mine["perplexity_history"], theirs["perplexity_history"], strict=True
        ):
            assert row == pytest.approx(other, rel=1e-12)
