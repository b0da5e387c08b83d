"""Downloads a dataset's files at one commit, checks them, and records what they are."""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from madm2.datasets.fetch_faults import explained
from madm2.datasets.files import write_whole
from madm2.datasets.spec import Source
from madm2.errors import UserError

MANIFEST = "source.json"
TRIES = 5
LONGEST_WAIT = 300.0  # seconds that a hub may ask for before it is left to the user


def fetch(source: Source, folder: Path) -> None:
    """Bring a source's files into a folder, unless they are there already.

    The hub's client does the transfer: its cache (HF_HOME), endpoint (HF_ENDPOINT), token
    (HF_TOKEN) and offline switch (HF_HUB_OFFLINE) hold. Files that the cache has at a pinned
    commit need no network. The manifest is written last: without it the folder is not done.

    Raises:
        UserError: not to be had, or damaged; says what to do.
    """
    if manifest_of(source, folder):
        return
    revision, hashes = source.revision, {}
    for name in source.files:
        cached = _download(source, name, revision)
        # The first file settles the commit, so that all are of one.
        revision = revision or cached.parts[cached.parts.index("snapshots") + 1]
        write_whole(folder / name, cached)
        hashes[name] = hashlib.sha256(cached.read_bytes()).hexdigest()
    manifest = {"source": source.repo, "revision": revision, "files": hashes}
    write_whole(folder / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())


def manifest_of(source: Source, folder: Path) -> dict[str, Any] | None:
    """The manifest of a folder that holds all of a source's files; None where it does not.

    Raises:
        UserError: a file differs from what was downloaded.
    """
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        hashes = manifest["files"]
        same = manifest["source"] == source.repo and set(hashes) == set(source.files)
        if not same or source.revision not in (None, manifest["revision"]):
            return None
        for name, digest in hashes.items():
            if not (folder / name).is_file():
                return None
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
                raise UserError(
                    f"{folder / name} is not what was downloaded",
                    need=f"sha256 {digest}",
                    fix="remove it and run this again, or read your own files with --source",
                )
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # torn or foreign: what it stood for is fetched again
    return dict(manifest)


def _download(source: Source, name: str, revision: str | None) -> Path:
    """A file's place in the hub's cache, transient faults waited out."""
    from huggingface_hub import hf_hub_download

    waits = _waits()
    while True:
        try:
            path = Path(
                hf_hub_download(source.repo, name, repo_type="dataset", revision=revision or "main")
            )
        except Exception as error:  # each kind is named, or raised again, by explained()
            fault = explained(error, source, name)
            wait = next(waits, None) if fault.transient else None
            if wait is None or (fault.retry_after or 0) > LONGEST_WAIT:
                raise fault.error from error
            wait = max(wait, fault.retry_after or 0)
            print(f"{fault.error.problem}; trying again in {wait:.0f} s", file=sys.stderr)
            time.sleep(wait)
        else:
            _check_transfer(path, source)
            return path


def _waits() -> Iterator[float]:
    for doubling in range(TRIES - 1):
        yield 2**doubling * random.uniform(1, 1.5)


def _check_transfer(path: Path, source: Source) -> None:
    """Compare a cached file with the hub's checksum, which is its name in the cache."""
    blob = path.resolve()
    content = blob.read_bytes()
    if re.fullmatch(r"[0-9a-f]{64}", blob.name):
        digest = hashlib.sha256(content).hexdigest()
    elif re.fullmatch(r"[0-9a-f]{40}", blob.name):  # git's name of a small file
        digest = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    else:
        return
    if digest != blob.name:
        path.unlink(missing_ok=True)
        blob.unlink(missing_ok=True)
        raise UserError(
            f"{path.name} of {source.repo} came with the wrong checksum",
            have=digest,
            need=blob.name,
            fix="run this again: the damaged copy is removed. If it stays so, "
            "something between here and the hub alters files",
        )
