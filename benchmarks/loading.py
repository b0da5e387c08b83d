"""Measures loading a dataset as a run does: 12,000 invented rows of MMLU-Pro's size.

python -m benchmarks.loading [DATA_FOLDER]     (one that holds mmlu_pro/, instead)

Exit code 1 when it takes a second or more, or 300 MB or more.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from madm2.datasets.convert import choices
from madm2.datasets.meta import write_set

ROWS = 12_000
# In a process of its own: the peak is that of loading, not of what wrote the rows.
LOAD = """
import resource, sys, time
from madm2.datasets.load import load_dataset
started = time.perf_counter()
rows = len(load_dataset("mmlu_pro", sys.argv[1], allow_modified=True))
print(rows, time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def main() -> int:
    with tempfile.TemporaryDirectory() as made:
        folder = sys.argv[1] if len(sys.argv) > 1 else made
        if folder == made:
            _invent(Path(made))
        found = subprocess.run(
            [sys.executable, "-c", LOAD, folder], capture_output=True, text=True, check=True
        )
    rows, seconds, peak = (float(part) for part in found.stdout.split())
    megabytes = peak / 1000 if sys.platform == "linux" else peak / 1e6
    print(f"{rows:.0f} rows: {seconds:.2f} s, {megabytes:.0f} MB at its peak")
    return 0 if seconds < 1 and megabytes < 300 else 1


def _invent(folder: Path) -> None:
    """Rows as long as the real ones: about 310 characters to ask, ten options of about 40."""
    rng = random.Random(1)
    words = [
        "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(2000)
    ]
    convert = choices("question", "options", "answer", "question_id")

    def text(length: int) -> str:
        return " ".join(rng.choices(words, k=max(1, length // 6)))

    lines = [
        json.dumps(
            convert(
                {
                    "question_id": number,
                    "question": text(310),
                    "options": [text(40) for _ in range(10)],
                    "answer": "C",
                }
            )
        )
        + "\n"
        for number in range(ROWS)
    ]
    path = folder / "mmlu_pro" / "mmlu_pro_test.jsonl"
    write_set(path, lines, source="invented", revision="", licence="none")


if __name__ == "__main__":
    sys.exit(main())
