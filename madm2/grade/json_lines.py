"""Reads JSON lines: answers with their golds, and the samples.jsonl of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from madm2.errors import UserError
from madm2.grade.record import (
    Defaults,
    Record,
    answer_type_of,
    at,
    checked_id,
    checked_options,
    checked_text,
    checked_type,
)
from madm2.jsonl import parse_object
from madm2.types import Question


def read_lines(raw: bytes, path: Path, defaults: Defaults) -> Iterator[Record]:
    """Read rows one by one; rows without an id are counted from 0.

    Raises:
        UserError: a line that cannot be used, named; those before it have been yielded.
    """
    count = 0
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield read_row(parse_object(line, where), where, defaults, count)
            count += 1


def read_row(row: dict[str, Any], where: str, defaults: Defaults, index: int) -> Record:
    """Make a record of a row: of a run's sample, or of an answer with its gold."""
    if "rounds" in row:
        return _sample(row, where, defaults, index)
    question = _question(row, where, defaults, index)
    if row.get("answer") is not None:
        return Record(question, extracted=checked_text(row["answer"], "answer", where))
    if not {"answer", "output"} & row.keys():
        raise _missing("output", row, where)
    output = row.get("output")
    if not isinstance(output, (str, type(None))):
        raise UserError(f"{where}: 'output' must be a text", have=repr(output)[:80])
    if row.get("kind") == "equal" or "output" not in row:  # a case table's extracted answer
        return Record(question, extracted=output or "")
    return Record(question, (output or "",))


def _sample(row: dict[str, Any], where: str, defaults: Defaults, index: int) -> Record:
    question = _question(row, where, defaults, index)
    try:
        texts = tuple(completion["text"] for completion in row["rounds"][-1]["completions"])
    except (KeyError, IndexError, TypeError) as error:
        raise UserError(
            f"{where} is no sample of a run", have=repr(error), need="rounds with completions"
        ) from error
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UserError(f"{where}: the last round needs completions, each with a text")
    return Record(question, texts)


def _question(row: dict[str, Any], where: str, defaults: Defaults, index: int) -> Question:
    if row.get("gold") is None:
        raise _missing("gold", row, where)
    dataset = row.get("dataset", defaults.dataset)
    if not isinstance(dataset, (str, type(None))):
        raise UserError(f"{where}: 'dataset' must be a text", have=repr(dataset)[:80])
    given = row.get("answer_type", defaults.answer_type)
    if dataset is None and given is None:
        raise _missing("dataset", row, where)
    try:
        answer_type = answer_type_of(dataset or "") if given is None else checked_type(given)
    except UserError as error:
        raise at(where, error) from error
    return Question(
        id=checked_id(row.get("id", index), where),
        dataset=(dataset or "").lower(),
        query=str(row.get("query", "")),
        gold=checked_text(row["gold"], "gold", where),
        answer_type=answer_type,
        options=checked_options(row.get("options"), where),
    )


def _missing(key: str, row: dict[str, Any], where: str) -> UserError:
    return UserError(
        f"{where} has no {key!r}",
        have=f"keys {', '.join(row)}"[:200],
        need="dataset or answer_type, output (or answer, already extracted), and gold",
    )
