"""Reports runs: the paper's tables beside the paper's figures, analyses, figures, debates."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from madm2.command import LONGEST_LINE, Parser, run_command
from madm2.errors import UserError, unknown_name
from madm2.files import replacing
from madm2.report.analyses import analyses
from madm2.report.cells import load_cells
from madm2.report.find import find
from madm2.report.groups import Group, group_cells
from madm2.report.results import cells_table, comparisons_table, paper_tables
from madm2.report.tables import Table, as_json, comma_separated, latex, markdown

FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "md": markdown,
    "csv": comma_separated,
    "json": as_json,
    "latex": latex,
}
NAMES = ("paper", "cells", "comparisons", "votes", "masks", "transitions") + (
    "answers",
    "labels",
    "tokens",
)


def build_parser() -> Parser:
    """The flags."""
    parser = Parser(
        "python -m madm2.report",
        "Reports run folders (finished or not) and results files of the released code: accuracy, "
        "tokens and time beside the paper's figures, paired comparisons, analyses, debates.",
        "The exit code is 2 when something could not be read; the rest is reported all the same.",
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="DIR", help="or a results file")
    parser.add_argument(
        "--format", default="md", help=f"{', '.join(FORMATS)} or html (%(default)s)"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="instead of printing it")
    parser.add_argument(
        "--tables",
        nargs="+",
        metavar="NAME",
        help=f"only these: {', '.join(NAMES)} (all; with csv: cells)",
    )
    parser.add_argument("--figures", type=Path, metavar="DIR", help="draw PNG and SVG files there")
    parser.add_argument("--dataset", help="of results files that do not tell theirs")
    parser.add_argument(
        "--max_debates",
        type=int,
        default=2000,
        metavar="N",
        help="with html: debates in the page, the first of every run (%(default)s)",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command."""

    def body() -> int:
        args = build_parser().parse_args(argv)
        if args.format not in (*FORMATS, "html"):
            raise unknown_name("format", args.format, (*FORMATS, "html"))
        if args.max_debates < 0:
            raise UserError("--max_debates must be ≥ 0", have=str(args.max_debates))
        names = args.tables or (["cells"] if args.format == "csv" else list(NAMES))
        for name in names:
            if name not in NAMES:
                raise unknown_name("table", name, NAMES)
        from tqdm import tqdm

        on_terminal = sys.stderr is not None and sys.stderr.isatty()
        found = tqdm(find(args.paths), unit="run", disable=not on_terminal)
        cells, faults = load_cells(found, args.dataset)
        for fault in faults:
            _complain(fault)
        if not cells:
            raise UserError("none of the runs found could be read", have=f"{len(faults)} damaged")
        groups = group_cells(cells)
        tables = _tables(groups, names)
        if args.figures is not None:
            from madm2.report.figures import write_figures

            write_figures(groups, args.figures)
        if args.format == "html":
            _write_html(groups, tables, faults, args)
        else:
            _write(FORMATS[args.format](tables), args.output)
        return 2 if faults else 0

    return run_command(body)


def _tables(groups: Sequence[Group], names: Sequence[str]) -> list[Table]:
    found = [cells_table(groups), comparisons_table(groups), *analyses(groups)]
    by_name = {"paper": paper_tables(groups), **{table.name: [table] for table in found}}
    return [table for name in names for table in by_name[name]]


def _write(text: str, output: Path | None) -> None:
    if output is None:
        print(text, end="")
        return
    with replacing(output) as file:
        file.write(text)


def _write_html(
    groups: Sequence[Group],
    tables: Sequence[Table],
    faults: Sequence[UserError],
    args: Namespace,
) -> None:
    from madm2.report.figures import drawn
    from madm2.report.page import write_page

    cells = [cell for group in groups for cell in group.cells]
    notes = [f"This could not be read: {fault}" for fault in faults]
    with nullcontext(sys.stdout) if args.output is None else replacing(args.output) as file:
        write_page(file, tables, drawn(groups), cells, args.max_debates, notes)


def _complain(fault: UserError) -> None:
    for line in f"error: {fault}".splitlines():
        print(line[:LONGEST_LINE], file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
