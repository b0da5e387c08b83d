"""Tables in every format, the paper's figures, groups and baselines, and the report's command."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madm2.report.__main__ import NAMES, main
from madm2.report.groups import cot_sc_of, group_cells, mad_of
from madm2.report.paper import identification, paper_model, reported
from madm2.report.results import cells_table, comparisons_table, paper_tables
from madm2.report.tables import Column, Table, as_json, comma_separated, latex, markdown, shown
from tests.unit.report_runs import cells_below, copied, folders, run, unfinish


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("qwen2.5-7b", "qwen2.5-7b"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("Qwen2.5-7B-Instruct (released code)", "qwen2.5-7b"),
        ("qwen2.5-7b (replay)", "qwen2.5-7b"),
        ("/models/Qwen2.5-7B-Instruct/", "qwen2.5-7b"),
        ("Qwen/Qwen2.5-Math-7B-Instruct", "qwen2.5-math-7b"),
        ("deepseek-ai/deepseek-math-7b-instruct", "deepseek-math-7b"),
        ("Qwen/QwQ-32B", "qwq-32b"),
        ("qwen2.5-72b", None),
        ("Qwen2.5-7B-Instruct-AWQ", None),
        ("Qwen2.5-7B-Instruct-1M", None),
        ("deepseek-math-7b-rl", None),
        ("my-qwen2.5-7b", None),
        ("", None),
    ],
)
def test_the_papers_models(name: str, want: str | None) -> None:
    assert paper_model(name) == want


@pytest.mark.parametrize(
    ("cell", "want"),
    [
        (("qwen2.5-7b", "math", "mad", 3, 2), (0.556, 0.037, 1.0)),
        (("qwen2.5-7b", "gsm8k", "cot", 1, 1), (0.648, 0.054, 0.09)),
        (("qwen2.5-7b", "math", "cot_sc", 6, 1), (0.58, 0.01, 0.45)),
        (("qwen2.5-7b", "math", "cot_sc", 5, 1), None),
        (("qwq-32b", "aime24", "mad_objective", 3, 2), (0.8, None, 0.67)),
        (("qwen2.5-7b", "math", "mad_strict_subjective", 3, 2), (0.548, 0.028, None)),
        (("qwen2.5-7b", "math", "mad_strict_subjective", 6, 2), None),
        (("qwen2.5-7b", "math", "sparse_mad", 6, 2), (0.592, 0.027, None)),
        (("qwen2.5-7b", "math", "sparse_mad", 3, 2), None),
        (("qwen2.5-7b", "gsm8k", "mad", 10, 2), (0.942, None, None)),  # figure 4
        (("qwen2.5-7b", "mmlu_pro", "mad_subjective", 3, 8), (0.486, None, None)),  # figure 6
        (("qwen2.5-7b", "mmlu_pro", "mad_subjective", 3, 4), None),
        (("qwen2.5-math-7b", "gsm8k", "mad", 10, 2), None),
        (("qwen2.5-7b", "arithmetic", "mad", 3, 2), None),
        (("qwen2.5-72b", "math", "mad", 3, 2), None),
        (("qwen2.5-7b", "math", "mad", 3, 2, "temperature-0.5"), None),
        (("qwen2.5-7b", "math", "mad", 3, 2, "instrument-released"), (0.556, 0.037, 1.0)),
    ],
)
def test_the_papers_figures(
    cell: tuple[str, str, str, int, int], want: tuple[float, float | None, float | None] | None
) -> None:
    found = reported(*cell)
    if want is None:
        assert found is None
    else:
        assert found is not None
        assert (found.accuracy, found.std, found.tokens) == pytest.approx(want)


def test_the_papers_identification() -> None:
    assert identification("qwen2.5-7b", "math", "subjective_strict") == pytest.approx(0.396)
    assert identification("qwen2.5-7b", "gsm8k", "objective") == pytest.approx(0.802)
    assert identification("qwq-32b", "math", "objective") is None
    assert identification("other", "math", "objective") is None


def test_the_papers_figures_are_those_that_are_shared(shared: Path) -> None:
    import yaml

    from madm2.report.paper import figures

    assert figures() == yaml.safe_load((shared / "paper" / "mad_m2.yaml").read_text())


@pytest.mark.parametrize(
    ("value", "kind", "want"),
    [
        (0.5561, "percent", "55.6"),
        (0.04, "points", "+4.0"),
        (-0.04, "points", "-4.0"),
        (0.6651, "ratio", "×0.67"),
        (12345.678, "number", "12,345.7"),
        (0.0004, "p", "<0.001"),
        (0.0312, "p", "0.031"),
        (1234, "count", "1,234"),
        (None, "percent", ""),
        (float("nan"), "percent", ""),
        (float("inf"), "seconds", ""),
        ("12/100", "text", "12/100"),
    ],
)
def test_values_as_people_read_them(value: object, kind: str, want: str) -> None:
    assert shown(value, kind) == want  # type: ignore[arg-type]


HOSTILE = 'a|b\nc\r\0\x1b[31m\u202edcba\u2028 \\x{}_^~&%$#"<script>\ud800,=1'


def hostile_table(text: str) -> Table:
    columns = (Column("name", text), Column("share", "share", "percent"))
    return Table("t", text, columns, ({"name": text, "share": 0.5},), (text,))


@settings(deadline=None)
@given(st.text(st.characters(), max_size=30) | st.just(HOSTILE))
def test_no_text_breaks_a_format(text: str) -> None:
    table = hostile_table(text)
    rows = [line for line in markdown([table]).splitlines() if line.startswith("|")]
    assert len(rows) == 3
    assert all(row.replace("\\|", "").count("|") == 3 for row in rows)
    assert json.loads(as_json([table]))["t"]["rows"] == [{"name": text, "share": 0.5}]
    parsed = list(csv.reader(io.StringIO(comma_separated([table]))))
    assert len(parsed) == 2 and len(parsed[1]) == 2 and parsed[1][1] == "0.5"
    tex = latex([table])
    assert tex.count("\\\\\n") == 2
    for each in (markdown([table]), comma_separated([table]), tex):
        each.encode()  # no lone surrogates


def test_latex_escapes() -> None:
    tex = latex([hostile_table("50% ±1_a & \\b{c}^2~$")])
    assert "50\\% $\\pm$1\\_a \\& \\textbackslash{}b\\{c\\}\\textasciicircum{}2" in tex


def test_the_table_of_two_seeds(report_runs: Path) -> None:
    groups = group_cells(cells_below(report_runs))
    table = cells_table(groups)
    by_method = {row["method"]: row for row in table.rows}
    row = by_method["MAD-M² objective 3×2"]
    seeds = [
        json.loads((cell.source / "results.json").read_text())["accuracy"]
        for cell in cells_below(report_runs)
        if cell.method == "mad_objective"
    ]
    for reader in ("paper", "released"):
        rates = [accuracy[reader] for accuracy in seeds]
        assert row[f"accuracy_{reader}"] == pytest.approx(sum(rates) / 2)
        assert row[f"std_{reader}"] == pytest.approx(abs(rates[0] - rates[1]) / 2**0.5)
        assert row[f"low_{reader}"] <= sum(rates) / 2 <= row[f"high_{reader}"]
    assert by_method["MAD 3×2"]["tokens_ratio"] == 1.0
    assert 0 < row["tokens_ratio"] < 1 < by_method["MAD-M² subjective 3×2"]["tokens_ratio"]
    assert all(row["paper_accuracy"] is None for row in table.rows)
    [wide] = paper_tables(groups)
    assert len(wide.rows) == 8
    assert wide.rows[2]["arithmetic"].endswith("×1.00")


def test_unfinished_and_missing_cells(report_runs: Path, tmp_path: Path) -> None:
    root = copied(report_runs, tmp_path / "runs")
    by_name = {folder.name: folder for folder in folders(root)}
    unfinish(by_name["mad_3agents_2rounds_seed41"], 3)
    for seed in (41, 42):
        unfinish(by_name[f"mad_objective_3agents_2rounds_seed{seed}"], 0)
    run(root, "--dataset", "logic", "--seed", "41", limit=4)
    [wide] = paper_tables(group_cells(cells_below(root)))
    rows = {(row["method"], row["instrument"]): row for row in wide.rows}
    assert "(11/16)" in rows["MAD 3×2", "paper"]["arithmetic"]
    assert rows["MAD-M² objective 3×2", "paper"]["arithmetic"] == "unfinished 0/16"
    assert "logic" not in rows["MAD-M² subjective 3×2", "paper"]
    assert "/" not in rows["MAD 3×2", "paper"]["logic"]


def test_baselines(report_runs: Path, tmp_path: Path) -> None:
    for size in ("4", "5"):
        run(tmp_path, "--num_agents", size)
    run(tmp_path, "--num_agents", "4", "--prune_strategy", "objective")
    run(tmp_path, "--num_agents", "6", "--prune_strategy", "objective")
    run(tmp_path, "--route", "majority:2/3")
    run(tmp_path, "--method", "sparse_mad", "--num_agents", "4")
    groups = {g.label: g for g in group_cells(cells_below(report_runs, tmp_path))}
    found = {
        name: [
            base and base.label
            for base in (of(g, [*groups.values()]) for of in (mad_of, cot_sc_of))
        ]
        for name, g in groups.items()
    }
    assert found == {
        "CoT-SC 6 paths": ["MAD 3×2", None],
        "MAD 3×2": ["MAD 3×2", "CoT-SC 6 paths"],
        "MAD 4×2": ["MAD 4×2", None],
        "MAD 5×2": ["MAD 5×2", None],
        "MAD 3×2 [route-majority-2-3]": ["MAD 3×2", "CoT-SC 6 paths"],
        "Sparse MAD 4×2": ["MAD 4×2", None],
        "MAD-M² subjective 3×2": ["MAD 3×2", "CoT-SC 6 paths"],
        "MAD-M² objective 3×2": ["MAD 3×2", "CoT-SC 6 paths"],
        "MAD-M² objective 4×2": ["MAD 4×2", None],
        "MAD-M² objective 6×2": [None, None],
    }


def test_comparisons_are_corrected_together(report_runs: Path) -> None:
    rows = comparisons_table(group_cells(cells_below(report_runs))).rows
    against = {(r["method"], r["against"]) for r in rows}
    assert len(rows) == 2 * len(against) == 10
    assert ("CoT-SC 6 paths", "MAD 3×2") in against  # and not once more the other way round
    assert ("MAD-M² objective 3×2", "CoT-SC 6 paths") in against
    assert all(row["pairs"] == 16 and row["p_holm"] >= row["p"] for row in rows)


def report(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_every_format_and_table(
    report_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = report(capsys, str(report_runs))
    assert code == 0 and out.count("\n## ") + 1 == len(NAMES)
    code, out, _ = report(capsys, str(report_runs), "--format", "csv")
    assert code == 0 and len(list(csv.DictReader(io.StringIO(out)))) == 4
    code, out, _ = report(
        capsys, str(report_runs), "--format", "csv", "--tables", "votes", "tokens"
    )
    assert code == 0 and [line for line in out.splitlines() if line[:1] == "#"] == [
        "# votes",
        "# tokens",
    ]
    code, out, _ = report(capsys, str(report_runs), "--format", "json")
    assert code == 0 and set(json.loads(out)) == {*NAMES, "table_scripted"} - {"paper"}
    target = tmp_path / "report.tex"
    code, out, _ = report(capsys, str(report_runs), "--format", "latex", "--output", str(target))
    assert (code, out) == (0, "")
    assert target.read_text().count(r"\begin{table}") == len(NAMES)


def test_damage_shows_in_the_exit_code(
    report_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = copied(report_runs, tmp_path / "runs")
    first = next(folders(root))
    (first / "samples.jsonl").write_text("{}\n")
    code, out, err = report(capsys, str(root), "--format", "csv")
    assert code == 2
    assert len(list(csv.DictReader(io.StringIO(out)))) == 4  # the other seed is there
    assert err.startswith("error: ") and str(first) in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "required"),
        (["nothing"], "is not there"),
        (["."], "no runs below"),
        ([".", "--format", "mdd"], "did you mean 'md'?"),
        ([".", "--tables", "vote"], "did you mean 'votes'?"),
        ([".", "--max_debates", "-1"], "--max_debates"),
    ],
)
def test_wrong_words_are_refused(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = report(capsys, *words)
    assert (code, out) == (2, "")
    assert message in err and "Traceback" not in err


def test_all_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mad_seed1.json").write_text("{")
    code, out, err = report(capsys, str(tmp_path))
    assert (code, out) == (2, "")
    assert "mad_seed1.json" in err and "none of the runs" in err


def test_an_output_that_cannot_be_written(
    report_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = report(capsys, str(report_runs), "--output", str(tmp_path / "no" / "x.md"))
    assert code == 2 and "cannot use" in err and "Traceback" not in err
