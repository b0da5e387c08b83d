"""Makes a dataset's JSONL file of its raw files: converted, checked, written with its record."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from madm2.datasets.convert import LETTERS, prepared
from madm2.datasets.load import question_from_row
from madm2.datasets.meta import Meta, unexpected, write_set
from madm2.datasets.raw import read_rows
from madm2.datasets.spec import DatasetSpec, Row, Source
from madm2.errors import UserError
from madm2.types import AnswerType


def prepare(
    name: str,
    spec: DatasetSpec,
    files: Sequence[Path],
    output: Path,
    *,
    origin: str,
    revision: str,
    allow_modified: bool = False,
) -> Meta:
    """Convert raw files and write the dataset.

    Args:
        name: of the dataset.
        spec: its entry.
        files: its raw files, in the order of the rows.
        output: the JSONL file to write.
        origin: where the files are from, for the record.
        revision: of which commit, for the record.
        allow_modified: write rows that are not those expected, and record how they differ.

    Raises:
        UserError: a file or a row cannot be used, or the rows are not the dataset's.
    """
    assert spec.source
    read = [(path, row) for path in files for row in read_rows(path)]
    rows = _convert(read, spec.source, spec.answer_type, name)
    found = unexpected(len(read), (str(row["query"]) for row in rows), spec)
    if found and not allow_modified:
        raise UserError(
            f"these are not the rows of {name}",
            have="; ".join(found),
            need=f"all of {spec.source.split} of {spec.source.repo}, in its order",
            fix="is a file cut off or another version? fetch it again, or go on with "
            "--allow_modified_data, which is recorded",
        )
    lines = [json.dumps(row) + "\n" for row in rows]
    return write_set(
        output,
        lines,
        source=origin,
        revision=revision,
        licence=spec.source.licence,
        modified=found,
    )


def _convert(
    read: Iterable[tuple[Path, Mapping[str, Any]]],
    source: Source,
    answer_type: AnswerType,
    name: str,
) -> list[Row]:
    rows: list[Row] = []
    seen: set[str] = set()
    has_ids = False
    for number, (path, raw) in enumerate(read, start=1):
        where = f"{path}, row {number}"
        try:
            made = prepared(raw) if {"query", "answer"} <= raw.keys() else source.convert(raw)
        except KeyError as error:
            raise UserError(
                f"{where} has no field {error.args[0]!r}", have=f"fields {', '.join(map(str, raw))}"
            ) from error
        except (TypeError, AttributeError, ValueError) as error:
            raise UserError(f"{where} cannot be read", have=str(error)) from error
        except UserError as error:
            raise UserError(f"{where}: {error.problem}", have=error.have) from error
        if made is None:
            continue
        question = question_from_row(made, name, answer_type, len(rows), where)
        if answer_type == "choice" and question.gold not in set(LETTERS[: len(question.options)]):
            raise UserError(
                f"{where} is no multiple-choice question",
                have=f"{len(question.options)} options, answer {question.gold[:20]!r}",
                need="options, and the letter of one of them",
            )
        if rows and has_ids != ("id" in made):
            raise UserError(f"{where}: only some rows have an id", need="an id in all or none")
        has_ids = "id" in made
        if str(question.id) in seen:
            raise UserError(f"{where}: id {question.id!r} was used already", need="one row an id")
        seen.add(str(question.id))
        row: Row = {"id": question.id, "query": question.query, "answer": question.gold}
        rows.append({**row, "options": list(question.options)} if question.options else row)
    if not rows:
        raise UserError(f"the files of {name} hold no rows")
    return rows
