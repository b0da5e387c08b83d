"""Finds what can be reported below given paths: run folders and the released code's files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from madm2.errors import UserError
from madm2.runs.layout import RunPaths

# What the released code, and a run beside its folder, call their results.
_RESULTS = re.compile(r"(cot|mad|sparse_mad)[\w.=+-]*\.json", re.ASCII)
_LOG = re.compile(r"_(debate|cot)_log\.json\Z")
_ASIDE = re.compile(r"\.old\d+(_(debate|cot)_log)?(\.json)?\Z")


def find(paths: Iterable[Path]) -> list[Path]:
    """Run folders and results files at or below the paths, each once.

    A results file beside the run folder that wrote it is passed over, and so are logs
    and runs that were moved aside (`.old1`), unless they are named themselves.

    Raises:
        UserError: a path is not there, or nothing is found at all.
    """
    paths = list(paths)
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} is not there", need="a run folder, or one that holds runs")
        here = [path] if path.is_file() or _is_run(path) else _below(path)
        found |= dict.fromkeys(p.resolve() for p in here)
    if not found:
        raise UserError(
            f"no runs below {', '.join(map(str, paths))}",
            need="run folders with a manifest.json, or results files of the released code",
            fix="name the folder given as --save_path",
        )
    return list(found)


def is_run_folder(path: Path) -> bool:
    """Whether a path that `find` returned is a run folder; otherwise it is a results file."""
    return path.is_dir()


def _is_run(folder: Path) -> bool:
    return RunPaths(folder).manifest.is_file()


def _below(root: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(root):
        here = Path(name)
        runs = {folder for folder in folders if _is_run(here / folder)}
        folders[:] = sorted(f for f in folders if f not in runs and not _ASIDE.search(f))
        yield from (here / run for run in sorted(runs) if not _ASIDE.search(run))
        for file in sorted(files):
            passed_over = file.removesuffix(".json") in runs or _LOG.search(file)
            if _RESULTS.fullmatch(file) and not passed_over and not _ASIDE.search(file):
                yield here / file
