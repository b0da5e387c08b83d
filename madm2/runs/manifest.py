"""manifest.json: how a run was made, and whether a command continues it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import madm2
from madm2.errors import UserError
from madm2.files import write_json
from madm2.runs.environment import environment
from madm2.runs.layout import RunPaths

VERSION = 1
# Settings that say where and beside what a run is made, not what it is; `questions` may grow.
PLACES = frozenset({"data_file", "gpus", "tensor_parallel", "share_first_round", "questions"})
# What the engine resolved that decides what a model says.
_DECISIVE = ("chat_template_sha256", "dtype", "max_model_len", "double_bos")


class Manifest:
    """The manifest of one run folder.

    `document` holds: version, madm2, environment and command of the first session, arguments and
    settings of the last one, engine (once it was loaded) and sessions, one for every time the
    command was given. `same_code` says that this session runs the code, packages and machine of
    the one before it.
    """

    def __init__(self, path: Path, document: dict[str, Any], *, same_code: bool) -> None:
        self.path = path
        self.document = document
        self.same_code = same_code

    def record_engine(self, engine: Mapping[str, object]) -> None:
        """Record the engine's resolved settings.

        Raises:
            UserError: they differ from those that the run was begun with.
        """
        now = json.loads(json.dumps(engine))
        former = self.document["engine"]
        if former is None:
            self.document["engine"] = now
            self.save()
            return
        decisive = [{key: tree.get(key) for key in _DECISIVE} for tree in (former, now)]
        if differing := _then_and_now(*decisive):
            raise _another(self.path.parent, differing)
        for line in _then_and_now(former, now):
            print(f"note: the engine is not quite what it was: {line}", file=sys.stderr)

    def save(self) -> None:
        """Write the file, atomically."""
        write_json(self.path, self.document)


def begin(
    paths: RunPaths,
    settings: Mapping[str, object],
    arguments: Mapping[str, object],
    command: Sequence[str],
) -> Manifest:
    """Open a session on a run folder: begin its manifest, or continue the one that is there.

    Args:
        paths: the run's files; the folder exists and is held.
        settings: the resolved run.
        arguments: the flags as parsed.
        command: the words typed.

    Raises:
        UserError: the folder holds another configuration, or more questions; it names them.
    """
    settings = json.loads(json.dumps(settings))
    here = environment()
    session: dict[str, Any] = {"started": _now(), "command": list(command)}
    if former := read_manifest(paths.folder):
        check_same_run(paths.folder, former["settings"], settings)
        former |= {"settings": settings, "arguments": _plain(arguments)}
        for line in _then_and_now(former["environment"], here):
            print(f"note: not the environment the run was begun in: {line}", file=sys.stderr)
            session["environment"] = here
        before = former["sessions"][-1].get("environment", former["environment"])
        former["sessions"].append(session)
        manifest = Manifest(paths.manifest, former, same_code=before == here)
    elif paths.journal.exists() or paths.results.exists():
        raise UserError(
            f"{paths.folder} holds a run without a manifest.json",
            need="the manifest that says what it is",
            fix="--overwrite moves it aside, or choose another --exp_name",
        )
    else:
        manifest = Manifest(
            paths.manifest,
            {
                "version": VERSION,
                "madm2": madm2.__version__,
                "command": list(command),
                "arguments": _plain(arguments),
                "settings": settings,
                "environment": here,
                "engine": None,
                "sessions": [session],
            },
            same_code=True,
        )
    manifest.save()
    return manifest


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a run folder; None where there is none.

    Raises:
        UserError: it cannot be read.
    """
    path = RunPaths(folder).manifest
    fix = "bring it back from a copy, or begin the run anew with --overwrite"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read {path}", have=str(error), fix=fix) from error
    if not _is_manifest(document):
        raise UserError(f"{path} is no manifest of a run", fix=fix)
    if document["version"] != VERSION:
        raise UserError(
            f"{path} was written by another version of madm2",
            have=f"version {document['version']}",
            need=f"version {VERSION}",
        )
    return document  # type: ignore[no-any-return]


def _is_manifest(document: object) -> bool:
    kinds: dict[str, type | tuple[type, ...]] = {
        "version": int,
        "settings": dict,
        "arguments": dict,
        "environment": dict,
        "engine": (dict, type(None)),
        "sessions": list,
    }
    return (
        isinstance(document, dict)
        and all(isinstance(document.get(name, ...), kind) for name, kind in kinds.items())
        and isinstance(document["settings"].get("questions"), int)
        and isinstance(document["settings"].get("model"), dict)
        and bool(document["sessions"])
        and all(isinstance(session, dict) for session in document["sessions"])
    )


def check_same_run(folder: Path, former: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to continue a run under another configuration, or with fewer questions.

    Raises:
        UserError: naming what differs.
    """
    differing = _then_and_now(
        {k: v for k, v in former.items() if k not in PLACES},
        {k: v for k, v in now.items() if k not in PLACES},
    )
    if former["questions"] > now["questions"]:
        differing.append(f"{former['questions']} questions there, {now['questions']} now")
    if differing:
        raise _another(folder, differing)


def differences(one: object, other: object, name: str = "") -> list[tuple[str, object, object]]:
    """Where two trees of plain values differ: the place, and what stands there in each."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = []
        for key in [*one, *(key for key in other if key not in one)]:
            below = f"{name}.{key}" if name else str(key)
            found += differences(one.get(key), other.get(key), below)
        return found
    return [] if one == other else [(name, one, other)]


def _then_and_now(former: object, now: object) -> list[str]:
    return [f"{name}: {a!r} there, {b!r} now" for name, a, b in differences(former, now)]


def _another(folder: Path, differing: Sequence[str]) -> UserError:
    return UserError(
        f"{folder} holds another run",
        have="; ".join(differing),
        fix="choose another --exp_name or --save_path, or --overwrite to move that run aside",
    )


def _plain(arguments: Mapping[str, object]) -> dict[str, object]:
    return {k: str(v) if isinstance(v, Path) else v for k, v in arguments.items()}


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
