"""A cell of the paper's tables: one run of one method, loaded without its texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from madm2.errors import UserError
from madm2.report.find import is_run_folder
from madm2.report.records import Record, record_of, tokens_of
from madm2.report.released import load_released, released_samples
from madm2.runs.layout import RunPaths, method_name
from madm2.runs.manifest import read_manifest
from madm2.runs.samples import sample_from_dict
from madm2.types import InstrumentName, Sample

_NAME = re.compile(r".*?(_(?P<paths>\d+)paths)?_seed\d+(?P<choices>_.*)?", re.DOTALL)
# Methods whose answers are sampled side by side, in one round.
NOT_DEBATES = frozenset({"cot", "cot_sc"})
# What reading a damaged file raises.
DAMAGE = (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True)
class Cell:
    """One run.

    Args:
        source: its folder or results file.
        model, dataset, method: names; a model's name says where its answers are not its own, or
            not made by this code.
        agents, rounds: of the debate; for CoT-SC the paths, and 1.
        seed: of the run.
        instrument: that ran.
        choices: what else is not the default, as the folder's name says it.
        asked: questions the run is to answer; `records` holds those that it has.
        records: in subset order.
        tokens: (input, output) by purpose, over all records.
        seconds: wall time, None while it is not known.
    """

    source: Path
    model: str
    dataset: str
    method: str
    agents: int
    rounds: int
    seed: int
    instrument: InstrumentName
    choices: str
    asked: int
    records: tuple[Record, ...]
    tokens: Mapping[str, tuple[int, int]]
    seconds: float | None

    @property
    def finished(self) -> bool:
        """Whether all questions are answered."""
        return len(self.records) >= self.asked

    @property
    def tokens_per_question(self) -> float:
        """Input and output tokens of all calls, a question."""
        return sum(map(sum, self.tokens.values())) / max(len(self.records), 1)


def load_cells(
    paths: Iterable[Path], dataset: str | None = None
) -> tuple[list[Cell], list[UserError]]:
    """Load what `find` found; a damaged one is reported and the others go on.

    Args:
        paths: run folders and results files.
        dataset: of results files that do not tell.
    """
    cells: dict[tuple[object, ...], Cell] = {}
    faults = []
    for path in paths:
        try:
            cell = _load_run(path) if is_run_folder(path) else _load_file(path, dataset)
        except UserError as error:
            faults.append(error)
            continue
        except OSError as error:
            said = error.strerror or str(error)
            faults.append(UserError(f"cannot read {error.filename or path}", have=said))
            continue
        key = (cell.model, cell.dataset, cell.method, cell.agents, cell.rounds, cell.choices)
        first = cells.setdefault((*key, cell.seed), cell)
        if first is not cell:
            fault = UserError(
                f"{path} is the same cell as {first.source}",
                need="each run once: model, dataset, method, sizes, choices and seed",
                fix="report one of the two experiments at a time",
            )
            faults.append(fault)
    return list(cells.values()), faults


def samples_of(cell: Cell) -> Iterator[Sample]:
    """The cell's samples with their texts, read again one by one.

    Raises:
        UserError: the file was changed meanwhile, and is damaged now.
    """
    if is_run_folder(cell.source):
        return _samples(cell.source)
    return released_samples(cell.source, cell.dataset)


def _load_run(folder: Path) -> Cell:
    manifest = read_manifest(folder)
    assert manifest is not None  # that is how it was found
    records = tuple(map(record_of_line, _samples(folder)))
    try:
        return _cell(folder, manifest["settings"], records)
    except DAMAGE as error:
        raise damaged(RunPaths(folder).manifest, error) from error


def _cell(folder: Path, settings: Mapping[str, Any], records: tuple[Record, ...]) -> Cell:
    method = settings["method"]
    if method not in NOT_DEBATES:
        method = method_name(method, settings["prune_strategy"], settings["strict"])
    # Sampled paths are no debate; how many there are shows in what was answered.
    rounds = 1 if method in NOT_DEBATES else int(settings["rounds"])
    sizes = [len(record.readings["paper"].answers[0]) for record in records]
    name = _NAME.fullmatch(folder.name)
    paths = int(name["paths"] or 0) if name else 0
    agents = max(sizes, default=paths or (method == "cot") or int(settings["num_agents"]))
    label = " (replay)" if settings["engine"] == "replay" else ""
    return Cell(
        folder,
        settings["model"]["name"] + label,
        settings["dataset"],
        method,
        agents,
        rounds,
        int(settings["seed"]),
        settings["instrument"],
        (name["choices"] or "").lstrip("_") if name else folder.name,
        int(settings["questions"]),
        records,
        tokens_of(records),
        _seconds(RunPaths(folder), int(settings["questions"])),
    )


def _seconds(paths: RunPaths, asked: int) -> float | None:
    """Wall time of a run that has ended."""
    try:
        document = json.loads(paths.results.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UserError(f"{paths.results} is damaged", have=str(error)) from error
    return float(document["seconds"]) if document["questions"] == asked else None


def _samples(folder: Path) -> Iterator[Sample]:
    """A run's samples; of an unfinished one those that are written."""
    paths = RunPaths(folder)
    partial = paths.samples.with_name(f"{paths.samples.name}.partial")
    path = partial if partial.exists() else paths.samples
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if path == partial and not line.endswith(b"\n"):
                return  # it is being written
            try:
                yield sample_from_dict(json.loads(line))
            except DAMAGE as error:
                raise damaged(path, error, f", line {number}") from error


def record_of_line(sample: Sample) -> Record:
    """A sample's record.

    Raises:
        UserError: its parts do not fit together.
    """
    try:
        return record_of(sample)
    except DAMAGE as error:
        raise damaged(Path(f"question {sample.transcript.question.id}"), error) from error


def damaged(path: Path, error: Exception, where: str = "") -> UserError:
    """The error for a file that does not hold what it should."""
    return UserError(
        f"{path}{where} is damaged",
        have=repr(error)[:200],
        fix="remove it and give the run's command again: it is made anew from the journal"
        if path.name.startswith("samples")
        else "",
    )


def _load_file(path: Path, dataset: str | None) -> Cell:
    found = load_released(path, dataset)
    arguments = found.arguments
    name = _NAME.fullmatch(path.stem)
    choices = (name["choices"] or "") if name else ""
    return Cell(
        path,
        f"{found.model} (released code)",
        arguments["dataset"],
        found.method,
        arguments["num_agents"],
        arguments["max_round"],
        arguments["seed"],
        "released",
        choices.replace("_instrument-released", "").lstrip("_"),
        len(found.records),
        found.records,
        found.tokens,
        found.seconds,
    )
