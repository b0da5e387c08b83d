"""A run over the real engine, killed in its middle, goes on from what is recorded."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.real_engine


def test_killed_and_resumed(tiny_model: Path, tmp_path: Path) -> None:
    command = [
        sys.executable, "multi_agent_debate.py", "--dataset", "arithmetic", "--limit", "16",
        "--prune_strategy", "subjective", "--model_path", tiny_model, "--save_path", tmp_path,
        "--set", "max_tokens=24", "max_model_len=1024", "max_num_seqs=8",
    ]  # fmt: skip
    command = list(map(str, command))
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None and len(journal_rows(tmp_path)) < 20:
        time.sleep(0.05)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    before = journal_rows(tmp_path)
    assert 20 <= len(before) < 144
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert f"going on: {len(before)} completions are recorded" in done.stderr
    rows = journal_rows(tmp_path)
    assert rows[: len(before)] == before
    keys = [json.dumps(json.loads(row)["key"]) for row in rows]
    assert len(keys) == len(set(keys)) == 16 * (3 + 3 + 3)

    # Finished: the same command again loads nothing.
    again = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['vllm'] = None\n"
         "from madm2.cli import main; sys.exit(main(sys.argv[1:]))", *command[2:]],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert again.returncode == 0, again.stderr
    assert again.stdout == done.stdout


def journal_rows(save_path: Path) -> list[bytes]:
    for path in save_path.rglob("journal.jsonl"):
        return [row for row in path.read_bytes().splitlines(True)[1:] if row.endswith(b"\n")]
    return []
