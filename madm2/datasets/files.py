"""A dataset's files, whole or not there, and its folder, written into by one process at a time."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from madm2.errors import UserError
from madm2.files import replacing


def write_whole(path: Path, content: bytes | Path) -> None:
    """Write a file, or copy one, so that it is there whole or not at all.

    Raises:
        UserError: it cannot be written (a full disk, no right to); what was there stays.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, text=False) as file:
            if isinstance(content, Path):
                with content.open("rb") as source:
                    shutil.copyfileobj(source, file, 1 << 20)
            else:
                file.write(content)
    except OSError as error:
        raise UserError(
            f"cannot write {path}",
            have=error.strerror or str(error),
            fix="make room or choose another folder, then run this again; nothing is half-written",
        ) from error


@contextmanager
def only_process(folder: Path) -> Iterator[None]:
    """Hold a folder; a second process waits, and then finds the first one's work done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise UserError(f"cannot use {folder}", have=error.strerror or str(error)) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another process that writes into {folder}", file=sys.stderr)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
