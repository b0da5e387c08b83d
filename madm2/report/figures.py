"""Figures by matplotlib: accuracy over agents and rounds, masks, tokens and time."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from madm2.report.cells import NOT_DEBATES
from madm2.report.groups import METHODS, Group
from madm2.report.masks import masks_table
from madm2.report.paper import Reported, reported
from madm2.report.results import tokens_per_question
from madm2.report.stats import accuracy_interval
from madm2.report.tables import Value

# Told apart by colour-blind readers too (Okabe and Ito).
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_STYLE: dict[str, Any] = {
    "text.parse_math": False,  # a model's name may hold a dollar sign
    "svg.fonttype": "none",
    "svg.hashsalt": "madm2",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 9,
    "legend.frameon": False,
}
Drawing = tuple[str, str, Callable[[], Figure]]


def write_figures(groups: Sequence[Group], folder: Path) -> None:
    """Write every figure that the groups give rise to, as PNG and SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(_STYLE):
        for name, _, draw in drawings(groups):
            figure = draw()
            figure.savefig(folder / f"{name}.png", dpi=160)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


def drawn(groups: Sequence[Group]) -> Iterator[tuple[str, str]]:
    """Title and SVG of every figure."""
    with matplotlib.rc_context(_STYLE):
        for _, title, draw in drawings(groups):
            out = io.StringIO()
            draw().savefig(out, format="svg", metadata={"Date": None})
            yield title, out.getvalue()


def drawings(groups: Sequence[Group]) -> Iterator[Drawing]:
    """File name, title and maker of every figure."""
    for model, dataset in dict.fromkeys((g.first.model, g.first.dataset) for g in groups):
        here = [g for g in groups if (g.first.model, g.first.dataset) == (model, dataset)]
        answered = [g for g in here if g.questions]
        for axis, other in (("agents", "rounds"), ("rounds", "agents")):
            for fixed in sorted({getattr(g.first, other) for g in answered}):
                curves = _curves(answered, axis, other, fixed)
                if curves:
                    yield (
                        _file(f"{axis}_{model}_{dataset}_{fixed}{other}"),
                        f"{model}, {dataset}: accuracy over {axis}, {fixed} {other}",
                        partial(_draw_curves, curves, axis),
                    )
        if any(map(tokens_per_question, answered)):
            yield (
                _file(f"tokens_{model}_{dataset}"),
                f"{model}, {dataset}: tokens and time",
                partial(_draw_cost, answered),
            )
        rows = [
            row
            for row in masks_table(answered).rows
            if row["instrument"] == "paper" and row["kept"] != 1.0
        ]
        if rows:
            yield (
                _file(f"masks_{model}_{dataset}"),
                f"{model}, {dataset}: erroneous memory identification, paper instrument",
                partial(_draw_masks, rows),
            )


def _file(name: str) -> str:
    return re.sub(r"[^\w.=+-]+", "-", name, flags=re.ASCII)[:120]


_Curves = dict[str, list[Group]]


def _curves(groups: Sequence[Group], axis: str, other: str, fixed: int) -> _Curves:
    """Debates of two sizes or more, by method."""
    found: _Curves = {}
    for group in groups:
        cell = group.first
        if cell.method not in NOT_DEBATES and not cell.choices and getattr(cell, other) == fixed:
            found.setdefault(cell.method, []).append(group)
    return {
        method: sorted(curve, key=lambda g: int(getattr(g.first, axis)))
        for method, curve in found.items()
        if len(curve) > 1
    }


def _draw_curves(curves: _Curves, axis: str) -> Figure:
    figure, axes = _figure(5.4, 3.5)
    for number, (method, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        sizes = [int(getattr(g.first, axis)) for g in curve]
        rates = [g.accuracies("paper") for g in curve]
        middle = [100 * sum(r) / len(r) for r in rates]
        bounds = [accuracy_interval(g.outcomes("paper")) for g in curve]
        # Side by side where they would hide one another.
        places = [size + 0.04 * (number - (len(curves) - 1) / 2) for size in sizes]
        errors = [
            [max(0.0, m - 100 * low) for m, (low, _) in zip(middle, bounds, strict=True)],
            [max(0.0, 100 * high - m) for m, (_, high) in zip(middle, bounds, strict=True)],
        ]
        label = METHODS.get(method, method)
        axes.errorbar(
            places, middle, yerr=errors, color=colour, marker="o", capsize=3, lw=1.4, label=label
        )
        known = [
            (size, 100 * paper.accuracy)
            for size, g in zip(sizes, curve, strict=True)
            if (paper := _reported(g)) is not None
        ]
        if known:
            axes.plot(
                *zip(*known, strict=True), color=colour, ls=":", marker="x", label=f"{label}, paper"
            )
    axes.set_xticks(sorted({int(getattr(g.first, axis)) for c in curves.values() for g in c}))
    axes.set_xlabel(axis)
    axes.set_ylabel("accuracy %, paper instrument")
    axes.legend(fontsize=8)
    return figure


def _reported(group: Group) -> Reported | None:
    cell = group.first
    return reported(cell.model, cell.dataset, cell.method, cell.agents, cell.rounds, cell.choices)


def _draw_cost(groups: Sequence[Group]) -> Figure:
    """Tokens a question by purpose, and seconds of a run, side by side."""
    figure = Figure(figsize=(7.2, 0.9 + 0.34 * len(groups)), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2, sharey=True)
    names = [g.label for g in groups]
    places = range(len(groups))
    start = [0.0] * len(groups)
    for number, purpose in enumerate(
        sorted({name for g in groups for cell in g.cells for name in cell.tokens})
    ):
        widths = [
            sum(sum(cell.tokens.get(purpose, (0, 0))) for cell in g.cells) / g.questions
            for g in groups
        ]
        colour = _COLOURS[number % len(_COLOURS)]
        left.barh(places, widths, left=start, color=colour, label=purpose)
        start = [a + b for a, b in zip(start, widths, strict=True)]
    seconds = [[c.seconds for c in g.cells if c.seconds is not None] for g in groups]
    right.barh(places, [sum(s) / len(s) if s else 0.0 for s in seconds], color="#666666")
    left.set_yticks(places, names)
    left.invert_yaxis()
    left.set_xlabel("tokens a question, in and out")
    right.set_xlabel("seconds a run")
    left.legend(fontsize=8)
    return figure


def _draw_masks(rows: Sequence[Mapping[str, Value]]) -> Figure:
    """Both rules of figure 3 for every mask, with the paper's figures as crosses."""
    figure, axes = _figure(5.8, 1.1 + 0.5 * len(rows))
    for offset, rule, colour in ((-0.2, "strict", _COLOURS[0]), (0.2, "loose", _COLOURS[1])):
        places = [number + offset for number in range(len(rows))]
        axes.barh(places, [_percent(row[rule]) for row in rows], 0.38, color=colour, label=rule)
        known = [
            (_percent(row[f"{rule}_paper"]), place)
            for row, place in zip(rows, places, strict=True)
            if row[f"{rule}_paper"] is not None
        ]
        if known:
            axes.scatter(
                *zip(*known, strict=True),
                marker="x",
                color="black",
                zorder=3,
                label="paper" if offset > 0 else None,
            )
    axes.set_yticks(
        range(len(rows)), [f"{row['method']}, before round {row['round']}" for row in rows]
    )
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of questions")
    axes.legend(fontsize=8)
    return figure


def _percent(value: Value) -> float:
    return 100 * float(value or 0.0)


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots()
