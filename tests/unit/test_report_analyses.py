"""The analyses: figure 3's rules, masks, transitions, votes, labels, tokens, figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madm2.report.analyses import analyses, answers_table, labels_table, tokens_table, votes_table
from madm2.report.cells import Cell
from madm2.report.groups import Group, group_cells
from madm2.report.masks import kept_kind, loose_rule, masks_table, strict_rule, transitions_table
from madm2.report.records import Boundary, Reading, Record
from tests.unit.report_runs import cells_below, edit_samples, run, unfinish

R, W = True, False


@pytest.mark.parametrize(
    ("keep", "right", "strict", "loose", "kind"),
    [
        # masked are the zeros of keep
        ((1, 1, 1), (R, R, R), True, True, "all right"),
        ((1, 1, 1), (R, R, W), False, True, "mixed"),
        ((1, 1, 1), (R, W, W), False, False, "mixed"),
        ((1, 0, 0), (R, W, W), True, True, "all right"),
        ((0, 1, 0), (R, W, W), False, False, "all wrong"),
        ((1, 1, 0), (R, W, W), False, False, "mixed"),  # one of two is no majority
        ((0, 0, 0), (W, W, W), True, False, "nothing"),
        ((0, 0, 0), (R, R, R), True, False, "nothing"),
        ((1, 0, 1), (R, R, W), False, False, "mixed"),
        ((1, 1, 1, 1, 0), (R, R, R, W, W), False, True, "mixed"),
        ((), (), True, False, "nothing"),
    ],
)
def test_the_rules_of_figure_3(
    keep: tuple[int, ...], right: tuple[bool, ...], strict: bool, loose: bool, kind: str
) -> None:
    kept = [bool(k) for k in keep]
    assert strict_rule(kept, right) is strict
    assert loose_rule(kept, right) is loose
    assert kept_kind(kept, right) == kind


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=8))
def test_the_strict_rule_implies_the_loose_one_where_anything_is_kept(
    pairs: list[tuple[bool, bool]],
) -> None:
    keep, right = [k for k, _ in pairs], [r for _, r in pairs]
    if strict_rule(keep, right) and any(keep):
        assert loose_rule(keep, right)
    if sum(keep) == 1:
        assert strict_rule(keep, right) == loose_rule(keep, right)


def record(number: int, rounds: list[tuple[bool, ...]], keeps: list[tuple[bool, ...]]) -> Record:
    """A record whose votes are right where most answers are."""
    votes = tuple(2 * sum(row) > len(row) for row in rounds)
    none = (False,) * len(rounds)
    status = "correct" if votes[-1] else "incorrect"
    reading = Reading(tuple(rounds), votes, none, none, 0, status)
    boundaries = tuple(
        Boundary(i, keep, ("yes",) * len(keep)) for i, keep in enumerate(keeps, start=1)
    )
    return Record(
        number,
        {"paper": reading, "released": reading},
        boundaries,
        {"answer": (10, 5)},
        {"answer": 6},
        {"stop": 6},
        len(rounds),
    )


def group(records: list[Record], method: str = "mad_subjective") -> Group:
    tokens = {"answer": (10 * len(records), 5 * len(records))}
    cell = Cell(
        Path("x"), "qwen2.5-7b", "math", method, 3, 2, 41, "paper", "", len(records),
        tuple(records), tokens, 1.0,
    )  # fmt: skip
    return Group((cell,))


RECORDS = [
    record(1, [(R, W, W), (R, R, R)], [(R, W, W)]),  # rightly masked: wrong → right
    record(2, [(R, R, W), (W, W, W)], [(W, W, R)]),  # wrongly: right → wrong
    record(3, [(R, R, R), (R, R, R)], [(R, R, R)]),
    record(4, [(W, W, W), (W, W, W)], [(W, W, W)]),
]


def test_masks_against_gold() -> None:
    row = masks_table([group(RECORDS)]).rows[0]
    want: dict[str, Any] = {
        "round": 2,
        "questions": 4,
        "memories": 12,
        "erroneous": 6 / 12,
        "kept": 5 / 12,
        "none_kept": 1 / 4,
        "strict": 3 / 4,
        "strict_paper": 0.396,
        "loose": 2 / 4,
        "loose_paper": 0.554,
        "precision": 5 / 7,
        "recall": 5 / 6,
    }
    assert {key: row[key] for key in want} == pytest.approx(want)


def test_transitions_by_what_was_kept() -> None:
    rows = [r for r in transitions_table([group(RECORDS)]).rows if r["instrument"] == "paper"]
    found = {
        row["kept"]: [
            row[f"{what}_{change}"]
            for what in ("vote", "answers")
            for change in ("right_right", "right_wrong", "wrong_right", "wrong_wrong")
        ]
        for row in rows
    }
    assert found == {
        "all right": [1, 0, 1, 0, 4, 0, 2, 0],
        "all wrong": [0, 1, 0, 0, 0, 2, 0, 1],
        "nothing": [0, 0, 0, 1, 0, 0, 0, 3],
    }


ROUNDS = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=4)


@settings(deadline=None)
@given(
    st.lists(st.tuples(ROUNDS, st.tuples(st.booleans(), st.booleans(), st.booleans())), max_size=6)
)
def test_nothing_gets_lost(debates: list[tuple[list[tuple[bool, ...]], tuple[bool, ...]]]) -> None:
    """Debates of different lengths, as a routed run has them."""
    records = [
        record(i, rounds, [keep] * (len(rounds) - 1)) for i, (rounds, keep) in enumerate(debates)
    ]
    groups = [group(records)]
    boundaries = sum(len(rounds) - 1 for rounds, _ in debates)
    rows = [r for r in transitions_table(groups).rows if r["instrument"] == "paper"]
    assert sum(row["questions"] for row in rows) == boundaries
    assert sum(v for r in rows for k, v in r.items() if k.startswith("vote_")) == boundaries
    assert sum(v for r in rows for k, v in r.items() if k.startswith("answers_")) == 3 * boundaries
    rows = [r for r in masks_table(groups).rows if r["instrument"] == "paper"]
    assert sum(row["memories"] for row in rows) == 3 * boundaries
    for row in votes_table(groups).rows:
        assert row["final"] - row["first"] == pytest.approx(row["change"])
        assert (row["helped"] - row["harmed"]) / row["questions"] == pytest.approx(row["change"])


def test_the_tables_agree_with_the_runs_own_figures(report_runs: Path) -> None:
    groups = group_cells(cells_below(report_runs))
    answers = {row["method"]: row for row in answers_table(groups).rows}
    labels = {(row["method"], row["instrument"]): row for row in labels_table(groups).rows}
    tokens = {(row["method"], row["purpose"]): row for row in tokens_table(groups).rows}
    for one in groups:
        results = [json.loads((c.source / "results.json").read_text()) for c in one.cells]
        row = answers[one.label]
        assert row["answers"] == sum(r["answers"] for r in results)
        assert row["calls"] == sum(sum(r["calls"].values()) for r in results)
        cut = sum(r["finish_reasons"].get("length", 0) for r in results)
        assert row["truncated"] * row["calls"] == pytest.approx(cut)
        unparsed = sum(r["unparsed_answers"]["paper"] for r in results)
        assert row["unparsed_paper"] * row["answers"] == pytest.approx(unparsed)
        for purpose in results[0]["calls"]:
            total = sum(r["output_tokens"][purpose] for r in results)
            assert tokens[one.label, purpose]["output"] * 16 == pytest.approx(total)
        if one.first.method == "mad_subjective":
            counted = labels[one.label, "paper"]
            for label in ("yes", "no", "not_sure"):
                assert counted[label] == sum(r["labels"].get(label, 0) for r in results)
    assert set(labels) == {("MAD-M² subjective 3×2", r) for r in ("paper", "released")}
    parts = [v["ratio"] for k, v in tokens.items() if k[0] == "MAD-M² subjective 3×2"]
    assert sum(parts) > 1


def test_a_method_without_masks_has_no_rows_on_them(tmp_path: Path) -> None:
    folder = run(tmp_path)
    edit_samples(folder, lambda row: row["rounds"][1].update(mask=None))
    groups = group_cells(cells_below(folder))
    for table in (masks_table(groups), transitions_table(groups), labels_table(groups)):
        assert not table.rows
    assert len(votes_table(groups).rows) == 2


def test_an_oracle_masks_without_fault_and_has_no_judge(tmp_path: Path) -> None:
    groups = group_cells(cells_below(run(tmp_path, "--prune_strategy", "oracle")))
    row = masks_table(groups).rows[0]
    assert (row["precision"], row["recall"], row["strict"]) == (1.0, 1.0, 1.0)
    assert not labels_table(groups).rows


def test_nothing_answered_yet(tmp_path: Path) -> None:
    folder = run(tmp_path)
    unfinish(folder, 0)
    for table in analyses(group_cells(cells_below(folder))):
        for row in table.rows:
            assert all(
                value in (None, 0)
                for key, value in row.items()
                if key not in ("model", "dataset", "method")
            )


def test_figures_are_drawn_as_png_and_svg(
    tmp_path: Path, report_runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from madm2.report.__main__ import main

    for flags in (["--num_agents", "4"], ["--max_round", "3"]):
        run(tmp_path / "runs", *flags, "--prune_strategy", "objective")
    capsys.readouterr()
    words = [str(report_runs), str(tmp_path / "runs"), "--format", "csv"]
    assert main([*words, "--figures", str(tmp_path / "figures")]) == 0
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {
        f"{name}.{end}"
        for name in (
            "agents_scripted_arithmetic_2rounds",
            "rounds_scripted_arithmetic_3agents",
            "tokens_scripted_arithmetic",
            "masks_scripted_arithmetic",
        )
        for end in ("png", "svg")
    }
    for path in (tmp_path / "figures").iterdir():
        content = path.read_bytes()
        assert content.startswith(b"\x89PNG" if path.suffix == ".png" else b"<?xml")
        assert len(content) > 5000


def test_figures_of_names_that_are_no_file_names(tmp_path: Path) -> None:
    from madm2.report.figures import write_figures

    one = group(RECORDS)
    cell = one.cells[0]
    hostile = Cell(
        cell.source, "../a$b$c_{\\x} \0\u202e<&>", "da/ta", *(
            getattr(cell, name) for name in Cell.__slots__[3:]
        )
    )  # fmt: skip
    write_figures([Group((hostile,))], tmp_path / "figures")
    assert len(list((tmp_path / "figures").iterdir())) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["figures"]
