"""Resolves arguments into a run: every choice made and checked, nothing loaded yet."""

from __future__ import annotations

import argparse
import os
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

from madm2.conduct import Conduct, conduct_of, require_same_stance
from madm2.config import DEFAULT_CONFIG, ModelConfig, load_model_config
from madm2.datasets.load import dataset_file, load_dataset, load_file
from madm2.datasets.registry import DATASETS
from madm2.engines import ENGINES
from madm2.errors import UserError, unknown_name
from madm2.files import sha256_of
from madm2.instruments import INSTRUMENTS
from madm2.method_flags import Shape, shape_of
from madm2.prompts import PromptSet, load_prompts
from madm2.pruners import PRUNERS
from madm2.runs.layout import RunPaths, method_name, run_folder
from madm2.runs.recording import FIXED, Recording
from madm2.seeds import subset
from madm2.types import AnswerType, InstrumentName, Question

_GPU = re.compile(r"\d+|(GPU|MIG)-[\w/-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Run:
    """A run with every choice made and checked; nothing is loaded yet."""

    dataset: str
    answer_type: AnswerType
    data_file: Path
    allow_modified_data: bool
    questions: list[Question]
    model: ModelConfig
    prompts: PromptSet
    engine: str
    gpus: str
    tensor_parallel: int
    instrument: InstrumentName
    method: str
    route: str | None
    prune_strategy: str
    strict: bool
    num_agents: int
    rounds: int
    conduct: Conduct
    objective_keep: int
    random_keep: int
    answer_hint: bool
    seed: int
    paths: RunPaths
    overwrite: bool
    share_first_round: bool
    lockstep: bool
    max_live_questions: int
    arguments: dict[str, object]
    command: list[str]
    recording: Recording | None = None

    def settings(self) -> dict[str, object]:
        """The resolved choices as plain values."""
        replayed: dict[str, object] = {}
        if self.recording is not None:
            replayed["replayed_from"] = str(self.recording.source)
            replayed["recording_sha256"] = self.recording.sha256
        return {
            "dataset": self.dataset,
            "answer_type": self.answer_type,
            "data_file": str(self.data_file),
            "data_sha256": sha256_of(self.data_file),
            "allow_modified_data": self.allow_modified_data,
            "questions": len(self.questions),
            "instrument": self.instrument,
            "method": self.method,
            "route": self.route,
            "prune_strategy": self.prune_strategy,
            "strict": self.strict,
            "num_agents": self.num_agents,
            "rounds": self.rounds,
            **self.conduct.settings(),
            "objective_keep": self.objective_keep,
            "random_keep": self.random_keep,
            "answer_hint": self.answer_hint,
            "seed": self.seed,
            "share_first_round": self.share_first_round,
            "engine": self.engine,
            "gpus": self.gpus,
            "tensor_parallel": self.tensor_parallel,
            "model": asdict(self.model),
            "prompts_sha256": self.prompts.sha256(),
            **replayed,
        }


def resolve(
    args: argparse.Namespace, command: list[str], recording: Recording | None = None
) -> Run:
    """Make and check every choice of a run.

    Args:
        args: the flags as parsed.
        command: the words typed, for the record.
        recording: what a replay starts from.

    Raises:
        UserError: anything wrong in the arguments, the configuration or the data.
    """
    shape, conduct = check_flags(args)
    gpus, tensor_parallel = _gpus(args.gpu_id, args.parallel)
    if recording is None:
        model = _model(args)
        dataset, answer_type, data_file, questions = _questions(args)
    else:
        _check_replay(args, recording)
        require_same_stance(recording.arguments, conduct, shape.rounds)
        model = recording.model
        dataset, answer_type, data_file, questions = _recorded_questions(args, recording)
    prompts = load_prompts(model.prompts).for_run(
        stance=conduct.stance, chooses=conduct.decision == "last_judge"
    )
    route = None if shape.route is None else str(shape.route)
    choices: dict[str, object] = {}
    if route is not None:
        choices["route"] = route
    if args.instrument != "paper":
        choices["instrument"] = args.instrument
    if args.revision:
        choices["revision"] = args.revision
    if args.objective_keep != 1:
        choices["objective_keep"] = args.objective_keep
    if args.random_keep != 1:
        choices["random_keep"] = args.random_keep
    if args.answer_hint:
        choices["answer_hint"] = "on"
    if args.prompts:
        choices["prompts"] = Path(args.prompts).stem
    choices |= conduct.choices()
    choices |= {key: value for key, _, value in (text.partition("=") for text in args.set)}
    return Run(
        dataset=dataset,
        answer_type=answer_type,
        data_file=data_file,
        allow_modified_data=args.allow_modified_data,
        questions=questions,
        model=model,
        prompts=prompts,
        engine=args.engine,
        gpus=gpus,
        tensor_parallel=tensor_parallel,
        instrument=args.instrument,
        method=shape.method,
        route=route,
        prune_strategy=args.prune_strategy,
        strict=args.strict and args.prune_strategy == "subjective",
        num_agents=shape.num_agents,
        rounds=shape.rounds,
        conduct=conduct,
        objective_keep=args.objective_keep,
        random_keep=args.random_keep,
        answer_hint=args.answer_hint,
        seed=args.seed,
        paths=run_folder(
            args.save_path,
            exp_name=args.exp_name,
            # Canned and replayed answers never stand where a model's results would.
            model_name={"vllm": model.name, "replay": f"{model.name}-replay"}.get(
                args.engine, args.engine
            ),
            dataset=dataset,
            method=method_name(shape.method, args.prune_strategy, args.strict),
            num_agents=shape.num_agents,
            rounds=shape.rounds,
            seed=args.seed,
            choices=choices,
        ),
        overwrite=args.overwrite,
        share_first_round=args.share_first_round,
        lockstep=args.schedule == "lockstep",
        max_live_questions=args.max_live_questions,
        arguments=vars(args),
        command=command,
        recording=recording,
    )


def check_flags(args: argparse.Namespace) -> tuple[Shape, Conduct]:
    """Check one run's flags as far as they can be without its files.

    Raises:
        UserError: an unknown name, a number out of range, flags that contradict each other.
    """
    for name, value in vars(args).items():
        if isinstance(value, str) and not value.strip():
            raise UserError(f"--{name} is empty", fix="is a shell variable not set?")
    if Path(args.exp_name).is_absolute() or ".." in Path(args.exp_name).parts:
        raise UserError("--exp_name must lie below --save_path", have=repr(args.exp_name))
    for name, known in (
        ("instrument", INSTRUMENTS),
        ("prune_strategy", PRUNERS),
        ("engine", (*ENGINES, "replay")),
        ("schedule", ("stream", "lockstep")),
    ):
        if getattr(args, name) not in known:
            raise unknown_name(name.replace("_", " "), getattr(args, name), known)
    if not 0 <= args.seed < 2**32:
        raise UserError("--seed is out of range", have=str(args.seed), need="0 to 4294967295")
    for name in (
        "num_agents",
        "num_reasoning_paths",
        "max_round",
        "objective_keep",
        "random_keep",
        "limit",
        "max_live_questions",
    ):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise UserError(f"--{name} must be ≥ 1", have=str(value))
    if args.answer_type is not None and args.answer_type not in get_args(AnswerType):
        raise unknown_name("answer type", args.answer_type, get_args(AnswerType))
    if args.answer_type is not None and not args.dataset_path:
        raise UserError("--answer_type goes with --dataset_path")
    is_known = bool(args.dataset) and args.dataset.lower() in DATASETS
    if args.dataset_path and not args.answer_type and not is_known:
        raise UserError(
            "--dataset_path needs to know how its answers are read",
            need=f"--answer_type {' | '.join(get_args(AnswerType))}",
        )
    _num_samples(args.num_samples, None)
    _gpus(args.gpu_id, args.parallel)
    shape = shape_of(args)
    return shape, conduct_of(args, shape.rounds)


def _check_replay(args: argparse.Namespace, recording: Recording) -> None:
    for name in sorted(FIXED & recording.arguments.keys()):
        there, now = recording.arguments[name], getattr(args, name)
        if there != now and (name != "dataset" or there.lower() != now.lower()):
            raise UserError(
                f"--{name} cannot change in a replay",
                have=f"{there!r} there, {now!r} now",
                fix=f"leave --{name} out, or run it with a model",
            )
    if recording.questions and recording.note:
        print(f"note: {recording.note}", file=sys.stderr)
        if args.prune_strategy == "objective" and args.instrument == "paper":
            raise UserError(
                "the paper's objective mask needs log-probabilities of the sampled tokens",
                have=f"{recording.source}, which has those of the most likely tokens only",
                fix="--instrument released",
            )


def _recorded_questions(
    args: argparse.Namespace, recording: Recording
) -> tuple[str, AnswerType, Path, list[Question]]:
    if recording.questions is not None:
        first = recording.questions[0]
        chosen = recording.questions[: args.limit]
        return first.dataset, first.answer_type, recording.source, chosen
    found = _questions(args)
    if sha256_of(found[2]) != recording.data_sha256:
        raise UserError(
            f"{found[2]} is not the data of the recorded run",
            need=f"a file whose sha256 is {recording.data_sha256}",
            fix="point --data_dir to it",
        )
    return found


def _gpus(gpu_id: str | None, parallel: bool) -> tuple[str, int]:
    given = gpu_id if gpu_id is not None else os.environ.get("CUDA_VISIBLE_DEVICES", "0")
    names = [name.strip() for name in given.split(",")]
    if gpu_id is not None and (
        not all(_GPU.fullmatch(name) for name in names) or len(set(names)) < len(names)
    ):
        raise UserError(
            "--gpu_id is not a list of GPUs", have=repr(gpu_id), need="such as 0 or 0,1,2,3"
        )
    return ",".join(names), len(names) if parallel else 1


def _model(args: argparse.Namespace) -> ModelConfig:
    name = args.model_name
    if name is None and args.model_path is None and args.engine != "scripted":
        name = "qwen2.5-7b"
    return load_model_config(
        name,
        config=args.config,
        model_path=args.model_path,
        revision=args.revision,
        prompts=args.prompts,
        overrides=args.set,
        needs_model=args.engine != "scripted",
    )


def _questions(args: argparse.Namespace) -> tuple[str, AnswerType, Path, list[Question]]:
    name = args.dataset.lower() if args.dataset else None
    default: int | None = 100
    if args.dataset_path:
        data_file = Path(args.dataset_path)
        answer_type = args.answer_type
        if answer_type is None:
            answer_type = DATASETS[name or ""].answer_type
        name = name or data_file.stem.lower()
        rows = load_file(data_file, name, answer_type, allow_modified=args.allow_modified_data)
    else:
        name = name or "math"
        spec = DATASETS[name]
        answer_type, default = spec.answer_type, spec.num_samples
        folder = args.data_dir or data_dir()
        data_file = dataset_file(name, folder)
        rows = load_dataset(name, folder, allow_modified=args.allow_modified_data)
    chosen = subset(len(rows), args.seed, _num_samples(args.num_samples, default))[: args.limit]
    return name, answer_type, data_file, [rows[i] for i in chosen]


def data_dir() -> Path:
    """Where the datasets lie unless `--data_dir` says otherwise."""
    here = Path("processed_data")
    return here if here.is_dir() else DEFAULT_CONFIG.parent / here


def _num_samples(given: str | None, default: int | None) -> int | None:
    if given is None:
        return default
    if given.lower() == "all":
        return None
    if not given.isdecimal() or int(given) < 1:
        raise UserError("--num_samples must be a whole number ≥ 1, or all", have=repr(given))
    return int(given)
