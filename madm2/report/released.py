"""Results files of the released code, replayed so that both instruments score them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from madm2.api import Agent, MultiAgentDebate
from madm2.conduct import conduct_of
from madm2.engines.replay import ReplayEngine
from madm2.errors import UserError
from madm2.jsonl import parse_object
from madm2.report.records import Record, record_of
from madm2.runs.layout import method_name
from madm2.runs.recording import Recording, open_recording
from madm2.types import Sample


@dataclass(frozen=True, slots=True)
class ReleasedRun:
    """What a results file holds; `arguments` are the flags it was made with."""

    model: str
    method: str
    arguments: Mapping[str, Any]
    records: tuple[Record, ...]
    tokens: Mapping[str, tuple[int, int]]
    seconds: float


def load_released(path: Path, dataset: str | None) -> ReleasedRun:
    """Read a results file.

    Args:
        path: the file.
        dataset: its dataset, where neither its folder nor its golds tell.

    Raises:
        UserError: it is no such file, or what it holds does not fit together.
    """
    recording = open_recording(path, dataset)
    try:
        records = tuple(map(record_of, _replayed(recording)))
        summary = parse_object(path.read_bytes(), str(path))["token_usage_summary"]
        history = [(int(c["input_tokens"]), int(c["output_tokens"])) for c in summary["history"]]
        total = (int(summary["total_input_tokens"]), int(summary["total_output_tokens"]))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise UserError(
            f"{path} does not hold a whole run of the released code", have=repr(error)[:200]
        ) from error
    name, arguments = recording.model.name, recording.arguments
    return ReleasedRun(
        name,
        method_name(arguments["method"], arguments["prune_strategy"], arguments["strict"]),
        arguments,
        records,
        _by_purpose(history, total, arguments, len(records)),
        recording.seconds,
    )


def released_samples(path: Path, dataset: str | None) -> Iterator[Sample]:
    """A results file's samples, with the scores of both instruments."""
    return _replayed(open_recording(path, dataset))


def _replayed(recording: Recording) -> Iterator[Sample]:
    engine = ReplayEngine(recording.find, recording.cuts)
    arguments = recording.arguments
    debate = MultiAgentDebate(
        Agent(engine),
        arguments["dataset"],
        arguments["num_agents"],
        arguments["max_round"],
        arguments["prune_strategy"],
        arguments["strict"],
        method=arguments["method"],
        route=arguments["route"],
        instrument="released",
        seed=arguments["seed"],
        random_keep=arguments["random_keep"],
        conduct=conduct_of(Namespace(**arguments), arguments["max_round"]),
    )
    yield from debate.stream(recording.questions or ())
    engine.require_complete(str(recording.source), finished=True)


def _by_purpose(
    history: list[tuple[int, int]],
    total: tuple[int, int],
    arguments: Mapping[str, Any],
    questions: int,
) -> dict[str, tuple[int, int]]:
    """The file's tokens by purpose; all as `answer` when its calls do not tell them apart.

    The released code calls the engine once an agent and round, and between two rounds once a
    question for that question's judges.
    """
    agents, rounds = arguments["num_agents"], arguments["max_round"]
    if len(history) != agents * rounds + questions * (rounds - 1) or rounds == 1:
        return {"answer": total}
    # After the first round's answers each round is its judges, then its answers.
    judges = [i for i in range(len(history)) if (i - agents) % (questions + agents) < questions]
    judges = [i for i in judges if i >= agents]
    judged = tuple(sum(history[i][side] for i in judges) for side in (0, 1))
    return {
        "answer": (total[0] - judged[0], total[1] - judged[1]),
        "judge": (judged[0], judged[1]),
    }
