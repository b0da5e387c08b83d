"""The errors that are meant for people, and the nearest-name helper for their messages."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class UserError(Exception):
    """Something the user can put right; the command line prints it short, with exit code 2.

    Args:
        problem: what is wrong, one clause.
        have: what was given or found.
        need: what is needed instead.
        fix: what to type or change.
    """

    def __init__(self, problem: str, *, have: str = "", need: str = "", fix: str = "") -> None:
        self.problem, self.have, self.need, self.fix = problem, have, need, fix
        parts = [("", problem), ("have: ", have), ("need: ", need), ("fix: ", fix)]
        super().__init__("\n  ".join(label + text for label, text in parts if text))


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UserError:
    """Build the error for an unknown name: the valid ones, and the nearest match."""
    names = sorted(known)
    lowered = {n.lower(): n for n in names}
    near = difflib.get_close_matches(name.lower(), lowered, n=1, cutoff=0.6)
    fix = f"did you mean {lowered[near[0]]!r}?" if near else ""
    return UserError(f"unknown {kind} {name!r}", need=f"one of {', '.join(names)}", fix=fix)


class EngineError(Exception):
    """The engine failed; the cause is what it raised.

    Args:
        requests: keys of the requests that were in it, or of the one it could not take.
    """

    def __init__(self, requests: Sequence[object]) -> None:
        self.requests = requests
        more = f" and {len(requests) - 1:,} more requests" if len(requests) > 1 else ""
        super().__init__(f"the engine failed on {requests[0]}{more}")
