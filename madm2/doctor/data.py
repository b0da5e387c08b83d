"""The dataset of a run, and the disks that its results and its model go to."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from madm2.check import Check, failed, ok, refused, warning
from madm2.datasets.load import dataset_file, load_dataset, load_file
from madm2.datasets.meta import meta_file, read_meta
from madm2.datasets.registry import DATASETS
from madm2.errors import UserError
from madm2.files import sha256_of
from madm2.resolve import data_dir

LOW_BYTES = 5_000_000_000


def check_datasets(args: argparse.Namespace) -> Iterator[Check]:
    """Whether each data file is there, can be read, and is the one that its record speaks of."""
    for name in args.dataset or [Path(args.dataset_path).stem]:
        yield _check_dataset(args, name.lower())


def _check_dataset(args: argparse.Namespace, name: str) -> Check:
    try:
        modified = args.allow_modified_data
        if args.dataset_path:
            file = Path(args.dataset_path)
            answer_type = args.answer_type or DATASETS[name].answer_type
            rows = load_file(file, name, answer_type, allow_modified=modified)
        else:
            folder = args.data_dir or data_dir()
            file = dataset_file(name, folder)
            rows = load_dataset(name, folder, allow_modified=modified)
        record = meta_file(file).name
        compared = f"as {record} says" if read_meta(file) else f"no {record} to compare it with"
        told = f"{name}: {len(rows):,} questions, sha256 {sha256_of(file)[:16]} ({compared})"
        return ok("Dataset", told)
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
