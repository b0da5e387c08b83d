"""Self-consistency: several chains of thought, and a vote over their answers."""

from __future__ import annotations

from madm2.methods.base import METHODS, Debate, Method, ask_round
from madm2.pruners import Pruner
from madm2.settings import DebateSettings
from madm2.types import Question, Transcript


def cot_sc(question: Question, settings: DebateSettings, pruner: Pruner) -> Debate:
    """Sample one path for each of the settings' agents, all of the first round's prompt."""
    first = yield from ask_round(question, settings, 1, [()] * settings.num_agents)
    return Transcript(question, "cot_sc", (first,))


METHODS.add("cot_sc", Method("cot_sc", cot_sc))
