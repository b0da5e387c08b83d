"""What a replay starts from: a run folder, or a results file of the released code."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from madm2.attacks import parse_attack
from madm2.conduct import conduct_in_name
from madm2.config import ModelConfig
from madm2.errors import UserError
from madm2.files import sha256_of
from madm2.grade.record import Defaults, checked_id
from madm2.grade.released_files import completion_of, dataset_of, question_of
from madm2.journal import Journal, Record
from madm2.jsonl import parse_object
from madm2.methods import METHODS, Reads
from madm2.pruners import PRUNERS
from madm2.runs.layout import RunPaths
from madm2.runs.manifest import read_manifest
from madm2.runs.results import read_finished
from madm2.types import Completion, LogprobSummary, Question, RequestKey, Sampling

# Flags that are about this command, not about the run that was recorded.
_OWN = frozenset({"engine", "source", "save_path", "exp_name", "overwrite", "dry_run"})
# Other spellings of `--method` and `--num_agents`, which a recording has as they were resolved.
_SPELLINGS = frozenset({"mode", "self_consistency", "num_reasoning_paths"})
# What was asked of whom is what was recorded; everything else may be chosen anew.
FIXED = frozenset(
    "dataset dataset_path answer_type seed model_name model_path revision config set "
    "prompts".split()
)


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded run.

    Args:
        source: its folder, or its file.
        sha256: of the journal, or of the file.
        arguments: its flags, which a replay's own begin with.
        model: as it was resolved then.
        find: the record of a key, None when there is none.
        cuts: see `Journal`.
        seconds: of the recorded run.
        questions: of a results file; None when they are drawn from the dataset again.
        data_sha256: of the dataset that they were drawn from.
        finished: whether the run had ended.
        note: what people should know of it.
    """

    source: Path
    sha256: str
    arguments: dict[str, Any]
    model: ModelConfig
    find: Callable[[RequestKey], Record | None]
    cuts: Mapping[tuple[str, int], int]
    seconds: float
    questions: list[Question] | None = None
    data_sha256: str | None = None
    finished: bool = True
    note: str = ""


def open_recording(source: Path, dataset: str | None) -> Recording:
    """Open what `--from` names.

    Args:
        source: a run folder, or a results file that the released code wrote.
        dataset: of a file whose dataset cannot be told.

    Raises:
        UserError: it is neither, or it is damaged.
    """
    return _run_folder(source) if source.is_dir() else _results_file(source, dataset)


def _run_folder(folder: Path) -> Recording:
    manifest, paths = read_manifest(folder), RunPaths(folder)
    if manifest is None or not paths.journal.is_file():
        raise UserError(
            f"{folder} holds no recorded run",
            need="a run folder with manifest.json and journal.jsonl, or a released results file",
            fix="--from takes the folder that a run names at its end",
        )
    settings = manifest["settings"]
    journal = Journal(paths.journal, read_only=True)
    model = settings["model"]
    for name in ("sampling", "judge_sampling"):
        values = model[name]
        model[name] = Sampling(**{**values, "stop": tuple(values["stop"])})
    return Recording(
        folder,
        sha256_of(paths.journal),
        {
            **{k: v for k, v in manifest["arguments"].items() if k not in _OWN | _SPELLINGS},
            **{name: settings[name] for name in ("method", "num_agents")},
        },
        ModelConfig(**model),
        lambda key: journal.read(key) if key in journal else None,
        journal.cuts,
        journal.seconds,
        data_sha256=settings["data_sha256"],
        finished=read_finished(paths, settings) is not None,
    )


def _results_file(path: Path, dataset: str | None) -> Recording:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}", have=error.strerror or str(error)) from error
    document = parse_object(raw, str(path))
    try:
        return _imported(document, raw, path, Defaults.of(dataset, None))
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise UserError(
            f"{path} is no results file of the released code",
            have=repr(error),
            need="a run folder, or a file such as mad_3agents_2rounds_seed41.json",
        ) from error


def _imported(document: dict[str, Any], raw: bytes, path: Path, defaults: Defaults) -> Recording:
    rows = document["results"]
    golds = [str(row["ground_truth"]) for row in rows]
    dataset, _ = dataset_of(path, defaults, golds)
    method = _method_of(rows[0], path)
    head = path.name.partition("_seed")[0]
    seed = re.search(r"_seed(\d+)", path.name)
    run_seed = int(seed[1]) if seed else 42
    conduct = conduct_in_name(path.name)
    attack = parse_attack(conduct["attack"], conduct["compromised"])
    strategy = next((name for name in PRUNERS if name in head), "naive")
    questions, records = [], dict[RequestKey, Record]()
    for number, row in enumerate(rows, start=1):
        identifier = checked_id(row["id"], f"{path}, result {number}")
        question = question_of(identifier, dataset, row["question"], row["ground_truth"], defaults)
        questions.append(question)
        reads = METHODS[method].reads
        for record in _records(row, question, reads, judged=strategy == "subjective"):
            if attack is not None and attack.kind == "tamper":
                struck = attack.agents(len(_history(row)[0]), run_seed, question.id)
                record = replace(record, reads=_as_tampered(record.reads, struck))
            records[record.completion.key] = record
    name = str(document["token_usage_summary"]["history"][0]["model"])
    rounds, agents = max(len(_history(row)) for row in rows), len(_history(rows[0])[0])
    route = re.search(r"_route-majority-(\d+-\d+|\d*\.?\d+)", path.name)
    lots = re.search(r"_random_keep-(\d+)", path.name)
    return Recording(
        path,
        hashlib.sha256(raw).hexdigest(),
        {
            "dataset": dataset,
            "num_samples": None,
            "method": method,
            "num_agents": agents,
            "max_round": max(rounds, 2) if route else rounds,
            "route": f"majority:{route[1].replace('-', '/')}" if route else None,
            "random_keep": int(lots[1]) if lots else 1,
            "prune_strategy": strategy,
            "strict": "strict_subjective" in path.name,
            "instrument": "released",
            "seed": run_seed,
            **conduct,
        },
        ModelConfig(name.rstrip("/").rpartition("/")[2], name),
        records.get,
        {},
        float(document["time_consumption"]),
        questions,
        note="a results file of the released code has no tokens of single completions, no "
        "log-probabilities of sampled tokens and no judges' texts: tokens are 0, and labels are "
        "read off its masks",
    )


def _as_tampered(reads: tuple[RequestKey, ...], struck: frozenset[int]) -> tuple[RequestKey, ...]:
    return tuple(replace(k, purpose="tampered") if k.agent in struck else k for k in reads)


def _method_of(row: dict[str, Any], path: Path) -> str:
    if "debate_history" in row:
        return "sparse_mad" if "sparse" in path.name else "mad"
    return "cot_sc" if "responses" in row else "cot"


def _history(row: dict[str, Any]) -> list[Any]:
    """A result's solutions by round, in any of the three forms."""
    if "debate_history" in row:
        history: list[Any] = row["debate_history"]
        return history
    return [row["responses"] if "responses" in row else [row["response"]]]


def _records(
    row: dict[str, Any], question: Question, reads: Reads | None, *, judged: bool
) -> list[Record]:
    """The completions of one result; `judged`: its masks as the labels that they came from."""
    if "debate_history" in row:
        scores, masks = row["perplexity_history"], row["mask_history"]
    else:
        scores = [row["perplexities"] if "perplexities" in row else [row["perplexity"]]]
        masks = [[]]
    records = []
    before: list[RequestKey] = []
    for index, solutions in enumerate(_history(row), start=1):
        keep = masks[index - 1] if before else ()
        for key, kept in zip(before, keep, strict=False) if judged else ():
            judge = RequestKey(question.id, index, "judge", key.agent)
            label = f"<label>{'YES' if kept else 'NO'}</label>"
            records.append(_record(judge, label, math.inf, (key,)))
        last, before = before, []
        for agent, (solution, score) in enumerate(zip(solutions, scores[index - 1], strict=True)):
            key = RequestKey(question.id, index, "answer", agent)
            seen = reads(agent, len(last)) if reads and last else ()
            shown = tuple(last[other] for other in seen if keep[other])
            text = completion_of(solution["think"] or "", solution["answer"] or "", question)
            records.append(_record(key, text, float(score), shown))
            before.append(key)
    return records


def _record(key: RequestKey, text: str, score: float, reads: tuple[RequestKey, ...]) -> Record:
    logprobs = LogprobSummary(0, 0.0, 0.0)
    if math.isfinite(score):
        logprobs = LogprobSummary(1, math.nan, math.log(score))
    completion = Completion(key, text, 0, 0, logprobs, "imported", 0)
    return Record(completion, "", {}, reads)
