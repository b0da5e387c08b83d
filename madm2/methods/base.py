"""What a method is: a generator that asks for completions and returns a transcript."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from madm2.pruners import Pruner
from madm2.registry import Registry
from madm2.settings import DebateSettings
from madm2.types import Completion, Mask, Memory, Question, Request, RequestKey, Round, Transcript

Debate = Generator[list[Request], list[Completion], Transcript]
Reads = Callable[[int, int], Sequence[int]]
"""Given an agent and the number of agents: whose memories it reads, in the order it sees them."""


@dataclass(frozen=True, slots=True)
class Method:
    """A named way to answer a question.

    Args:
        name: as it is registered.
        run: `run(question, settings, pruner)` yields the requests it needs next, all at once,
            receives their completions in the same order, and returns the transcript.
        reads: who reads whom from the second round on; None for a method of a single round,
            which has no use for pruner and route.
    """

    name: str
    run: Callable[[Question, DebateSettings, Pruner], Debate]
    reads: Reads | None = None


METHODS: Registry[Method] = Registry("method")


def ask_round(
    question: Question,
    settings: DebateSettings,
    index: int,
    shown: Sequence[Sequence[Memory]],
    mask: Mask | None = None,
) -> Generator[list[Request], list[Completion], Round]:
    """One round: every agent answers, having read the memories that it is shown.

    Args:
        question: what is asked.
        settings: of the debate.
        index: the round's number.
        shown: each agent's memories; with none it gets the first round's prompt.
        mask: what was applied before the round.
    """
    requests, prompts = [], {}
    for agent, memories in enumerate(shown):
        reads = tuple(memory.completion.key for memory in memories)
        if reads not in prompts:  # agents mostly read the same
            prompts[reads] = settings.debate_with(question, list(memories))
        key = RequestKey(question.id, index, "answer", agent)
        requests.append(Request(key, prompts[reads], settings.sampling, reads))
    completions = yield requests
    return Round(index, mask, tuple(r.messages for r in requests), tuple(completions))
