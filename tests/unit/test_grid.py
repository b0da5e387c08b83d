"""One command with lists of datasets, methods, masks and seeds: a run for every combination."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2 import run as run_module
from madm2.cli import build_parser, main
from madm2.engines import ENGINES
from madm2.grid import spread
from tests.conftest import ROOT

DATA = ["--data_dir", str(ROOT / "processed_data")]


@pytest.mark.parametrize(
    ("words", "want"),
    [
        ("", [(None, 42, None, "naive")]),
        ("--seed 1 2 --prune_strategy naive objective", [(None, 1, None, "naive"), (None, 1, None, "objective"), (None, 2, None, "naive"), (None, 2, None, "objective")]),
        ("--method cot cot_sc mad --prune_strategy naive objective", [(None, 42, "cot", "naive"), (None, 42, "cot_sc", "naive"), (None, 42, "mad", "naive"), (None, 42, "mad", "objective")]),
        ("--dataset a b --seed 1 1", [("a", 1, None, "naive"), ("b", 1, None, "naive")]),
        ("--method cot --prune_strategy objective", [(None, 42, "cot", "objective")]),  # refused later
    ],
)  # fmt: skip
def test_spread(words: str, want: list[tuple[object, ...]]) -> None:
    runs = spread(build_parser().parse_args(words.split()))
    assert [(r.dataset, r.seed, r.method, r.prune_strategy) for r in runs] == want


def test_a_list_of_methods_takes_each_flag_to_whom_it_concerns() -> None:
    words = "--method cot cot_sc mad --num_agents 5 --max_round 3 --num_reasoning_paths 4"
    runs = spread(build_parser().parse_args(words.split()))
    shapes = [(r.num_agents, r.max_round, r.num_reasoning_paths) for r in runs]
    assert shapes == [(None, None, None), (None, None, 4), (5, 3, None)]


def lists(save_path: Path, *extra: str) -> list[str]:
    words = "--engine scripted --dataset arithmetic logic --limit 4 --seed 41 42".split()
    words += "--method cot mad --prune_strategy naive subjective".split()
    return [*words, *DATA, "--save_path", str(save_path), *extra]


def test_every_combination_is_the_run_that_it_would_be_alone(tmp_path: Path) -> None:
    assert main(lists(tmp_path / "together")) == 0
    folders = {p.parent.relative_to(tmp_path / "together") for p in tmp_path.rglob("results.json")}
    assert len(folders) == 2 * 2 * 3
    alone = "--engine scripted --dataset logic --limit 4 --seed 41 --prune_strategy subjective"
    assert main([*alone.split(), *DATA, "--save_path", str(tmp_path / "alone")]) == 0
    [results] = (tmp_path / "alone").rglob("samples.jsonl")
    same = tmp_path / "together" / results.relative_to(tmp_path / "alone")
    assert same.read_bytes() == results.read_bytes()


def test_a_run_that_is_refused_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = "--engine scripted --dataset logic --limit 9 --seed 41".split()
    assert main([*other, *DATA, "--save_path", str(tmp_path)]) == 0
    assert main(lists(tmp_path)) == 2
    err = capsys.readouterr().err
    assert "9 questions there, 4 now" in err and "1 of 12 runs were refused" in err
    assert len(list(tmp_path.rglob("results.json"))) == 12
    assert main(lists(tmp_path, "--prune_strategy", "objektive")) == 2
    assert "did you mean 'objective'?" in capsys.readouterr().err


def test_strict_concerns_the_subjective_mask_alone(tmp_path: Path) -> None:
    assert main(lists(tmp_path)) == 0
    assert main(lists(tmp_path, "--strict")) == 0, "the other runs are the same"
    names = {path.parent.name.partition("_seed")[0] for path in tmp_path.rglob("results.json")}
    assert len(list(tmp_path.rglob("results.json"))) == 2 * 2 * (3 + 1)
    assert "mad_strict_subjective_3agents_2rounds" in names


def test_one_model_is_loaded_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted, loaded, closed = ENGINES["scripted"], [], []

    def load(model: object, questions: object, *rest: object):
        engine = scripted(model, questions, *rest)  # of one dataset and seed
        monkeypatch.setattr(engine, "close", lambda: closed.append(True))
        loaded.append(engine)
        return engine

    monkeypatch.setitem(ENGINES._entries, "vllm", load)
    monkeypatch.setattr(run_module, "require_model_folder", lambda *args, **options: None)
    words = "--dataset arithmetic --limit 3 --prune_strategy naive objective --model_path a/b"
    assert main([*words.split(), *DATA, "--save_path", str(tmp_path)]) == 0
    assert len(loaded) == len(closed) == 1
    assert len(list(tmp_path.rglob("results.json"))) == 2


def test_a_first_round_can_be_shared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "--engine scripted --dataset arithmetic --limit 5 --prune_strategy naive subjective"
    words += " --method cot_sc mad sparse_mad"
    for part, extra in (("apart", ()), ("shared", ("--share_first_round",))):
        save_path = str(tmp_path / part)
        assert main([*words.split(), *DATA, "--save_path", save_path, *extra]) == 0
    assert "shared with another run" in capsys.readouterr().out
    shared = {}
    for results in (tmp_path / "apart").rglob("results.json"):
        name = results.parent.name
        other = tmp_path / "shared" / results.relative_to(tmp_path / "apart")
        ours, theirs = (json.loads(p.read_text()) for p in (results, other))
        assert ours["output_tokens"] == theirs["output_tokens"], "as counted for each method"
        assert ours["shared_tokens"] == {"input": 0, "output": 0}
        shared[name] = theirs["shared_tokens"]["output"]
        samples = (p.with_name("samples.jsonl").read_bytes() for p in (results, other))
        assert len(set(samples)) == 1
        assert json.loads((other.parent / "manifest.json").read_text())["settings"][
            "share_first_round"
        ]
    assert shared.pop("cot_sc_6paths_seed42") == 0, "the first asks for itself"
    first_rounds = set(shared.values())
    assert len(shared) == 4 and len(first_rounds) == 1 and first_rounds.pop() > 0


def test_lockstep_changes_nothing_but_the_order(tmp_path: Path) -> None:
    words = "--engine scripted --dataset arithmetic --limit 9 --prune_strategy subjective"
    for part, extra in (("stream", []), ("lockstep", ["--max_live_questions", "2"])):
        flags = [*words.split(), *DATA, "--save_path", str(tmp_path / part), "--schedule", part]
        assert main([*flags, *extra]) == 0
    one, other = (next((tmp_path / p).rglob("samples.jsonl")) for p in ("stream", "lockstep"))
    assert one.read_bytes() == other.read_bytes()


def test_a_replay_of_several(tmp_path: Path) -> None:
    words = "--engine scripted --dataset arithmetic --limit 5".split()
    assert main([*words, *DATA, "--save_path", str(tmp_path / "recorded")]) == 0
    [results] = (tmp_path / "recorded").rglob("results.json")
    words = [
        "--engine",
        "replay",
        "--from",
        str(results.parent),
        "--method",
        "cot",
        "cot_sc",
        "mad",
    ]
    assert main([*words, "--save_path", str(tmp_path / "replayed")]) == 0
    names = {p.parent.name for p in (tmp_path / "replayed").rglob("results.json")}
    assert names == {"cot_seed42", "cot_sc_3paths_seed42", "mad_3agents_2rounds_seed42"}
