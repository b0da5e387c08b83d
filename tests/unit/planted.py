"""An engine whose agents behave as planned: what each says, given what its prompt shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from madm2.types import Completion, LogprobSummary, Request, RequestKey

Behaviour = Callable[[Request], str]


def says(answer: str) -> str:
    """A completion with this answer; without one it has none."""
    return f"<think>I worked it out.</think>\n<answer>{answer}</answer>" if answer else ""


class PlantedEngine:
    """Answers every request by one function of it, and remembers what was asked."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.asked: dict[RequestKey, Request] = {}
        self._done: list[Completion] = []

    def submit(self, request: Request, seed: int) -> None:
        self.asked[request.key] = request
        logprobs = LogprobSummary(4, -1.0 - request.key.agent, -0.5)
        text = self.behaviour(request)
        self._done.append(Completion(request.key, text, 1, 4, logprobs, "stop", seed))

    def step(self) -> list[Completion]:
        done, self._done = self._done, []
        return done

    def cancel(self, keys: Collection[RequestKey]) -> None:
        self._done = [c for c in self._done if c.key not in keys]

    def head(self, text: str, n_tokens: int) -> str:
        return text

    def describe(self) -> Mapping[str, object]:
        return {"engine": "planted"}

    def close(self) -> None:
        pass
