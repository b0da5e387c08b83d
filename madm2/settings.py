"""What a debate is told besides its question: the configuration that methods and pruners see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from madm2.attacks import Attack
from madm2.errors import UserError
from madm2.instruments import INSTRUMENTS, Instrument
from madm2.prompts import Messages, PromptSet
from madm2.routing import Route
from madm2.types import Memory, Question, Sampling

FreeMadWeights = tuple[Fraction, Fraction, Fraction, Fraction]
"""Of a first answer, one that an agent left, took up, kept."""
FREEMAD_WEIGHTS: FreeMadWeights = (Fraction(20), Fraction(25), Fraction(30), Fraction(20))


def _whole(text: str, n_tokens: int) -> str:
    return text


@dataclass(frozen=True, slots=True)
class DebateSettings:
    """Configuration of a debate; with the question it decides every request.

    Args:
        prompts: the prompt set.
        num_agents: agents a round, ≥ 1.
        max_round: rounds, ≥ 1; 1 is a vote over first answers.
        strict: the subjective mask also drops what was labelled NOT SURE.
        objective_keep: memories the paper's objective mask keeps, ≥ 1.
        random_keep: memories the random mask keeps, ≥ 1.
        route: which questions are debated; None for all.
        attack: what befalls the memories between two rounds; None for nothing.
        freemad_weights: what changes of mind count in the decision `freemad`.
        answer_hint: add the prompt set's hint for the dataset's answer type.
        instrument: how answers are read and shown.
        seed: the run's seed, for random choices (which derive from it and the question id).
        sampling: of answers; `judge_sampling`: of judge calls.
        memory_max_tokens: tokens of a memory's thinking that are shown.
        head: `(text, n_tokens)` → the part that the first n tokens spell (the engine's).
    """

    prompts: PromptSet
    num_agents: int = 3
    max_round: int = 2
    strict: bool = False
    objective_keep: int = 1
    random_keep: int = 1
    route: Route | None = None
    attack: Attack | None = None
    freemad_weights: FreeMadWeights = FREEMAD_WEIGHTS
    answer_hint: bool = False
    instrument: Instrument = INSTRUMENTS["paper"]
    seed: int = 42
    sampling: Sampling = field(default_factory=Sampling)
    judge_sampling: Sampling = field(default_factory=Sampling)
    memory_max_tokens: int = 4096
    head: Callable[[str, int], str] = _whole

    def __post_init__(self) -> None:
        for name, least in (
            ("num_agents", 1),
            ("max_round", 1),
            ("objective_keep", 1),
            ("random_keep", 1),
            ("seed", 0),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise UserError(f"{name} must be a whole number ≥ {least}", have=repr(value))
        if self.route is not None and self.max_round == 1:
            raise UserError("a route needs a second round, which it decides on")
        if self.attack is not None and self.max_round == 1:
            raise UserError("an attack needs a second round, which reads the memories")

    def show(self, memory: Memory, question: Question) -> str:
        """A memory as another agent, or a judge, reads it."""
        text = memory.completion.text
        return self.instrument.show(text, question, self.head, self.memory_max_tokens)

    def ask(self, question: Question) -> Messages:
        """The prompt without memories."""
        return self.prompts.ask(question.query, self._hint(question))

    def debate_with(self, question: Question, memories: list[Memory]) -> Messages:
        """The prompt with the kept memories; without any it is the first round's."""
        if not memories:
            return self.ask(question)
        shown = self._joined(memories, question)
        return self.prompts.debate_with(question.query, shown, self._hint(question))

    def judge(self, question: Question, memory: Memory) -> Messages:
        """The prompt that asks for a label on one memory."""
        return self.prompts.judge_solution(question.query, self.show(memory, question))

    def choose(self, question: Question, candidates: list[Memory]) -> Messages:
        """The prompt that asks for one of several answers that have as many votes."""
        shown = self._joined(candidates, question)
        return self.prompts.choose_from(question.query, shown, self._hint(question))

    def _joined(self, memories: list[Memory], question: Question) -> str:
        joiner = self.prompts.joiner if self.instrument.joiner is None else self.instrument.joiner
        return joiner.join(self.show(memory, question) for memory in memories)

    def _hint(self, question: Question) -> str:
        return self.prompts.hints.get(question.answer_type, "") if self.answer_hint else ""
