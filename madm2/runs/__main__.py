"""Shows how a run was made, or where two runs differ; see `--help`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from madm2.command import Parser, run_command
from madm2.errors import UserError
from madm2.journal import Journal
from madm2.runs.layout import RunPaths
from madm2.runs.manifest import differences, read_manifest

_COMPARED = ("settings", "environment", "engine", "state")


def build_parser() -> Parser:
    """The flags."""
    parser = Parser(
        "python -m madm2.runs",
        "show DIR: the manifest of a run, how far it came and its accuracy. diff A B: in what two "
        "runs differ; the exit code is 0 when in nothing, 1 otherwise.",
    )
    parser.add_argument("what", choices=("show", "diff"))
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--json", action="store_true", help="as JSON, not as YAML")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""

    def body() -> int:
        args = build_parser().parse_args(argv)
        if args.what == "show":
            for folder in args.folders:
                _print(describe(folder), args.json)
            return 0
        if len(args.folders) != 2:
            raise UserError("diff compares two runs", have=f"{len(args.folders)} folders")
        one, other = ({k: describe(f)[k] for k in _COMPARED} for f in args.folders)
        found = differences(one, other)
        if args.json:
            print(json.dumps({name: [a, b] for name, a, b in found}))
        else:
            for name, a, b in found:
                print(f"{name}: {json.dumps(a)} | {json.dumps(b)}")
        return 1 if found else 0

    return run_command(body)


def describe(folder: Path) -> dict[str, Any]:
    """A run's manifest, with `state`: completions recorded, whether it ended, its accuracy.

    Raises:
        UserError: the folder holds no run.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        raise UserError(
            f"{folder} is no run folder",
            need="a folder with a manifest.json",
            fix="it is the folder that a run names at its end",
        )
    state = _state(RunPaths(folder), manifest["settings"]["questions"])
    return {"folder": str(folder), "state": state, **manifest}


def _state(paths: RunPaths, asked: int) -> dict[str, Any]:
    state: dict[str, Any] = {"finished": False}
    if paths.journal.exists():
        journal = Journal(paths.journal, read_only=True)
        state["completions"] = len(journal)
        journal.close()
    try:
        results = json.loads(paths.results.read_text(encoding="utf-8"))
        state |= {key: results[key] for key in ("questions", "accuracy", "seconds")}
        state["finished"] = results["questions"] == asked
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{paths.results} is damaged", have=repr(error)) from error
    return state


def _print(tree: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(tree))
    else:
        print(yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, width=100), end="")


if __name__ == "__main__":
    sys.exit(main())
