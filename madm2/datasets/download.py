"""The command that brings datasets: download, convert, check, write.

It keeps what the hub gave under --dataset_dir and writes <output_dir>/<name>/<name>_test.jsonl
with a record of where it is from.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from madm2.command import Parser, run_command
from madm2.config import DEFAULT_CONFIG
from madm2.datasets.fetch import MANIFEST, fetch, manifest_of
from madm2.datasets.fetch_faults import NoConnectionError
from madm2.datasets.files import only_process
from madm2.datasets.load import dataset_path
from madm2.datasets.meta import Meta, former_meta
from madm2.datasets.prepare import prepare
from madm2.datasets.raw import find_files
from madm2.datasets.registry import DATASETS, MMLU_SUBJECTS, mmlu_subject
from madm2.datasets.spec import DatasetSpec, Source
from madm2.errors import UserError, unknown_name
from madm2.files import sha256_of


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 2 when any dataset is not there afterwards."""

    def work() -> int:
        args = _parser().parse_args(argv)
        names = _names(args)
        if len(names) == 1:
            ((name, spec),) = names.items()
            print(bring(name, spec, args))
            return 0
        return _bring_all(names, args)

    return run_command(work, "nothing is half-written; the same command goes on")


def _bring_all(names: dict[str, DatasetSpec], args: argparse.Namespace) -> int:
    """Bring what can be had, past what cannot; the exit code."""
    failed = []
    connected = True
    for name, spec in names.items():
        assert spec.source
        try:
            if connected or _present(dataset_path(name, args.output_dir), spec.source):
                print(bring(name, spec, args))
            else:
                failed.append(name)
        except UserError as error:
            failed.append(name)
            connected = not isinstance(error, NoConnectionError)
            print(f"error: {name}: {error}", file=sys.stderr)
    if failed:
        there = len(names) - len(failed)
        print(f"{there} of {len(names)} datasets are there; not: {', '.join(failed)}")
    return 2 if failed else 0


def bring(name: str, spec: DatasetSpec, args: argparse.Namespace) -> str:
    """Bring one dataset; what was done, in words."""
    source = spec.source
    assert source
    raw, modified = args.dataset_dir / name, args.allow_modified_data
    output = dataset_path(name, args.output_dir)
    if args.source:
        files = find_files(name, source, args.source)
        with only_process(output.parent):
            content = b"".join(file.read_bytes() for file in files)
            origin = f"own copy of {source.repo}"
            revision = f"sha256 {hashlib.sha256(content).hexdigest()[:16]}"
            meta = prepare(
                name, spec, files, output, origin=origin, revision=revision, allow_modified=modified
            )
        return _done(name, output, meta)
    if not args.raw_only and (present := _present(output, source)):
        return f"{_done(name, output, present)}, already there"
    if not args.prepare_only:
        with only_process(raw):
            fetch(source, raw)
        if args.raw_only:
            return f"{name}: {len(source.files)} raw files in {raw}"
    manifest = manifest_of(source, raw)
    if manifest is None:
        raise UserError(
            f"{raw} holds no whole download of {name}",
            need=f"{MANIFEST} and its files, as --raw_only leaves them",
            fix="leave out --prepare_only, or read files of your own with --source",
        )
    files = [raw / file for file in source.files]
    with only_process(output.parent):
        meta = prepare(
            name,
            spec,
            files,
            output,
            origin=source.repo,
            revision=manifest["revision"],
            allow_modified=modified,
        )
    return _done(name, output, meta)


def _present(output: Path, source: Source) -> Meta | None:
    """The record of a set that is written already, whole, and of the pinned commit or one's own."""
    if not output.is_file() or (meta := former_meta(output)) is None or meta.modified:
        return None
    of_pin = meta.source != source.repo or source.revision in (None, meta.revision)
    return meta if of_pin and sha256_of(output) == meta.sha256 else None


def _done(name: str, output: Path, meta: Meta) -> str:
    changed = f" (not the expected rows: {'; '.join(meta.modified)})" if meta.modified else ""
    return f"{name}: {meta.rows} rows in {output}{changed}"


def _names(args: argparse.Namespace) -> dict[str, DatasetSpec]:
    """The datasets that are asked for."""
    name = args.dataset_name.lower()
    if args.raw_only and (args.prepare_only or args.source):
        raise UserError("--raw_only goes without --prepare_only and --source")
    if args.prepare_only and args.source:
        raise UserError("--prepare_only reads what --raw_only downloaded; --source reads your own")
    if args.subject is not None:
        if name != "mmlu":
            raise UserError("--subject goes with --dataset_name mmlu")
        subject = args.subject.lower().replace(" ", "_")
        if subject not in MMLU_SUBJECTS:
            raise unknown_name("subject", args.subject, MMLU_SUBJECTS)
        return {f"mmlu_{subject}": mmlu_subject(subject)}
    fetched = {known: DATASETS[known] for known in DATASETS if DATASETS[known].source}
    if name == "all":
        return fetched
    if name in DATASETS and name not in fetched:
        raise UserError(
            f"{name} comes with the project, in processed_data/{name}",
            fix=f"python -m madm2.datasets.generate {name} makes it again",
        )
    if name not in fetched:
        raise unknown_name("dataset", args.dataset_name, [*fetched, "all"])
    return {name: fetched[name]}


def _parser() -> Parser:
    parser = Parser(
        "python download_datasets.py",
        __doc__ or "",
        f"datasets: {', '.join(n for n in DATASETS if DATASETS[n].source)}",
    )
    parser.add_argument("--dataset_name", required=True, help="a dataset's name, or all")
    parser.add_argument(
        "--dataset_dir", type=Path, default=Path("data"), help="for the raw files (%(default)s)"
    )
    parser.add_argument(
        "--output_dir",
        type=Path,
        default=DEFAULT_CONFIG.parent / "processed_data",
        help="for the rows that a run reads (processed_data)",
    )
    parser.add_argument("--raw_only", action="store_true", help="download, do not convert")
    parser.add_argument(
        "--prepare_only", action="store_true", help="convert what --raw_only downloaded"
    )
    parser.add_argument(
        "--source", type=Path, help="folder or file of your own (jsonl, json, parquet): no network"
    )
    parser.add_argument("--subject", help="with mmlu: one of its 57 subjects, as a set of its own")
    parser.add_argument(
        "--allow_modified_data",
        action="store_true",
        help="write rows that are not those expected, and record it",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
