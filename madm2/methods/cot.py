"""Chain of thought: one agent answers once."""

from __future__ import annotations

from madm2.methods.base import METHODS, Debate, Method, ask_round
from madm2.pruners import Pruner
from madm2.settings import DebateSettings
from madm2.types import Question, Transcript


def cot(question: Question, settings: DebateSettings, pruner: Pruner) -> Debate:
    """Ask once, however many agents the settings name."""
    first = yield from ask_round(question, settings, 1, [()])
    return Transcript(question, "cot", (first,))


METHODS.add("cot", Method("cot", cot))
