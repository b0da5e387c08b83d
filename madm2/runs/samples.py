"""samples.jsonl: one transcript with its verdicts a line, written in subset order."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from madm2.types import (
    Completion,
    Evidence,
    Mask,
    QuestionId,
    Round,
    Sample,
    Score,
)

VERSION = 1


def sample_to_dict(sample: Sample) -> dict[str, Any]:
    """Everything about one question: raw texts, masks with their evidence, votes, verdicts."""
    question = sample.transcript.question
    return {
        "version": VERSION,
        "id": question.id,
        "dataset": question.dataset,
        "answer_type": question.answer_type,
        "query": question.query,
        "gold": question.gold,
        "options": list(question.options),
        "method": sample.transcript.method,
        "rounds": [_round(rnd) for rnd in sample.transcript.rounds],
        "scores": {name: _score(score) for name, score in sample.scores.items()},
    }


def _round(rnd: Round) -> dict[str, Any]:
    # Agents of a round mostly share one prompt: each distinct one is written once.
    distinct = list(dict.fromkeys(rnd.prompts))
    return {
        "round": rnd.index,
        "mask": None if rnd.mask is None else _mask(rnd.mask),
        "prompts": [[{"role": m.role, "content": m.content} for m in p] for p in distinct],
        "completions": [
            {**_completion(c), "prompt": distinct.index(prompt)}
            for c, prompt in zip(rnd.completions, rnd.prompts, strict=True)
        ],
    }


def _mask(mask: Mask) -> dict[str, Any]:
    return {
        "strategy": mask.strategy,
        "keep": list(mask.keep),
        "evidence": [_evidence(e) for e in mask.evidence],
        "completions": [_completion(c) for c in mask.completions],
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    pairs = {
        "score": _number(evidence.score),
        "label": evidence.label,
        "source": evidence.source,
    }
    return {key: value for key, value in pairs.items() if value is not None}


def _completion(c: Completion) -> dict[str, Any]:
    return {
        "agent": c.key.agent,
        "purpose": c.key.purpose,
        "index": c.key.index,
        "seed": c.seed,
        "text": c.text,
        "finish_reason": c.finish_reason,
        "input_tokens": c.input_tokens,
        "output_tokens": c.output_tokens,
        "logprobs": {
            "count": c.logprobs.count,
            "sampled_sum": _number(c.logprobs.sampled_sum),
            "top_sum": _number(c.logprobs.top_sum),
        },
        "perplexity": _number(c.logprobs.perplexity),
        "released_perplexity": _number(c.logprobs.released_score),
        "prompt_sha256": c.prompt_sha256,
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "answers": [list(row) for row in score.answers],
        "votes": [
            {
                "answer": _number(vote.answer),
                "count": vote.count,
                "tie": vote.tie,
                "consensus": vote.consensus,
                "clusters": list(vote.clusters),
            }
            for vote in score.votes
        ],
        "status": score.verdict.status,
        "answer": _number(score.verdict.answer),
    }


def _number(value: Any) -> Any:
    # JSON has no infinity; a text says it and float() reads it back.
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


class SampleWriter:
    """Writes samples in the order of `ids`, holding those that come early.

    The lines go to `<path>.partial`, which takes the place of `path` when all are written, so
    that an interrupted run leaves an earlier complete file alone.
    """

    def __init__(self, path: Path, ids: Sequence[QuestionId]) -> None:
        self.path = path
        self.partial = path.with_name(f"{path.name}.partial")
        self._ids: Iterator[QuestionId] = iter(ids)
        self._next: QuestionId | None = next(self._ids, None)
        self._early: dict[QuestionId, str] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file: TextIO = self.partial.open("w", encoding="utf-8", errors="surrogatepass")

    def write(self, sample: Sample) -> None:
        """Take one sample; it is written as soon as all before it are."""
        line = json.dumps(sample_to_dict(sample))
        self._early[sample.transcript.question.id] = line
        while self._next is not None and self._next in self._early:
            self._file.write(self._early.pop(self._next) + "\n")
            self._next = next(self._ids, None)
        self._file.flush()

    def __enter__(self) -> SampleWriter:
        """Start writing."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; on success the file takes its place, otherwise early samples are kept too."""
        self._file.writelines(line + "\n" for line in self._early.values())
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        if kind is None:
            os.replace(self.partial, self.path)


def read_samples(path: Path) -> Iterator[dict[str, Any]]:
    """Read samples.jsonl line by line."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
