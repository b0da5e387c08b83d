"""MultiAgentDebate: what a user of the library calls."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from madm2.conduct import PLAIN_CONDUCT, Conduct, check_names
from madm2.datasets.load import question_from_row
from madm2.datasets.registry import DATASETS
from madm2.decisions import DECISIONS, concluded, decide_with
from madm2.driver import MAX_LIVE_QUESTIONS, drive
from madm2.engines.base import Engine
from madm2.errors import UserError, unknown_name
from madm2.instruments import INSTRUMENTS
from madm2.methods import METHODS
from madm2.prompts import PromptSet, load_prompts
from madm2.pruners import PRUNERS
from madm2.routing import parse_route
from madm2.settings import DebateSettings
from madm2.summary import Summary
from madm2.types import (
    AnswerType,
    Completion,
    InstrumentName,
    Question,
    Sample,
    Sampling,
    Transcript,
)


@dataclass(frozen=True, slots=True)
class Agent:
    """An engine with the settings under which its agents speak.

    Args:
        engine: any `madm2.engines.base.Engine`.
        sampling: of answers; `judge_sampling`: of judge calls (None: the same).
        prompts: the prompt set.
        memory_max_tokens: tokens of a long thinking that other agents may read.
    """

    engine: Engine
    sampling: Sampling = field(default_factory=Sampling)
    judge_sampling: Sampling | None = None
    prompts: PromptSet = field(default_factory=lambda: load_prompts("default"))
    memory_max_tokens: int = 4096


@dataclass(frozen=True, slots=True)
class Results:
    """All samples, in the order of the questions, and the figures over them."""

    samples: list[Sample]
    summary: Summary


class MultiAgentDebate:
    """Multi-agent debate with memory masking (MAD-M², arXiv 2603.20215).

    Args:
        agent: engine, sampling settings and prompts.
        dataset_name: decides how answers are read and graded.
        num_agents: agents a round, or paths of `cot_sc`, ≥ 1.
        max_round: rounds, ≥ 1.
        prune_strategy: a registered pruner: naive, subjective, objective, oracle, random_k.
        strict: subjective masking drops NOT SURE too.
        only_voting: vote over the first answers, no debate (as `max_round=1`).
        method: a registered method: mad, sparse_mad, cot (one answer) or cot_sc (a vote over
            `num_agents` paths); the last two have one round, and no use for a pruner.
        route: `majority:T` debates only the questions on whose first answers fewer than T of the
            agents agree.
        answer_type: for a dataset that is not registered.
        instrument: `paper` or `released`; scoring always applies both.
        seed: of the run; every sample's seed derives from it.
        objective_keep: memories the paper's objective mask keeps.
        random_keep: memories the random mask keeps.
        answer_hint: add the prompt set's hint for the answer type.
        conduct: decision, stance of the debate prompt, attack on the memories.
        max_live_questions: questions in progress at one time.
        lockstep: no question goes on before all have ended their round, for comparison.

    Raises:
        UserError: an unknown name or a number out of range.
    """

    def __init__(
        self,
        agent: Agent,
        dataset_name: str = "math",
        num_agents: int = 3,
        max_round: int = 2,
        prune_strategy: str = "objective",
        strict: bool = False,
        only_voting: bool = False,
        *,
        method: str = "mad",
        route: str | None = None,
        answer_type: AnswerType | None = None,
        instrument: InstrumentName = "paper",
        seed: int = 42,
        objective_keep: int = 1,
        random_keep: int = 1,
        answer_hint: bool = False,
        conduct: Conduct = PLAIN_CONDUCT,
        max_live_questions: int = MAX_LIVE_QUESTIONS,
        lockstep: bool = False,
    ) -> None:
        if instrument not in INSTRUMENTS:
            raise unknown_name("instrument", instrument, INSTRUMENTS)
        if answer_type is not None and answer_type not in get_args(AnswerType):
            raise unknown_name("answer type", str(answer_type), get_args(AnswerType))
        if max_live_questions < 1:
            raise UserError("max_live_questions must be ≥ 1", have=str(max_live_questions))
        self.agent = agent
        self.dataset_name = dataset_name = dataset_name.lower()
        self.answer_type = answer_type or DATASETS[dataset_name].answer_type
        self.pruner = PRUNERS[prune_strategy]
        self.method = METHODS[method]
        if route is not None and self.method.reads is None:
            raise UserError(f"{method} has no rounds that a route could decide on")
        rounds = 1 if only_voting and max_round >= 1 else max_round
        self.decision = DECISIONS[conduct.decision]
        self.max_live_questions = max_live_questions
        self.lockstep = lockstep
        self.settings = DebateSettings(
            prompts=agent.prompts.for_run(
                stance=conduct.stance, chooses=self.decision.ask is not None
            ),
            num_agents=num_agents,
            max_round=rounds,
            strict=strict,
            objective_keep=objective_keep,
            random_keep=random_keep,
            route=parse_route(route),
            attack=conduct.attack,
            freemad_weights=conduct.weights,
            answer_hint=answer_hint,
            instrument=INSTRUMENTS[instrument],
            seed=seed,
            sampling=agent.sampling,
            judge_sampling=agent.judge_sampling or agent.sampling,
            memory_max_tokens=agent.memory_max_tokens,
            head=agent.engine.head,
        )
        check_names(conduct.decision, conduct.stance, rounds)

    def __call__(self, questions: Iterable[Question | Mapping[str, object]]) -> Results:
        """Debate every question and return all samples in the order of the questions."""
        samples, summary = [], Summary()
        for sample in self.stream(questions):
            summary.add(sample)
            samples.append(sample)
        return Results(samples, summary)

    def stream(
        self,
        questions: Iterable[Question | Mapping[str, object]],
        on_completion: Callable[[Completion], None] = lambda completion: None,
    ) -> Generator[Sample, None, None]:
        """Yield samples in the order of the questions, holding only live ones in memory.

        Args:
            questions: rows with `query`, `answer` and optionally `id`, `options`, or Questions.
            on_completion: called with every completion as it arrives.
        """
        for transcript in self.transcripts(questions, on_completion):
            yield self.score(transcript)

    def transcripts(
        self,
        questions: Iterable[Question | Mapping[str, object]],
        on_completion: Callable[[Completion], None] = lambda completion: None,
    ) -> Generator[Transcript, None, None]:
        """As `stream`, without scores."""
        debates = (
            concluded(
                self.method.run(question, self.settings, self.pruner), self.decision, self.settings
            )
            for question in self._questions(questions)
        )
        return drive(
            debates,
            self.agent.engine,
            self.settings.seed,
            max_live=self.max_live_questions,
            lockstep=self.lockstep,
            on_completion=on_completion,
        )

    def score(self, transcript: Transcript) -> Sample:
        """Read, decide and grade a transcript, by both instruments."""
        decide = decide_with(self.decision, self.settings)
        return Sample(
            transcript, {name: inst.score(transcript, decide) for name, inst in INSTRUMENTS.items()}
        )

    def _questions(self, rows: Iterable[Question | Mapping[str, object]]) -> list[Question]:
        questions = [
            row
            if isinstance(row, Question)
            else question_from_row(
                row, self.dataset_name, self.answer_type, index, f"question {index}"
            )
            for index, row in enumerate(rows)
        ]
        # The released code's log has ids as texts, so 1 and "1" are the same.
        if len({str(question.id) for question in questions}) < len(questions):
            raise UserError("two questions have the same id", need="ids that are unique in a run")
        return questions
