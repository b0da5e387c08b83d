"""Makes the two small sets that come with the project, `arithmetic` and `logic`, at any level.

Both are exact by computation and the same on every machine. Run
`python -m madm2.datasets.generate` to write them again to processed_data/.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from madm2.command import Parser, run_command
from madm2.config import DEFAULT_CONFIG
from madm2.datasets.arithmetic import arithmetic
from madm2.datasets.draws import LEVELS, STANDARD
from madm2.datasets.files import only_process
from madm2.datasets.load import dataset_path
from madm2.datasets.logic import logic
from madm2.datasets.meta import write_set
from madm2.datasets.spec import Row
from madm2.errors import UserError, unknown_name

SEED = 20260320
ROWS = 240
GENERATORS: dict[str, Callable[[int, int, str], list[Row]]] = {
    "arithmetic": arithmetic,
    "logic": logic,
}


def main(argv: Sequence[str] | None = None) -> int:
    """`python -m madm2.datasets.generate [NAME] [--seed S] [--size N] [--level L]`."""
    return run_command(lambda: _generate(_parser().parse_args(argv)))


def _generate(args: argparse.Namespace) -> int:
    names = list(GENERATORS) if args.name is None else [args.name]
    for kind, given, known in (
        ("generated dataset", names[0], GENERATORS),
        ("level", args.level, (STANDARD, *LEVELS)),
    ):
        if given not in known:
            raise unknown_name(kind, given, known)
    if args.size < 1:
        raise UserError("--size must be ≥ 1", have=str(args.size))
    if args.seed < 0:
        raise UserError("--seed must be ≥ 0", have=str(args.seed))
    for name in names:
        lines = [
            json.dumps(row) + "\n" for row in GENERATORS[name](args.size, args.seed, args.level)
        ]
        path = dataset_path(name, args.output_dir)
        with only_process(path.parent):
            write_set(
                path,
                lines,
                source=f"python -m madm2.datasets.generate {name}",
                revision=f"seed {args.seed}, size {args.size}, level {args.level}",
                licence="MIT, as the project",
            )
        print(path)
    return 0


def _parser() -> Parser:
    parser = Parser("python -m madm2.datasets.generate", __doc__ or "")
    parser.add_argument("name", nargs="?", help="arithmetic or logic (both)")
    parser.add_argument("--seed", type=int, default=SEED, help="of the draws (%(default)s)")
    parser.add_argument("--size", type=int, default=ROWS, help="questions (%(default)s)")
    parser.add_argument(
        "--level",
        default=STANDARD,
        help=f"%(default)s, as the project's own files, or {', '.join(LEVELS)}",
    )
    parser.add_argument(
        "--output_dir",
        type=Path,
        default=DEFAULT_CONFIG.parent / "processed_data",
        help="folder of the datasets (processed_data); what is there is replaced",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
