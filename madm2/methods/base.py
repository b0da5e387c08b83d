"""What a method is: a generator that asks for completions and returns a transcript."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

from madm2.pruners import Pruner
from madm2.registry import Registry
from madm2.settings import DebateSettings
from madm2.types import Completion, Question, Request, Transcript

Debate = Generator[list[Request], list[Completion], Transcript]


@dataclass(frozen=True, slots=True)
class Method:
    """A named way to answer a question.

    `run(question, settings, pruner)` yields the requests it needs next, all at once, receives
    their completions in the same order, and returns the transcript.
    """

    name: str
    run: Callable[[Question, DebateSettings, Pruner], Debate]


METHODS: Registry[Method] = Registry("method")
