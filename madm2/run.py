"""Carries a run out: debates, journal and result files, and the closing table."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import ExitStack, closing

import yaml

from madm2.api import Agent, MultiAgentDebate
from madm2.command import tell
from madm2.datasets.registry import DATASETS
from madm2.engines import ENGINES, Engine
from madm2.engines.journaled import JournaledEngine
from madm2.engines.replay import ReplayEngine
from madm2.errors import UserError
from madm2.grading import worker
from madm2.instruments import INSTRUMENTS
from madm2.journal import Journal
from madm2.methods import METHODS
from madm2.model_folder import require_model_folder
from madm2.overlap import Background
from madm2.pruners import READS_GOLD
from madm2.resolve import Run
from madm2.runs.layout import own_folder
from madm2.runs.manifest import Manifest, begin, check_same_run, read_manifest
from madm2.runs.recording import Recording
from madm2.runs.released_files import write_released_files
from madm2.runs.results import closing_table, read_finished, write_results
from madm2.runs.samples import SampleFile
from madm2.settings import DebateSettings
from madm2.summary import Summary
from madm2.types import Completion, RequestKey, Transcript

WAITING_TRANSCRIPTS = 256  # that are finished and not yet scored


class _Engines:
    """The engines of a command's runs: a loaded model serves all of them."""

    def __init__(self) -> None:
        self._loaded: list[Engine] = []
        self.refused = False

    def of(self, run: Run) -> Engine:
        """The engine of a run; loaded, unless a model is there already."""
        if run.engine != "vllm" or not self._loaded:
            self.refused = True
            self._loaded.append(_engine(run))
            self.refused = False
        return self._loaded[-1]

    def close(self) -> None:
        for engine in self._loaded:
            engine.close()


def execute(runs: Sequence[Run]) -> int:
    """Carry out runs, one after the other, over one loaded model; return the exit code.

    One that is refused (its folder holds another run, ...) does not stop the others.
    """
    engines, refused = _Engines(), 0
    try:
        for number, run in enumerate(runs):
            try:
                _execute(run, engines, runs[:number])
            except UserError as error:
                if len(runs) == 1 or engines.refused:
                    raise
                refused += 1
                tell(f"error: {run.paths.folder}: {error}")
    finally:
        engines.close()
    if refused:
        tell(f"error: {refused} of {len(runs)} runs were refused; the others are done")
    return 2 if refused else 0


def _execute(run: Run, engines: _Engines, earlier: Sequence[Run]) -> None:
    """Begin a run or go on with it, write its files, print the closing table."""
    if run.recording is not None:
        _require_recorded(run, run.recording)
    settings = run.settings()
    if not run.overwrite and (shown := _finished_elsewhere(run, settings)):
        _print_closing(run, *shown)
        return
    with own_folder(run.paths, overwrite=run.overwrite):
        manifest = begin(run.paths, settings, run.arguments, run.command)
        finished = read_finished(run.paths, settings)
        if finished is None:
            if run.recording is not None:
                finished = _replay(run, run.recording, manifest)
            else:
                finished = _debate(run, manifest, engines, earlier)
            summary, seconds = finished
            model = run.model.path or run.model.name
            write_released_files(run.paths, run.instrument, model, seconds)
            settings |= {"engine_settings": manifest.document["engine"]}
            write_results(run.paths.results, summary, seconds=seconds, settings=settings)
        _print_closing(run, *finished)


def _finished_elsewhere(run: Run, settings: Mapping[str, object]) -> tuple[Summary, float] | None:
    """The figures of a run that has ended, in a folder that may be read only."""
    folder = run.paths.folder
    if not folder.is_dir() or os.access(folder, os.W_OK):
        return None
    if not (manifest := read_manifest(folder)):
        return None
    check_same_run(folder, manifest["settings"], json.loads(json.dumps(settings)))
    return read_finished(run.paths, settings)


def print_plan(run: Run) -> None:
    """Print the resolved run and its first prompt."""
    settings = DebateSettings(prompts=run.prompts, answer_hint=run.answer_hint)
    plan: Mapping[str, object] = run.settings() | {"results": str(run.paths.folder)}
    print(yaml.safe_dump(plan, sort_keys=False, allow_unicode=True), end="")
    print("first_prompt: |")
    for message in settings.ask(run.questions[0]):
        for line in message.content.splitlines():
            print(f"  {line}".rstrip())


def _debate(
    run: Run, manifest: Manifest, engines: _Engines, earlier: Sequence[Run]
) -> tuple[Summary, float]:
    """Debate what is not recorded yet; return the figures and the seconds."""
    if run.answer_type == "math":
        worker.warm_up()  # it starts while the model loads
    with ExitStack() as files:
        journal = Journal(run.paths.journal)
        files.callback(journal.close)
        if len(journal):
            print(f"going on: {len(journal):,} completions are recorded", file=sys.stderr)
        donors = []
        for other in earlier if run.share_first_round else ():
            if (other.dataset, other.seed) == (run.dataset, run.seed):
                if other.paths.journal.exists():
                    donors.append(Journal(other.paths.journal, read_only=True))
                    files.callback(donors[-1].close)

        def load() -> Engine:
            engine = engines.of(run)
            manifest.record_engine(engine.describe())
            return engine

        engine = JournaledEngine(load, journal, donors)
        summary = _write_samples(
            run,
            engine,
            recorded=journal,
            anew=not manifest.same_code,
            speed=lambda: f"{engine.tokens_per_second:,.0f} tokens/s",
        )
        summary.shared_input_tokens = journal.shared_input_tokens
        summary.shared_output_tokens = journal.shared_output_tokens
        return summary, round(engine.seconds, 3)


def _require_recorded(run: Run, recording: Recording) -> None:
    """Refuse a replay that would need a model, before there is a folder for it."""
    engine = ReplayEngine(recording.find, recording.cuts)
    for _ in _multi_agent_debate(run, engine).transcripts(run.questions):
        pass
    engine.require_complete(str(recording.source), recording.finished)


def _replay(run: Run, recording: Recording, manifest: Manifest) -> tuple[Summary, float]:
    engine = ReplayEngine(recording.find, recording.cuts)
    manifest.record_engine(engine.describe())
    return _write_samples(run, engine, recorded=(), anew=True), recording.seconds


def _write_samples(
    run: Run,
    engine: Engine,
    *,
    recorded: Container[RequestKey],
    anew: bool,
    speed: Callable[[], str] = str,
) -> Summary:
    """Debate, and write samples.jsonl.

    Args:
        run: the run.
        engine: where the requests go.
        recorded: completions that are on record; a sample with another one is made again.
        anew: score all questions again, those that an earlier session has written too.
        speed: for the progress bar.
    """
    from tqdm import tqdm

    mad = _multi_agent_debate(run, engine)
    summary = Summary()
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    with (
        SampleFile(run.paths.samples, anew=anew) as file,
        tqdm(total=len(run.questions), unit="question", disable=not on_terminal) as bar,
    ):

        def show(completion: Completion) -> None:
            bar.set_postfix_str(speed(), refresh=False)
            bar.update(0)

        with closing(file.former(run.questions)) as samples:
            for sample in samples:
                if not all(c.key in recorded for c in sample.transcript.completions()):
                    break
                summary.add(sample)
                bar.update()
        rest = run.questions[summary.questions :]

        def finish(transcript: Transcript) -> None:
            sample = mad.score(transcript)
            file.write(sample)
            summary.add(sample)
            bar.update()

        # The engine waits neither for sympy nor for the disk.
        with (
            Background(finish, depth=WAITING_TRANSCRIPTS) as scoring,
            closing(mad.transcripts(rest, on_completion=show)) as transcripts,
        ):
            for transcript in transcripts:
                scoring.put(transcript)
    return summary


def _multi_agent_debate(run: Run, engine: Engine) -> MultiAgentDebate:
    agent = Agent(
        engine,
        run.model.sampling,
        run.model.judge_sampling,
        run.prompts,
        run.model.memory_max_tokens,
    )
    return MultiAgentDebate(
        agent,
        run.dataset,
        run.num_agents,
        run.rounds,
        run.prune_strategy,
        run.strict,
        method=run.method,
        route=run.route,
        answer_type=run.answer_type,
        instrument=run.instrument,
        seed=run.seed,
        objective_keep=run.objective_keep,
        random_keep=run.random_keep,
        answer_hint=run.answer_hint,
        conduct=run.conduct,
        max_live_questions=run.max_live_questions,
        lockstep=run.lockstep,
    )


def _engine(run: Run) -> Engine:
    if run.engine == "vllm":
        require_model_folder(run.model.path, engine_args=run.model.engine_args)
    # Before torch is imported, which the engine does.
    os.environ["CUDA_VISIBLE_DEVICES"] = run.gpus
    return ENGINES[run.engine](
        run.model, run.questions, run.tensor_parallel, INSTRUMENTS[run.instrument].double_bos
    )


def _print_closing(run: Run, summary: Summary, seconds: float) -> None:
    strict = " (strict)" if run.strict else ""
    how = f"{run.num_agents} agents, {run.rounds} rounds, {run.prune_strategy} masking{strict}"
    if METHODS[run.method].reads is None:
        how = f"{run.num_agents} answer{'s' * (run.num_agents > 1)} a question"
    route = f", route {run.route}" if run.route else ""
    how += f"{route}{run.conduct}"
    print(f"\n{run.dataset}: {run.model.name}, {run.method}, {how}, seed {run.seed}")
    chance = DATASETS[run.dataset].chance if run.dataset in DATASETS else 0.0
    bound = run.prune_strategy in READS_GOLD
    print(closing_table(summary, seconds, run.instrument, chance, upper_bound=bound))
    print(f"results: {run.paths.folder}")
