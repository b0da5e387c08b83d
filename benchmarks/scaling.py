"""What a debate costs against its agents, rounds and questions, and what the driver itself costs.

    python -m benchmarks.scaling [--model_path M] [--tokens 32]

Without `--model_path` the engine is the scripted one, so that the seconds are this project's own;
with it, answers have as many tokens as `--tokens` says. The driver alone is measured with trivial
debates over an engine that answers at once: no template, journal, reading or grading.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from collections.abc import Collection, Iterator

from madm2.api import Agent, MultiAgentDebate
from madm2.driver import drive
from madm2.engines import Engine, ScriptedEngine
from madm2.methods import Debate
from madm2.types import (
    Completion,
    LogprobSummary,
    Question,
    Request,
    RequestKey,
    Sampling,
    Transcript,
)


class AtOnce:
    """An engine that answers everything in its next step."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Request, int]] = deque()

    def submit(self, request: Request, seed: int) -> None:
        self._waiting.append((request, seed))

    def step(self) -> list[Completion]:
        summary = LogprobSummary(1, -1.0, -1.0)
        done = [Completion(r.key, "", 1, 1, summary, "stop", seed) for r, seed in self._waiting]
        self._waiting.clear()
        return done

    def cancel(self, keys: Collection[RequestKey]) -> None:
        pass


def trivial(number: int) -> Debate:
    for index in (1, 2):
        keys = [RequestKey(number, index, "answer", agent) for agent in range(3)]
        yield [Request(key, (), Sampling()) for key in keys]
    return Transcript(Question(number, "", "", "", "text"), "mad", ())


def driver_alone() -> None:
    print("driver alone:      requests   µs a request")
    for n in (1_000, 10_000, 100_000):
        started = time.perf_counter()
        debates = (trivial(i) for i in range(n // 6))
        deque(drive(debates, AtOnce(), 1), maxlen=0)  # type: ignore[arg-type]
        print(f"{n:>27,} {(time.perf_counter() - started) / n * 1e6:14.1f}", flush=True)


def shapes() -> Iterator[tuple[int, int, int]]:
    yield from ((agents, 2, 50) for agents in (3, 4, 6, 8, 10))
    yield from ((3, rounds, 50) for rounds in (2, 3, 4, 6, 8, 10))
    yield from ((3, 2, questions) for questions in (50, 500, 5_000))


def debates(model: Engine | None, sampling: Sampling) -> None:
    print("agents  rounds  questions    seconds   tokens in  tokens out   ms a completion")
    for agents, rounds, n in shapes():
        questions = [
            Question(i, "arithmetic", f"What is {i} + 30?", str(i + 30), "numeric")
            for i in range(n)
        ]
        engine = model or ScriptedEngine(questions)
        mad = MultiAgentDebate(
            Agent(engine, sampling), "arithmetic", agents, rounds, "naive", seed=rounds
        )
        tokens_in = tokens_out = calls = 0
        started = time.perf_counter()
        for transcript in mad.transcripts(questions):
            for completion in transcript.completions():
                calls += 1
                tokens_in += completion.input_tokens
                tokens_out += completion.output_tokens
        seconds = time.perf_counter() - started
        print(
            f"{agents:>6} {rounds:>7} {n:>10,} {seconds:>10.2f} {tokens_in:>11,} {tokens_out:>11,}"
            f" {seconds / calls * 1e3:>17.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_path")
    parser.add_argument("--tokens", type=int, default=32)
    args = parser.parse_args()
    driver_alone()
    model = None
    if args.model_path:
        from madm2.engines.vllm import VllmEngine

        model = VllmEngine(args.model_path)
    n = args.tokens
    sampling = Sampling(max_tokens=n, min_tokens=n, ignore_eos=True) if model else Sampling()
    debates(model, sampling)
    if model:
        model.close()


if __name__ == "__main__":
    main()
