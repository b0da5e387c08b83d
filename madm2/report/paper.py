"""The paper's own figures, from paper.yaml, looked up by model, dataset and method."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

PAPER = Path(__file__).parent / "paper.yaml"


@dataclass(frozen=True, slots=True)
class Reported:
    """What the paper reports of one cell: accuracy and std 0 to 1, tokens as ratio to MAD."""

    accuracy: float
    std: float | None = None
    tokens: float | None = None


@lru_cache(maxsize=1)
def figures() -> dict[str, Any]:
    """The content of paper.yaml."""
    found: dict[str, Any] = yaml.safe_load(PAPER.read_text(encoding="utf-8"))
    return found


def paper_model(name: str) -> str | None:
    """The paper's name of a model, from a hub id, a folder or an entry's name.

    Only the models that the paper ran: another size, quantisation or tuning has no figure there.
    """
    plain = name.partition(" (")[0].rstrip("/").rpartition("/")[2].lower().replace("_", "-")
    known: dict[str, Any] = figures()["table1"]
    return next((k for k in known if plain.removesuffix("-instruct") == k), None)


def reported(
    model: str, dataset: str, method: str, agents: int, rounds: int, choices: str = ""
) -> Reported | None:
    """The paper's figure of a cell; None where it has none.

    Args:
        model: see `paper_model`.
        dataset: as the project names it.
        method: as in file names.
        agents: or paths, for CoT-SC.
        rounds: of the debate.
        choices: what was not the default; with more than another instrument it is another setting.
    """
    name = paper_model(model)
    if name is None or choices not in ("", "instrument-released"):
        return None
    return _from_tables(name, dataset, method, agents, rounds) or _from_curves(
        name, dataset, method, agents, rounds
    )


def identification(model: str, dataset: str, rule: str) -> float | None:
    """Figure 3: share of questions, 0 to 1, by `subjective_strict`, `_loose` or `objective`."""
    tree = figures()["figure3_erroneous_memory_identification"]
    row, columns = tree.get(paper_model(model) or "", {}), tree["columns"]
    if rule not in row or dataset not in columns:
        return None
    return float(row[rule][columns.index(dataset)]) / 100


def _from_tables(
    model: str, dataset: str, method: str, agents: int, rounds: int
) -> Reported | None:
    tree = figures()
    if dataset not in tree["columns"]:
        return None
    column = tree["columns"].index(dataset)
    size = {"cot": (1, 1), "cot_sc": (6, 1)}.get(method, (3, 2))
    if method == "mad_strict_subjective":
        row = tree["table2_strict_subjective"].get(model)
    elif (agents, rounds) == (6, 2):
        row, size = tree["table3_six_agents_two_rounds"].get(model, {}).get(method), (6, 2)
    else:
        row = tree["table1"][model].get(method)
    if row is None or (agents, rounds) != size:
        return None
    accuracy, std, *tokens = row[column]
    return Reported(
        accuracy / 100, None if std is None else std / 100, tokens[0] if tokens else None
    )


def _from_curves(
    model: str, dataset: str, method: str, agents: int, rounds: int
) -> Reported | None:
    """Figures 4 and 6, which are of one model."""
    if model != "qwen2.5-7b":
        return None
    for name, axis, value, fixed in (
        ("figure4_agents", "agents", agents, rounds == 2),
        ("figure6_rounds", "rounds", rounds, agents == 3),
    ):
        tree = figures()[name]
        curve = tree.get(dataset, {}).get(method)
        if fixed and curve is not None and value in tree[axis]:
            return Reported(curve[tree[axis].index(value)] / 100)
    return None
