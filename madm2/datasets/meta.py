"""The record beside a written dataset: where it is from, and what its file must be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path

from madm2.datasets.files import write_whole
from madm2.datasets.spec import DatasetSpec
from madm2.errors import UserError
from madm2.files import sha256_of


@dataclass(frozen=True, slots=True)
class Meta:
    """What is recorded of a dataset's JSONL file.

    Args:
        source: repository, folder or command that it was made from.
        revision: commit of the repository, or the settings of the command.
        rows: rows of the file.
        sha256: of the file.
        licence: of the rows.
        date: day on which it was written.
        modified: how the rows differ from what the registry expects; empty when they do not.
    """

    source: str
    revision: str
    rows: int
    sha256: str
    licence: str
    date: str
    modified: tuple[str, ...] = ()


def meta_file(data_file: Path) -> Path:
    """`<name>.meta.json` beside `<name>_test.jsonl`."""
    return data_file.with_name(
        data_file.name.removesuffix(".jsonl").removesuffix("_test") + ".meta.json"
    )


def write_set(
    path: Path,
    rows: Sequence[str],
    *,
    source: str,
    revision: str,
    licence: str,
    modified: Sequence[str] = (),
) -> Meta:
    """Write a dataset's JSONL file and its record; a set that is there already stays as it is.

    Args:
        path: the JSONL file.
        rows: its lines, each with its line break.
        source: see Meta.
        revision: see Meta.
        licence: see Meta.
        modified: see Meta.
    """
    content = "".join(rows).encode()
    today = date.today().isoformat()
    digest = hashlib.sha256(content).hexdigest()
    meta = Meta(source, revision, len(rows), digest, licence, today, tuple(modified))
    former = former_meta(path) if path.is_file() else None
    if former and _apart_from_date(former) == _apart_from_date(meta) and digest == sha256_of(path):
        return former
    # The record first: whatever stops this between the two leaves a pair that does not fit, which
    # the loader refuses, and never rows without their record.
    write_whole(meta_file(path), (json.dumps(asdict(meta), indent=2) + "\n").encode())
    write_whole(path, content)
    return meta


def former_meta(data_file: Path) -> Meta | None:
    """The record of a set that is about to be written again; None where it cannot be read."""
    try:
        return read_meta(data_file)
    except UserError:
        return None


def read_meta(data_file: Path) -> Meta | None:
    """The record of a data file; None where it has none.

    Raises:
        UserError: the record cannot be read.
    """
    path = meta_file(data_file)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        modified = record.pop("modified", [])
        names = {field.name for field in fields(Meta)}
        known = {key: value for key, value in record.items() if key in names}
        meta = Meta(**known, modified=tuple(modified))
        texts = [meta.source, meta.revision, meta.sha256, meta.licence, meta.date, *modified]
        if not isinstance(modified, list) or not all(isinstance(text, str) for text in texts):
            raise TypeError("a text or a list of texts is of another kind")
        if type(meta.rows) is not int:
            raise TypeError(f"rows is {meta.rows!r}")
        return meta
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"cannot read {path}", have=error.strerror or str(error)) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise UserError(
            f"{path} is not the record of a dataset",
            have=str(error),
            fix="download the dataset again, or remove this file to use the rows unchecked",
        ) from error


def differences(
    rows: int, sha256: str, queries: Iterable[str], spec: DatasetSpec | None, meta: Meta | None
) -> list[str]:
    """How a data file differs from its record, and from what the registry knows of the dataset.

    Args:
        rows: rows of the file.
        sha256: of the file.
        queries: of its rows, in order.
        spec: the dataset's entry; None for a file that no dataset stands for.
        meta: the file's record, if it has one.
    """
    found = []
    if meta:
        if rows != meta.rows:
            found.append(f"{rows} rows, the record says {meta.rows}")
        if sha256 != meta.sha256:
            found.append(f"sha256 {sha256[:16]}, the record says {meta.sha256[:16]}")
        found += meta.modified
    source = spec.source if spec else None
    if source and source.queries_sha256 and not (meta and meta.modified):
        found += [text for text in unexpected(rows, queries, spec) if text not in found]
    return found


def unexpected(rows: int, queries: Iterable[str], spec: DatasetSpec | None) -> list[str]:
    """How rows differ from what the registry knows: their number, and the hash of their queries."""
    source = spec.source if spec else None
    if source is None:
        return []
    found = []
    if source.rows is not None and rows != source.rows:
        found.append(f"{rows} rows, the dataset has {source.rows}")
    if source.queries_sha256:
        digest = hashlib.sha256("\n".join(queries).encode("utf-8", "surrogatepass")).hexdigest()[
            :16
        ]
        if digest != source.queries_sha256:
            found.append(f"queries hash to {digest}, the dataset's to {source.queries_sha256}")
    return found


def _apart_from_date(meta: Meta) -> dict[str, object]:
    return {key: value for key, value in asdict(meta).items() if key != "date"}
