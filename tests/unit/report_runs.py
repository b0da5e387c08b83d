"""Run folders for the tests of the report, made with the scripted engine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from madm2.cli import main as run_main
from madm2.report.cells import Cell, load_cells
from madm2.report.find import find


def run(root: Path, *flags: str, limit: int = 8) -> Path:
    """Make a run and return its folder."""
    before = set(root.rglob("manifest.json"))
    words = "--engine scripted --dataset arithmetic --save_path".split()
    assert run_main([*words, str(root), "--limit", str(limit), *flags]) == 0
    [manifest] = set(root.rglob("manifest.json")) - before
    return manifest.parent


def edit_json(path: Path, change: Callable[[Any], object]) -> None:
    """Change a JSON file in place."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def edit_samples(folder: Path, change: Callable[[Any], object]) -> None:
    """Change every sample of a run in place."""
    path = folder / "samples.jsonl"
    rows = [json.loads(line) for line in path.open()]
    for row in rows:
        change(row)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def unfinish(folder: Path, done: int) -> None:
    """Make of a finished run one that was stopped after so many questions."""
    (folder / "results.json").unlink()
    lines = (folder / "samples.jsonl").read_text().splitlines(keepends=True)
    torn = lines[done][: len(lines[done]) // 2]
    (folder / "samples.jsonl.partial").write_text("".join(lines[:done]) + torn)
    (folder / "samples.jsonl").unlink()
    for path in folder.parent.glob(f"{folder.name}*.json"):
        path.unlink()


def copied(source: Path, to: Path) -> Path:
    """A copy of a tree of runs that a test may change."""
    shutil.copytree(source, to)
    return to


def cells_below(*paths: Path) -> list[Cell]:
    """All cells below the paths; none may be damaged."""
    cells, faults = load_cells(find(paths))
    assert not faults
    return cells


def folders(root: Path) -> Iterator[Path]:
    """The run folders below a root, sorted."""
    yield from sorted(path.parent for path in root.rglob("manifest.json"))
