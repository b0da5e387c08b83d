"""The files of a model folder: what is wrong with one, and the command that brings it back."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from madm2.config import DEMO_FOLDER
from madm2.errors import UserError

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
# What download programs call a file that they have not finished.
_UNFINISHED = (".incomplete", ".part", ".partial", ".aria2", ".crdownload", ".download", ".tmp")


@dataclass(frozen=True, slots=True)
class Source:
    """Where the files of a model folder came from, as far as that can be told."""

    folder: Path
    hub_id: str = ""

    def fetch(self, *names: str) -> str:
        """The command that downloads these files again; without names, what is missing."""
        if self.folder.resolve() == DEMO_FOLDER.resolve():
            return f"rm -r {shlex.quote(str(self.folder))}; python -m madm2.demo_model"
        hub_id, where = self.hub_id, f"--local-dir {shlex.quote(str(self.folder))}"
        if entry := self._cache_entry():
            hub_id, where = entry.name.removeprefix("models--").replace("--", "/"), ""
            where = f"--revision {self.folder.name}"
            if entry.parent.name != "hub" or entry.parent.parent.name != "huggingface":
                where += f" --cache-dir {shlex.quote(str(entry.parent))}"
        files = "".join(f" {shlex.quote(name)}" for name in names)
        force = " --force-download" if names else ""
        return f"hf download {hub_id or 'OWNER/NAME'}{files} {where}{force}"

    def leftovers(self) -> list[str]:
        """Files of a download that did not end."""
        places = [self.folder, self.folder / ".cache" / "huggingface" / "download"]
        if entry := self._cache_entry():
            places.append(entry / "blobs")
        return sorted(
            path.name
            for place in places
            if place.is_dir()
            for path in place.iterdir()
            if path.name.endswith(_UNFINISHED)
        )

    def _cache_entry(self) -> Path | None:
        """The `models--OWNER--NAME` folder of a hub cache that this snapshot lies in."""
        above = self.folder.absolute().parent
        is_cached = above.name == "snapshots" and above.parent.name.startswith("models--")
        return above.parent if is_cached else None


def require_file(path: Path, source: Source) -> None:
    """Refuse a file that is not there, or not what its name says.

    Raises:
        UserError: missing, a broken link, empty, a Git LFS pointer, not readable.
    """
    if path.is_symlink() and not path.exists():
        raise UserError(
            f"{path.name} is a broken link to {os.readlink(path)}", fix=source.fetch(path.name)
        )
    if not path.exists():
        raise UserError(f"{path.name} is missing", fix=source.fetch())
    if not path.is_file():
        raise UserError(f"{path.name} is not a file", fix=source.fetch(path.name))
    try:
        with path.open("rb") as file:
            head = file.read(len(_LFS_POINTER))
    except OSError as error:
        raise UserError(
            f"{path.name} cannot be read: {error.strerror}",
            fix=f"make {path} readable for this user",
        ) from error
    if not head:
        raise UserError(f"{path.name} is empty (0 bytes)", fix=source.fetch(path.name))
    if head == _LFS_POINTER:
        raise UserError(
            f"{path.name} is a Git LFS pointer, not the file it stands for",
            fix=f"cd {shlex.quote(str(path.parent))} && git lfs pull; or {source.fetch(path.name)}",
        )


def read_json(path: Path, source: Source) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        UserError: what `require_file` refuses, or a file that holds no JSON object.
    """
    require_file(path, source)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(
            f"{path.name} is damaged: no valid JSON ({error})", fix=source.fetch(path.name)
        ) from error
    if not isinstance(value, dict):
        raise UserError(
            f"{path.name} is damaged: no JSON object ({type(value).__name__})",
            fix=source.fetch(path.name),
        )
    return value


def listed(names: list[str], most: int = 4) -> str:
    """Names, the first few of many."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
