"""Runs of every method from the command line: files, going on, replays, grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from madm2.cli import main
from madm2.engines.scripted import ScriptedEngine
from madm2.grade.__main__ import main as grade
from madm2.methods import METHODS
from madm2.pruners import PRUNERS
from tests.unit.test_replay import document, flags, only, record, replay

TIMES = {"seconds", "tokens_per_second", "time_consumption", "average_time_per_sample"}
COT = ["--mode", "cot"]
COT_SC = [*COT, "--self_consistency", "--num_reasoning_paths", 4]
# Every method with every mask that it has a use for, and routes.
RUNS: list[list[Any]] = [
    COT,
    COT_SC,
    *(
        ["--method", method, "--num_agents", 4, "--max_round", 3, "--prune_strategy", strategy]
        for method in METHODS
        if METHODS[method].reads
        for strategy in PRUNERS
    ),
    ["--route", "majority:2/3"],
    ["--method", "sparse_mad", "--prune_strategy", "subjective", "--route", "majority:1"],
    ["--prune_strategy", "random_k", "--random_keep", 2, "--route", "majority:0.9"],
]


def name_of(run: list[Any]) -> str:
    return " ".join(str(word).removeprefix("--") for word in run)


def beside(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The released files of a run: results and log."""
    kind = "cot" if folder.name.startswith("cot") else "debate"
    paths = (f"{folder.name}.json", f"{folder.name}_{kind}_log.json")
    results, log = (json.loads(folder.with_name(path).read_text()) for path in paths)
    return results, log


def figures(folder: Path) -> dict[str, Any]:
    unlike = {"settings", *TIMES}
    return {key: value for key, value in document(folder).items() if key not in unlike}


def samples(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "samples.jsonl").open()]


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_a_stopped_run_goes_on_and_a_recorded_one_replays(
    tmp_path: Path, run: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = record(tmp_path, *run)
    step, steps = ScriptedEngine.step, iter(range(100))

    def stop(self: ScriptedEngine) -> object:
        if next(steps) >= 1:
            raise KeyboardInterrupt
        return step(self)

    monkeypatch.setattr(ScriptedEngine, "step", stop)
    ended = main(flags(tmp_path / "stopped", *run))
    assert ended == (0 if run == COT else 130), "one step is all that cot needs"
    monkeypatch.setattr(ScriptedEngine, "step", step)
    assert main(flags(tmp_path / "stopped", *run)) == 0
    assert replay(whole, tmp_path / "again") == 0
    for part in ("stopped", "again"):
        folder = only(tmp_path / part)
        assert folder.name == whole.name
        assert (folder / "samples.jsonl").read_bytes() == (whole / "samples.jsonl").read_bytes()
        assert figures(folder) == figures(whole)
        for mine, theirs in zip(beside(folder), beside(whole), strict=True):
            assert {k: v for k, v in mine.items() if k not in TIMES} | {
                "token_usage_summary": 0
            } == {k: v for k, v in theirs.items() if k not in TIMES} | {"token_usage_summary": 0}
    assert main(flags(tmp_path / "stopped", *run)) == 0, "a finished run says so"


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_the_released_form_replays(tmp_path: Path, run: list[Any]) -> None:
    whole = record(tmp_path, *run, "--instrument", "released")
    source = whole.with_name(f"{whole.name}.json")
    assert replay(source, tmp_path / "again", "--dataset", "arithmetic") == 0
    folder = only(tmp_path / "again")
    assert folder.name == whole.name
    for mine, theirs in zip(samples(folder), samples(whole), strict=True):
        assert mine["debated"] == theirs["debated"] and mine["method"] == theirs["method"]
        assert [r["mask"] and r["mask"]["keep"] for r in mine["rounds"]] == [
            r["mask"] and r["mask"]["keep"] for r in theirs["rounds"]
        ]
        assert mine["scores"]["released"]["votes"] == theirs["scores"]["released"]["votes"]


@pytest.mark.parametrize("run", RUNS, ids=name_of)
def test_every_file_can_be_graded_again(tmp_path: Path, run: list[Any]) -> None:
    whole = record(tmp_path, *run)
    right = document(whole)["statuses"]["paper"]["correct"]
    files = [whole / "samples.jsonl", *whole.parent.glob("*.json")]
    assert len(files) == 3
    for path in files:
        out = tmp_path / "out.jsonl"
        assert grade([str(path), "--output", str(out)]) == 0
        assert sum(json.loads(line)["score"] for line in out.open()) == right
        out.unlink()


@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_the_files_of_a_chain_of_thought(tmp_path: Path, instrument: str) -> None:
    folder = record(tmp_path, *COT, "--instrument", instrument)
    results, log = beside(folder)
    assert set(results) == {
        "results", "accuracy", "token_usage_summary", "time_consumption", "average_time_per_sample",
    }  # fmt: skip
    assert results["token_usage_summary"]["call_count"] == 1
    assert results["accuracy"] == document(folder)["accuracy"][instrument]
    for row, sample in zip(results["results"], samples(folder), strict=True):
        assert list(row) == ["id", "question", "pred", "ground_truth", "response", "perplexity"]
        assert set(row["response"]) == {"think", "answer"}
        assert row["pred"] == row["response"]["answer"]
        (completion,) = sample["rounds"][0]["completions"]
        assert row["perplexity"] == float(completion["released_perplexity"])
        entry = log[str(row["id"])]
        assert set(entry) == {"question", "prompt", "response", "perplexity"}
        assert entry["question"] in entry["prompt"] and entry["response"] == row["response"]


@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_the_files_of_several_chains(tmp_path: Path, instrument: str) -> None:
    folder = record(tmp_path, *COT_SC, "--instrument", instrument)
    results, log = beside(folder)
    assert results["token_usage_summary"]["call_count"] == 4
    assert results["accuracy"] == document(folder)["accuracy"][instrument]
    for row, sample in zip(results["results"], samples(folder), strict=True):
        assert list(row) == [
            "id", "question", "pred", "ground_truth", "responses", "perplexities", "consensus",
        ]  # fmt: skip
        assert len(row["responses"]) == len(row["perplexities"]) == 4
        score = sample["scores"][instrument]
        assert (row["pred"], row["consensus"]) == (score["answer"], score["votes"][0]["consensus"])
        entry = log[str(row["id"])]
        assert set(entry) == {"question", "paths", "common_answer", "consensus"}
        assert [path["response"] for path in entry["paths"]] == row["responses"]


def test_a_routed_run_says_what_was_debated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record(tmp_path, "--route", "majority:2/3")
    rows = samples(folder)
    debated = sum(row["debated"] for row in rows)
    assert 0 < debated < len(rows)
    assert [len(row["rounds"]) - 1 for row in rows] == [int(row["debated"]) for row in rows]
    found = document(folder)
    assert (found["routed"], found["debated"]) == (len(rows), debated)
    assert found["settings"]["route"] == "majority:2/3"
    out = capsys.readouterr().out
    assert f"debated after the first vote      {debated} of {len(rows)}" in out
    assert "route majority:2/3" in out
    results, log = beside(folder)
    for row, sample in zip(results["results"], rows, strict=True):
        sizes = {len(row[f"{key}_history"]) for key in ("debate", "mask", "perplexity")}
        assert sizes == {len(sample["rounds"])} == {len(log[str(row["id"])]["rounds"])}


def test_a_route_that_lets_nothing_through(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record(tmp_path, "--num_agents", 6, "--route", "majority:0.001", "--limit", 4)
    assert document(folder)["debated"] == 0
    assert "none to keep: no question was debated" in capsys.readouterr().out
    source = folder.with_name(f"{folder.name}.json")
    args = ["--dataset", "arithmetic", "--instrument", "paper"]
    assert replay(source, tmp_path / "again", *args) == 0
    assert document(only(tmp_path / "again"))["routed"] == 4


def test_an_upper_bound_is_named_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for strategy in PRUNERS:
        folder = record(tmp_path / strategy, "--prune_strategy", strategy, "--limit", 4)
        capsys.readouterr()
        assert main(flags(folder.parents[3], "--prune_strategy", strategy, "--limit", 4)) == 0
        assert ("upper bound" in capsys.readouterr().out) == (strategy == "oracle")


@pytest.mark.parametrize(
    ("recorded", "again", "fresh"),
    [
        (["--num_agents", 4], ["--method", "cot"], COT),
        (["--num_agents", 4], COT, COT),
        (["--num_agents", 4, "--prune_strategy", "objective"], ["--method", "cot_sc"], COT_SC),
        (["--num_agents", 4, "--only_voting"], [*COT, "--self_consistency"], COT_SC),
        (["--num_agents", 5], COT_SC, COT_SC),
        (COT_SC, ["--num_reasoning_paths", 2], ["--method", "cot_sc", "--num_reasoning_paths", 2]),
        (COT_SC, ["--method", "cot"], COT),
        (COT_SC, ["--mode", "mad", "--only_voting"], ["--num_agents", 4, "--only_voting"]),
        (COT, ["--method", "mad", "--max_round", 1], ["--num_agents", 1, "--max_round", 1]),
        (["--method", "sparse_mad"], ["--only_voting"], ["--method", "sparse_mad", "--max_round", 1]),
        (["--method", "sparse_mad"], ["--method", "mad", "--max_round", 1], ["--only_voting"]),
        ([], ["--route", "majority:2/3"], ["--route", "majority:2/3"]),
        (["--route", "majority:1"], ["--route", "majority:2/3"], ["--route", "majority:2/3"]),
        (["--route", "majority:1"], ["--only_voting"], ["--only_voting"]),
        (["--route", "majority:1"], ["--method", "cot"], COT),
    ],
)  # fmt: skip
def test_another_method_that_asks_for_no_more(
    tmp_path: Path, recorded: list[Any], again: list[Any], fresh: list[Any]
) -> None:
    assert replay(record(tmp_path, *recorded), tmp_path / "again", *again) == 0
    assert main(flags(tmp_path / "fresh", *fresh)) == 0
    mine, theirs = only(tmp_path / "again"), only(tmp_path / "fresh")
    assert mine.name == theirs.name
    assert (mine / "samples.jsonl").read_bytes() == (theirs / "samples.jsonl").read_bytes()


def test_what_another_method_would_ask_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = record(tmp_path)
    capsys.readouterr()
    assert replay(source, tmp_path / "ring", "--method", "sparse_mad") == 2
    assert "90 for 30 questions, and up to 0 more" in capsys.readouterr().err
    assert replay(source, tmp_path / "six", "--method", "cot_sc", "--num_reasoning_paths", 6) == 2
    assert "90 for 30 questions, and up to 0 more" in capsys.readouterr().err
    assert replay(source, tmp_path / "both", "--mode", "cot", "--method", "mad") == 2
    assert "name different methods" in capsys.readouterr().err


def test_help_names_every_method_and_pruner(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    out = capsys.readouterr().out
    assert all(name in out for name in (*METHODS, *PRUNERS))
