"""One line of a preflight: what was looked at, how it stands, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from madm2.errors import UserError

Status = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """What a check found.

    Args:
        status: ok; warning, a run may still go well; failed, it cannot.
        name: what was looked at.
        detail: what was found, naming the file.
        fix: what to type or change; empty when nothing need be done.
    """

    status: Status
    name: str
    detail: str
    fix: str = ""

    def __str__(self) -> str:
        line = f"{self.status:<8} {self.name}  {self.detail}"
        return f"{line}\n         fix: {self.fix}" if self.fix else line


def ok(name: str, detail: str) -> Check:
    """Nothing to do."""
    return Check("ok", name, detail)


def warning(name: str, detail: str, fix: str = "") -> Check:
    """Worth knowing; a run may still go well."""
    return Check("warning", name, detail, fix)


def failed(name: str, detail: str, fix: str) -> Check:
    """A run cannot go well before this is put right."""
    return Check("failed", name, detail, fix)


def refused(name: str, error: UserError) -> Check:
    """What a run would refuse with this error."""
    parts = [error.problem]
    parts += [f"have: {error.have}"] if error.have else []
    parts += [f"need: {error.need}"] if error.need else []
    return failed(name, "; ".join(parts), error.fix)
