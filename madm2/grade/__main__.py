"""Grades recorded answers again by both instruments; see `--help`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from madm2.command import Parser, run_command
from madm2.errors import UserError


def build_parser() -> argparse.ArgumentParser:
    """The flags."""
    parser = Parser(
        "python -m madm2.grade",
        "Grade recorded answers again, by both instruments. A file holds JSON lines "
        "(dataset or answer_type, output, gold; optional id, options, answer), a run's "
        "samples.jsonl, or results or a debate log written by the released code. Writes a JSON "
        "line each: id, answer, status, score, released_answer, released_score, and difference "
        "where the two verdicts differ; a summary goes to standard error.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--dataset", help="dataset of files and lines that do not name it")
    parser.add_argument("--answer_type", help="or their type: numeric, math, choice or text")
    parser.add_argument(
        "--gold", type=Path, help="golds of a debate log: its results file, or a .jsonl dataset"
    )
    parser.add_argument("--output", type=Path, help="write the lines here (standard output)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; what was graded before an error is written. See `run_command`."""
    return run_command(lambda: _grade_files(build_parser().parse_args(argv)))


def _grade_files(args: argparse.Namespace) -> None:
    from madm2.grade.record import Defaults
    from madm2.grade.regrade import regrade
    from madm2.grade.sources import open_source
    from madm2.grade.tally import Tally

    defaults = Defaults.of(args.dataset, args.answer_type)
    if args.output and any(_same_file(args.output, path) for path in args.files):
        raise UserError("--output is a file to be graded", have=str(args.output))
    several = len(args.files) > 1
    total = Tally(f"all {len(args.files)} files")
    with _Lines(args.output) as out:
        try:
            for path in args.files:
                source = open_source(path, defaults, args.gold)
                tally = Tally(str(path), source.note, source.accuracy)
                try:
                    for record in source.records:
                        graded = regrade(record)
                        line = graded.line()
                        out.write({**line, "file": str(path)} if several else line)
                        tally.add(graded)
                        total.add(graded)
                finally:
                    print(tally, file=sys.stderr)
        finally:
            if several:
                print(total, file=sys.stderr)


class _Lines:
    """Writes JSON lines, to standard output where there is no path.

    A file is opened with its first line, so that an error before it leaves an earlier one alone.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: TextIO | None = None if path else sys.stdout

    def write(self, line: dict[str, object]) -> None:
        if self._file is None:
            assert self._path
            self._file = _open(self._path)
        print(json.dumps(line), file=self._file, flush=True)

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *error: object) -> None:
        if self._path and self._file:
            self._file.close()


def _open(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {path}", have=error.strerror or str(error)) from error


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


if __name__ == "__main__":
    sys.exit(main())
