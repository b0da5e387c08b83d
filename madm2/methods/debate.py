"""Multi-agent debate: answer, mask the memories, read what is left, answer again."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial

from madm2.methods.base import METHODS, Debate, Method, Reads, ask_round
from madm2.pruners import Pruner
from madm2.settings import DebateSettings
from madm2.types import Completion, Mask, Memory, Question, Request, Round, Transcript


def everyone(agent: int, num_agents: int) -> Sequence[int]:
    """All agents, itself among them."""
    return range(num_agents)


def debate(
    question: Question, settings: DebateSettings, pruner: Pruner, *, name: str, reads: Reads
) -> Debate:
    """One question's debate (paper, section 4 and algorithm 1).

    The mask is over all memories of the round before that an attack has not dropped; each agent
    reads the kept ones of those that `reads` names. An agent that is left without any is asked
    afresh. With a route, the vote over the first round may be the end.

    Args:
        question: what is asked.
        settings: of the debate.
        pruner: makes the masks.
        name: of the method.
        reads: who reads whom.
    """
    n = settings.num_agents
    rounds = [(yield from ask_round(question, settings, 1, [()] * n))]
    debated = None
    if settings.route is not None:
        answers = [memory.answer for memory in _memories(rounds[0], question, settings)]
        debated = settings.route.debates(settings.instrument.vote(answers, question), n)
    for index in range(2, settings.max_round + 1) if debated is not False else ():
        memories = _memories(rounds[-1], question, settings)
        mask, memories = yield from _masked(question, memories, settings, pruner)
        shown = [[memories[a] for a in reads(agent, n) if mask.keep[a]] for agent in range(n)]
        rounds.append((yield from ask_round(question, settings, index, shown, mask)))
    return Transcript(question, name, tuple(rounds), debated)


def _masked(
    question: Question, memories: list[Memory], settings: DebateSettings, pruner: Pruner
) -> Generator[list[Request], list[Completion], tuple[Mask, list[Memory]]]:
    """The mask over what an attack left of the memories; and these, one an agent."""
    attack = settings.attack
    if attack is None:
        return (yield from pruner(question, memories, settings)), memories
    sent = attack.delivered(question, memories, settings.seed, settings.instrument)
    mask = Mask("none", (), ())
    if sent:
        mask = yield from pruner(question, sent, settings)
    arrived = {memory.agent: memory for memory in sent}
    known = [arrived.get(memory.agent, memory) for memory in memories]
    return attack.marked(mask, sent, len(memories)), known


def _memories(rnd: Round, question: Question, settings: DebateSettings) -> list[Memory]:
    return [
        Memory(agent, rnd.index, c, settings.instrument.read(c.text, question))
        for agent, c in enumerate(rnd.completions)
    ]


METHODS.add("mad", Method("mad", partial(debate, name="mad", reads=everyone), everyone))
