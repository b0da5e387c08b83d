"""The model of a run: its entry in configs.yaml, and its folder or what the hub has of it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from madm2.check import Check, failed, ok, refused
from madm2.config import ModelConfig, entry_hub_id, load_model_config
from madm2.doctor import hub
from madm2.errors import UserError
from madm2.model_folder import check_model_folder

NAME = "Model"


@dataclass(slots=True)
class Download:
    """What a run would have to download, and where it would go.

    Args:
        cache: the folder of the hub's client.
        size: bytes of the weights that are not there yet.
    """

    cache: Path
    size: int = 0


def configured(args: argparse.Namespace, *, needs_model: bool = True) -> ModelConfig:
    """The model that a run with these arguments would load.

    Raises:
        UserError: as `load_model_config` does.
    """
    return load_model_config(
        args.model_name,
        config=args.config,
        model_path=args.model_path,
        revision=args.revision,
        prompts=args.prompts,
        overrides=args.set,
        needs_model=needs_model,
    )


def check_model(
    args: argparse.Namespace, is_reachable: bool, download: Download
) -> Iterator[Check]:
    """Check the model that the arguments name; sets what must be downloaded.

    Args:
        args: the arguments of a run.
        is_reachable: whether the hub answers.
        download: told here how much is to come.
    """
    try:
        model = configured(args)
    except UserError as error:
        given = Path(os.path.expanduser(args.model_path or ""))
        if args.model_path and given.is_dir():  # the other faults of the folder are told as well
            yield from check_model_folder(given)
        else:
            yield refused(NAME, error)
        return
    if folder := model.engine_args.get("download_dir"):
        download.cache = Path(str(folder))
    hub_id = "" if args.model_path else entry_hub_id(args.model_name, args.config)
    if Path(model.path).is_dir():
        yield ok(NAME, f"{model.name}: {model.path}")
        yield from check_model_folder(model.path, hub_id=hub_id, engine_args=model.engine_args)
        return
    snapshot = hub.cached_snapshot(model.path, model.revision, download.cache)
    if snapshot is not None:
        yield ok(NAME, f"{model.name}: {model.path}, in the hub cache: {snapshot}")
        yield from check_model_folder(snapshot, engine_args=model.engine_args)
    elif is_reachable:
        check, download.size = hub.check_hub_model(model.path, model.revision)
        yield check
    else:
        yield failed(
            NAME,
            f"{model.path} is not in the hub cache {download.cache}, and the hub was not reached",
            f"where there is a network: hf download {model.path} --local-dir DIR; "
            "then --model_path DIR",
        )
