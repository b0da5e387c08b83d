"""The preflight's command line: which checks there are, in which order, and the closing line."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from madm2 import cli
from madm2.check import Check, failed, warning
from madm2.command import Parser, run_command
from madm2.doctor import gpu, hub, pins
from madm2.doctor.child import run_child
from madm2.errors import UserError

_NEEDED = {"yaml": "PyYAML", "numpy": "numpy"}  # what the checks of a run's own choices import

_NOT_TRIED = warning("Generation", "not tried: a check above failed")


def build_parser() -> Parser:
    """The flags of a run, so that its command line can be tried as it is, and `--generate`."""
    parser = cli.build_parser()
    parser.prog = "-m madm2.doctor"
    parser.usage = "python -m madm2.doctor [--generate] [any flags of multi_agent_debate.py]"
    parser.description = (
        "Is everything there that a run needs? One line a check: ok, warning or failed, with the "
        "fix. Exit code 0, 1 where a check failed, 2 for arguments that cannot be meant. The "
        "model and the dataset are checked when they are named."
    )
    parser.epilog = None
    parser.add_argument(
        "--generate", action="store_true", help="load the model and make two tokens (minutes)"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the checks and print them as they are made; the exit code is 1 where one failed."""
    given = list(sys.argv[1:] if argv is None else argv)

    def body() -> int:
        counts: Counter[str] = Counter()
        args = build_parser().parse_args(given)
        _refuse_slips(args)
        for check in checks(args):
            _tell(check, counts)
        if args.generate:
            _tell(_NOT_TRIED if counts["failed"] else run_child("generate", given), counts)
        warnings = f"{counts['warning']} warning{'' if counts['warning'] == 1 else 's'}"
        print(f"{counts['ok']} ok, {warnings}, {counts['failed']} failed", flush=True)
        return 1 if counts["failed"] else 0

    return run_command(body)


def checks(args: argparse.Namespace) -> Iterator[Check]:
    """All checks but the generation, in order; what needs a missing package is left out."""
    gpus = gpu.find_gpus()
    requirements = pins.fitting_file(gpus.capabilities)
    yield pins.check_python(sys.version_info[:3], requirements)
    uses_vllm = args.engine == "vllm"
    yield from pins.check_packages(requirements, uses_vllm=uses_vllm)
    if uses_vllm:
        wanted = args.gpu_id or os.environ.get("CUDA_VISIBLE_DEVICES")
        yield from gpu.check_gpus(gpus, requirements, wanted)
    if lacking := _lacking():
        yield failed(
            "Run",
            f"its choices cannot be checked without {', '.join(lacking)}",
            "bash scripts/quickstart.sh, then: source .venv/bin/activate",
        )
        return
    if uses_vllm:
        yield run_child("import")
    hub_check, is_reachable = hub.check_hub()
    yield hub_check
    yield hub.check_login(is_reachable)
    yield from _run_checks(args, is_reachable)


def _tell(check: Check, counts: Counter[str]) -> None:
    counts[check.status] += 1
    print(check, flush=True)


def _run_checks(args: argparse.Namespace, is_reachable: bool) -> Iterator[Check]:
    from madm2.doctor.data import check_datasets, check_disk
    from madm2.doctor.model import Download, check_model

    download = Download(hub.cache_folder())
    if args.engine == "vllm" and (args.model_name or args.model_path):
        yield from check_model(args, is_reachable, download)
    if args.dataset or args.dataset_path:
        yield from check_datasets(args)
    yield check_disk("Disk, results", Path(args.save_path))
    if args.engine == "vllm":
        yield check_disk("Disk, hub cache", download.cache, download.size)


def _refuse_slips(args: argparse.Namespace) -> None:
    """Refuse what no run would take: empty values, names that are not there.

    Raises:
        UserError: the first of them.
    """
    if args.generate and args.engine == "vllm" and not (args.model_name or args.model_path):
        raise UserError("--generate needs a model", fix="--model_name or --model_path")
    if _lacking():
        return
    from madm2.datasets.registry import DATASETS
    from madm2.doctor.model import configured
    from madm2.grid import spread
    from madm2.resolve import check_flags

    for of_run in spread(args):
        check_flags(of_run)
    for name in args.dataset if args.dataset and not args.dataset_path else ():
        DATASETS[name.lower()]
    configured(args, needs_model=False)


def _lacking() -> list[str]:
    return [package for module, package in _NEEDED.items() if find_spec(module) is None]
