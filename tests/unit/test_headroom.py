"""Headroom over outcomes, samples, run folders and released files."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madm2.errors import UserError
from madm2.instruments import INSTRUMENTS
from madm2.report.headroom import (
    Outcome,
    headroom,
    headroom_by_round,
    load_samples,
    main,
    outcomes_of,
    table,
)
from tests.unit.test_decisions import debated
from tests.unit.test_replay import document, record

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def outcomes(text: str) -> list[Outcome]:
    """`PVD P-D ---` as outcomes."""
    return [Outcome("P" in row, "V" in row, "D" in row) for row in text.split()]


@pytest.mark.parametrize(
    ("rows", "measures"),
    [  # hit, vote, headroom, final, gain, recovery, new, loss, rho, stray
        ("PVD", (1, 1, 0, 1, 0, None, None, 0, None, 0)),
        ("---", (0, 0, 0, 0, 0, None, 0, None, None, 0)),
        ("P-D", (1, 0, 1, 1, 1, 1, None, None, 1, 0)),
        ("P-- P-D", (1, 0, 1, HALF, HALF, HALF, None, None, HALF, 0)),
        ("--D ---", (0, 0, 0, HALF, HALF, None, HALF, None, None, 0)),
        ("PV- PVD", (1, 1, 0, HALF, -HALF, None, None, HALF, None, 0)),
        ("PV- P-D ---", (2 * THIRD, THIRD, THIRD, THIRD, 0, 1, 0, 1, 0, 0)),
        ("-VD P--", (HALF, HALF, 0, HALF, 0, 0, None, 0, None, 1)),
    ],
)
def test_the_measures(rows: str, measures: tuple[object, ...]) -> None:
    found = headroom(outcomes(rows), [False] * len(rows.split()))
    names = "hit vote headroom final gain recovery new loss rho stray".split()
    assert tuple(getattr(found, name) for name in names) == measures
    assert found.identity_gap == 0 and found.lift == found.final


ROWS = st.lists(st.builds(Outcome, st.booleans(), st.booleans(), st.booleans()), min_size=1)


@settings(deadline=None)
@given(ROWS)
def test_the_identity(rows: list[Outcome]) -> None:
    found = headroom(rows, [o.vote for o in rows])
    assert found.stray == sum(o.vote and not o.hit for o in rows)
    if not found.stray:
        assert found.identity_gap == 0 <= found.headroom
    assert found.lift == found.gain


def test_stray_rows_are_counted_and_their_gap_is_said() -> None:
    found = headroom(outcomes("-VD --D P-- P--"), [False] * 4)
    assert (found.stray, found.identity_gap) == (1, Fraction(-1, 4))
    said = table({"overall": found})
    assert "no agent is on 1 of 4 questions" in said and "differ by -25.00 points" in said
    assert "holds" not in said


def test_no_questions() -> None:
    with pytest.raises(UserError, match="no questions"):
        headroom([], [])


@pytest.mark.parametrize(
    ("rounds", "decision", "by_round"),
    [
        ("444 445", "majority", "PVD PVD"),
        ("455 555", "majority", "P-- ---"),
        ("45 45", "majority", "P-D P-D"),  # a tie is wrong, though its first answer is right
        ("4444 4555", "freemad", "PVD P-D"),
        ("567 555", "freemad", "--- ---"),
        ("-- 4-", "majority", "--D PVD"),
        ("-- --", "majority", "--- ---"),
    ],
)
def test_a_sample_by_round(rounds: str, decision: str, by_round: str) -> None:
    sample, _ = debated(rounds, decision=decision)
    assert outcomes_of(sample, INSTRUMENTS["paper"]) == outcomes(by_round)


def test_rounds_and_overall() -> None:
    samples = [debated(r, decision="majority")[0] for r in ("455 445", "445 555", "4", "555 566")]
    tables = headroom_by_round(samples, INSTRUMENTS["paper"])
    assert list(tables) == ["round 1", "round 2", "overall"]
    # The question that ended after its first round counts in both.
    hits = [tables[name].hit for name in tables]
    votes = [tables[name].vote for name in tables]
    assert hits == [Fraction(3, 4), HALF, Fraction(3, 4)]
    assert votes == [HALF, HALF, HALF]
    assert {t.lift for t in tables.values()} == {Fraction(0)}
    assert {t.final for t in tables.values()} == {HALF}
    assert not any(t.identity_gap for t in tables.values())


@pytest.mark.parametrize(
    "how",
    [
        ["--num_agents", 4, "--max_round", 3],
        ["--decision", "freemad", "--num_agents", 4],
        ["--mode", "cot"],
        ["--route", "majority:2/3"],
    ],
    ids=str,
)
@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_a_run_and_its_released_form(
    tmp_path: Path, how: list[Any], instrument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = record(tmp_path, *how, "--instrument", instrument)
    beside = folder.with_name(f"{folder.name}.json")
    capsys.readouterr()
    assert main([str(folder), str(beside), "--json", "--dataset", "arithmetic"]) == 0
    run, imported = map(json.loads, capsys.readouterr().out.splitlines())
    for name in INSTRUMENTS:
        assert run[name]["overall"]["final"] == document(folder)["accuracy"][name]
        assert all(row["identity_gap"] == 0 or row["stray"] for row in run[name].values())
    if instrument == "released":
        assert run["released"] == imported["released"]


def test_the_traces_of_the_released_code(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared / "traces" / "qwen2.5-7b_math50_seed41"
    if not folder.is_dir():
        pytest.skip("the recorded runs of the released code are not here")
    files = sorted(p for p in folder.glob("*.json") if "log" not in p.name)
    assert main([*map(str, files), "--json"]) == 0
    found = {Path(r["run"]).name: r for r in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {n.partition("_3agents")[0]: r["released"]["overall"]["final"] for n, r in found.items()} == {
        "cot_seed41.json": 0.46, "mad": 0.6, "mad_objective": 0.66, "mad_subjective": 0.6,
    }  # fmt: skip
    for run in found.values():
        for name in INSTRUMENTS:
            assert all(row["identity_gap"] == 0 == row["stray"] for row in run[name].values())
    assert main([str(files[0])]) == 0
    assert capsys.readouterr().out.count("holds") == 2


@pytest.mark.parametrize("what", ["nothing", "empty folder", "no results", "damaged", "not JSON"])
def test_what_cannot_be_measured(
    tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run"
    if what in ("empty folder", "damaged"):
        path.mkdir()
    if what == "damaged":
        (path / "samples.jsonl").write_text('{"version": 1}\n')
    if what in ("no results", "not JSON"):
        path.write_text("{}" if what == "no results" else "hello")
    assert main([str(path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and str(path) in said and said.count("\n") <= 4


def test_a_run_without_samples_yet(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text("")
    assert load_samples(tmp_path) == []
    assert main([str(tmp_path)]) == 2
