"""Settings of a model: configs.yaml, the command line on top, checked before anything loads."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from madm2.engine_keys import ENGINE_KEYS
from madm2.errors import UserError, unknown_name
from madm2.types import Sampling
from madm2.yaml_text import load_yaml

DEFAULT_CONFIG = Path(__file__).resolve().parent.parent / "configs.yaml"
DEMO_FOLDER = DEFAULT_CONFIG.parent / "models" / "smollm2-135m"
GENERAL = "general_configs"
LABEL_END = "</label>"
_HUB_ID = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", re.ASCII)
_OWN_KEYS = frozenset(
    "model model_path revision prompts max_token_length judge_max_token_length "
    "judge_stop_at_label memory_max_tokens".split()
)
_ALIASES = {"max_tokens": "max_token_length"}  # vLLM's name for what the released file calls so
_SAMPLING_TYPES = {
    f.name: type(f.default) for f in fields(Sampling) if f.name not in (*_ALIASES, "keep_stop")
}
_KINDS = {
    float: "a number",
    int: "a whole number",
    bool: "true or false",
    tuple: "a text that is not empty, or a list of them",
}
# What the program decides itself; anything else that the engine knows may be set.
_RESERVED = frozenset({"model", "revision", "seed", "skip_tokenizer_init", "disable_log_stats"})
_SETTABLE = frozenset(_OWN_KEYS | set(_ALIASES) | set(_SAMPLING_TYPES) | (ENGINE_KEYS - _RESERVED))


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model with everything that decides its answers.

    Args:
        name: the configs.yaml entry, or the last part of the path; names the results folder.
        path: local folder or hub id, as the engine takes it.
        revision: hub revision, None for the default branch.
        prompts: prompt set name or file.
        sampling: of agents' answers.
        judge_sampling: of judge calls; differs in `max_tokens`, and where the label may end it.
        memory_max_tokens: tokens of a memory's thinking that other agents may read.
        engine_args: passed to vLLM unchanged.
    """

    name: str
    path: str
    revision: str | None = None
    prompts: str = "default"
    sampling: Sampling = field(default_factory=Sampling)
    judge_sampling: Sampling = field(default_factory=Sampling)
    memory_max_tokens: int = 4096
    engine_args: dict[str, Any] = field(default_factory=dict)


def load_model_config(
    model_name: str | None,
    *,
    config: str | Path | None = None,
    model_path: str | None = None,
    revision: str | None = None,
    prompts: str | None = None,
    overrides: Sequence[str] = (),
    needs_model: bool = True,
) -> ModelConfig:
    """Resolve a model: command line over its entry over general_configs over defaults.

    Args:
        model_name: an entry of the file; None when only `model_path` counts.
        config: the YAML file; None for the one that ships with the project.
        model_path: local folder or hub id, instead of the entry's.
        revision: hub revision, instead of the entry's.
        prompts: prompt set, instead of the entry's.
        overrides: `key=value` texts from `--set`.
        needs_model: False for engines without a model; then no path is checked.

    Raises:
        UserError: unknown model or key, a value of the wrong kind, a model folder that is
            missing or holds no config.json.
    """
    file = Path(config) if config else DEFAULT_CONFIG
    document = _read(file)
    entries = document["llm_configs"]
    layers = [(f"key in {file}", entries.get(GENERAL) or {})]
    if model_name is not None:
        if model_name not in entries or model_name == GENERAL:
            raise unknown_name("model", model_name, set(entries) - {GENERAL})
        layers.append((f"key in {file}", entries[model_name] or {}))
    layers.append(("key for --set", _parse_overrides(overrides)))
    values: dict[str, Any] = {}
    for kind, layer in layers:
        for key, value in layer.items():
            if key not in _SETTABLE:
                raise unknown_name(kind, str(key), _SETTABLE)
            values[_ALIASES.get(key, key)] = value
    _check_plain(values)
    path = ""
    if needs_model:
        path = (
            model_path
            or _text(values, "model_path")
            or _text(document, "model_path")
            or _text(values, "model")
        )
        if not path:
            raise UserError(
                "no model to load", need="--model_name, --model_path, or `model` in the entry"
            )
        path = _checked_path(path, Path() if model_path else file.parent)
    return ModelConfig(
        name=model_name or Path(path).name or "scripted",
        path=path,
        revision=revision or _text(values, "revision") or None,
        prompts=prompts or _prompts_of(values, file.parent),
        sampling=_sampling(values, "max_token_length"),
        judge_sampling=_judge_sampling(values),
        memory_max_tokens=_length(values, "memory_max_tokens") or 4096,
        engine_args={
            k: v for k, v in values.items() if k not in _OWN_KEYS and k not in _SAMPLING_TYPES
        },
    )


def entry_hub_id(model_name: str | None, config: str | Path | None = None) -> str:
    """The hub id that a model's entry names, whatever folder is used instead; empty for none."""
    entries = _read(Path(config) if config else DEFAULT_CONFIG)["llm_configs"]
    return _text(entries.get(model_name) or {}, "model")


def _prompts_of(values: Mapping[str, Any], base: Path) -> str:
    """An entry's prompt set; a file is meant from where the configuration lies."""
    name = _text(values, "prompts") or "default"
    return str(base / name) if Path(name).suffix else name


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UserError(
            f"cannot read the configuration {file}", have=str(error), fix="check --config"
        ) from error
    document = load_yaml(text, str(file))
    if not isinstance(document, dict) or not isinstance(document.get("llm_configs"), dict):
        raise UserError(f"{file} has no `llm_configs` mapping", need="one entry per model in it")
    for key in document:
        if key not in ("llm_configs", "model_path"):
            raise unknown_name(f"key in {file}", str(key), ("llm_configs", "model_path"))
    for name, entry in document["llm_configs"].items():
        if not isinstance(name, str) or not isinstance(entry, (dict, type(None))):
            raise UserError(f"the entry {name!r} of {file} is not a mapping of settings")
    return document


def _parse_overrides(overrides: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals:
            raise UserError(f"--set {text!r} has no value", need="--set key=value")
        values[key] = load_yaml(value, f"the value of --set {key}")
    return values


def _check_plain(values: Mapping[str, Any]) -> None:
    """Refuse what results.json could not record, before there are results to lose."""
    for key, value in values.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise UserError(f"{key} must be a plain value", have=str(error)) from error


def _text(values: Mapping[str, Any], key: str) -> str:
    """A setting that is a text; empty when it is not set."""
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise UserError(f"{key} must be a text", have=repr(value), fix="put it in quotes")
    return value if value and value.strip() else ""


def _length(values: Mapping[str, Any], *keys: str) -> int | None:
    for key in keys:
        if (value := values.get(key)) is not None:
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UserError(f"{key} must be a whole number of tokens ≥ 1", have=repr(value))
            return value
    return None


def _sampling(values: Mapping[str, Any], *length_keys: str) -> Sampling:
    settings = {k: _typed(k, values[k]) for k in _SAMPLING_TYPES if k in values}
    if length := _length(values, *length_keys):
        settings["max_tokens"] = length
    sampling = Sampling(**settings)
    for name, low, high in (
        ("temperature", 0, 100),
        ("top_p", 1e-9, 1),
        ("min_p", 0, 1),
        ("repetition_penalty", 1e-9, 100),
        ("presence_penalty", -2, 2),
        ("frequency_penalty", -2, 2),
        ("top_k", -1, 2**31 - 1),
        ("min_tokens", 0, sampling.max_tokens),
    ):
        if not low <= getattr(sampling, name) <= high:
            raise UserError(
                f"{name} is out of range", have=str(getattr(sampling, name)), need=f"{low}..{high}"
            )
    return sampling


def _judge_sampling(values: Mapping[str, Any]) -> Sampling:
    sampling = _sampling(values, "judge_max_token_length", "max_token_length")
    stops = values.get("judge_stop_at_label", False)
    if not isinstance(stops, bool):
        raise UserError("judge_stop_at_label must be true or false", have=repr(stops))
    if not stops:
        return sampling
    return replace(sampling, stop=(*sampling.stop, LABEL_END), keep_stop=True)


def _typed(key: str, value: Any) -> Any:
    want = _SAMPLING_TYPES[key]
    if want is tuple:
        stops = [value] if isinstance(value, str) else value
        if isinstance(stops, list) and all(isinstance(s, str) and s for s in stops):
            return tuple(stops)
    # An int may be too large for float(); no setting is.
    elif want is float and type(value) in (int, float) and abs(value) < 1e9:
        return float(value)
    elif type(value) is want:
        return value
    raise UserError(f"{key} must be {_KINDS[want]}", have=repr(value))


def looks_local(path: str, base: Path) -> bool:
    """Whether a model path means a folder rather than a hub id (`name` or `owner/name`).

    `models/x` does where there is a folder `models`: a hub owner's name rarely is one.
    """
    owner, slash, _ = path.partition("/")
    return not _HUB_ID.fullmatch(path) or bool(slash and (base / owner).is_dir())


def _checked_path(path: str, base: Path) -> str:
    expanded = Path(os.path.expanduser(path))  # which leaves the home of nobody as it is
    folder = expanded if expanded.is_absolute() else base / expanded
    if not looks_local(path, base) and not folder.is_dir():
        return path
    demo = " (the demo model: bash scripts/quickstart.sh, or python -m madm2.demo_model)"
    if not folder.is_dir():
        raise UserError(
            f"the model folder {folder} does not exist",
            need="a local folder with config.json, or a hub id such as Qwen/Qwen2.5-7B-Instruct",
            fix=f"correct --model_path or model_path in configs.yaml{demo}",
        )
    if not (folder / "config.json").is_file():
        have = sorted(p.name for p in folder.iterdir())[:5]
        raise UserError(
            f"the model folder {folder} holds no config.json",
            have=", ".join(have) or "an empty folder",
            need="the folder that `hf download` filled (config.json, tokenizer, weights)",
            fix="for a hub cache, name its snapshots/<commit> folder",
        )
    return str(folder)


def stray_config(folder: Path) -> str | None:
    """A note when a `config.yaml` lies beside `configs.yaml`: a common slip; it is not read."""
    stray = folder / "config.yaml"
    if stray.is_file():
        return f"{stray} is not read; settings live in configs.yaml, or pass --config {stray}"
    return None
