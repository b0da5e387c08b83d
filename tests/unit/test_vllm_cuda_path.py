"""The adapter's way through CUDA builds of both releases, on a stand-in for the vllm package.

The stand-in has the recorded interface of a release and answers each request with one token.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from madm2.engines import device, vllm
from madm2.engines.device import Device
from madm2.engines.vllm import VllmEngine
from madm2.errors import UserError
from madm2.types import Message, Request, RequestKey, Sampling
from tests.unit.test_vllm_signatures import RELEASES, recorded


class FakeTokenizer:
    """One token a character."""

    template_sha256 = "0" * 64

    def __init__(self, path: str, *, revision: str | None, trust_code: bool) -> None:
        self.loaded = (path, revision, trust_code)

    def render(self, messages: Sequence[Message]) -> str:
        return "".join(m.content for m in messages)

    def encode(self, text: str, *, special_tokens: bool) -> list[int]:
        return [0] * special_tokens + [ord(c) for c in text]


class FakeEngine:
    """Answers in the next step, as both releases do with FINAL_ONLY."""

    def __init__(self, release: str, arguments: dict[str, Any]) -> None:
        self.waiting: dict[str, Any] = {}
        self.stopped: list[str] = []
        self.model_config = SimpleNamespace(
            max_model_len=arguments.get("max_model_len", 100), dtype="torch.bfloat16"
        )
        where = "model_executor" if release == "0.6.3" else "engine_core"
        setattr(self, where, SimpleNamespace(shutdown=lambda: self.stopped.append(where)))

    def add_request(self, request_id: str, prompt: Any, params: Any) -> None:
        self.waiting[request_id] = (prompt["prompt_token_ids"], params)

    def abort_request(self, ids: Any) -> None:
        assert isinstance(ids, list)  # a string would abort nothing in 0.32
        for request_id in ids:
            del self.waiting[request_id]

    def has_unfinished_requests(self) -> bool:
        return bool(self.waiting)

    def step(self) -> list[Any]:
        assert self.waiting, "0.32 with worker processes waits for ever when idle"
        answer = SimpleNamespace(
            text="a", token_ids=[7], logprobs=[{7: SimpleNamespace(logprob=-1.0)}],
            finish_reason="stop",
        )  # fmt: skip
        outputs = [
            SimpleNamespace(request_id=i, finished=True, outputs=[answer]) for i in self.waiting
        ]
        self.waiting.clear()
        return outputs


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put a stand-in for this release in place of the vllm package, on two GPUs."""
    name: str = request.param
    api = recorded(name)
    packages = {
        f"vllm{suffix}": ModuleType(f"vllm{suffix}")
        for suffix in ("", ".engine", ".engine.arg_utils", ".sampling_params", ".platforms")
    }
    for path, module in packages.items():
        monkeypatch.setitem(sys.modules, path, module)

    def make_llm(**arguments: Any) -> Any:
        assert set(arguments) <= set(api["EngineArgs"])
        return SimpleNamespace(llm_engine=FakeEngine(name, arguments), arguments=arguments)

    def make_params(**arguments: Any) -> Any:
        assert set(arguments) <= set(api["SamplingParams"])
        return SimpleNamespace(**arguments)

    packages["vllm"].LLM = make_llm  # type: ignore[attr-defined]
    packages["vllm"].SamplingParams = make_params  # type: ignore[attr-defined]
    packages["vllm.sampling_params"].RequestOutputKind = SimpleNamespace(FINAL_ONLY="final")  # type: ignore[attr-defined]
    packages["vllm.engine.arg_utils"].EngineArgs = dataclasses.make_dataclass(  # type: ignore[attr-defined]
        "EngineArgs", [(field, Any, None) for field in api["EngineArgs"]]
    )
    packages["vllm.platforms"].current_platform = SimpleNamespace(  # type: ignore[attr-defined]
        get_device_name=lambda i: f"GPU number {i}"
    )
    monkeypatch.setattr(vllm, "ChatTokenizer", FakeTokenizer)
    monkeypatch.setattr(vllm, "version", lambda package: "1.0")
    monkeypatch.setattr(device, "vllm_package", lambda: ("vllm", name))
    monkeypatch.setattr(device, "detect_device", lambda: Device("cuda", 2))
    monkeypatch.setattr(device, "prepare_environment", lambda device, used: None)
    monkeypatch.setattr(device, "has_terminal", lambda: False)
    distributed = SimpleNamespace(is_initialized=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(distributed=distributed))
    monkeypatch.setitem(sys.modules, "torch.distributed", distributed)
    return name


def request(index: int, text: str = "hello") -> Request:
    return Request(RequestKey("q", 1, "answer", 0, index), (Message("user", text),), Sampling())


def test_a_prompt_that_agents_share_is_made_once(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[str] = []
    render = FakeTokenizer.render
    monkeypatch.setattr(
        FakeTokenizer, "render", lambda self, m: rendered.append(m[0].content) or render(self, m)
    )
    engine = VllmEngine("m")
    for index, text in enumerate(["one", "one", "two", "one", "two"]):
        engine.submit(request(index, text), seed=index)
    assert rendered == ["one", "two"]
    assert [c.input_tokens for c in engine.step()] == [3] * 5


@pytest.mark.parametrize(("text", "stops"), [("ask", True), ("ask<think>\n", False)])
def test_a_label_ends_a_judge_only_where_the_prompt_opens_no_thinking(
    release: str, text: str, stops: bool
) -> None:
    engine = VllmEngine("m")
    judge = dataclasses.replace(
        request(0, text), sampling=Sampling(stop=("</label>",), keep_stop=True)
    )
    engine.submit(judge, seed=1)
    _, params = engine._engine.waiting["0"]
    assert params.include_stop_str_in_output == stops
    assert params.stop == (["</label>"] if stops else [])


def test_arguments_are_those_the_release_knows(release: str) -> None:
    engine = VllmEngine(
        "org/model",
        engine_args={"max_model_len": 50, "gpu_memory_utilization": 0.9},
        revision="v1",
        tensor_parallel_size=2,
        seed=3,
    )
    common = {
        "model": "org/model",
        "revision": "v1",
        "tokenizer_revision": "v1",
        "seed": 3,
        "tensor_parallel_size": 2,
        "max_model_len": 50,
        "gpu_memory_utilization": 0.9,
        "enable_prefix_caching": True,
    }
    new = {"logprobs_mode": "processed_logprobs", "use_tqdm_on_load": False}
    assert engine._llm.arguments == common | ({} if release == "0.6.3" else new)
    assert engine._tokenizer.loaded == ("org/model", "v1", False)  # type: ignore[attr-defined]


def test_given_arguments_win(release: str) -> None:
    given = {"enable_prefix_caching": False, "tokenizer": "other", "trust_remote_code": True}
    engine = VllmEngine("m", engine_args=given)
    assert given.items() <= engine._llm.arguments.items()
    assert engine._tokenizer.loaded == ("other", None, True)  # type: ignore[attr-defined]


def test_an_argument_of_the_other_release_is_refused(release: str) -> None:
    foreign = "logprobs_mode" if release == "0.6.3" else "swap_space"
    with pytest.raises(UserError) as caught:
        VllmEngine("m", engine_args={foreign: 1})
    assert f"vllm=={release}" in caught.value.have
    assert "another vLLM version has it" in caught.value.fix


def test_requests_go_through(release: str) -> None:
    engine = VllmEngine("m")
    assert engine.step() == []
    for i in range(3):
        engine.submit(request(i), seed=10 + i)
    engine.submit(request(3, "x" * 100), seed=13)
    ids, params = engine._engine.waiting["0"]
    assert (ids, params.seed, params.output_kind) == ([ord(c) for c in "hello"], 10, "final")
    assert params.max_tokens == 95
    engine.cancel([RequestKey("q", 1, "answer", 0, 1)])
    done = {c.key.index: c for c in engine.step()}
    assert {i: c.finish_reason for i, c in done.items()} == {
        0: "stop",
        2: "stop",
        3: "prompt_too_long",
    }
    assert (done[0].text, done[0].input_tokens, done[0].output_tokens) == ("a", 5, 1)


def test_what_0_6_3_answers_to_a_prompt_it_cannot_take(
    release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = VllmEngine("m")
    engine.submit(request(0), seed=1)
    ignored = SimpleNamespace(text="", token_ids=[], logprobs=None, finish_reason="length")
    output = SimpleNamespace(request_id="0", finished=True, outputs=[ignored])
    monkeypatch.setattr(engine._engine, "step", lambda: [output])
    (completion,) = engine.step()
    assert (completion.finish_reason, completion.output_tokens) == ("prompt_too_long", 0)


def test_two_bos_tokens_when_asked(release: str) -> None:
    engine = VllmEngine("m", double_bos=True)
    engine.submit(request(0), seed=1)
    assert engine._engine.waiting["0"][0][0] == 0


def test_the_description_names_the_gpus_and_no_secret(release: str) -> None:
    secret = {} if release == "0.6.3" else {"hf_token": "secret-token"}
    engine = VllmEngine("m", tensor_parallel_size=2, engine_args=secret)
    told = json.dumps(engine.describe())
    assert json.loads(told)["devices"] == ["GPU number 0", "GPU number 1"]
    assert json.loads(told)["versions"]["vllm"] == release
    assert "secret-token" not in told


def test_closing_shuts_down_what_the_release_has(release: str) -> None:
    engine = VllmEngine("m")
    inner = engine._engine
    engine.close()
    engine.close()
    assert inner.stopped == ["model_executor" if release == "0.6.3" else "engine_core"]
