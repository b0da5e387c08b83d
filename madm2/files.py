"""Files written so that they are there whole or not at all, and their hashes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def replacing(path: Path, *, text: bool = True) -> Iterator[IO[Any]]:
    """Open `<path>.partial` for UTF-8 text or bytes; after the block it takes the place of `path`.

    After an exception the partial file is removed, and what stood at `path` still does.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("w" if text else "wb", encoding="utf-8" if text else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(path)  # a full disk does not say where
        raise


def write_json(path: Path, document: object) -> None:
    """Write a JSON file, whole or not at all."""
    with replacing(path) as file:
        file.write(json.dumps(document, indent=2) + "\n")


def sha256_of(path: str | Path) -> str:
    """Hash of a file, of any size."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
