"""Reads a JSONL dataset into questions, naming the line of anything that is wrong."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path

from madm2.datasets.meta import differences, read_meta
from madm2.datasets.registry import DATASETS
from madm2.datasets.spec import DatasetSpec
from madm2.errors import UserError
from madm2.jsonl import parse_object
from madm2.types import AnswerType, Question


def dataset_file(name: str, data_dir: str | Path) -> Path:
    """Where the rows of a registered dataset lie."""
    DATASETS[name]
    return dataset_path(name, data_dir)


def dataset_path(name: str, data_dir: str | Path) -> Path:
    """Where the rows of a dataset of that name lie."""
    return Path(data_dir) / name / f"{name}_test.jsonl"


def load_dataset(
    name: str, data_dir: str | Path, *, allow_modified: bool = False
) -> list[Question]:
    """Read a registered dataset from `<data_dir>/<name>/<name>_test.jsonl`, and check it.

    Args:
        name: of the dataset.
        data_dir: folder of the datasets.
        allow_modified: read rows that are not those of the record or the registry.

    Raises:
        UserError: unknown name, no such file, a row that cannot be used, or other rows.
    """
    spec = DATASETS[name]
    path = dataset_file(name, data_dir)
    if not path.is_file():
        have = sorted(p.name for p in Path(data_dir).glob("*") if p.is_dir())
        raise UserError(
            f"no data for {name!r}",
            have=f"{data_dir} holds {', '.join(have) or 'nothing'}",
            need=f"{path}, one JSON object a line with id, query and answer",
            fix=_how_to_get(name, spec),
        )
    return load_file(path, name, spec.answer_type, spec=spec, allow_modified=allow_modified)


def load_file(
    path: str | Path,
    dataset: str,
    answer_type: AnswerType,
    *,
    spec: DatasetSpec | None = None,
    allow_modified: bool = False,
) -> list[Question]:
    """Read questions from a JSONL file with `query`, `answer` and optionally `id`, `options`.

    Rows without ids are counted from 0; either all rows have one or none has. A record beside
    the file (see meta) is checked.

    Args:
        path: the file.
        dataset: name that the questions get.
        answer_type: how their answers are read.
        spec: the registered dataset that the file must be, if it must.
        allow_modified: read rows that are not those of the record or of the dataset.

    Raises:
        UserError: the file is missing, empty or torn, or a row is wrong (names the line), or
            the rows are others.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}", have=error.strerror or str(error)) from error
    questions: list[Question] = []
    seen: dict[str, int] = {}
    ids_given: bool | None = None
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        row = parse_object(line, where)
        question = question_from_row(row, dataset, answer_type, len(questions), where)
        if ids_given not in (None, "id" in row):
            raise UserError(f"{where}: only some rows have an id", need="an id in all or none")
        ids_given = "id" in row
        if first := seen.get(str(question.id)):
            raise UserError(f"{where}: id {question.id!r} was used on line {first} already")
        seen[str(question.id)] = number
        questions.append(question)
    if not questions:
        raise UserError(f"{path} holds no questions", need="one JSON object a line")
    found = differences(
        len(questions),
        hashlib.sha256(raw).hexdigest(),
        (question.query for question in questions),
        spec,
        read_meta(path),
    )
    if found and not allow_modified:
        raise UserError(
            f"{path} is not the data it should be",
            have="; ".join(found),
            fix=f"{_how_to_get(dataset, spec)}, or go on with --allow_modified_data, "
            "which the run records",
        )
    return questions


def _how_to_get(name: str, spec: DatasetSpec | None) -> str:
    if spec is None:
        return "bring the file back as it was written"
    if spec.source is None:
        return f"python -m madm2.datasets.generate {name}"
    return f"python download_datasets.py --dataset_name {name}"


def question_from_row(
    row: Mapping[str, object], dataset: str, answer_type: AnswerType, index: int, where: str
) -> Question:
    """Check one row and make a question of it; `where` names it in errors."""
    if not isinstance(row, Mapping):
        raise UserError(f"{where} is not a mapping", have=type(row).__name__)
    identifier = row.get("id", index)
    if isinstance(identifier, bool) or not isinstance(identifier, (int, str)):
        raise UserError(f"{where}: 'id' must be a whole number or a text")
    options = row.get("options", [])
    if not isinstance(options, list) or not all(isinstance(o, str) for o in options):
        raise UserError(f"{where}: 'options' must be a list of texts")
    return Question(
        id=identifier,
        dataset=dataset,
        query=_text(row, "query", where),
        gold=_text(row, "answer", where),
        answer_type=answer_type,
        options=tuple(options),
    )


def _text(row: Mapping[str, object], key: str, where: str) -> str:
    if key not in row:
        raise UserError(
            f"{where} has no {key!r}", have=f"keys {', '.join(map(str, row))}", need="query, answer"
        )
    value = row[key]
    if key == "answer":
        # The JSON reader takes NaN and 1e999, which are no answers.
        if type(value) is int or (isinstance(value, float) and math.isfinite(value)):
            return str(value)
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{where}: {key!r} must be a text that is not empty")
    return value
