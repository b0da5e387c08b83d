"""Deviations, intervals and paired comparisons: NumPy only, and always seeded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 10_000
SEED = 20260321
# (question, seed): what two runs share.
Outcomes = Mapping[tuple[str, int], bool]
_Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run against another on the questions that both answered.

    Args:
        pairs: (question, seed) pairs.
        questions: different questions among them.
        difference: of the accuracies, 0 to 1; positive when the first is better.
        interval: of the difference.
        better, worse: questions on which the first did better, and worse.
        p: exact McNemar.
    """

    pairs: int
    questions: int
    difference: float
    interval: tuple[float, float]
    better: int
    worse: int
    p: float


def mean_std(values: Sequence[float]) -> tuple[float, float | None]:
    """Mean and sample standard deviation; a single value has no deviation."""
    std = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return float(np.mean(values)), std


def accuracy_interval(outcomes: Outcomes, level: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of the accuracy, clustered by question.

    A question that several seeds drew is drawn, or left out, with all its outcomes: they are not
    independent.
    """
    sums, counts = _by_question({key: float(right) for key, right in outcomes.items()})
    low, high = _bootstrap(sums, counts, level)
    return max(low, 0.0), min(high, 1.0)


def compare(first: Outcomes, other: Outcomes, level: float = 0.95) -> Comparison | None:
    """Compare two runs, paired by question and seed; None when they share nothing.

    McNemar's exact test counts a question once, by the sum over its seeds, so that the trials
    of its binomial are independent; with one seed a question that is the plain test.
    """
    shared = sorted(first.keys() & other.keys(), key=repr)
    if not shared:
        return None
    differences = {key: float(first[key]) - float(other[key]) for key in shared}
    sums, counts = _by_question(differences)
    better, worse = int(np.sum(sums > 0)), int(np.sum(sums < 0))
    return Comparison(
        len(shared),
        len(sums),
        float(sums.sum() / counts.sum()),
        _bootstrap(sums, counts, level),
        better,
        worse,
        mcnemar(better, worse),
    )


def mcnemar(one: int, other: int) -> float:
    """Exact two-sided McNemar p of the two discordant counts (binomial with one half)."""
    n = one + other
    tail = sum(comb(n, k) for k in range(min(one, other) + 1))
    return min(1.0, float(2 * tail / 2**n))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: adjusted p values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted


def _by_question(values: Mapping[tuple[str, int], float]) -> tuple[_Numbers, _Numbers]:
    """Sum and number of the values of each question, in a fixed order."""
    sums: dict[str, float] = {}
    counts: dict[str, int] = {}
    for key in sorted(values, key=repr):
        question = key[0]
        sums[question] = sums.get(question, 0.0) + values[key]
        counts[question] = counts.get(question, 0) + 1
    return np.array(list(sums.values())), np.array(list(counts.values()), dtype=float)


def _bootstrap(sums: _Numbers, counts: _Numbers, level: float) -> tuple[float, float]:
    """Percentile interval of sum/count over resampled questions.

    Where all questions are alike a bootstrap sees no error at all. The width is then that of
    the exact binomial bound for as many trials of which none was different.
    """
    values = sums / counts
    if values.min() == values.max():
        width = 1 - ((1 - level) / 2) ** (1 / len(values))
        return float(values[0] - width), float(values[0] + width)
    rng = np.random.default_rng(SEED)
    n, means = len(sums), []
    # In parts, so that large reports do not need gigabytes.
    for _ in range(20):
        drawn = rng.integers(0, n, size=(RESAMPLES // 20, n))
        means.append(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))
    tail = 100 * (1 - level) / 2
    low, high = np.percentile(np.concatenate(means), [tail, 100 - tail])
    return float(low), float(high)
