"""The command line as a program, over the real engine with the tiny random model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.real_engine


def debate(tiny_model: Path, save_path: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable, "multi_agent_debate.py", "--dataset", "arithmetic", "--limit", "3",
        "--model_path", str(tiny_model), "--save_path", str(save_path),
        "--set", "max_tokens=12", "max_model_len=1024", *args,
    ]  # fmt: skip
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    "args",
    [
        ("--prune_strategy", "subjective", "--num_agents", "2"),
        ("--prune_strategy", "objective", "--instrument", "released", "--max_round", "3"),
    ],
    ids=["subjective", "objective-released"],
)
def test_the_main_job(tiny_model: Path, tmp_path: Path, args: tuple[str, ...]) -> None:
    done = debate(tiny_model, tmp_path, *args)
    assert done.returncode == 0, done.stderr
    assert "accuracy, paper instrument" in done.stdout
    assert "Traceback" not in done.stderr
    samples = [json.loads(line) for line in next(tmp_path.rglob("samples.jsonl")).open()]
    assert len(samples) == 3
    for sample in samples:
        first, *later = sample["rounds"]
        texts = [c["text"] for c in first["completions"]]
        assert len(set(texts)) == len(texts), "agents with one prompt are different samples"
        for rnd in later:
            assert len(rnd["mask"]["keep"]) == len(texts)
        for c in first["completions"]:
            assert c["output_tokens"] == c["logprobs"]["count"] <= 12
            assert c["logprobs"]["sampled_sum"] <= c["logprobs"]["top_sum"] <= 0
    results = json.loads(next(tmp_path.rglob("results.json")).read_text())
    assert results["settings"]["engine_settings"]["engine"] == "vllm"
    assert results["output_tokens"]["total"] > 0
