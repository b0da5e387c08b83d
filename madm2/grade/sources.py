"""Opens a file to be graded, of whichever kind it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from madm2.errors import UserError
from madm2.grade.json_lines import read_lines, read_row
from madm2.grade.record import Defaults, Source
from madm2.grade.released_files import is_log, read_debate_log, read_results


def open_source(path: Path, defaults: Defaults, gold_file: Path | None = None) -> Source:
    """Open JSON lines, a run's samples.jsonl, or a file of the released code's.

    Args:
        path: the file.
        defaults: dataset and answer type of what does not name its own.
        gold_file: golds of a debate log; None for the results file beside it.

    Raises:
        UserError: the file cannot be read, or is of none of these kinds.
    """
    try:
        raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise UserError(f"cannot read {path}", have=error.strerror or str(error)) from error
    if not raw.strip():
        raise UserError(f"{path} is empty", need="JSON lines, or a results file")
    document = _document(raw, path)
    if document is None:
        return Source(read_lines(raw, path, defaults))
    if isinstance(document.get("results"), list):
        return read_results(document, path, defaults)
    if is_log(document):
        return read_debate_log(document, path, defaults, gold_file)
    return Source(iter([read_row(document, str(path), defaults, 0)]))


def _document(raw: bytes, path: Path) -> dict[str, Any] | None:
    """The file as one JSON object of many lines, or of the released code's; None for lines."""
    lines = [line for line in raw.split(b"\n", 100) if line.strip()]
    if (row := _object(lines[0])) is not None:
        whole = isinstance(row.get("results"), list) or is_log(row)
        return row if whole and len(lines) == 1 else None
    try:
        document = json.loads(raw.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        if len(lines) == 1 or _object(lines[1]) is not None:
            return None  # lines, of which the first is torn: their reader says so
        where = f"{path}, line {_line_of(error, raw)}"
        raise UserError(f"{where} is not valid JSON in UTF-8", have=str(error)) from error
    if not isinstance(document, dict):
        raise UserError(f"{path} is not a JSON object", have=type(document).__name__)
    return document


def _line_of(error: Exception, raw: bytes) -> int:
    if isinstance(error, json.JSONDecodeError):
        return error.lineno
    return raw.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
