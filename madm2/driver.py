"""Advances many debates at once over one engine, without a barrier between their rounds."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field

from madm2.engines.base import Engine
from madm2.errors import EngineError, UserError
from madm2.methods.base import Debate
from madm2.seeds import request_seed
from madm2.types import Completion, Request, RequestKey, Transcript

MAX_LIVE_QUESTIONS = 256
# A debate is not begun while the oldest unfinished one lies this many times `max_live` before it.
WINDOW = 4


@dataclass(slots=True)
class _Live:
    """A debate that waits for completions: which, and those already in."""

    number: int
    debate: Debate
    wanted: list[RequestKey] = field(default_factory=list)
    received: dict[RequestKey, Completion] = field(default_factory=dict)


def drive(
    debates: Iterable[Debate],
    engine: Engine,
    seed: int,
    *,
    max_live: int = MAX_LIVE_QUESTIONS,
    lockstep: bool = False,
    on_completion: Callable[[Completion], None] = lambda completion: None,
) -> Generator[Transcript, None, None]:
    """Run debates to their transcripts, which come in the order of the debates.

    Whatever a debate asks for goes to the engine at once, and it goes on the moment its own
    completions are in. What ends early waits for those before it, in a window of
    `WINDOW * max_live` debates. When the iterator is closed early, what still runs is cancelled.

    Args:
        debates: generators, taken up lazily so that at most `max_live` are in memory.
        engine: where the requests go.
        seed: the run's seed; each request's own derives from it.
        max_live: debates in progress at one time.
        lockstep: hold back what debates ask for next until the engine has nothing left to do.
        on_completion: called with every completion as it arrives.

    Raises:
        EngineError: the engine failed; it names the request.
        ValueError: two requests have one key (a fault in a method or pruner).
    """
    waiting: dict[RequestKey, _Live] = {}
    held: list[tuple[Request, _Live]] = []
    ended: dict[int, Transcript] = {}
    todo = enumerate(debates)
    n_live = n_begun = n_given = 0
    exhausted = False

    def advance(live: _Live) -> bool:
        """Resume a debate until it waits for the engine (True) or ends (False)."""
        answers: list[Completion] | None = None
        if live.wanted:
            answers = [live.received[key] for key in live.wanted]
        while True:
            try:
                requests = next(live.debate) if answers is None else live.debate.send(answers)
            except StopIteration as end:
                ended[live.number] = end.value
                return False
            answers = []
            if requests:
                live.wanted, live.received = [r.key for r in requests], {}
                held.extend((request, live) for request in requests)
                if not lockstep:
                    submit()
                return True

    def submit() -> None:
        for request, live in held:
            if request.key in waiting:
                raise ValueError(f"two requests have the key {request.key}")
            waiting[request.key] = live
            try:
                engine.submit(request, request_seed(seed, request.key))
            except UserError:
                raise
            except Exception as error:
                raise EngineError([request.key]) from error
        held.clear()

    def step() -> list[Completion]:
        try:
            return engine.step()
        except UserError:
            raise
        except Exception as error:
            raise EngineError(list(waiting)) from error

    try:
        while True:
            while not exhausted and n_live < max_live and n_begun - n_given < WINDOW * max_live:
                number, debate = next(todo, (0, None))
                if debate is None:
                    exhausted = True
                else:
                    n_begun += 1
                    n_live += advance(_Live(number, debate))
            while n_given in ended:
                yield ended.pop(n_given)
                n_given += 1
            if not waiting:
                submit()
            if not waiting:
                if exhausted:
                    return
                continue
            for completion in step():
                on_completion(completion)
                live = waiting.pop(completion.key)
                live.received[completion.key] = completion
                if len(live.received) == len(live.wanted):
                    n_live -= not advance(live)
    finally:
        engine.cancel(list(waiting))
