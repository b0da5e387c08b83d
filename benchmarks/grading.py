"""Measures grading: the 5,000 MATH gold answers, and 1,000 hostile ones.

python -m benchmarks.grading DATA_FOLDER     (the folder that holds math/)
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.hostile import hostile_answers
from madm2.datasets.load import load_dataset
from madm2.grading import worker
from madm2.grading.equal import grade
from madm2.grading.extract import gold_answer

WRAPPERS = ("{}", "\\({}\\)", "\\[{}\\]", "${}$", "\\boxed{{{}}}")
GOLDS = ("5", "x^2-1", "\\frac{1}{2}", "(1,2)", "1,2,3", "\\text{even}", "\\sqrt{x}", "\\pi", "x=2")


def main() -> int:
    worker.warm_up()
    return _golds(Path(sys.argv[1])) + _hostile(1000)


def _golds(data: Path) -> int:
    golds = [
        gold_answer(question.gold, answer_type="math") or ""
        for question in load_dataset("math", data)
    ]
    seconds: list[float] = []
    failed = 0
    started = time.process_time()
    for wrapper in WRAPPERS:
        for gold in golds:
            status, took = _timed(gold, wrapper.format(gold))
            seconds.append(took)
            failed += status != "correct"
    alike = []
    for gold, other in zip(golds, golds[1:] + golds[:1], strict=True):
        status, took = _timed(gold, other)
        seconds.append(took)
        if status != "incorrect" and gold != other:
            alike.append(f"{gold} ~ {other}: {status}")
    print(f"{len(golds)} gold answers, {len(seconds)} pairs: {sum(seconds):.1f} s")
    print(f"own process {time.process_time() - started:.1f} s of processor time")
    print(f"median {1000 * statistics.median(seconds):.4f} ms, slowest {max(seconds):.3f} s")
    print(f"not equal to themselves, plain or wrapped: {failed}")
    print("equal to the next one and written otherwise: " + ("; ".join(alike) or "none"))
    return failed


def _hostile(count: int) -> int:
    failed = 0
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        canary = Path(folder) / "canary"
        for i, answer in enumerate(hostile_answers(count, 0, str(canary))):
            for gold in (GOLDS[i % len(GOLDS)], answer):  # the second: against itself
                status, took = _timed(gold, answer + " + 1" if gold == answer else answer)
                slowest = max(slowest, took)
                if took > 2.5 or (gold != answer and status == "correct"):
                    failed += 1
                    print(f"{status} after {took:.2f} s: {answer[:60]!r}")
            if _timed("\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt{2}}{2}")[0] != "correct":
                failed += 1
                print(f"the next answer is wrong after {answer[:60]!r}")
        if canary.exists():
            failed += 1
            print("code was run")
    print(f"{count} hostile answers: {failed} failed, slowest {slowest:.2f} s")
    return failed


def _timed(gold: str, prediction: str) -> tuple[str, float]:
    started = time.perf_counter()
    status = grade(gold=gold, prediction=prediction, answer_type="math")
    return status, time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(min(main(), 1))
