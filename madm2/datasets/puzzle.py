"""A deduction before its options are lettered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Puzzle:
    """What is said and asked, the one right option and three wrong ones."""

    lines: tuple[str, ...]
    right: str
    wrong: tuple[str, ...]
