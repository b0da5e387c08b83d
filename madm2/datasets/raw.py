"""Finds a dataset's raw files in a folder and reads their rows, in order."""

from __future__ import annotations

import csv
import json
import logging
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from madm2.datasets.spec import Source
from madm2.errors import UserError
from madm2.jsonl import parse_object

# Kind of file: the reader of `datasets` for it. Lines of JSON are read here: a torn one is named.
READERS = {".jsonl": "", ".json": "", ".parquet": "parquet", ".csv": "csv", ".arrow": "arrow"}


def find_files(name: str, source: Source, folder: Path) -> list[Path]:
    """The files that hold a dataset's rows: named as on the hub, or one file of the whole set.

    Args:
        name: of the dataset.
        source: where its rows come from.
        folder: the user's folder, with or without a folder of that name in it; or one file.

    Raises:
        UserError: no such folder, no such files, or several that could be meant.
    """
    if folder.is_file() and folder.suffix in READERS:
        return [folder]
    if not folder.exists():
        raise UserError(f"there is no {folder}", need="a folder with the dataset's files")
    places = [place for place in (folder / name, folder) if place.is_dir()]
    for place in places:
        files = [place / file for file in source.files]
        if all(file.is_file() for file in files):
            return files
    stems = (f"{name}_test", name, source.split, f"{source.split}-*", f"data/{source.split}-*")
    for place in places:
        for pattern in (*stems, "*"):
            found = sorted(
                file
                for file in place.glob(f"{pattern}.*")
                if file.suffix in READERS
                and file.name != "source.json"
                and not file.name.endswith(".meta.json")
            )
            if len(found) == 1:
                return found
            if found and pattern == "*":
                raise UserError(
                    f"which files of {place} are {name}?",
                    have=", ".join(file.name for file in found[:10]),
                    need=f"{name}_test.jsonl, .json or .parquet, or the hub's {source.files[0]}",
                )
    raise UserError(
        f"{folder} does not hold {name}",
        have=", ".join(sorted(p.name for p in folder.iterdir())[:10]) or "nothing",
        need=f"{name}_test.jsonl, .json or .parquet, or the hub's {', '.join(source.files[:7])}",
    )


def read_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Rows of a raw file.

    Raises:
        UserError: it cannot be read, or is cut off.
    """
    reader = READERS[path.suffix]
    if not reader:
        yield from _read_json(path) if path.suffix == ".json" else _read_lines(path)
        return
    import datasets

    datasets.disable_progress_bars()
    datasets.utils.logging.set_verbosity(logging.CRITICAL)  # a fault is told once, below
    options: dict[str, Any] = {}
    try:
        if reader == "csv":  # every cell is a text: "None" and "4.0" are options, as written
            with path.open(encoding="utf-8", newline="") as file:
                names = next(csv.reader(file), [])
            text = datasets.Value("string")
            options = {"features": datasets.Features(dict.fromkeys(names, text))}
            options["keep_default_na"] = False
        with tempfile.TemporaryDirectory() as cache:  # what is read may be replaced under its name
            table = datasets.load_dataset(
                reader, data_files=[str(path)], split="train", cache_dir=cache, **options
            )
            # As Arrow: without decoding columns, such as images, that are not needed.
            for batch in table.with_format("arrow").iter(1000):
                yield from batch.to_pylist()
            del table
    except (datasets.exceptions.DatasetsError, OSError, ValueError) as e:
        cause: BaseException = e
        while cause.__cause__:
            cause = cause.__cause__
        raise UserError(
            f"cannot read {path} as {path.suffix[1:]}",
            have=str(cause).split("\n")[0] or type(cause).__name__,
            fix="is the file cut off, or the disk full? remove it and fetch it again",
        ) from e


def _read_json(path: Path) -> Iterator[Mapping[str, Any]]:
    """An array of objects, or one object a line; values stay as they are written."""
    try:
        text = path.read_bytes().decode("utf-8-sig", "surrogatepass")
        rows = json.loads(text)
    except OSError as error:
        raise UserError(f"cannot read {path}", have=error.strerror or str(error)) from error
    except (ValueError, RecursionError):
        yield from _read_lines(path)
        return
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        if not isinstance(row, dict):
            raise UserError(f"{path}, row {number} is not a JSON object", have=type(row).__name__)
        yield row


def _read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line := line.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").strip():
                    yield parse_object(line, f"{path}, line {number}")
    except OSError as error:
        raise UserError(f"cannot read {path}", have=error.strerror or str(error)) from error
