"""An engine that answers from a recorded run, and counts what it would have to ask a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from madm2.errors import UserError
from madm2.journal import Record, cut_key
from madm2.types import Completion, LogprobSummary, QuestionId, Request, RequestKey


class ReplayEngine:
    """Gives out recorded completions to whoever asks for the same.

    A request is the same when its key is recorded and it reads the same earlier completions, in
    the same order; how a memory is printed does not count. A request without a recorded
    completion gets an empty one and is counted, and so is what its question asks afterwards.

    Args:
        find: the record of a key, None when there is none.
        cuts: what `head` had left of texts; a text that is not there stays whole.
    """

    def __init__(
        self,
        find: Callable[[RequestKey], Record | None],
        cuts: Mapping[tuple[str, int], int],
    ) -> None:
        self.needed = 0
        self.needed_after = 0
        self.incomplete: set[QuestionId] = set()
        self._find = find
        self._cuts = cuts
        self._ready: dict[RequestKey, Completion] = {}
        self._missing: set[RequestKey] = set()

    def submit(self, request: Request, seed: int) -> None:
        """Queue a request."""
        key = request.key
        record = self._find(key)
        if key.question_id in self.incomplete:
            self.needed_after += 1
        elif record is not None and record.reads == request.reads:
            self._ready[key] = record.completion
            return
        else:
            self.needed += 1
            self._missing.add(key)
        nothing = LogprobSummary(0, 0.0, 0.0)
        self._ready[key] = Completion(key, "", 0, 0, nothing, "not_recorded", seed)

    def step(self) -> list[Completion]:
        """Return everything that is waited for."""
        done, self._ready = list(self._ready.values()), {}
        self.incomplete |= {key.question_id for key in self._missing}
        return done

    def cancel(self, keys: Collection[RequestKey]) -> None:
        """Drop queued requests."""
        for key in keys:
            self._ready.pop(key, None)

    def head(self, text: str, n_tokens: int) -> str:
        """Return what the recorded run left of a text."""
        return text[: self._cuts.get(cut_key(text, n_tokens), len(text))]

    def describe(self) -> Mapping[str, object]:
        """Name only: no model speaks."""
        return {"engine": "replay"}

    def close(self) -> None:
        """Nothing to release."""

    def require_complete(self, source: str, finished: bool) -> None:
        """Refuse a replay that asked for what is not recorded, saying how much that is.

        Args:
            source: what is replayed.
            finished: whether the recorded run had ended.
        """
        if not self.needed:
            return
        have = (
            f"{self.needed:,} for {len(self.incomplete):,} questions, and up to "
            f"{self.needed_after:,} more that depend on them"
        )
        if not finished:
            raise UserError(
                f"{source} is the recording of a run that has not ended",
                have=f"it lacks completions: {have}",
                fix=f"let the run go on first: python -m madm2.runs show {source} says its command",
            )
        raise UserError(
            "this replay needs completions that are not recorded",
            have=have,
            need="a vote, instrument or pruner whose masks are those that were recorded",
            fix="ask a model instead: a run of its own, with --engine vllm and the flags that "
            f"python -m madm2.runs show {source} lists, changed as here",
        )
