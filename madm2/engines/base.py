"""What the driver asks of an engine, whatever runs underneath."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from madm2.types import Completion, Request, RequestKey


class Engine(Protocol):
    """Continuous batching: submit at any time, step until the completions are in.

    A prompt longer than the model allows is answered with an empty completion whose finish
    reason is `prompt_too_long`; it is never an exception.
    """

    def submit(self, request: Request, seed: int) -> None:
        """Queue a request; `seed` (31 bits) seeds its sampling."""

    def step(self) -> list[Completion]:
        """Advance the engine once and return the completions that ended, in any order."""

    def cancel(self, keys: Collection[RequestKey]) -> None:
        """Drop queued or running requests; they will not be returned by `step`."""

    def head(self, text: str, n_tokens: int) -> str:
        """Return the part of `text` that its first `n_tokens` tokens spell."""

    def describe(self) -> Mapping[str, object]:
        """Settings worth recording: engine, versions, model, resolved engine arguments."""

    def close(self) -> None:
        """Release what the engine holds, so that the process can end."""
