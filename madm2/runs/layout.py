"""Where a run's files lie, what its folder is called, and who may write into it."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from madm2.errors import UserError

# A file name has at most 255 bytes, and `_debate_log.json.partial` follows the folder's.
LONGEST_NAME = 230


@dataclass(frozen=True, slots=True)
class RunPaths:
    """The files of one run: a folder, and the released code's files beside it."""

    folder: Path

    @property
    def manifest(self) -> Path:
        """How the run was made."""
        return self.folder / "manifest.json"

    @property
    def journal(self) -> Path:
        """Every completion, as it came."""
        return self.folder / "journal.jsonl"

    @property
    def samples(self) -> Path:
        """One transcript with its verdicts a line, in subset order."""
        return self.folder / "samples.jsonl"

    @property
    def results(self) -> Path:
        """The figures."""
        return self.folder / "results.json"

    @property
    def released_results(self) -> Path:
        """The results file that the released code writes."""
        return self.folder.with_name(f"{self.folder.name}.json")

    @property
    def released_log(self) -> Path:
        """The log that the released code writes."""
        kind = "cot" if self.folder.name.startswith("cot_") else "debate"
        return self.folder.with_name(f"{self.folder.name}_{kind}_log.json")


def method_name(method: str, prune_strategy: str, strict: bool) -> str:
    """Name of a method in file names: cot, mad, mad_strict_subjective, sparse_mad_objective, ..."""
    if prune_strategy == "naive":
        return method
    strictly = "strict_" if strict and prune_strategy == "subjective" else ""
    return f"{method}_{strictly}{prune_strategy}"


def run_folder(
    root: str | Path,
    *,
    exp_name: str,
    model_name: str,
    dataset: str,
    method: str,
    num_agents: int,
    rounds: int,
    seed: int,
    choices: Mapping[str, object],
) -> RunPaths:
    """`<root>/<exp>/<model>/<dataset>/<method>_<N>agents_<R>rounds_seed<S>[_<choice>-<value>...]`.

    Without agents and rounds for cot, and with its paths for cot_sc: `cot_sc_<P>paths_seed<S>`.

    Args:
        root: `--save_path`.
        exp_name: `--exp_name`; may hold slashes.
        model_name: name of the model's entry, or the last part of its path.
        dataset: dataset name.
        method: see `method_name`.
        num_agents: agents a round.
        rounds: rounds that were run.
        seed: the run's seed.
        choices: every other choice that is not the default, named at the end.
    """
    numbers = {"cot": "", "cot_sc": f"_{num_agents}paths"}
    name = method + numbers.get(method, f"_{num_agents}agents_{rounds}rounds") + f"_seed{seed}"
    name += "".join(f"_{key}-{_safe(str(value))}" for key, value in choices.items())
    folder = Path(root) / exp_name / _safe(model_name) / _safe(dataset)
    return RunPaths(folder / _fitted(name, LONGEST_NAME))


@contextmanager
def own_folder(paths: RunPaths, *, overwrite: bool = False) -> Iterator[None]:
    """Make the run's folder and hold it, so that no two runs write into it at once.

    Args:
        paths: the run's files.
        overwrite: move what a former run left aside, to `<folder>.old1` and so on.

    Raises:
        UserError: another run holds it, or one of its files could not be written at the end.
    """
    paths.folder.mkdir(parents=True, exist_ok=True)
    files = (paths.manifest, paths.journal, paths.samples, paths.results)
    for path in (*files, paths.released_results, paths.released_log):
        if path.is_dir() or not os.access(path.parent, os.W_OK):
            raise UserError(f"cannot write {path}", fix="choose another --save_path or --exp_name")
    with ExitStack() as held:
        held.enter_context(_locked(paths.folder))
        if overwrite and any(paths.folder.iterdir()):
            _move_aside(paths)
            paths.folder.mkdir()
            held.enter_context(_locked(paths.folder))
        yield


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(
                f"another run is writing to {folder}",
                fix="wait until it ends, or choose another --exp_name",
            ) from error
        except OSError:
            pass  # some network file systems cannot lock a folder
        yield
    finally:
        os.close(handle)


def _move_aside(paths: RunPaths) -> None:
    number = 1
    while any(path.exists() for path in _belongings(_old(paths, number))):
        number += 1
    aside = _old(paths, number)
    # The folder last: as long as it is there, the move can be done again.
    for path, to in zip(_belongings(paths), _belongings(aside), strict=True):
        if path.exists():
            os.replace(path, to)
    print(f"note: the former run is now {aside.folder}", file=sys.stderr)


def _old(paths: RunPaths, number: int) -> RunPaths:
    return RunPaths(paths.folder.with_name(f"{paths.folder.name}.old{number}"))


def _belongings(paths: RunPaths) -> list[Path]:
    return [paths.released_results, paths.released_log, paths.folder]


def _safe(text: str) -> str:
    return _fitted(re.sub(r"[^\w.=+-]+", "-", text).strip(".-"), 80) or "unnamed"


def _fitted(name: str, size: int) -> str:
    """Cut a name to so many bytes; names that differ in what is cut off stay different."""
    raw = name.encode()
    if len(raw) <= size:
        return name
    return f"{raw[: size - 9].decode(errors='ignore')}-{hashlib.sha256(raw).hexdigest()[:8]}"
