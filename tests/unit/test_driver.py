from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.driver import WINDOW, drive
from madm2.errors import EngineError
from madm2.seeds import request_seed
from madm2.types import (
    Completion,
    LogprobSummary,
    Question,
    Request,
    RequestKey,
    Sampling,
    Transcript,
)


class OneAtATime:
    """Completes one request a step, in an order of the test's choosing; remembers all it saw."""

    def __init__(self, order: Iterator[int] | None = None) -> None:
        self.queue: list[tuple[Request, int]] = []
        self.submitted: list[RequestKey] = []
        self.cancelled: list[RequestKey] = []
        self.order = order
        self.most_queued = 0

    def submit(self, request: Request, seed: int) -> None:
        self.queue.append((request, seed))
        self.submitted.append(request.key)
        self.most_queued = max(self.most_queued, len(self.queue))

    def step(self) -> list[Completion]:
        index = next(self.order) % len(self.queue) if self.order else 0
        request, seed = self.queue.pop(index)
        text = f"{request.key.question_id}.{request.key.round}.{request.key.agent}"
        return [Completion(request.key, text, 1, 1, LogprobSummary(1, -1, -1), "stop", seed)]

    def cancel(self, keys: Collection[RequestKey]) -> None:
        self.cancelled.extend(keys)

    def head(self, text: str, n_tokens: int) -> str:
        return text

    def describe(self) -> Mapping[str, object]:
        return {}

    def close(self) -> None:
        pass


def talk(identifier: int, agents: int, rounds: int, seen: dict[int, list[list[str]]]):
    for index in range(1, rounds + 1):
        completions = yield [
            Request(RequestKey(identifier, index, "answer", agent), (), Sampling())
            for agent in range(agents)
        ]
        seen.setdefault(identifier, []).append([c.text for c in completions])
    return Transcript(Question(identifier, "d", "q", "g", "text"), "talk", ())


@given(
    shape=st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)), max_size=8),
    order=st.lists(st.integers(0, 1000), min_size=1),
    max_live=st.integers(1, 4),
)
def test_each_debate_gets_its_own_completions_in_its_own_order(
    shape: list[tuple[int, int]], order: list[int], max_live: int
) -> None:
    seen: dict[int, list[list[str]]] = {}
    cycle = (order[i % len(order)] for i in range(10**6))
    engine = OneAtATime(cycle)
    debates = (talk(i, agents, rounds, seen) for i, (agents, rounds) in enumerate(shape))
    done = [t.question.id for t in drive(debates, engine, 1, max_live=max_live)]
    assert done == list(range(len(shape)))
    for i, (agents, rounds) in enumerate(shape):
        want = [[f"{i}.{r}.{a}" for a in range(agents)] for r in range(1, rounds + 1)]
        assert seen.get(i, []) == want
    assert engine.most_queued <= 4 * max_live


def test_there_is_no_barrier_between_rounds() -> None:
    seen: dict[int, list[list[str]]] = {}
    engine = OneAtATime()
    engine.order = iter([0] * 100)
    list(drive([talk(0, 2, 2, seen), talk(1, 2, 1, seen)], engine, 1))
    second_round = engine.submitted.index(RequestKey(0, 2, "answer", 0))
    # Question 0 went on to round 2 while question 1 had both answers of round 1 to come.
    assert second_round == 4


def test_lockstep_waits_for_the_whole_round() -> None:
    engine = OneAtATime(iter([5, 3, 1, 0, 2, 1] * 20))
    seen: dict[int, list[list[str]]] = {}
    debates = (talk(i, 2, rounds, seen) for i, rounds in enumerate((1, 3, 2)))
    assert len(list(drive(debates, engine, 1, lockstep=True))) == 3
    assert [key.round for key in engine.submitted] == [1] * 6 + [2] * 4 + [3] * 2
    assert seen[1] == [["1.1.0", "1.1.1"], ["1.2.0", "1.2.1"], ["1.3.0", "1.3.1"]]


def test_debates_are_taken_up_lazily() -> None:
    started: list[int] = []

    def debates():
        for i in range(10):
            started.append(i)
            yield talk(i, 1, 1, {})

    run = drive(debates(), OneAtATime(), 1, max_live=2)
    next(run)
    assert len(started) <= 3


def test_few_debates_are_begun_before_an_old_one_has_ended() -> None:
    begun: list[int] = []

    def debates():
        for i in range(100):
            begun.append(i)
            yield talk(i, 1, 1, {})

    engine = OneAtATime(iter([1] * 7 + [0] * 93))  # the first request comes eighth
    assert [t.question.id for t in drive(debates(), engine, 1, max_live=2)] == list(range(100))
    engine, begun[:] = OneAtATime(iter([1] * 7)), []
    run = drive(debates(), engine, 1, max_live=2)
    with pytest.raises(EngineError, match="question 0, round 1, answer, agent 0"):
        next(run)
    assert len(begun) == WINDOW * 2


@pytest.mark.parametrize("refuse", ["submit", "step"])
def test_an_engine_that_fails_is_named_with_the_request(refuse: str) -> None:
    engine = OneAtATime()

    def fail(*args: object) -> None:
        raise RuntimeError("lost")

    setattr(engine, refuse, fail)
    with pytest.raises(EngineError) as caught:
        list(drive([talk(7, 3, 1, {})], engine, 1))
    more = "" if refuse == "submit" else " and 2 more requests"
    assert str(caught.value) == f"the engine failed on question 7, round 1, answer, agent 0{more}"
    assert str(caught.value.__cause__) == "lost"
    assert engine.cancelled


def test_seeds_come_from_the_run_seed_and_the_key() -> None:
    completions: list[Completion] = []
    list(drive([talk(3, 2, 1, {})], OneAtATime(), 9, on_completion=completions.append))
    assert [c.seed for c in completions] == [request_seed(9, c.key) for c in completions]


def test_closing_early_cancels_what_is_running() -> None:
    engine = OneAtATime()
    run = drive((talk(i, 3, 1, {}) for i in range(4)), engine, 1)
    next(run)
    run.close()
    assert len(engine.cancelled) == 9


def test_a_key_used_twice_is_a_fault() -> None:
    def twice():
        yield [Request(RequestKey(1, 1, "answer", 0), (), Sampling())] * 2

    with pytest.raises(ValueError, match="key"):
        list(drive([twice()], OneAtATime(), 1))


def test_an_empty_request_list_is_answered_at_once() -> None:
    def silent():
        assert (yield []) == []
        return Transcript(Question(1, "d", "q", "g", "text"), "silent", ())

    assert len(list(drive([silent()], OneAtATime(), 1))) == 1
