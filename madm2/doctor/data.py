"""The dataset of a run, and the disks that its results and its model go to."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from pathlib import Path

from madm2.check import Check, failed, ok, refused, warning
from madm2.datasets.load import dataset_file, load_dataset, load_file, sha256_of
from madm2.datasets.registry import DATASETS
from madm2.errors import UserError
from madm2.resolve import data_dir

LOW_BYTES = 5_000_000_000


def check_dataset(args: argparse.Namespace) -> Check:
    """Whether the data file is there, can be read, and is the one that its record speaks of."""
    name = args.dataset.lower() if args.dataset else Path(args.dataset_path).stem.lower()
    try:
        if args.dataset_path:
            file = Path(args.dataset_path)
            known = DATASETS[name].answer_type if name in DATASETS else "text"
            rows = len(load_file(file, name, args.answer_type or known))
        else:
            folder = args.data_dir or data_dir()
            file = dataset_file(name, folder)
            rows = len(load_dataset(name, folder))
        return _compared(name, file, rows)
    except UserError as error:
        return refused("Dataset", error)


def check_disk(name: str, folder: Path, need: int = 0) -> Check:
    """Whether a folder, which need not exist yet, can be written and has room.

    Args:
        name: what the folder is.
        folder: the folder.
        need: bytes that will certainly be written there.
    """
    place = folder.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        fix = "make it writable, or name another with --save_path (HF_HOME for the hub cache)"
        return failed(name, f"cannot write to {place}", fix)
    free = shutil.disk_usage(place).free
    told = f"{free / 1e9:,.1f} GB free at {folder}"
    fix = "free some, or name a folder on another disk: --save_path (HF_HOME for the hub cache)"
    if free < need:
        return failed(name, f"{told}, but {need / 1e9:,.1f} GB must be downloaded to it", fix)
    if free - need < LOW_BYTES:
        return warning(name, told, fix)
    return ok(name, told)


def _compared(name: str, file: Path, rows: int) -> Check:
    """The data file beside its record `<name>.meta.json`, where there is one."""
    sha256 = sha256_of(file)
    told = f"{name}: {rows:,} questions, sha256 {sha256[:16]}"
    record = file.with_name(f"{file.stem.removesuffix('_test')}.meta.json")
    if not record.is_file():
        return ok("Dataset", f"{told} (no {record.name} to compare it with)")
    try:
        expected = json.loads(record.read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fix = "write the dataset again, or remove this record"
        return failed("Dataset", f"{record} cannot be read: {error!r}", fix)
    if expected != sha256:
        return failed(
            "Dataset",
            f"{file} is not what {record.name} says: sha256 {sha256[:16]}, not {expected[:16]}",
            "write the dataset again: a changed row changes the figures",
        )
    return ok("Dataset", f"{told}, as {record.name} says")
