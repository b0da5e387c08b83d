"""Multi-agent debate: answer, mask the memories, read what is left, answer again."""

from __future__ import annotations

from madm2.methods.base import METHODS, Debate, Method
from madm2.pruners import Pruner
from madm2.settings import DebateSettings
from madm2.types import Memory, Question, Request, RequestKey, Round, Transcript


def debate(question: Question, settings: DebateSettings, pruner: Pruner) -> Debate:
    """One question's debate (paper, section 4 and algorithm 1).

    Every agent reads the same kept memories of the round before, its own among them. When all
    are masked the round asks again without memories.
    """
    agents = range(settings.num_agents)
    mask, memories, rounds = None, list[Memory](), list[Round]()
    for index in range(1, settings.max_round + 1):
        if index > 1:
            mask = yield from pruner(question, memories, settings)
            memories = [m for m, keep in zip(memories, mask.keep, strict=True) if keep]
        prompt = settings.debate_with(question, memories)
        reads = tuple(memory.completion.key for memory in memories)
        keys = [RequestKey(question.id, index, "answer", agent) for agent in agents]
        completions = yield [Request(key, prompt, settings.sampling, reads) for key in keys]
        rounds.append(Round(index, mask, tuple(prompt for _ in agents), tuple(completions)))
        memories = [
            Memory(agent, index, c, settings.instrument.read(c.text, question))
            for agent, c in enumerate(completions)
        ]
    return Transcript(question, "mad", tuple(rounds))


METHODS.add("mad", Method("mad", debate))
