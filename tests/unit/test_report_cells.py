"""Finding and loading runs: finished, unfinished, damaged, and the released code's files."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from madm2.errors import UserError
from madm2.report.cells import load_cells, samples_of
from madm2.report.find import find
from madm2.report.groups import group_cells
from tests.unit.report_runs import cells_below, copied, edit_json, folders, run, unfinish


def test_every_run_is_found_once(report_runs: Path) -> None:
    want = list(folders(report_runs))
    assert sorted(find([report_runs])) == want
    assert sorted(find([report_runs, want[0], report_runs / "main"])) == want
    assert find([want[3]]) == [want[3]]


def test_what_was_moved_aside_is_passed_over_unless_named(tmp_path: Path) -> None:
    folder = run(tmp_path)
    assert run_again(tmp_path) == folder
    aside = folder.with_name(f"{folder.name}.old1")
    assert aside.is_dir() and folder.with_name(f"{aside.name}.json").is_file()
    assert find([tmp_path]) == [folder]
    assert find([aside]) == [aside]


def run_again(root: Path) -> Path:
    from madm2.cli import main

    words = f"--engine scripted --dataset arithmetic --limit 8 --overwrite --save_path {root}"
    assert main(words.split()) == 0
    return next(p for p in folders(root) if not p.name.endswith(".old1"))


def test_a_path_that_is_not_there_and_one_without_runs(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not there"):
        find([tmp_path / "nothing"])
    (tmp_path / "package.json").write_text("{}")
    with pytest.raises(UserError, match="no runs below"):
        find([tmp_path])


def test_a_cell_says_what_the_run_says(report_runs: Path) -> None:
    for cell in cells_below(report_runs):
        results = json.loads((cell.source / "results.json").read_text())
        n = results["questions"]
        assert (len(cell.records), cell.asked, cell.finished) == (n, n, True)
        assert cell.seconds == results["seconds"]
        totals = results["input_tokens"]["total"], results["output_tokens"]["total"]
        assert tuple(map(sum, zip(*cell.tokens.values(), strict=True))) == totals
        reasons = sum((Counter(r.finish_reasons) for r in cell.records), Counter[str]())
        assert reasons == results["finish_reasons"]
        for name, statuses in results["statuses"].items():
            readings = [record.readings[name] for record in cell.records]
            assert Counter(r.status for r in readings) == statuses
            assert sum(r.ties[-1] for r in readings) == results["ties"][name]
            assert sum(r.unparsed for r in readings) == results["unparsed_answers"][name]
        kept = sum(sum(b.keep) for r in cell.records for b in r.boundaries)
        assert kept == results["kept_memories"]


def test_single_answers_and_votes_are_graded(report_runs: Path) -> None:
    cell = next(c for c in cells_below(report_runs) if c.method == "mad")
    for sample, record in zip(samples_of(cell), cell.records, strict=True):
        gold = sample.transcript.question.gold
        score, reading = sample.scores["paper"], record.readings["paper"]
        rights = [[answer == gold for answer in row] for row in score.answers]
        assert reading.answers == tuple(map(tuple, rights))
        assert reading.votes == tuple(vote.answer == gold for vote in score.votes)
        assert record.readings["released"].votes[-1] == record.readings["released"].right


def test_methods_sizes_and_choices(tmp_path: Path, report_runs: Path) -> None:
    run(tmp_path, "--num_agents", "4", "--max_round", "3", "--instrument", "released")
    run(tmp_path, "--prune_strategy", "subjective", "--strict", "--set", "temperature=0.5")
    found = {
        (c.method, c.agents, c.rounds, c.choices, c.instrument)
        for c in cells_below(tmp_path, report_runs)
    }
    assert found == {
        ("mad", 4, 3, "instrument-released", "released"),
        ("mad_strict_subjective", 3, 2, "temperature-0.5", "paper"),
        ("mad", 3, 2, "", "paper"),
        ("mad_subjective", 3, 2, "", "paper"),
        ("mad_objective", 3, 2, "", "paper"),
        ("cot_sc", 6, 1, "", "paper"),
    }


@pytest.mark.parametrize(
    ("flags", "want"),
    [
        (["--method", "cot"], "CoT"),
        (["--method", "cot_sc"], "CoT-SC 6 paths"),
        (["--method", "cot_sc", "--num_reasoning_paths", "3"], "CoT-SC 3 paths"),
        (["--method", "sparse_mad", "--num_agents", "4"], "Sparse MAD 4×2"),
        (
            ["--method", "sparse_mad", "--prune_strategy", "objective"],
            "Sparse MAD-M² objective 3×2",
        ),
        (["--prune_strategy", "oracle"], "MAD oracle (upper bound) 3×2"),
        (["--prune_strategy", "random_k"], "MAD random k (control) 3×2"),
        (
            ["--prune_strategy", "subjective", "--strict", "--route", "majority:2/3"],
            "MAD-M² strict subjective 3×2 [route-majority-2-3]",
        ),
        (["--only_voting"], "MAD 3×1"),
    ],
)
@pytest.mark.parametrize("begun", [False, True])
def test_labels(tmp_path: Path, flags: list[str], want: str, begun: bool) -> None:
    folder = run(tmp_path, *flags)
    if begun:  # only its manifest tells
        unfinish(folder, 0)
    [group] = group_cells(cells_below(folder))
    assert group.label == want


def test_a_folder_of_another_name(tmp_path: Path) -> None:
    folder = run(tmp_path)
    [group] = group_cells(cells_below(folder.rename(tmp_path / "elsewhere")))
    assert group.label == "MAD 3×2 [elsewhere]"


def test_a_link_to_a_run_is_that_run(tmp_path: Path) -> None:
    folder = run(tmp_path / "runs")
    (tmp_path / "runs" / "again").symlink_to(folder)
    assert find([tmp_path]) == [folder]


def test_groups_run_over_seeds(report_runs: Path) -> None:
    groups = group_cells(cells_below(report_runs))
    assert [g.label for g in groups] == [
        "CoT-SC 6 paths",
        "MAD 3×2",
        "MAD-M² subjective 3×2",
        "MAD-M² objective 3×2",
    ]
    assert all([cell.seed for cell in g.cells] == [41, 42] for g in groups)
    assert [g.progress for g in groups] == ["16"] * 4


def test_an_unfinished_run_counts_what_it_has(tmp_path: Path) -> None:
    folder = run(tmp_path)
    whole = cells_below(folder)[0]
    unfinish(folder, 3)
    [cell] = cells_below(folder)
    assert (len(cell.records), cell.asked, cell.finished, cell.seconds) == (3, 8, False, None)
    assert cell.records == whole.records[:3]
    [group] = group_cells([cell])
    assert group.progress == "3/8"


def test_a_run_that_has_just_begun(tmp_path: Path) -> None:
    folder = run(tmp_path, "--num_agents", "5")
    for path in folder.iterdir():
        if path.name != "manifest.json":
            path.unlink()
    [cell] = cells_below(folder)
    assert (cell.agents, cell.records, cell.finished) == (5, (), False)


def test_a_run_that_is_being_extended(tmp_path: Path) -> None:
    folder = run(tmp_path)
    edit_json(folder / "manifest.json", lambda d: d["settings"].update(questions=12))
    [cell] = cells_below(folder)
    assert (len(cell.records), cell.asked, cell.finished, cell.seconds) == (8, 12, False, None)


@pytest.mark.parametrize(
    ("flags", "method"),
    [
        (["--prune_strategy", "subjective"], "mad_subjective"),
        (["--prune_strategy", "objective"], "mad_objective"),
        (["--prune_strategy", "random_k", "--seed", "7"], "mad_random_k"),
        (["--prune_strategy", "oracle"], "mad_oracle"),
        (["--method", "cot"], "cot"),
        (["--method", "cot_sc"], "cot_sc"),
        (["--method", "sparse_mad", "--num_agents", "5", "--max_round", "3"], "sparse_mad"),
        (["--route", "majority:1"], "mad"),
    ],
)
def test_the_released_codes_file_alone(tmp_path: Path, flags: list[str], method: str) -> None:
    folder = run(tmp_path / "runs", *flags, "--instrument", "released")
    lone = tmp_path / "lone" / "arithmetic"
    lone.mkdir(parents=True)
    for path in folder.parent.glob("*.json"):
        shutil.copy(path, lone)
    [own], [cell] = cells_below(folder), cells_below(lone)
    assert cell.model.endswith("(released code)")
    assert cell.method == own.method == method
    assert (cell.agents, cell.rounds, cell.seed) == (own.agents, own.rounds, own.seed)
    assert cell.tokens == own.tokens  # also by purpose
    for mine, theirs in zip(own.records, cell.records, strict=True):
        assert mine.readings["released"].right == theirs.readings["released"].right
        assert [b.keep for b in mine.boundaries] == [b.keep for b in theirs.boundaries]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def in_line_2(path: Path) -> None:
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], lines[1].replace('"rounds"', '"runds"'), *lines[2:]]))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def nested(path: Path) -> None:
    path.write_text("[" * 100_000)


DAMAGES: list[tuple[str, Callable[[Path], object]]] = [
    ("samples.jsonl", cut),
    ("samples.jsonl", in_line_2),
    ("samples.jsonl", nested),
    ("samples.jsonl", a_folder),
    ("results.json", a_folder),
    ("samples.jsonl", lambda p: p.write_bytes(b"\xff\xfe\n")),
    ("samples.jsonl", lambda p: p.write_text("null\n")),
    ("manifest.json", cut),
    ("manifest.json", lambda p: p.write_text("[]")),
    ("manifest.json", lambda p: edit_json(p, lambda d: d["settings"].pop("model"))),
    ("manifest.json", lambda p: edit_json(p, lambda d: d["settings"].update(seed="x"))),
    ("results.json", cut),
    ("results.json", lambda p: p.write_text("{}")),
    ("results.json", lambda p: p.write_text("[]")),
]


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_a_damaged_run_is_named_and_the_others_go_on(
    report_runs: Path, tmp_path: Path, name: str, damage: Callable[[Path], object]
) -> None:
    root = copied(report_runs, tmp_path / "runs")
    first, *others = folders(root)
    damage(first / name)
    cells, faults = load_cells(find([root]))
    assert [cell.source for cell in cells] == others
    assert len(faults) == 1
    assert str(first) in str(faults[0])


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"results": []}', '{"results": [{}]}', '{"results": 3}', "\0"]
)
def test_a_damaged_results_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "arithmetic" / "mad_3agents_2rounds_seed41.json"
    path.parent.mkdir()
    path.write_text(content)
    cells, faults = load_cells(find([tmp_path]))
    assert not cells
    assert len(faults) == 1 and path.name in str(faults[0])


def test_one_cell_twice_is_counted_once_and_said(tmp_path: Path) -> None:
    one = run(tmp_path, "--exp_name", "one")
    other = run(tmp_path, "--exp_name", "other")
    cells, faults = load_cells(find([tmp_path]))
    assert [cell.source for cell in cells] == [one]
    assert len(faults) == 1 and str(other) in str(faults[0])


def test_a_results_file_is_decided_as_its_run_was(tmp_path: Path) -> None:
    # Its name alone says that the last vote did not decide.
    flags = ("--instrument", "released", "--decision", "freemad", "--max_round", "3")
    folder = run(tmp_path / "run", *flags, limit=60)
    alone = tmp_path / "arithmetic" / f"{folder.name}.json"
    alone.parent.mkdir()
    shutil.copy(folder.with_name(alone.name), alone)
    [made] = cells_below(tmp_path / "run")
    [read] = cells_below(alone)
    assert "decision-freemad" in read.choices
    rights = [[r.readings["released"].right for r in cell.records] for cell in (made, read)]
    assert rights[0] == rights[1]
    plain = run(tmp_path / "plain", *flags[:2], "--max_round", "3", limit=60)
    [voted] = cells_below(plain)
    assert [r.readings["released"].right for r in voted.records] != rights[0]
