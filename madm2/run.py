"""Carries a run out: debates, writes its files, prints the closing table."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping

import yaml

from madm2.api import Agent, MultiAgentDebate
from madm2.datasets.registry import DATASETS
from madm2.engines import ENGINES, Engine
from madm2.grading import worker
from madm2.instruments import INSTRUMENTS
from madm2.resolve import Run
from madm2.runs.layout import own_folder
from madm2.runs.released_files import write_released_files
from madm2.runs.results import check_former_run, closing_table, write_results
from madm2.runs.samples import SampleWriter
from madm2.settings import DebateSettings
from madm2.summary import Summary
from madm2.types import Completion


def execute(run: Run, *, dry_run: bool = False) -> None:
    """Carry a run out: debate, write its files, print the closing table."""
    if dry_run:
        _print_plan(run)
        return
    with own_folder(run.paths):
        check_former_run(run.paths.results, run.settings())
        if run.answer_type == "math":
            worker.warm_up()  # it starts while the model loads
        engine = _engine(run)
        try:
            _debate(run, engine)
        finally:
            engine.close()


def _debate(run: Run, engine: Engine) -> None:
    from tqdm import tqdm

    mad = MultiAgentDebate(
        Agent(
            engine,
            run.model.sampling,
            run.model.judge_sampling,
            run.prompts,
            run.model.memory_max_tokens,
        ),
        run.dataset,
        run.num_agents,
        run.rounds,
        run.prune_strategy,
        run.strict,
        answer_type=run.answer_type,
        instrument=run.instrument,
        seed=run.seed,
        objective_keep=run.objective_keep,
        answer_hint=run.answer_hint,
    )
    summary = Summary()
    started = time.perf_counter()
    tokens = 0
    ids = [question.id for question in run.questions]
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    with (
        SampleWriter(run.paths.samples, ids) as writer,
        tqdm(total=len(ids), unit="question", disable=not on_terminal) as bar,
    ):

        def count(completion: Completion) -> None:
            nonlocal tokens
            tokens += completion.output_tokens
            seconds = time.perf_counter() - started
            bar.set_postfix_str(f"{tokens / seconds:,.0f} tokens/s", refresh=False)
            bar.update(0)

        for sample in mad.stream(run.questions, on_completion=count):
            writer.write(sample)
            summary.add(sample)
            bar.update()
    seconds = time.perf_counter() - started
    settings = run.settings() | {"engine_settings": dict(engine.describe())}
    write_results(run.paths.results, summary, seconds=seconds, settings=settings)
    write_released_files(run.paths, run.instrument, run.model.path or run.model.name, seconds)
    print(_title(run))
    chance = DATASETS[run.dataset].chance if run.dataset in DATASETS else 0.0
    print(closing_table(summary, seconds, run.instrument, chance))
    print(f"results: {run.paths.folder}")


def _engine(run: Run) -> Engine:
    # Before torch is imported, which the engine does.
    os.environ["CUDA_VISIBLE_DEVICES"] = run.gpus
    return ENGINES[run.engine](
        run.model, run.questions, run.tensor_parallel, INSTRUMENTS[run.instrument].double_bos
    )


def _print_plan(run: Run) -> None:
    settings = DebateSettings(prompts=run.prompts, answer_hint=run.answer_hint)
    plan: Mapping[str, object] = run.settings() | {"results": str(run.paths.folder)}
    print(yaml.safe_dump(plan, sort_keys=False, allow_unicode=True), end="")
    print("first_prompt: |")
    for message in settings.ask(run.questions[0]):
        for line in message.content.splitlines():
            print(f"  {line}".rstrip())


def _title(run: Run) -> str:
    strict = " (strict)" if run.strict and run.prune_strategy == "subjective" else ""
    return (
        f"\n{run.dataset}: {run.model.name}, {run.num_agents} agents, {run.rounds} rounds, "
        f"{run.prune_strategy} masking{strict}, seed {run.seed}"
    )
