"""The command line of a run: parse, resolve, then debate and write the files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from madm2.command import Parser, run_command
from madm2.errors import UserError

if TYPE_CHECKING:
    from madm2.runs.recording import Recording

GO_ON = "what was answered is recorded; the same command goes on from there"


def build_parser() -> Parser:
    """All flags; those of the released command line keep their name and meaning."""
    parser = Parser(
        "python multi_agent_debate.py",
        "Multi-agent debate with memory masking over an in-process vLLM engine.",
        "--dataset, --method, --prune_strategy and --seed take several values: every combination "
        "is a run, and all share one loaded model. Try it without a model: --engine scripted "
        "--dataset arithmetic --limit 8",
    )
    what = parser.add_argument_group("what is asked")
    what.add_argument("--dataset", nargs="+", help="dataset names, any case (math)")
    what.add_argument(
        "--data_dir", type=os.path.expanduser, help="folder of the datasets (processed_data)"
    )
    what.add_argument(
        "--dataset_path",
        type=os.path.expanduser,
        help="your own JSONL file with query and answer, instead",
    )
    what.add_argument("--answer_type", help="its answers: numeric, math, choice or text")
    what.add_argument(
        "--allow_modified_data",
        action="store_true",
        help="use rows that are not those of the dataset; the run records it",
    )
    what.add_argument("--num_samples", help="questions drawn by the seed, or all (100; aime: all)")
    what.add_argument("--limit", type=int, help="only the first K of the drawn questions")

    how = parser.add_argument_group("how it is debated")
    how.add_argument("--method", nargs="+", help="mad, sparse_mad, cot or cot_sc (mad)")
    how.add_argument("--num_agents", type=int, help="agents a round (3)")
    how.add_argument("--max_round", "--max_rounds", type=int, help="rounds (2)")
    how.add_argument(
        "--route",
        help="majority:T: debate only where fewer than T of the agents agree at first (none)",
    )
    how.add_argument(
        "--prune_strategy",
        nargs="+",
        default="naive",
        help="naive, subjective, objective; random_k, oracle to compare (%(default)s)",
    )
    how.add_argument(
        "--strict",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="subjective: mask NOT SURE as well",
    )
    how.add_argument(
        "--objective_keep",
        type=int,
        default=1,
        help="objective, paper: memories kept (%(default)s)",
    )
    how.add_argument(
        "--random_keep", type=int, default=1, help="random_k: memories kept (%(default)s)"
    )
    how.add_argument(
        "--only_voting",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="vote over the first answers, no debate",
    )
    how.add_argument(
        "--instrument", default="paper", help="rules of the run: paper or released (%(default)s)"
    )
    how.add_argument(
        "--answer_hint",
        action=argparse.BooleanOptionalAction,
        default=False,
        help="add the answer type's hint to the prompts",
    )
    how.add_argument(
        "--prompts",
        type=os.path.expanduser,
        help="prompt set (default, small), or a .yaml or .py file",
    )
    how.add_argument(
        "--decision", help="majority (of the last round), freemad or last_judge (majority)"
    )
    how.add_argument(
        "--freemad_weights",
        metavar="W,W,W,W",
        help="freemad: what first, left, taken up and kept answers count (20,25,30,20)",
    )
    how.add_argument(
        "--stance", help="debate prompt: anticonformity, conformity or neutral (neutral)"
    )
    how.add_argument("--attack", help="memories to compromise: drop or tamper them (none)")
    how.add_argument(
        "--compromised", metavar="SHARE", help="attack: the share of the agents, 0 to 1"
    )
    how.add_argument("--num_reasoning_paths", type=int, help="cot_sc: answers a question (6)")
    how.add_argument("--mode", help="mad or cot, as --method")
    how.add_argument(
        "--self_consistency", action="store_true", help="with --mode cot: --method cot_sc"
    )
    how.add_argument(
        "--seed",
        type=int,
        nargs="+",
        default=42,
        help="draws the questions and seeds the samples (%(default)s)",
    )
    how.add_argument(
        "--share_first_round",
        action="store_true",
        help="of several runs: one first round for all that would ask the same",
    )

    model = parser.add_argument_group("model and engine")
    model.add_argument("--model_name", help="an entry of configs.yaml (qwen2.5-7b)")
    model.add_argument("--model_path", help="local folder or hub id, instead of the entry's")
    model.add_argument("--revision", help="hub revision: branch, tag or commit")
    model.add_argument("--config", type=os.path.expanduser, help="settings file (configs.yaml)")
    model.add_argument(
        "--set",
        action="extend",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help="any sampling or vLLM engine setting",
    )
    model.add_argument(
        "--engine", default="vllm", help="vllm; without a model: scripted, replay (%(default)s)"
    )
    model.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="RUN",
        help="with --engine replay: a run folder, or a results file of the released code; what is "
        "not given is as it was there",
    )
    model.add_argument(
        "--gpu_id", help="GPUs, comma-separated (CUDA_VISIBLE_DEVICES if set, else 0)"
    )
    model.add_argument(
        "--max_live_questions",
        type=int,
        default=256,
        help="questions in the engine at one time (%(default)s)",
    )
    model.add_argument(
        "--schedule",
        default="stream",
        help="stream, or lockstep: rounds wait for all questions, to compare (%(default)s)",
    )
    model.add_argument("--parallel", action="store_true", help="tensor parallel over those GPUs")

    out = parser.add_argument_group("output")
    out.add_argument(
        "--save_path",
        type=os.path.expanduser,
        default="results",
        help="root of the results (%(default)s)",
    )
    out.add_argument("--exp_name", default="main", help="folder below it (%(default)s)")
    out.add_argument(
        "--overwrite",
        action="store_true",
        help="begin anew: move what a former run left in the folder aside",
    )
    out.add_argument(
        "--dry_run",
        action="store_true",
        help="print the resolved run and the first prompt, load no model",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; see `run_command` for the exit codes."""
    words = sys.argv[1:] if argv is None else list(argv)

    def body() -> int:
        parser = build_parser()
        args = parser.parse_args(words)
        from madm2.config import DEFAULT_CONFIG, stray_config
        from madm2.resolve import resolve
        from madm2.run import execute, print_plan

        if note := stray_config(DEFAULT_CONFIG.parent):
            print(f"note: {note}", file=sys.stderr)
        recording, flags = _flags_of_runs(parser, args, words)
        runs = [resolve(of_run, words, recording) for of_run in flags]
        if args.dry_run:
            for run in runs:
                print_plan(run)
            return 0
        return execute(runs)

    without = " without --overwrite" if "--overwrite" in words else ""
    return run_command(body, GO_ON.replace(" command", f" command{without}"))


def _flags_of_runs(
    parser: Parser, args: argparse.Namespace, words: list[str]
) -> tuple[Recording | None, list[argparse.Namespace]]:
    """The flags of each run; in a replay, what is not given is as it was recorded."""
    from madm2.grid import spread
    from madm2.method_flags import recorded_flags
    from madm2.runs.recording import open_recording

    if args.engine != "replay":
        if args.source is not None:
            raise UserError("--from goes with --engine replay")
        return None, spread(args)
    if args.source is None:
        raise UserError("--engine replay needs a run to replay", need="--from RUN_FOLDER_OR_FILE")
    given = spread(args)
    recording = open_recording(args.source, given[0].dataset)
    flags = []
    for number, of_run in enumerate(given):
        parser.set_defaults(**recorded_flags(recording.arguments, of_run))
        flags.append(spread(parser.parse_args(words))[number])
    return recording, flags
