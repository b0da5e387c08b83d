"""Where a run's files lie, and what its folder is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunPaths:
    """The files of one run: a folder, and the released code's files beside it."""

    folder: Path

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
        """The debate log that the released code writes."""
        return self.folder.with_name(f"{self.folder.name}_debate_log.json")


def method_name(prune_strategy: str, strict: bool) -> str:
    """Name of a debate in file names: mad, mad_subjective, mad_strict_subjective, ..."""
    if prune_strategy == "naive":
        return "mad"
    return f"mad_{'strict_' if strict and prune_strategy == 'subjective' else ''}{prune_strategy}"


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
    name = f"{method}_{num_agents}agents_{rounds}rounds_seed{seed}"
    name += "".join(f"_{key}-{_safe(str(value))}" for key, value in choices.items())
    return RunPaths(Path(root) / exp_name / _safe(model_name) / _safe(dataset) / name)


def _safe(text: str) -> str:
    return re.sub(r"[^\w.=+-]+", "-", text).strip(".-")[:80] or "unnamed"
