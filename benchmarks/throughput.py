"""How close a debate comes to the engine's ceiling, and to what other ways of calling it cost.

    python -m benchmarks.throughput [--model_path M] [--questions 20 40] [--repeats 3]

Each method's requests, with the same prompts, lengths and seeds, are made in four ways:

    ceiling   all of them in the engine at once, as if no round waited for another
    driver    as a run makes them: debates, driver, journal
    lockstep  the same, but no question goes on before all have ended their round
    released  as the released code does: a call for each agent and round over all questions, a
              call for each question's judges, a call for each CoT-SC path

Answers have min(600, 20·Pareto(1.1)) tokens, whatever the model would say, so that a few long ones
decide how long a barrier waits. The draw decides what can be reached, too: a question whose answers
are long in both rounds is a chain that no schedule shortens. `chain` is the longest such chain over
the longest answer: where it is near 2, so is the driver over the ceiling, and lock-step no worse.

The ways are interleaved in a new order each time, prefix caches reset in between; the table holds
medians over the repeats, after a warm-up. Without `--model_path` the model is the tests' random
two-layer Llama. Nothing else should run on the machine.
"""

from __future__ import annotations

import argparse
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from madm2.api import Agent, MultiAgentDebate
from madm2.engines.base import Engine
from madm2.engines.journaled import JournaledEngine
from madm2.engines.vllm import VllmEngine
from madm2.journal import Journal
from madm2.seeds import request_seed
from madm2.types import Completion, Question, QuestionId, Request, RequestKey, Sampling

METHODS = {
    "naive": {"prune_strategy": "naive"},
    "subjective": {"prune_strategy": "subjective"},
    "objective": {"prune_strategy": "objective"},
    "CoT-SC": {"num_agents": 6, "only_voting": True},
}


class FixedLengths:
    """An engine that gives every request the length drawn by its seed, and notes the requests."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.requests: list[Request] = []

    def submit(self, request: Request, seed: int) -> None:
        n = length(seed)
        sampling = replace(request.sampling, max_tokens=n, min_tokens=n, ignore_eos=True, stop=())
        self.requests.append(replace(request, sampling=sampling))
        self._engine.submit(self.requests[-1], seed)

    def step(self) -> list[Completion]:
        return self._engine.step()

    def cancel(self, keys: Collection[RequestKey]) -> None:
        self._engine.cancel(keys)

    def head(self, text: str, n_tokens: int) -> str:
        return self._engine.head(text, n_tokens)

    def describe(self) -> Mapping[str, object]:
        return self._engine.describe()

    def close(self) -> None:
        """The engine is used again."""


def length(seed: int) -> int:
    return min(600, int(20 * random.Random(seed).paretovariate(1.1)))


def debate(
    engine: VllmEngine,
    questions: list[Question],
    method: Mapping[str, object],
    seed: int,
    lockstep: bool,
) -> list[Request]:
    """Run debates over a fresh journal; return their requests."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.jsonl")
        lengths = FixedLengths(engine)
        agent = Agent(JournaledEngine(lambda: lengths, journal), Sampling())
        mad = MultiAgentDebate(agent, "arithmetic", seed=seed, lockstep=lockstep, **method)
        for _ in mad.transcripts(questions):
            pass
        journal.close()
    return lengths.requests


def call(engine: VllmEngine, requests: Iterable[Request], seed: int) -> None:
    """Have all of these answered, as one call of `generate` would."""
    n = 0
    for request in requests:
        engine.submit(request, request_seed(seed, request.key))
        n += 1
    while n:
        n -= len(engine.step())


def released_calls(requests: list[Request]) -> Iterator[list[Request]]:
    """The requests in the calls of the released code, one after the other."""
    calls: dict[tuple[int, bool, int | QuestionId], list[Request]] = {}
    order: dict[QuestionId, int] = {}
    for request in requests:
        key = request.key
        number = order.setdefault(key.question_id, len(order))
        is_answer = key.purpose == "answer"
        place = (key.round, is_answer, key.agent if is_answer else number)
        calls.setdefault(place, []).append(request)
    for place in sorted(calls):
        yield calls[place]


@dataclass
class Measured:
    seconds: dict[str, list[float]]
    tokens: int
    chain: float


def longest_chain(requests: list[Request]) -> float:
    """The longest chain of answers that wait for each other, over the longest answer."""
    stages: dict[QuestionId, dict[tuple[int, bool], int]] = {}
    for request in requests:
        key, n = request.key, request.sampling.max_tokens
        longest = stages.setdefault(key.question_id, {})
        stage = (key.round, key.purpose == "answer")
        longest[stage] = max(longest.get(stage, 0), n)
    chains = [sum(longest.values()) for longest in stages.values()]
    return max(chains) / max(request.sampling.max_tokens for request in requests)


def measure(
    engine: VllmEngine,
    questions: list[Question],
    method: Mapping[str, object],
    seed: int,
    repeats: int,
) -> Measured:
    requests = debate(engine, questions, method, seed, lockstep=False)  # the warm-up

    def released() -> None:
        for one_call in released_calls(requests):
            call(engine, one_call, seed)

    ways: dict[str, Callable[[], object]] = {
        "ceiling": lambda: call(engine, requests, seed),
        "driver": lambda: debate(engine, questions, method, seed, lockstep=False),
        "lockstep": lambda: debate(engine, questions, method, seed, lockstep=True),
        "released": released,
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for repeat in range(repeats):
        names = list(ways)
        random.Random(repeat).shuffle(names)
        for name in names:
            engine.reset_prefix_cache()
            started = time.perf_counter()
            ways[name]()
            seconds[name].append(time.perf_counter() - started)
    tokens = sum(request.sampling.max_tokens for request in requests)
    return Measured(seconds, tokens, longest_chain(requests))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model_path")
    parser.add_argument("--questions", type=int, nargs="+", default=[20, 40])
    parser.add_argument("--seeds", type=int, nargs="+", default=[7], help="draws of the lengths")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = args.model_path
        if path is None:
            from tests.e2e.tiny_model import build_tiny_model

            path = str(build_tiny_model(Path(folder), max_positions=8192))
        engine = VllmEngine(path, engine_args={"max_model_len": 8192})
        print(
            "questions  seed  method      tokens  tokens/s  chain   ceiling s   "
            "driver: /ceiling /lockstep /released"
        )
        for n, seed, name in itertools.product(args.questions, args.seeds, args.methods):
            questions = [
                Question(i, "arithmetic", f"What is {i} + {3 * i + 4}?", str(4 * i + 4), "numeric")
                for i in range(n)
            ]
            found = measure(engine, questions, METHODS[name], seed, args.repeats)
            median = {way: statistics.median(s) for way, s in found.seconds.items()}
            ratios = [median["driver"] / median[w] for w in ("ceiling", "lockstep", "released")]
            print(
                f"{n:<10} {seed:<5} {name:<11} {found.tokens:6,}"
                f" {found.tokens / median['driver']:9,.0f} {found.chain:6.2f}"
                f" {median['ceiling']:11.2f}   " + "".join(f"{r:10.2f}" for r in ratios),
                flush=True,
            )
        engine.close()


if __name__ == "__main__":
    main()
