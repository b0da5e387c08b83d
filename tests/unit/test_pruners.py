from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.pruners.objective import keep_above_median, keep_lowest
from madm2.pruners.subjective import kept, read_label, read_released_label
from tests.conftest import GOLDEN

RULES = json.loads((GOLDEN / "released_rules.json").read_text())


@pytest.mark.parametrize("case", RULES["objective"], ids=lambda c: str(c["scores"]))
def test_released_objective_mask(case: dict[str, list[float]]) -> None:
    assert keep_above_median([float(s) for s in case["scores"]]) == case["keep"]


@pytest.mark.parametrize("case", RULES["labels"], ids=lambda c: c["text"][:40] or "empty")
def test_released_labels(case: dict[str, object]) -> None:
    label = read_released_label(case["text"]).label
    assert kept(label, strict=False) == case["keep_loose"]
    assert kept(label, strict=True) == case["keep_strict"]


@pytest.mark.parametrize(
    ("text", "label", "source"),
    [
        ("The sum is right. <label>YES</label>", "yes", "tag"),
        ("<label>NO</label>", "no", "tag"),
        ("<label>NOT SURE</label>", "not_sure", "tag"),
        ("<label>not  sure</label>", "not_sure", "tag"),
        ("<LABEL>no</LABEL>", "no", "tag"),
        ("<label>**NO**</label>", "no", "tag"),
        ("<label>(NO)</label>", "no", "tag"),
        ("<label>\nNo.\n</label>", "no", "tag"),
        ("<label>NO, step 2 fails</label>", "no", "tag"),
        ("<label>NOT SURE, it may be NO</label>", "not_sure", "tag"),
        ("<label>NOT_SURE</label>", "not_sure", "tag"),
        ("<label>UNSURE</label>", "not_sure", "tag"),
        ("<label>NO", "no", "tag"),
        ("**<label>YES</label>**", "yes", "tag"),
        ("First <label>YES</label>, on reflection <label>NO</label>", "no", "tag"),
        ("<label>NO</label> <label>maybe</label>", "no", "tag"),
        ("<think><label>NO</label></think> <label>YES</label>", "yes", "tag"),
        ("<label>NO</label></think>so <label>YES</label>", "yes", "tag"),
        ("<think>it ends in <label>NO</label>", "not_sure", "none"),
        ("<label>YES|NO|NOT SURE</label>", "not_sure", "none"),
        ("<label>YES or NO</label>", "not_sure", "none"),
        ("<label>YES</label> or <label>NO</label>: <label>YES / NO</label>", "no", "tag"),
        ("<label>INCORRECT</label>", "not_sure", "none"),
        ("<label>NOTHING is wrong</label>", "not_sure", "none"),
        ("<label>Nope</label>", "not_sure", "none"),
        ("<label></label>", "not_sure", "none"),
        ("No tag here, but yes", "not_sure", "none"),
        ("", "not_sure", "none"),
    ],
)
def test_paper_labels(text: str, label: str, source: str) -> None:
    evidence = read_label(text)
    assert (evidence.label, evidence.source) == (label, source)


@pytest.mark.parametrize(
    ("text", "label", "source"),
    [
        ("Yes, the solution is right.", "yes", "bare"),
        ("**No**. 3 + 4 is 7.", "no", "bare"),
        ("not sure about it", "not_sure", "bare"),
        ("Nothing is wrong.", "not_sure", "none"),
        ("I think yes", "not_sure", "none"),
        ("Yes or no? <label>NO</label>", "no", "tag"),
        ("Yes or no?", "not_sure", "none"),
    ],
)
def test_a_bare_label_counts_where_the_prompts_allow_it(text: str, label: str, source: str) -> None:
    evidence = read_label(text, bare_label=True)
    assert (evidence.label, evidence.source) == (label, source)
    if source == "bare":
        assert read_label(text).source == "none"


@pytest.mark.parametrize(
    ("label", "loose", "strict"),
    [("yes", True, True), ("no", False, False), ("not_sure", True, False)],
)
def test_strict_masks_not_sure(label: str, loose: bool, strict: bool) -> None:
    assert (kept(label, strict=False), kept(label, strict=True)) == (loose, strict)


@pytest.mark.parametrize(
    ("perplexities", "empty", "keep", "want"),
    [
        ([1.5, 1.2, 1.9], [False] * 3, 1, [False, True, False]),
        ([1.5, 1.2, 1.2], [False] * 3, 1, [False, True, False]),
        ([1.5, 1.2, 1.9], [False] * 3, 2, [True, True, False]),
        ([1.5, 1.2], [False] * 2, 5, [True, True]),
        ([1.0, 1.9], [True, False], 1, [False, True]),
        ([1.0, 1.9, 1.8], [True, False, False], 2, [False, True, True]),
        ([math.inf, math.inf], [True, True], 1, [True, False]),
        ([math.nan, 3.0], [False, False], 1, [False, True]),
        ([math.nan, math.inf], [False, False], 1, [False, True]),
        ([2.0], [False], 1, [True]),
    ],
)
def test_paper_objective_mask(
    perplexities: list[float], empty: list[bool], keep: int, want: list[bool]
) -> None:
    assert keep_lowest(perplexities, empty, keep) == want


@given(
    rows=st.lists(st.tuples(st.floats(1, 100), st.booleans()), min_size=1, max_size=12),
    keep=st.integers(1, 12),
)
def test_paper_objective_mask_keeps_the_lowest(rows: list[tuple[float, bool]], keep: int) -> None:
    perplexities, empty = [p for p, _ in rows], [e for _, e in rows]
    mask = keep_lowest(perplexities, empty, keep)
    assert sum(mask) == min(keep, len(rows))
    ranks = sorted((e, p) for p, e in rows)
    assert sorted((e, p) for (p, e), k in zip(rows, mask, strict=True) if k) == ranks[: sum(mask)]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_released_objective_mask_keeps_at_most_half(scores: list[float]) -> None:
    assert sum(keep_above_median(scores)) <= len(scores) // 2
