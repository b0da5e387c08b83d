"""The preflight over the real engine, to the two tokens of a tiny model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.real_engine


def test_the_preflight_ends_in_two_tokens(tiny_model: Path, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "madm2.doctor", "--model_path", str(tiny_model), "--generate",
        "--dataset", "arithmetic", "--save_path", str(tmp_path), "--set", "max_model_len=1024",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    told = done.stdout
    assert "\nok       vLLM  " in told, told + done.stderr
    for name in ("Model config", "Weights", "Tokenizer", "Chat template", "Dataset"):
        assert f"\nok       {name}  " in told, told
    assert "\nok       Generation  2 tokens in " in told, told
    assert "Traceback" not in done.stderr
    assert done.returncode == (" 0 failed" not in told.splitlines()[-1])
