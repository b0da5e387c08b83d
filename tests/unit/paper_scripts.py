"""Runs the scripts that rerun the paper, and reads the commands that they print."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from argparse import Namespace

from madm2.cli import build_parser
from madm2.config import load_model_config
from madm2.datasets.registry import DATASETS
from madm2.grid import spread
from madm2.method_flags import shape_of
from madm2.pruners import PRUNERS
from tests.conftest import ROOT

BASH = shutil.which("bash")


def script(name: str, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    assert BASH
    inherited = {"PATH": os.environ["PATH"], "HOME": "/home/of", "PYTHON": sys.executable}
    return subprocess.run(
        [BASH, str(ROOT / "scripts" / f"{name}.sh"), *words],
        cwd=ROOT,
        env=inherited | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def commands(name: str, *words: str, **env: str) -> list[list[str]]:
    """The commands that a script would run, without the report's."""
    done = script(name, *words, DRY_RUN="1", REPORT="0", **env)
    assert (done.returncode, done.stderr) == (0, "")
    return [shlex.split(line) for line in done.stdout.splitlines()]


def flags(command: list[str]) -> Namespace:
    """The flags of a printed command, each of whose runs has a method that takes them."""
    python, program, *words = command
    assert (python, program) == (sys.executable, str(ROOT / "multi_agent_debate.py"))
    args = build_parser().parse_args(words)
    for run in spread(args):
        shape_of(run)
        assert run.prune_strategy in PRUNERS and run.dataset in DATASETS
        load_model_config(run.model_name, model_path=run.model_path, needs_model=False)
    return args
