"""An engine behind a journal: what is recorded is answered from disk, the rest is recorded."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace

from madm2.engines.base import Engine
from madm2.errors import UserError
from madm2.journal import Cut, Journal, Record, cut_key
from madm2.types import Completion, Message, Request, RequestKey, Sampling


class JournaledEngine:
    """Answers recorded requests from the journal; records every other completion in it.

    The engine is made when the first request needs it: a run that is recorded whole loads no
    model.

    Args:
        make_engine: loads the engine.
        journal: of this run.
        donors: journals of runs whose first round may stand for this one's: where the same key
            was asked the same with the same seed, the completion is taken from there.
    """

    def __init__(
        self,
        make_engine: Callable[[], Engine],
        journal: Journal,
        donors: Sequence[Journal] = (),
    ) -> None:
        self.journal = journal
        self._donors = donors
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._recorded: dict[RequestKey, Completion] = {}
        self._asked: dict[RequestKey, tuple[Request, tuple[Cut, ...]]] = {}
        self._cuts: list[Cut] = []  # made for the prompt that comes next
        self._tokens = 0
        self._former_seconds = journal.seconds
        self._started: float | None = None
        self._hashed: tuple[tuple[Message, ...], str] = ((), "")
        self._plain: dict[Sampling, dict[str, object]] = {}

    @property
    def tokens_per_second(self) -> float:
        """Output tokens a second that this process generated."""
        return self._tokens / max(self.seconds - self._former_seconds, 1e-9)

    @property
    def seconds(self) -> float:
        """Seconds since the first request went to the engine, earlier sessions' added."""
        now = time.perf_counter()
        return self._former_seconds + (0.0 if self._started is None else now - self._started)

    def submit(self, request: Request, seed: int) -> None:
        """Queue a request; UserError when its key is recorded for another prompt."""
        if request.key in self.journal:
            record = self.journal.read(request.key)
            if not self._is_same(request, record):
                raise UserError(
                    f"{self.journal.path} records {request.key} for another prompt or sampling",
                    need="the code, prompts and settings that the run was begun with",
                    fix="begin anew with --overwrite, or delete all lines of this question from "
                    "the journal: it is asked again from the first round",
                )
            self._recorded[request.key] = record.completion
            return
        if given := self._donated(request, seed):
            self.journal.append([given])
            self._recorded[request.key] = given.completion
            return
        engine = self._loaded()
        if self._started is None:
            self._started = time.perf_counter()
        self._asked[request.key] = (request, tuple(self._cuts))
        self._cuts.clear()
        engine.submit(request, seed)

    def step(self) -> list[Completion]:
        """Return what is recorded, if any is waited for; else advance the engine and record."""
        if self._recorded:
            recorded, self._recorded = self._recorded, {}
            return list(recorded.values())
        done = self._loaded().step()
        if done:
            self.journal.append([self._record(completion) for completion in done])
            self._tokens += sum(completion.output_tokens for completion in done)
        return done

    def cancel(self, keys: Collection[RequestKey]) -> None:
        """Drop queued or running requests."""
        for key in keys:
            self._recorded.pop(key, None)
        running = [key for key in keys if self._asked.pop(key, None)]
        if running and self._engine is not None:
            self._engine.cancel(running)

    def head(self, text: str, n_tokens: int) -> str:
        """Return the part of `text` that its first `n_tokens` tokens spell."""
        if len(text.encode("utf-8", "surrogatepass")) <= n_tokens:
            return text  # a token spells a byte at least
        key, known = cut_key(text, n_tokens), self.journal.cuts
        if key not in known:
            known[key] = len(self._loaded().head(text, n_tokens))
            self._cuts.append((*key, known[key]))
        return text[: known[key]]

    def describe(self) -> Mapping[str, object]:
        """The engine's own settings; empty while none is loaded."""
        return {} if self._engine is None else self._engine.describe()

    def close(self) -> None:
        """Nothing to release: engine and journal belong to whoever made them."""

    def _loaded(self) -> Engine:
        if self._engine is None:
            self._engine = self._make_engine()
        return self._engine

    def _record(self, completion: Completion) -> Record:
        request, cuts = self._asked.pop(completion.key)
        return Record(
            completion,
            self._messages_sha256(request.messages),
            self._sampling(request.sampling),
            request.reads,
            cuts,
            self.seconds,
        )

    def _donated(self, request: Request, seed: int) -> Record | None:
        for donor in self._donors if request.key.round == 1 else ():
            if request.key in donor:
                record = donor.read(request.key)
                if record.completion.seed == seed and self._is_same(request, record):
                    return replace(record, seconds=self.seconds, shared=True)
        return None

    def _is_same(self, request: Request, record: Record) -> bool:
        """Whether a record answers this request."""
        return record.messages_sha256 == self._messages_sha256(
            request.messages
        ) and record.sampling == self._sampling(request.sampling)

    def _sampling(self, sampling: Sampling) -> dict[str, object]:
        """The settings as JSON gives them back."""
        if sampling not in self._plain:
            self._plain[sampling] = json.loads(json.dumps(asdict(sampling)))
        return self._plain[sampling]

    def _messages_sha256(self, messages: tuple[Message, ...]) -> str:
        # Agents of a round share one prompt, and come one after the other.
        if self._hashed[0] is not messages:
            self._hashed = (messages, messages_sha256(messages))
        return self._hashed[1]


def messages_sha256(messages: tuple[Message, ...]) -> str:
    """Hash of chat messages, which with the model's chat template decide the prompt."""
    pairs = [[message.role, message.content] for message in messages]
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()
