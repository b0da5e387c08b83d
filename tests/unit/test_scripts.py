"""The scripts that rerun the paper: the commands they run, arguments, mistakes."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from madm2.grid import spread
from tests.conftest import ROOT
from tests.unit.paper_scripts import BASH, commands, flags, script

pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")
FIVE = ["aime24", "aime25", "mmlu_pro", "math", "gsm8k"]
FOUR = ["qwen2.5-7b", "qwen2.5-math-7b", "deepseek-math-7b", "qwq-32b"]
SEEDS = [41, 42, 43, 44, 45]
SIZES = [3, 4, 5, 6, 8, 10]
DEPTHS = [2, 3, 5, 6, 8, 10]
SCRIPTS = ("table1", "table2", "table3", "figure3", "scale_agents", "scale_rounds", "sweep")
CALLERS = ("run_all_model_baselines", "run_all_mad_mm_variants", "run_all_mad_analyses")


@pytest.mark.parametrize(
    ("name", "models", "datasets", "cells"),
    [
        ("table1", FOUR, FIVE, [("cot cot_sc mad", "naive subjective objective", 3, 2, False, 5)]),
        ("table2", FOUR[:3], FIVE, [("mad", "subjective", 3, 2, True, 1)]),
        ("table3", FOUR[:2], FIVE, [("mad", "subjective objective", 6, 2, False, 2), ("sparse_mad", "naive", 6, 2, False, 1)]),
        ("figure3", FOUR[:2], FIVE, [("mad", "subjective objective", 3, 2, False, 2)]),
        ("scale_agents", FOUR[:1], ["gsm8k", "math"], [("mad", "naive subjective objective", n, 2, False, 3) for n in SIZES]),
        ("scale_rounds", FOUR[:1], ["mmlu_pro"], [("mad", "naive subjective", 3, n, False, 2) for n in DEPTHS]),
        ("sweep", FOUR[:1], FIVE, [("mad", "naive", 3, 2, False, 1)]),
    ],
)  # fmt: skip
def test_the_papers_cells(
    name: str, models: list[str], datasets: list[str], cells: list[tuple[object, ...]]
) -> None:
    found = [flags(command) for command in commands(name)]
    assert [
        (a.model_name, " ".join(a.method), " ".join(a.prune_strategy), a.num_agents, a.max_round, a.strict)
        for a in found
    ] == [(model, *cell[:-1]) for cell in cells for model in models]  # fmt: skip
    for args, cell in zip(found, [cell for cell in cells for _ in models], strict=True):
        assert (args.dataset, args.seed) == (datasets, SEEDS)
        assert (args.save_path, args.exp_name) == ("results", "main")
        assert len(spread(args)) == cell[-1] * len(datasets) * len(SEEDS)
        assert args.num_reasoning_paths == (6 if "cot_sc" in args.method else None)
        assert (args.gpu_id, args.parallel, args.limit, args.num_samples) == (
            None,
            False,
            None,
            None,
        )


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("run_all_model_baselines", [("table1", "METHODS=cot cot_sc mad", "MASKS=naive")]),
        ("run_all_mad_mm_variants", [("table1", "METHODS=mad", "MASKS=subjective objective"), ("table2",)]),
        ("run_all_mad_analyses", [("figure3",), ("table3",), ("scale_agents",), ("scale_rounds",)]),
    ],
)  # fmt: skip
def test_the_released_names(name: str, parts: list[tuple[str, ...]]) -> None:
    words = ("--seeds", "1", "--", "--strict")
    want = []
    for part, *env in parts:
        want += commands(part, *words, **dict(text.split("=") for text in env))
    assert commands(name, *words) == want


@pytest.mark.parametrize(
    ("words", "env"),
    [
        ("--models qwq-32b a/b", {"MODELS": "qwq-32b a/b"}),
        ("--model_name qwq-32b", {"MODELS": " qwq-32b\n"}),
        ("--models '/a b/c' q", {"MODELS": "'/a b/c' q"}),
        ("--model_path '/a b/c' d", {"MODEL_PATH": "/a b/c\nd"}),
        ("--models q --model_path '/a b'", {"MODELS": "q", "MODEL_PATH": "/a b"}),
        ("--datasets math gsm8k", {"DATASETS": "math gsm8k"}),
        ("--seeds 1 2", {"SEEDS": "1 2"}),
        ("--seed=7", {"SEEDS": "7"}),
        ("--gpus 0,1", {"GPUS": "0 1"}),
        ("--gpu_id 2", {"GPUS": "2"}),
        ("--save_path '/x y' --exp_name z", {"SAVE_PATH": "/x y", "EXP_NAME": "z"}),
        ("--limit 4 --num_samples all", {"LIMIT": "4", "NUM_SAMPLES": "all"}),
        ("--methods cot --masks naive", {"METHODS": "cot", "MASKS": "naive"}),
        ("--agents 3 4 --rounds 2 5", {"AGENTS": "3 4", "ROUNDS": "2 5"}),
        ("--methods cot_sc --reasoning_paths 9", {"METHODS": "cot_sc", "REASONING_PATHS": "9"}),
        ("--vary '--limit 1' --vary=--strict", {"VARY": "--limit 1\n--strict"}),
        ("--python python9", {"PYTHON": "python9"}),
        ("-- --set 'a=b c' --strict", {"EXTRA": "--set 'a=b c' --strict"}),
    ],
)  # fmt: skip
def test_arguments_say_what_the_environment_does(
    tmp_path: Path, words: str, env: dict[str, str]
) -> None:
    (tmp_path / "python9").symlink_to(sys.executable)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    plain, by_words, by_env = (
        commands("sweep", *shlex.split(given), **path, **also)
        for given, also in (("", {}), (words, {}), ("", env))
    )
    assert by_words == by_env
    assert by_words != plain
    # Arguments win over the environment.
    other = {name: "other" for name in env if name not in ("EXTRA", "PYTHON")}
    if not {"MODELS", "MODEL_PATH"} & other.keys():
        assert commands("sweep", *shlex.split(words), **path, **other) == by_words


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    for words, env in (((), {"DRY_RUN": "1"}), (("--dry_run",), {})):
        done = script("table1", *words, "--save_path", str(tmp_path / "r"), **env)
        assert done.stdout.count("multi_agent_debate.py") == len(FOUR)
    assert list(tmp_path.iterdir()) == []


def test_values_reach_the_command_whole() -> None:
    [command] = commands(
        "table1", *shlex.split("--model_path '/a b/c$d' --gpus 0 1 -- --set 'x=[1, 2]'")
    )
    args = flags(command)
    assert (args.model_name, args.model_path, args.set) == (None, "/a b/c$d", ["x=[1, 2]"])
    assert (args.gpu_id, args.parallel) == ("0,1", True)
    [command] = commands("table1", MODELS="smollm2-135m", MODEL_PATH="/a b", SAVE_PATH="~/r")
    args = flags(command)
    assert (args.model_name, args.model_path) == ("smollm2-135m", "/a b")
    assert args.save_path == "/home/of/r"


def test_a_folder_with_spaces_is_one_model(tmp_path: Path) -> None:
    folder = tmp_path / "my model"
    folder.mkdir()
    [command] = commands("table1", MODELS=str(folder))
    assert flags(command).model_path == str(folder)


@pytest.mark.parametrize("methods", ["cot", "cot_sc", "cot cot_sc", "sparse_mad", "cot sparse_mad"])
def test_a_method_gets_the_flags_that_it_takes(methods: str) -> None:
    found = commands("scale_agents", "--agents", "3", "4", METHODS=methods)
    for command in found:
        flags(command)
    assert len(found) == (2 if "mad" in methods else 1)


@pytest.mark.parametrize("name", [*SCRIPTS, *CALLERS])
def test_help(name: str) -> None:
    for flag in ("--help", "-h"):
        done = script(name, "--models", "x", flag, PYTHON="/nowhere")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"bash scripts/{name}.sh" in done.stdout and "set -euo" not in done.stdout
        for variable in ("MODELS", "SEEDS", "GPUS", "SAVE_PATH", "EXTRA", "DRY_RUN", "PYTHON"):
            assert variable in done.stdout


@pytest.mark.parametrize("name", ["table1", "sweep", "run_all_mad_analyses"])
@pytest.mark.parametrize(
    ("words", "env", "message"),
    [
        ("--modles x", {}, "unknown argument --modles"),
        ("--engine scripted", {}, "flags of\n       multi_agent_debate.py go after --"),
        ("qwen2.5-7b", {}, "unknown argument qwen2.5-7b"),
        ("--models", {}, "--models needs a value"),
        ("--models --seeds 1", {}, "--models needs a value"),
        ("--vary", {}, "--vary needs a value"),
        ("--vary '--route \"a'", {}, "--vary cannot be read"),
        ("--limit 1 2", {}, "LIMIT takes one value"),
        ("--models a b --model_path c", {}, "2 models and 1 model paths"),
        ("--models a/b --model_path c", {}, "two paths for one model"),
        ("", {"EXTRA": "--set 'a"}, "EXTRA cannot be read"),
        ("", {"PYTHON": "/nowhere"}, "PYTHON is not there: /nowhere"),
        ("--save_path /dev/null", {}, "cannot write /dev/null/main/logs"),
    ],
)  # fmt: skip
def test_what_is_refused(name: str, words: str, env: dict[str, str], message: str) -> None:
    done = script(name, *shlex.split(words), **env)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("error: ") and message in done.stderr


def test_shellcheck() -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    files = sorted(str(path) for path in (ROOT / "scripts").glob("*.sh"))
    subprocess.run(["shellcheck", "-x", *files], cwd=ROOT, check=True)
