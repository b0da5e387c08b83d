"""An engine without a model: deterministic answers from a seed, known right, wrong or malformed."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping

from madm2.grading.extract import gold_answer
from madm2.types import Completion, LogprobSummary, Question, QuestionId, Request, RequestKey

# How an answer comes out, and how often.
OUTCOMES = {"right": 0.5, "wrong": 0.3, "no_tags": 0.08, "cut_off": 0.07, "empty": 0.05}
_LABELS = ("<label>YES</label>", "<label>NO</label>", "<label>NOT SURE</label>", "no label")


class ScriptedEngine:
    """Answers questions whose gold it was given; the same request and seed, the same answer.

    Args:
        questions: all questions that will be asked.
        max_model_len: words a prompt must stay below; longer ones are `prompt_too_long`.
        batch: completions returned by one step.
    """

    def __init__(
        self, questions: Iterable[Question], max_model_len: int = 32768, batch: int = 64
    ) -> None:
        self.questions: dict[QuestionId, Question] = {q.id: q for q in questions}
        self.max_model_len = max_model_len
        self.batch = batch
        self._queue: dict[RequestKey, Completion] = {}

    def submit(self, request: Request, seed: int) -> None:
        """Queue a request; its completion is decided here and now."""
        if request.key in self._queue:
            raise ValueError(f"{request.key} is queued already")
        self._queue[request.key] = self._complete(request, seed)

    def step(self) -> list[Completion]:
        """Return some of the queued completions, those with the lowest seeds first."""
        done = sorted(self._queue.values(), key=lambda c: c.seed)[: self.batch]
        for completion in done:
            del self._queue[completion.key]
        return done

    def cancel(self, keys: Collection[RequestKey]) -> None:
        """Drop queued requests."""
        for key in keys:
            self._queue.pop(key, None)

    def head(self, text: str, n_tokens: int) -> str:
        """Return the first `n_tokens` words, the scripted engine's tokens."""
        words = text.split(" ")
        return text if len(words) <= n_tokens else " ".join(words[:n_tokens])

    def describe(self) -> Mapping[str, object]:
        """Name and settings."""
        return {"engine": "scripted", "max_model_len": self.max_model_len}

    def close(self) -> None:
        """Nothing to release."""

    def _complete(self, request: Request, seed: int) -> Completion:
        rng = random.Random(seed)
        prompt_words = sum(len(m.content.split()) for m in request.messages)
        text, confidence, reason = "", 0.0, "prompt_too_long"
        if prompt_words < self.max_model_len:
            if request.key.purpose in ("answer", "decision"):
                text, confidence, reason = self._answer(request.key, rng)
            else:
                text = f"I went through it again. {rng.choices(_LABELS, (5, 3, 1, 1))[0]}"
                confidence, reason = 0.9, "stop"
        words = text.split(" ") if text else []
        if len(words) > request.sampling.max_tokens:
            text, reason = " ".join(words[: request.sampling.max_tokens]), "length"
            words = words[: request.sampling.max_tokens]
        top_sum = sum(-rng.random() * (1 - confidence) for _ in words)
        sampled_sum = top_sum - sum(rng.random() * 0.2 for _ in words)
        return Completion(
            key=request.key,
            text=text,
            input_tokens=prompt_words,
            output_tokens=len(words),
            logprobs=LogprobSummary(len(words), sampled_sum, top_sum),
            finish_reason=reason,
            seed=seed,
        )

    def _answer(self, key: RequestKey, rng: random.Random) -> tuple[str, float, str]:
        question = self.questions[key.question_id]
        gold = gold_answer(question.gold, answer_type=question.answer_type) or question.gold
        outcome = rng.choices(list(OUTCOMES), list(OUTCOMES.values()))[0]
        thinking = "First I read the question. " + "Then I work on it. " * rng.randint(1, 6)
        if outcome == "right":
            return f"<think>{thinking}</think>\n<answer>{gold}</answer>", 0.9, "stop"
        if outcome == "wrong":
            answer = _wrong_answer(gold, question, rng)
            return f"<think>{thinking}</think>\n<answer>{answer}</answer>", 0.6, "stop"
        if outcome == "no_tags":
            return f"{thinking}The answer is {gold}", 0.7, "stop"
        if outcome == "cut_off":
            return f"<think>{thinking}", 0.5, "length"
        return "", 0.0, "stop"


def _wrong_answer(gold: str, question: Question, rng: random.Random) -> str:
    if question.answer_type == "choice":
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: max(len(question.options), 4)]
        return rng.choice([letter for letter in letters if letter != gold.upper()])
    if question.answer_type == "text":
        return f"not {gold}"
    # A few different wrong answers, so that votes split and sometimes agree on one.
    return f"{10007 + rng.randint(0, 3)}"
