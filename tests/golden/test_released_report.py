"""The report of the recorded runs of the released code: accuracies, tokens, masks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.report.__main__ import main

# accuracy by the released and by the paper instrument, tokens as a ratio to MAD, the paper's
FIGURES = {
    "CoT": (0.46, 0.54, 0.07, 0.492),
    "MAD 3×2": (0.60, 0.74, 1.00, 0.556),
    "MAD-M² objective 3×2": (0.66, 0.80, 0.67, 0.542),
    "MAD-M² subjective 3×2": (0.60, 0.72, 1.20, 0.568),
}


@pytest.fixture(scope="module")
def tables(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict]]:
    target = tmp_path_factory.mktemp("report") / "report.json"
    trace = shared / "traces" / "qwen2.5-7b_math50_seed41"
    assert main([str(trace), "--format", "json", "--output", str(target)]) == 0
    return {name: table["rows"] for name, table in json.loads(target.read_text()).items()}


def test_accuracies_and_tokens(tables: dict[str, list[dict]]) -> None:
    rows = {row["method"]: row for row in tables["cells"]}
    assert rows.keys() == FIGURES.keys()
    for method, (released, ours, tokens, paper) in FIGURES.items():
        row = rows[method]
        assert (row["accuracy_released"], row["accuracy_paper"]) == (released, ours)
        assert round(row["tokens_ratio"], 2) == row["paper_tokens"] == tokens
        assert row["paper_accuracy"] == pytest.approx(paper)
        assert row["difference_released"] == pytest.approx(released - paper)


def test_masks(tables: dict[str, list[dict]]) -> None:
    rows = {(row["method"], row["instrument"]): row for row in tables["masks"]}
    objective = rows["MAD-M² objective 3×2", "released"]
    subjective = rows["MAD-M² subjective 3×2", "released"]
    assert objective["kept"] == pytest.approx(1 / 3)
    assert subjective["kept"] == pytest.approx(128 / 150)
    assert (objective["strict"], objective["loose"]) == (0.60, 0.60)
    assert (subjective["strict"], subjective["loose"]) == (0.56, 0.56)
    assert (subjective["strict_paper"], subjective["loose_paper"]) == pytest.approx((0.396, 0.554))


def test_judges_calls_are_told_apart(tables: dict[str, list[dict]]) -> None:
    rows = {(row["method"], row["purpose"]): row for row in tables["tokens"]}
    judged = rows["MAD-M² subjective 3×2", "judge"]
    assert (judged["input"] * 50, judged["output"] * 50) == pytest.approx((98524, 11465))
