"""Loading a model into the real engine: refusals before the weights are read, and a clean end."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from madm2.engines.vllm import VllmEngine
from madm2.errors import UserError
from tests.conftest import ROOT

pytestmark = pytest.mark.real_engine


@pytest.mark.parametrize(
    ("engine_args", "problem", "fix"),
    [
        ({"max_modl_len": 9}, "unknown engine argument 'max_modl_len'", "'max_model_len'"),
        ({"max_model_len": 10**6}, "max_model_len is longer than", "max_model_len"),
        ({"dtype": "float31"}, "refuses an engine argument", "--set"),
    ],
)
def test_bad_engine_arguments_are_user_errors(
    tiny_model: Path, engine_args: dict[str, object], problem: str, fix: str
) -> None:
    with pytest.raises(UserError) as caught:
        VllmEngine(str(tiny_model), engine_args=engine_args)
    assert problem in caught.value.problem
    assert fix in caught.value.fix


@pytest.mark.parametrize(
    ("removed", "problem"),
    [
        (("chat_template.jinja",), "has no chat template"),
        (("tokenizer.json", "tokenizer_config.json"), "cannot be loaded"),
    ],
)
def test_an_incomplete_model_folder_is_a_user_error(
    tiny_model: Path, tmp_path: Path, removed: tuple[str, ...], problem: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    for name in removed:
        (folder / name).unlink()
    with pytest.raises(UserError) as caught:
        VllmEngine(str(folder))
    assert problem in caught.value.problem
    assert str(folder) in caught.value.problem


def test_a_process_with_an_engine_ends_in_silence(tiny_model: Path) -> None:
    """Nothing on stderr: no log, no progress bar, no traceback at exit; and no hang."""
    code = f"""if True:
        from madm2.engines.vllm import VllmEngine
        from madm2.types import Message, Request, RequestKey, Sampling
        engine = VllmEngine({str(tiny_model)!r}, engine_args={{"max_model_len": 128,
            "kv_cache_memory_bytes": 64 << 20}})
        chat = (Message("user", "the answer"),)
        engine.submit(Request(RequestKey("q", 1, "answer", 0), chat, Sampling(max_tokens=99)), 1)
        engine.step()
        engine.close()
        engine.close()
        print("closed")
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=ROOT
    )
    assert (done.returncode, done.stdout) == (0, "closed\n")
    assert done.stderr == ""
