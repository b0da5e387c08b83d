"""Grades recorded answers again by both instruments; see `--help`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from madm2.errors import UserError


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UserError(message, fix="python -m madm2.grade --help lists the flags")


@dataclass(slots=True)
class Tally:
    """Counts for the summary."""

    rows: int = 0
    right: int = 0
    released_right: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    differences: Counter[str] = field(default_factory=Counter)

    def add(self, line: dict[str, Any], difference: str | None) -> None:
        """Count one graded line."""
        self.rows += 1
        self.right += line["score"] == 1
        self.released_right += line["released_score"] == 1
        self.statuses[line["status"]] += 1
        if difference:
            self.differences[difference] += 1

    def __str__(self) -> str:
        rows = [
            f"graded            {self.rows}",
            f"accuracy          {self.right / max(self.rows, 1):.4f}",
            f"released accuracy {self.released_right / max(self.rows, 1):.4f}",
        ]
        rows += [f"  {status:<16}{count}" for status, count in self.statuses.most_common()]
        if self.differences:
            rows.append("differences")
            rows += [f"  {count:>5}  {kind}" for kind, count in self.differences.most_common()]
        return "\n".join(rows)


def build_parser() -> argparse.ArgumentParser:
    """The flags."""
    parser = _Parser(
        prog="python -m madm2.grade",
        description="Grade recorded answers again, by both instruments. A file holds JSON lines "
        "(dataset or answer_type, output, gold; optional id, options, answer), a run's "
        "samples.jsonl, or results or a debate log written by the released code. Writes a JSON "
        "line each: id, answer, status, score, released_answer, released_score.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--dataset", help="dataset of files that do not name it")
    parser.add_argument("--gold", type=Path, help="results file with a debate log's golds")
    parser.add_argument("--output", type=Path, help="write the lines here (standard output)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; exit code 2 with one short message when a file cannot be read."""
    tally = Tally()
    out = sys.stdout
    try:
        args = build_parser().parse_args(argv)
        from madm2.grade.regrade import regrade
        from madm2.grade.sources import read_records

        if args.output:
            try:
                out = args.output.open("w", encoding="utf-8")
            except OSError as error:
                raise UserError(f"cannot write {args.output}", have=str(error)) from error
        for path in args.files:
            for record in read_records(path, args.dataset, args.gold):
                line, difference = regrade(record)
                out.write(json.dumps(line) + "\n")
                tally.add(line, difference)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    finally:
        if out is not sys.stdout:
            out.close()
        if tally.rows:
            print(tally, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
