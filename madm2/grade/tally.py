"""Adds up graded records and says what came of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from madm2.grade.regrade import Graded
from madm2.types import Status


@dataclass(slots=True)
class Tally:
    """Counts of one file, or of all; `note` and `reported` (an accuracy) are the file's own."""

    name: str
    note: str = ""
    reported: float | None = None
    statuses: Counter[Status] = field(default_factory=Counter)
    released: Counter[Status] = field(default_factory=Counter)
    differences: Counter[str] = field(default_factory=Counter)

    def add(self, graded: Graded) -> None:
        """Count one."""
        self.statuses[graded.verdict.status] += 1
        self.released[graded.released_verdict.status] += 1
        if graded.difference:
            self.differences[graded.difference] += 1

    def __str__(self) -> str:
        rows = [
            f"{self.name}{f' ({self.note})' if self.note else ''}",
            f"graded            {self.statuses.total()}",
            _accuracy("accuracy", self.statuses),
            _accuracy("released accuracy", self.released),
        ]
        if self.reported is not None:
            rows.append(f"the file reports  {self.reported:.4f}")
        if self.differences:
            rows.append(f"differences       {self.differences.total()}")
            rows += [f"  {count:>5}  {kind}" for kind, count in self.differences.most_common()]
        return "\n".join(rows)


def _accuracy(label: str, statuses: Counter[Status]) -> str:
    share = statuses["correct"] / max(statuses.total(), 1)
    counts = ", ".join(f"{status} {count}" for status, count in statuses.most_common())
    return f"{label:<18}{share:.4f}  ({counts})"
