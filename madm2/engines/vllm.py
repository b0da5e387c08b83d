"""The vLLM engine: everything of vLLM that this project touches is in this file.

Works with vLLM 0.6.3 (the paper's pin) and current releases, on CUDA and on the CPU build. torch,
transformers and vLLM are imported when an engine is made, not with this module.
"""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from madm2.engine_keys import ENGINE_KEYS
from madm2.engines import device as devices
from madm2.engines.load_faults import excerpt, explained
from madm2.engines.logprobs import summarise
from madm2.engines.tokenizer import ChatTokenizer, prompt_sha256
from madm2.errors import UserError, unknown_name
from madm2.types import Completion, LogprobSummary, Message, Request, RequestKey, Sampling

CPU_KV_CACHE_BYTES = 2 << 30
CPU_MAX_MODEL_LEN = 8192  # unless max_model_len says otherwise: longer contexts fill that cache
# Engine arguments of ours that only some versions know; they are left out where unknown.
VERSION_DEPENDENT = frozenset({"logprobs_mode", "use_tqdm_on_load", "kv_cache_memory_bytes"})


@dataclass(frozen=True, slots=True)
class _Sent:
    """What must be remembered of a request until its completion is in."""

    key: RequestKey
    seed: int
    input_tokens: int
    prompt_sha256: str


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt as it is sent."""

    ids: tuple[int, ...]
    sha256: str
    opens_thinking: bool


class VllmEngine:
    """One in-process vLLM engine; see madm2.engines.base.Engine for the contract.

    Args:
        model_path: local folder or hub id.
        engine_args: vLLM EngineArgs by name; they win over the defaults made here.
        seed: seed of the engine itself; every request brings its own.
        revision: hub revision of model and tokenizer.
        tensor_parallel_size: GPUs to spread the model over; 1 leaves it to `engine_args`.
        double_bos: tokenize the chat template's text as plain text, special tokens added, as
            the released code does; a tokenizer that adds BOS then sends two.

    Raises:
        UserError: no vLLM, no GPU for a CUDA build, an unknown engine argument, a model that
            cannot be loaded or has no chat template.
    """

    def __init__(
        self,
        model_path: str,
        *,
        engine_args: Mapping[str, object] | None = None,
        seed: int = 0,
        revision: str | None = None,
        tensor_parallel_size: int = 1,
        double_bos: bool = False,
    ) -> None:
        given = dict(engine_args or {})
        if tensor_parallel_size > 1 or "tensor_parallel_size" not in given:
            given["tensor_parallel_size"] = tensor_parallel_size
        needed = _whole(given, "tensor_parallel_size") * _whole(given, "pipeline_parallel_size")
        device = devices.detect_device()
        # Ray finds those of other nodes.
        here = 1 if given.get("distributed_executor_backend") == "ray" else needed
        devices.require_device(device, here)
        devices.prepare_environment(device, needed)
        # Before vLLM adds names of its own, some of them random.
        self._environment = {k: v for k, v in os.environ.items() if k.startswith(("VLLM_", "OMP_"))}
        llm_class, known = import_vllm()
        for key in given:
            if key not in known:
                raise _unknown_argument(key, known)
        tokenizer_revision = given.get("tokenizer_revision") or revision
        trust_code = bool(given.get("trust_remote_code"))
        # Before the weights: a missing chat template should not cost minutes of loading.
        self._tokenizer = ChatTokenizer(
            str(given.get("tokenizer") or model_path),
            revision=None if tokenizer_revision is None else str(tokenizer_revision),
            trust_code=trust_code,
        )
        with explained(model_path):
            defaults = engine_defaults(device)
            if device.kind == "cpu" and given.get("max_model_len") is None:
                defaults |= _cpu_length(model_path, revision, trust_code)
            self._args: dict[str, Any] = {
                **{k: v for k, v in defaults.items() if k in known or k not in VERSION_DEPENDENT},
                **given,
                "model": model_path,
                "revision": revision,
                "tokenizer_revision": tokenizer_revision,
                "seed": seed,
            }
            self._llm: Any = llm_class(**self._args)
        self._engine: Any = self._llm.llm_engine
        self._max_model_len: int = self._engine.model_config.max_model_len
        self._device, self._devices_used = device, needed
        self._double_bos = double_bos
        self._ids = itertools.count()
        # Agents of a round share one prompt, and come one after the other.
        self._prompt = lru_cache(maxsize=64)(self._encode)
        self._sent: dict[str, _Sent] = {}
        self._refused: list[Completion] = []

    def submit(self, request: Request, seed: int) -> None:
        """Queue a request; a prompt that leaves no room for a token is refused by `step`."""
        prompt = self._prompt(request.messages)
        sent = _Sent(request.key, seed, len(prompt.ids), prompt.sha256)
        room = self._max_model_len - len(prompt.ids)
        if room < 1:
            self._refused.append(_completion(sent, "", (), LogprobSummary(0, 0.0, 0.0), "length"))
            return
        request_id = str(next(self._ids))
        sampling = request.sampling
        if sampling.keep_stop and prompt.opens_thinking:
            sampling = replace(sampling, stop=(), keep_stop=False)
        params = _sampling_params(sampling_keywords(sampling, seed=seed, room=room))
        self._engine.add_request(request_id, {"prompt_token_ids": list(prompt.ids)}, params)
        self._sent[request_id] = sent

    def step(self) -> list[Completion]:
        """Advance the engine by one step; returns at once when nothing is queued."""
        done, self._refused = self._refused, []
        if not self._engine.has_unfinished_requests():
            return done
        for output in self._engine.step():
            sent = self._sent.pop(output.request_id, None) if output.finished else None
            if sent is not None:
                answer = output.outputs[0]
                summary = summarise(answer.token_ids, answer.logprobs or ())
                done.append(
                    _completion(sent, answer.text, answer.token_ids, summary, answer.finish_reason)
                )
        return done

    def cancel(self, keys: Collection[RequestKey]) -> None:
        """Drop queued or running requests; keys that are not in the engine are ignored."""
        wanted = set(keys)
        ids = [i for i, sent in self._sent.items() if sent.key in wanted]
        for request_id in ids:
            del self._sent[request_id]
        self._refused = [c for c in self._refused if c.key not in wanted]
        if ids:
            self._engine.abort_request(ids)  # a list: given a string, 0.32 aborts nothing

    def head(self, text: str, n_tokens: int) -> str:
        """Return the longest prefix of `text` that its first `n_tokens` tokens spell."""
        return self._tokenizer.head(text, n_tokens)

    def reset_prefix_cache(self) -> None:
        """Forget the prompts of before, for measurements; 0.6.3 cannot, and goes on."""
        if hasattr(self._llm, "reset_prefix_cache"):
            self._llm.reset_prefix_cache()

    def describe(self) -> Mapping[str, object]:
        """Settings worth recording, as JSON values."""
        package, release = devices.vllm_package()
        config = self._engine.model_config
        return {
            "engine": "vllm",
            "versions": {package: release, **{p: version(p) for p in ("torch", "transformers")}},
            "model_path": self._args["model"],
            "revision": self._args["revision"],
            "engine_args": _recordable(self._args),
            "dtype": str(config.dtype).removeprefix("torch."),
            "max_model_len": self._max_model_len,
            "chat_template_sha256": self._tokenizer.template_sha256,
            "double_bos": self._double_bos,
            "devices": _device_names(self._device, self._devices_used),
            "environment": _recordable(self._environment),
        }

    def close(self) -> None:
        """Stop the engine and its workers; calling it again does nothing."""
        engine, self._engine, self._llm = self._engine, None, None
        if engine is None:
            return
        # 0.32 keeps the executor behind an engine core, 0.6.3 in the engine itself.
        core = getattr(engine, "engine_core", None) or engine.model_executor
        core.shutdown()
        del core, engine
        gc.collect()
        import torch.distributed

        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()

    def _encode(self, messages: tuple[Message, ...]) -> _Prompt:
        text = self._tokenizer.render(messages)
        ids = tuple(self._tokenizer.encode(text, special_tokens=self._double_bos))
        return _Prompt(ids, prompt_sha256(ids), text.rstrip().endswith("<think>"))


def engine_defaults(device: devices.Device) -> dict[str, object]:
    """Engine arguments where ours differ from vLLM's own defaults."""
    # 0.6.3 always reports log-probabilities after temperature; newer ones only when asked.
    defaults: dict[str, object] = {"logprobs_mode": "processed_logprobs"}
    if not devices.has_terminal():
        defaults["use_tqdm_on_load"] = False
    if device.kind == "cuda":
        return defaults | {"enable_prefix_caching": True}
    # Requests with a seed of their own crash on the CPU while a prompt is chunked.
    defaults |= {"enforce_eager": True, "enable_chunked_prefill": False}
    if not os.environ.get("VLLM_CPU_KVCACHE_SPACE"):
        defaults["kv_cache_memory_bytes"] = CPU_KV_CACHE_BYTES
    if not devices.has_fast_bfloat16():
        defaults["dtype"] = "float32"
    return defaults


def sampling_keywords(sampling: Sampling, *, seed: int, room: int) -> dict[str, Any]:
    """SamplingParams arguments, every one explicit: the versions' defaults differ.

    `room` is how many tokens fit behind the prompt.
    """
    values = asdict(sampling)
    del values["keep_stop"]
    max_tokens = min(sampling.max_tokens, room)
    values |= {
        "max_tokens": max_tokens,
        "min_tokens": min(sampling.min_tokens, max_tokens),
        "stop": list(sampling.stop),
    }
    return values | {
        "n": 1,
        "seed": seed,
        "logprobs": 1,
        "prompt_logprobs": None,
        "stop_token_ids": [],
        "include_stop_str_in_output": sampling.keep_stop,
        "detokenize": True,
        "skip_special_tokens": True,
        "spaces_between_special_tokens": True,
    }


def _completion(
    sent: _Sent, text: str, token_ids: Sequence[int], summary: LogprobSummary, reason: str | None
) -> Completion:
    # 0.6.3 ends a prompt it cannot take with reason "length" and no token at all.
    refused = reason == "length" and not token_ids
    return Completion(
        key=sent.key,
        text=text,
        input_tokens=sent.input_tokens,
        output_tokens=len(token_ids),
        logprobs=summary,
        finish_reason="prompt_too_long" if refused else str(reason),
        seed=sent.seed,
        prompt_sha256=sent.prompt_sha256,
    )


def _sampling_params(keywords: Mapping[str, Any]) -> Any:
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    try:
        return SamplingParams(**keywords, output_kind=RequestOutputKind.FINAL_ONLY)
    except Exception as error:  # 0.32 has an exception class of its own that 0.6.3 lacks
        raise UserError(
            "vLLM refuses the sampling settings",
            have=str(error),
            fix="correct them in configs.yaml or in --set",
        ) from error


def import_vllm() -> tuple[Any, frozenset[str]]:
    """Import vLLM; return its LLM class and the names of its engine arguments.

    Raises:
        UserError: it cannot be imported.
    """
    try:
        from vllm import LLM
        from vllm.engine.arg_utils import EngineArgs
    except (ImportError, RuntimeError, OSError) as error:
        torchvision = "torchvision" in str(error)
        raise UserError(
            f"{'=='.join(devices.vllm_package())} cannot be imported",
            have=excerpt(str(error)) or repr(error),
            fix="pip uninstall -y torchvision torchaudio torchcodec (they do not fit this torch)"
            if torchvision
            else "bash scripts/quickstart.sh makes an environment in which it can",
        ) from error
    return LLM, frozenset(f.name for f in fields(EngineArgs) if not f.name.startswith("_"))


def _unknown_argument(key: str, known: Collection[str]) -> UserError:
    near = unknown_name("engine argument", key, known)
    elsewhere = "another vLLM version has it: remove it from configs.yaml or --set"
    return UserError(
        near.problem,
        have="==".join(devices.vllm_package()),
        need="one of its EngineArgs",
        fix=elsewhere if key in ENGINE_KEYS else near.fix,
    )


def _cpu_length(model_path: str, revision: str | None, trust: object) -> dict[str, object]:
    """A shorter max_model_len for models whose own would not fit the CPU's cache."""
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(model_path, revision=revision, trust_remote_code=trust)
    own = getattr(config.get_text_config(), "max_position_embeddings", None)
    return {"max_model_len": CPU_MAX_MODEL_LEN} if own and own > CPU_MAX_MODEL_LEN else {}


def _device_names(device: devices.Device, used: int) -> list[str]:
    if device.kind == "cpu":
        return [devices.cpu_name()]
    from vllm.platforms import current_platform

    return [str(current_platform.get_device_name(i)) for i in range(min(used, device.count))]


def _whole(args: Mapping[str, object], key: str) -> int:
    value = args.get(key, 1)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UserError(f"{key} must be a whole number ≥ 1", have=repr(value))
    return value


def _recordable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as JSON can hold them, without secrets."""
    plain = (str, int, float, bool, type(None), list, dict)
    return {
        key: value if isinstance(value, plain) else str(value)
        for key, value in values.items()
        if key != "hf_token" and not key.endswith("_KEY")
    }
