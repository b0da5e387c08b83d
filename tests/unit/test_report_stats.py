"""The report's statistics against known values, and the interval's coverage in a simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from madm2.report.stats import accuracy_interval, compare, holm, mcnemar, mean_std


@pytest.mark.parametrize(
    ("one", "other", "p"),
    [
        (0, 0, 1.0),
        (1, 1, 1.0),
        (0, 5, 0.0625),
        (5, 0, 0.0625),
        (0, 6, 0.03125),
        (1, 9, 0.021484375),
        (3, 3, 1.0),
        (4, 12, 0.076812744140625),
        (59, 6, 2 * 91_581_634 / 2**65),
        (2000, 2100, 0.1221),  # the normal approximation with its correction
    ],
)
def test_exact_mcnemar(one: int, other: int, p: float) -> None:
    assert mcnemar(one, other) == pytest.approx(p, rel=2e-3)


def test_exact_mcnemar_is_exact() -> None:
    assert mcnemar(1, 9) == 2 * (1 + 10) / 1024


@pytest.mark.parametrize(
    ("raw", "adjusted"),
    [
        ([], []),
        ([0.2], [0.2]),
        # Holm (1979) as worked in textbooks: 0.01, 0.04, 0.03, 0.005.
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.6, 0.7], [1.0, 1.0]),
        ([0.01, 0.01, 0.01], [0.03, 0.03, 0.03]),
    ],
)
def test_holm(raw: list[float], adjusted: list[float]) -> None:
    assert holm(raw) == pytest.approx(adjusted)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_never_lowers(raw: list[float]) -> None:
    adjusted = holm(raw)
    assert all(a >= p and a <= 1 for a, p in zip(adjusted, raw, strict=True))
    order = sorted(range(len(raw)), key=lambda i: raw[i])
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_the_deviation_is_the_sample_deviation() -> None:
    assert mean_std([1.0, 2.0, 3.0, 4.0]) == pytest.approx((2.5, 1.2909944487358056))
    assert mean_std([0.6]) == (0.6, None)


def outcomes(rights: list[list[bool]]) -> dict[tuple[str, int], bool]:
    return {(str(q), s): right for s, row in enumerate(rights) for q, right in enumerate(row)}


def test_the_interval_covers_about_as_often_as_it_says() -> None:
    """200 simulated runs of 80 questions under 3 seeds, whose questions differ in difficulty."""
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(200):
        difficulty = rng.beta(1.2, 0.8, size=80)
        runs = (rng.random((3, 80)) < difficulty).tolist()
        low, high = accuracy_interval(outcomes(runs))
        covered += low <= 1.2 / 2.0 <= high
    assert 0.90 <= covered / 200 <= 0.985


def test_questions_asked_again_do_not_narrow_the_interval() -> None:
    rights = [i % 3 > 0 for i in range(60)]
    once = accuracy_interval(outcomes([rights]))
    again = accuracy_interval(outcomes([rights] * 5))
    assert again[1] - again[0] == pytest.approx(once[1] - once[0], abs=0.01)


@pytest.mark.parametrize(("right", "interval"), [(True, (0.8843, 1.0)), (False, (0.0, 0.1157))])
def test_a_run_without_variation_is_not_certain(right: bool, interval: tuple[float, float]) -> None:
    # The exact (Clopper-Pearson) bounds of 0 and of 30 in 30.
    assert accuracy_interval(outcomes([[right] * 30])) == pytest.approx(interval, abs=1e-4)


def test_two_runs_that_never_differed_are_not_certainly_alike() -> None:
    same = outcomes([[i % 2 == 0 for i in range(30)]])
    found = compare(same, same)
    assert found is not None and found.difference == 0.0
    assert found.interval == pytest.approx((-0.1157, 0.1157), abs=1e-4)


def test_a_comparison_pairs_questions_and_seeds() -> None:
    first = {("a", 1): True, ("b", 1): True, ("c", 1): False, ("d", 1): True, ("x", 2): True}
    other = {("a", 1): False, ("b", 1): True, ("c", 1): True, ("d", 1): False, ("y", 2): True}
    found = compare(first, other)
    assert found is not None
    assert (found.pairs, found.questions, found.better, found.worse) == (4, 4, 2, 1)
    assert found.difference == pytest.approx(0.25)
    assert found.p == mcnemar(2, 1) == 1.0
    assert found.interval[0] < 0.25 < found.interval[1]
    assert compare(first, {("z", 1): True}) is None


def test_mcnemar_counts_a_question_once_whatever_its_seeds() -> None:
    first = {("a", s): True for s in range(5)} | {("b", s): s == 0 for s in range(5)}
    other = {("a", s): False for s in range(5)} | {("b", s): s == 1 for s in range(5)}
    found = compare(first, other)
    assert found is not None
    assert (found.better, found.worse, found.p) == (1, 0, 1.0)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_a_comparison_turned_round(pairs: list[tuple[bool, bool]]) -> None:
    one = compare(outcomes([[a for a, _ in pairs]]), outcomes([[b for _, b in pairs]]))
    other = compare(outcomes([[b for _, b in pairs]]), outcomes([[a for a, _ in pairs]]))
    assert one is not None and other is not None
    assert (one.better, one.worse, one.p) == (other.worse, other.better, other.p)
    assert one.difference == -other.difference
    assert one.interval[0] == pytest.approx(-other.interval[1], abs=1e-9)
