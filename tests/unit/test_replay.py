"""A recorded run is run again without a model, as far as it was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from madm2.cli import main
from tests.conftest import ROOT


def flags(save_path: Path, *extra: object) -> list[str]:
    words = ["--engine", "scripted", "--dataset", "arithmetic", "--num_samples", "30", "--data_dir"]
    return [*words, str(ROOT / "processed_data"), "--save_path", str(save_path), *map(str, extra)]


def replay(source: Path, save_path: Path, *extra: object) -> int:
    words = ["--engine", "replay", "--from", source, "--save_path", save_path, *extra]
    return main(list(map(str, words)))


def record(tmp_path: Path, *extra: object) -> Path:
    assert main(flags(tmp_path / "recorded", *extra)) == 0
    [results] = (tmp_path / "recorded").rglob("results.json")
    return results.parent


def only(save_path: Path) -> Path:
    [results] = save_path.rglob("results.json")
    return results.parent


def document(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "results.json").read_text())


@pytest.mark.parametrize(
    "args",
    [
        ["--prune_strategy", "subjective", "--num_agents", 4, "--max_round", 3],
        ["--prune_strategy", "objective", "--instrument", "released"],
        ["--set", "temperature=0.3", "--only_voting"],
    ],
)
def test_the_same_choices_give_the_same_run(tmp_path: Path, args: list[object]) -> None:
    source = record(tmp_path, *args)
    assert replay(source, tmp_path / "again") == 0
    folder = only(tmp_path / "again")
    assert "scripted-replay" in folder.parts
    assert (folder / "samples.jsonl").read_bytes() == (source / "samples.jsonl").read_bytes()
    mine, theirs = document(folder), document(source)
    for unlike in ("settings", "seconds", "tokens_per_second"):
        mine.pop(unlike), theirs.pop(unlike)
    assert mine == theirs
    settings = document(folder)["settings"]
    assert settings["replayed_from"] == str(source) and settings["engine"] == "replay"


def test_a_vote_over_the_first_round_is_on_record(tmp_path: Path) -> None:
    source = record(tmp_path, "--prune_strategy", "subjective")
    assert replay(source, tmp_path / "vote", "--only_voting") == 0
    assert main(flags(tmp_path / "voted", "--only_voting", "--prune_strategy", "subjective")) == 0
    one, other = (only(tmp_path / part) / "samples.jsonl" for part in ("vote", "voted"))
    assert one.read_bytes() == other.read_bytes()


def test_another_instrument_reads_the_same_completions(tmp_path: Path) -> None:
    source = record(tmp_path)
    assert replay(source, tmp_path / "released", "--instrument", "released") == 0
    folder = only(tmp_path / "released")
    texts = []
    for path in (source, folder):
        samples = map(json.loads, (path / "samples.jsonl").open())
        texts.append([[c["text"] for r in s["rounds"] for c in r["completions"]] for s in samples])
    assert texts[0] == texts[1]
    assert document(folder)["accuracy"] == document(source)["accuracy"]


def test_a_pruner_whose_masks_are_the_recorded_ones(tmp_path: Path) -> None:
    # Keeping all of three by perplexity shows what naive showed, in the same order.
    source = record(tmp_path)
    args = ["--prune_strategy", "objective", "--objective_keep", 3]
    assert replay(source, tmp_path / "kept", *args) == 0
    one, other = document(only(tmp_path / "kept")), document(source)
    assert one["accuracy"] == other["accuracy"] and one["kept_memories"] == other["kept_memories"]


def test_what_is_not_recorded_is_counted_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = record(tmp_path)
    samples = [json.loads(line) for line in (source / "samples.jsonl").open()]
    capsys.readouterr()
    assert replay(source, tmp_path / "judged", "--prune_strategy", "subjective") == 2
    err = capsys.readouterr().err
    assert "90 for 30 questions, and up to 90 more" in err and "--engine vllm" in err
    assert replay(source, tmp_path / "one", "--prune_strategy", "objective") == 2
    assert f"{3 * len(samples)} for 30 questions, and up to 0 more" in capsys.readouterr().err
    assert replay(source, tmp_path / "three", "--max_round", "3") == 2
    assert "90 for 30 questions, and up to 0 more" in capsys.readouterr().err
    assert replay(source, tmp_path / "four", "--num_agents", "4") == 2
    assert "30 for 30 questions, and up to 120 more" in capsys.readouterr().err
    for name in ("judged", "one", "three", "four"):
        assert not (tmp_path / name).exists()


def test_a_run_that_has_not_ended_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = record(tmp_path)
    (source / "results.json").unlink()
    assert replay(source, tmp_path / "whole") == 0, "all of it is on record"
    journal = source / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:50]))
    capsys.readouterr()
    assert replay(source, tmp_path / "again") == 2
    err = capsys.readouterr().err
    assert "has not ended" in err and f"madm2.runs show {source}" in err


def test_strict_and_lenient_reading_of_the_same_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = record(tmp_path, "--prune_strategy", "subjective", "--strict")
    unsure = {
        s["id"]
        for s in map(json.loads, (source / "samples.jsonl").open())
        if any(e["label"] == "not_sure" for e in s["rounds"][1]["mask"]["evidence"])
    }
    capsys.readouterr()
    assert replay(source, tmp_path / "lenient", "--no-strict") == 2
    assert f"{3 * len(unsure)} for {len(unsure)} questions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--dataset", "logic"], "--dataset cannot change in a replay"),
        (["--seed", "7"], "--seed cannot change"),
        (["--set", "temperature=2"], "--set cannot change"),
        (["--model_name", "qwen2.5-7b"], "--model_name cannot change"),
    ],
)
def test_what_was_asked_cannot_change(
    tmp_path: Path, args: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = record(tmp_path)
    assert replay(source, tmp_path / "other", *args) == 2
    assert says in capsys.readouterr().err


def test_a_run_that_was_extended_replays_whole(tmp_path: Path) -> None:
    record(tmp_path, "--limit", 4)
    source = record(tmp_path, "--limit", 9)
    assert replay(source, tmp_path / "again") == 0
    assert document(only(tmp_path / "again"))["questions"] == 9


def test_other_data_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "own.jsonl"
    data.write_text('{"query": "What is 1 + 1?", "answer": "2"}\n')
    own = ["--engine", "scripted", "--dataset_path", data, "--answer_type", "numeric"]
    assert main([*map(str, own), "--save_path", str(tmp_path / "recorded")]) == 0
    data.write_text('{"query": "What is 1 + 2?", "answer": "3"}\n')
    assert replay(only(tmp_path / "recorded"), tmp_path / "other") == 2
    assert "is not the data of the recorded run" in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, "", "{}", "[]", '{"results": []}', '{"results": [{}]}'])
def test_a_source_that_is_none(
    tmp_path: Path, content: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "source"
    if content is None:
        source.mkdir()
    else:
        source.write_text(content)
    assert replay(source, tmp_path / "other") == 2
    assert str(source) in capsys.readouterr().err
    assert replay(tmp_path / "nowhere", tmp_path / "other") == 2
    assert main(["--engine", "replay"]) == 2
    assert main(flags(tmp_path, "--from", source)) == 2


@pytest.mark.parametrize("strategy", ["naive", "subjective", "objective"])
def test_a_results_file_of_the_released_form_replays(tmp_path: Path, strategy: str) -> None:
    args = ["--prune_strategy", strategy, "--instrument", "released"]
    source = record(tmp_path, *args, "--num_agents", 4)
    released = source.with_name(f"{source.name}.json")
    assert replay(released, tmp_path / "again", "--dataset", "arithmetic") == 0
    folder = only(tmp_path / "again")
    again = json.loads(folder.with_name(f"{folder.name}.json").read_text())
    first = json.loads(released.read_text())
    again.pop("token_usage_summary"), first.pop("token_usage_summary")
    for row in [*again["results"], *first["results"]]:
        row["perplexity_history"] = [[round(p, 12) for p in ps] for ps in row["perplexity_history"]]
    assert again == first


def test_an_imported_run_has_no_perplexity_of_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = record(tmp_path, "--prune_strategy", "objective")
    released = source.with_name(f"{source.name}.json")
    args = ["--instrument", "paper", "--dataset", "arithmetic"]
    assert replay(released, tmp_path / "again", *args) == 2
    assert "--instrument released" in capsys.readouterr().err
