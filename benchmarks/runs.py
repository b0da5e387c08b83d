"""A long run on the scripted engine: its memory, and how long resuming it takes.

    python -m benchmarks.runs [--questions 12000] [--tokens 2000]

Three agents, two rounds, answers of so many tokens. Then the run's results are removed, as if it
had been killed before its end, and the same command goes on: with the samples that were written,
and without them, when every question is replayed and scored again. Each is a process of its own;
its peak memory is that process's.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from madm2.cli import main
from madm2.engines.scripted import ScriptedEngine
from madm2.types import Completion

SENTENCE = "Then I look at each of the numbers once more to be sure. "
RUN = "main/scripted/long/mad_3agents_2rounds_seed42"


def one_run(flags: list[str], tokens: int) -> None:
    """Run the command line with answers of so many words; print seconds and peak memory."""
    filler = SENTENCE * (tokens // len(SENTENCE.split()))
    step = ScriptedEngine.step

    def long_winded(self: ScriptedEngine) -> list[Completion]:
        return [replace(c, text=filler + c.text, output_tokens=tokens) for c in step(self)]

    ScriptedEngine.step = long_winded  # type: ignore[method-assign]
    started = time.perf_counter()
    code = main(flags)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"code": code, "seconds": time.perf_counter() - started, "peak_mb": peak}))


def measure(folder: Path, questions: int, tokens: int) -> None:
    data = folder / "long.jsonl"
    with data.open("w") as file:
        for i in range(questions):
            file.write(json.dumps({"query": f"What is {i} + 30?", "answer": str(i + 30)}) + "\n")
    flags = ["--engine", "scripted", "--dataset_path", data, "--answer_type", "numeric"]
    flags += ["--num_samples", "all", "--save_path", folder]
    command = [sys.executable, "-m", "benchmarks.runs", "--tokens", tokens, "--run", *flags]
    run = folder / RUN
    for name, remove in (
        ("the whole run", ()),
        ("resumed", ("results.json",)),
        ("resumed, all scored again", ("results.json", "samples.jsonl")),
        ("finished", ()),
    ):
        for file_name in remove:
            (run / file_name).unlink()
        done = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
        figures = json.loads(done.stdout.splitlines()[-1])
        print(f"{name:<28}{figures['seconds']:8.1f} s{figures['peak_mb']:8.0f} MB peak")
    size = (run / "journal.jsonl").stat().st_size / 2**20
    print(f"{questions * 6:,} completions of {tokens:,} tokens, journal of {size:,.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=12_000)
    parser.add_argument("--tokens", type=int, default=2_000)
    parser.add_argument("--run", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.run:
        one_run(args.run, args.tokens)
    else:
        with tempfile.TemporaryDirectory() as name:
            measure(Path(name), args.questions, args.tokens)
