"""samples.jsonl: one transcript with its verdicts a line, written in subset order."""

from __future__ import annotations

import json
import math
import os
import shutil
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from madm2.types import (
    Choice,
    Completion,
    Evidence,
    InstrumentName,
    LogprobSummary,
    Mask,
    Message,
    Question,
    QuestionId,
    RequestKey,
    Round,
    Sample,
    Score,
    Transcript,
    Verdict,
    Vote,
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
        "debated": sample.transcript.debated,
        "rounds": [_round(rnd) for rnd in sample.transcript.rounds],
        "decided_by": [_completion(c) for c in sample.transcript.decided_by],
        "scores": {name: _score(score) for name, score in sample.scores.items()},
    }


def sample_from_dict(row: Mapping[str, Any]) -> Sample:
    """The sample that `sample_to_dict` made this row of.

    Raises:
        KeyError, TypeError, ValueError: it is no such row.
    """
    if row["version"] != VERSION:
        raise ValueError(f"version {row['version']}, not {VERSION}")
    question = Question(
        row["id"],
        row["dataset"],
        row["query"],
        row["gold"],
        row["answer_type"],
        tuple(row["options"]),
    )
    rounds = tuple(_round_from(rnd, question.id) for rnd in row["rounds"])
    scores = {name: _score_from(score, name) for name, score in row["scores"].items()}
    decided_by = tuple(
        _completion_from(c, question.id, rounds[-1].index) for c in row.get("decided_by", ())
    )
    transcript = Transcript(question, row["method"], rounds, row["debated"], decided_by)
    return Sample(transcript, scores)


def _round_from(row: Mapping[str, Any], question_id: QuestionId) -> Round:
    prompts = [tuple(Message(m["role"], m["content"]) for m in p) for p in row["prompts"]]
    completions = row["completions"]
    index, mask = row["round"], row["mask"]
    return Round(
        index,
        None
        if mask is None
        else Mask(
            mask["strategy"],
            tuple(mask["keep"]),
            tuple(_evidence_from(e) for e in mask["evidence"]),
            tuple(_completion_from(c, question_id, index) for c in mask["completions"]),
        ),
        tuple(prompts[c["prompt"]] for c in completions),
        tuple(_completion_from(c, question_id, index) for c in completions),
    )


def _evidence_from(row: Mapping[str, Any]) -> Evidence:
    score = row.get("score")
    return Evidence(
        None if score is None else float(score),
        row.get("label"),
        row.get("source"),
        row.get("attack"),
    )


def _completion_from(row: Mapping[str, Any], question_id: QuestionId, index: int) -> Completion:
    logprobs = row["logprobs"]
    return Completion(
        RequestKey(question_id, index, row["purpose"], row["agent"], row["index"]),
        row["text"],
        row["input_tokens"],
        row["output_tokens"],
        LogprobSummary(
            logprobs["count"], float(logprobs["sampled_sum"]), float(logprobs["top_sum"])
        ),
        row["finish_reason"],
        row["seed"],
        row["prompt_sha256"],
    )


def _score_from(row: Mapping[str, Any], name: InstrumentName) -> Score:
    votes = (Vote(**{**vote, "clusters": tuple(vote["clusters"])}) for vote in row["votes"])
    answers = tuple(tuple(answers) for answers in row["answers"])
    verdict = Verdict(row["status"], row["answer"], name)
    return Score(answers, tuple(votes), verdict, _choice_from(row.get("choice")))


def _choice_from(row: Mapping[str, Any] | None) -> Choice | None:
    if row is None:
        return None
    return Choice(
        row["decision"],
        tuple(row["scores"]),
        tuple(tuple(numbers) for numbers in row["clusters"]),
        row["winner"],
        row["tie"],
    )


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
        "attack": evidence.attack,
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
        "choice": None if score.choice is None else asdict(score.choice),
    }


def _number(value: Any) -> Any:
    # JSON has no infinity; a text says it and float() reads it back.
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


class SampleFile:
    """samples.jsonl in the making: `<path>.partial`, gone on with where it was left.

    It takes the place of `path` when the block ends; after an exception it stays for the next
    time, and so does what stood at `path`.

    Args:
        path: `samples.jsonl`.
        anew: forget what was written before.
    """

    def __init__(self, path: Path, *, anew: bool) -> None:
        self.path = path
        self.partial = path.with_name(f"{path.name}.partial")
        if anew:
            self.partial.unlink(missing_ok=True)
        elif not self.partial.exists() and path.exists():  # a finished run gets more questions
            shutil.copyfile(path, self.partial)
        self._file = self.partial.open("a+b")

    def former(self, questions: Sequence[Question]) -> Generator[Sample, None, None]:
        """The samples that are there, as long as they are whole and of these questions in turn.

        Whoever stops before the end drops the last one taken and all behind it.
        """
        size = 0
        try:
            self._file.seek(0)
            for line, question in zip(self._file, questions, strict=False):
                try:
                    sample = sample_from_dict(json.loads(line))
                except (ValueError, KeyError, TypeError):
                    break
                if not line.endswith(b"\n") or sample.transcript.question != question:
                    break
                yield sample
                size += len(line)
        finally:
            self._file.truncate(size)

    def write(self, sample: Sample) -> None:
        """Write one sample's line."""
        self._file.write(json.dumps(sample_to_dict(sample)).encode() + b"\n")
        self._file.flush()

    def __enter__(self) -> SampleFile:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; on success the file takes its place."""
        with self._file:
            if kind is not None:
                return
            self._file.flush()
            os.fsync(self._file.fileno())
        os.replace(self.partial, self.path)


def read_samples(path: Path) -> Iterator[dict[str, Any]]:
    """Read samples.jsonl line by line."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
