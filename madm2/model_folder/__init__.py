"""Checks of a local model folder, by its files alone: nothing is imported and no tensor is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from madm2.check import Check, failed, ok, refused, warning
from madm2.errors import UserError
from madm2.model_folder.files import Source, listed, read_json
from madm2.model_folder.template import check_template
from madm2.model_folder.tokenizer import NAME as TOKENIZER
from madm2.model_folder.tokenizer import check_tokenizer
from madm2.model_folder.vocabulary import SETTINGS, read_vocabulary
from madm2.model_folder.weights import NAME as WEIGHTS
from madm2.model_folder.weights import check_weights

__all__ = ["check_model_folder", "require_model_folder"]

CONFIG = "Model config"
# Formats that are read from the files checked here; others bring files of their own, or none.
_CHECKED_FORMATS = (None, "auto", "hf", "safetensors", "fastsafetensors", "mistral", "pt")


def check_model_folder(
    path: str | Path, *, hub_id: str = "", engine_args: Mapping[str, object] | None = None
) -> list[Check]:
    """Check config.json, weights, tokenizer and chat template of a folder.

    Args:
        path: the model folder, or a snapshot of a hub cache.
        hub_id: the model's name on the hub, for the commands that fetch it again.
        engine_args: vLLM's arguments; with a `tokenizer` of its own, the folder's is not checked,
            nor its weights with a `load_format` that reads other files.
    """
    folder = Path(path)
    args = engine_args or {}
    source = Source(folder, hub_id)
    if not folder.is_dir():
        return [failed("Model folder", f"{folder} is not a folder", source.fetch())]
    try:
        config, checks = _config(folder, source)
        checks += _unfinished(source)
    except UserError as error:
        config, checks = {}, [refused(CONFIG, error), *_unfinished(source)]
    except OSError as error:
        fix = f"make {folder} readable for this user"
        return [failed("Model folder", f"{folder} cannot be read: {error.strerror}", fix)]
    if args.get("load_format") in _CHECKED_FORMATS:
        checks += check_weights(folder, source)
    else:
        checks.append(ok(WEIGHTS, f"not checked: load_format is {args['load_format']}"))
    if args.get("tokenizer") in (None, str(path)):
        return checks + _tokenizer(folder, source, config)
    return [*checks, ok(TOKENIZER, f"not the folder's: tokenizer is {args['tokenizer']}")]


def require_model_folder(
    path: str | Path, *, engine_args: Mapping[str, object] | None = None
) -> None:
    """Refuse a model folder that cannot be loaded; a hub id (no folder of that name) passes.

    Raises:
        UserError: the first failed check, with its fix.
    """
    if not Path(path).is_dir():
        return
    for check in check_model_folder(path, engine_args=engine_args):
        if check.status == "failed":
            raise UserError(
                f"the model folder {path} cannot be used", have=check.detail, fix=check.fix
            )


def _config(folder: Path, source: Source) -> tuple[dict[str, Any], list[Check]]:
    snapshots = sorted(str(p) for p in folder.glob("snapshots/*") if (p / "config.json").exists())
    if snapshots and not (folder / "config.json").exists():
        raise UserError(
            f"{folder.name} is the entry of a hub cache: the model lies in a folder below it",
            fix=f"name that one: {listed(snapshots)}",
        )
    config = read_json(folder / "config.json", source)
    kind = config.get("model_type")
    if not isinstance(kind, str) or not kind:
        raise UserError(
            "config.json names no model_type, so that nothing can load it",
            fix=source.fetch("config.json"),
        )
    return config, [ok(CONFIG, f"config.json, {kind}")]


def _unfinished(source: Source) -> list[Check]:
    names = source.leftovers()
    if not names:
        return []
    detail = f"a download of it did not end, or still goes on: {listed(names)}"
    return [warning("Download", detail, f"{source.fetch()}, or remove them")]


def _tokenizer(folder: Path, source: Source, config: Mapping[str, Any]) -> list[Check]:
    try:
        settings: dict[str, Any] = {}
        if (folder / SETTINGS).exists() or (folder / SETTINGS).is_symlink():
            settings = read_json(folder / SETTINGS, source)
    except UserError as error:
        return [refused(TOKENIZER, error)]
    checks, template = check_template(folder, source, settings)
    try:
        generation: dict[str, Any] = {}
        if (folder / "generation_config.json").exists():
            generation = read_json(folder / "generation_config.json", source)
        vocabulary = read_vocabulary(folder, source, settings)
    except UserError as error:
        return [refused(TOKENIZER, error), *checks]
    return [*check_tokenizer(vocabulary, source, config, generation, template), *checks]
