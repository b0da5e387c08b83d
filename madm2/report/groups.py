"""Cells of one method over its seeds, and which group is whose baseline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from madm2.report.cells import NOT_DEBATES, Cell
from madm2.report.records import Record
from madm2.types import InstrumentName

# What tables call a method, in the order in which they list them.
_MASKS = {
    "": "MAD",
    "_subjective": "MAD-M² subjective",
    "_strict_subjective": "MAD-M² strict subjective",
    "_objective": "MAD-M² objective",
    "_random_k": "MAD random k (control)",
    "_oracle": "MAD oracle (upper bound)",
}
METHODS = {"cot": "CoT", "cot_sc": "CoT-SC"} | {
    f"{name}mad{mask}": f"{name.rstrip('_').capitalize()} {label}".strip()
    for mask, label in _MASKS.items()
    for name in ("", "sparse_")
}
# Choices of one method, which its baselines do not have.
_OWN_CHOICES = re.compile(r"(?:_|\A)(?:route-majority-[^_]+|objective_keep-\d+|random_keep-\d+)")
DATASETS = ("aime24", "aime25", "mmlu_pro", "math", "gsm8k")


@dataclass(frozen=True, slots=True)
class Group:
    """The cells that differ in nothing but their seed; in the order of the seeds, at least one."""

    cells: tuple[Cell, ...]

    @property
    def first(self) -> Cell:
        """A cell that says what all of them are."""
        return self.cells[0]

    @property
    def label(self) -> str:
        """Method, size and choices, for people."""
        cell = self.first
        size = f" {cell.agents}×{cell.rounds}"
        if cell.method in NOT_DEBATES:
            size = f" {cell.agents} paths" if cell.method == "cot_sc" else ""
        choices = f" [{cell.choices}]" if cell.choices else ""
        return f"{METHODS.get(cell.method, cell.method)}{size}{choices}"

    @property
    def questions(self) -> int:
        """Questions answered, over all seeds."""
        return sum(len(cell.records) for cell in self.cells)

    @property
    def progress(self) -> str:
        """Questions answered; of an unfinished group also how many are asked: `12/100`."""
        asked = sum(cell.asked for cell in self.cells)
        done = self.questions
        return f"{done}" if all(cell.finished for cell in self.cells) else f"{done}/{asked}"

    def records(self) -> Iterator[Record]:
        """The records of all seeds."""
        for cell in self.cells:
            yield from cell.records

    def accuracies(self, instrument: InstrumentName) -> list[float]:
        """Of each seed that has answers."""
        return [
            sum(r.readings[instrument].right for r in cell.records) / len(cell.records)
            for cell in self.cells
            if cell.records
        ]

    def outcomes(self, instrument: InstrumentName) -> dict[tuple[str, int], bool]:
        """Whether each question was answered rightly under each seed."""
        return {
            (str(record.id), cell.seed): record.readings[instrument].right
            for cell in self.cells
            for record in cell.records
        }


def group_cells(cells: Iterable[Cell]) -> list[Group]:
    """Group cells over their seeds: by model, then in the paper's order of datasets and methods."""
    found: dict[tuple[object, ...], list[Cell]] = {}
    for cell in sorted(cells, key=_place):
        key = (cell.model, cell.dataset, cell.method, cell.agents, cell.rounds, cell.choices)
        found.setdefault(key, []).append(cell)
    return [Group(tuple(group)) for group in found.values()]


def mad_of(group: Group, groups: Sequence[Group]) -> Group | None:
    """The MAD that a group is measured against: of the same model and dataset.

    Of the same size, for a debate; for CoT and CoT-SC that of the paper's table, 3 agents and 2
    rounds, or the only one there is.
    """
    cell = group.first
    here = [g for g in _beside(group, groups) if g.first.method == "mad"]
    sizes = [(cell.agents, cell.rounds)]
    if cell.method in NOT_DEBATES:
        sizes = [(3, 2), *dict.fromkeys((g.first.agents, g.first.rounds) for g in here)]
        sizes = sizes if len(sizes) <= 2 else sizes[:1]
    return _with_choices(
        group, [g for s in sizes for g in here if (g.first.agents, g.first.rounds) == s]
    )


def cot_sc_of(group: Group, groups: Sequence[Group]) -> Group | None:
    """The CoT-SC with as many sampled answers as a debate has: agents times rounds."""
    cell = group.first
    if cell.method in NOT_DEBATES:
        return None
    here = [
        g
        for g in _beside(group, groups)
        if g.first.method == "cot_sc" and g.first.agents == cell.agents * cell.rounds
    ]
    return _with_choices(group, here)


def _beside(group: Group, groups: Sequence[Group]) -> list[Group]:
    cell = group.first
    return [g for g in groups if (g.first.model, g.first.dataset) == (cell.model, cell.dataset)]


def _with_choices(group: Group, found: Sequence[Group]) -> Group | None:
    """The one with the same choices, those of the method aside; else the one with none."""
    for choices in (_OWN_CHOICES.sub("", group.first.choices).lstrip("_"), ""):
        for other in found:
            if other.first.choices == choices:
                return other
    return None


def _place(cell: Cell) -> tuple[object, ...]:
    methods, datasets = list(METHODS), list(DATASETS)
    return (
        cell.model,
        datasets.index(cell.dataset) if cell.dataset in datasets else len(datasets),
        cell.dataset,
        methods.index(cell.method) if cell.method in methods else len(methods),
        cell.method,
        cell.agents,
        cell.rounds,
        cell.choices,
        cell.seed,
    )
