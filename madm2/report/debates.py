"""A debate as the page shows it: one entry of the list, and everything that is said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from madm2.grading.extract import gold_answer
from madm2.instruments import split_thinking
from madm2.report.records import Record
from madm2.types import Completion, Evidence, InstrumentName, Mask, Round, Sample, Score

LONGEST_TEXT = 20_000  # characters of one completion in the page
LONGEST_SEARCHED = 2_000


def entry_of(sample: Sample, record: Record, run: int) -> dict[str, Any]:
    """The debate in the list: what it is found by."""
    question = sample.transcript.question
    answers = {str(score.verdict.answer) for score in sample.scores.values()}
    return {
        "run": run,
        "id": str(question.id),
        "query": _cut(question.query, LONGEST_SEARCHED),
        "found": _cut(" ".join([_gold(sample), *sorted(answers)]), LONGEST_SEARCHED),
        "flags": flags_of(record),
    }


def flags_of(record: Record) -> list[str]:
    """What the filters select by; where not said otherwise by the paper instrument."""
    paper, released = record.readings["paper"], record.readings["released"]
    flags = {
        "right": paper.right,
        "wrong": not paper.right,
        "disagree": paper.right != released.right,
        "helped": paper.right and not paper.votes[0],
        "harmed": paper.votes[0] and not paper.right,
        "tie": paper.ties[-1],
        "unparsed": paper.unparsed > 0,
        "cut_off": record.finish_reasons.get("length", 0) > 0,
        "all_masked": any(not any(boundary.keep) for boundary in record.boundaries),
    }
    return [name for name, holds in flags.items() if holds]


def debate_of(sample: Sample, record: Record, ran: InstrumentName) -> dict[str, Any]:
    """Everything about one debate, as plain values; long texts are cut in their middle.

    Args:
        sample: with its texts.
        record: of the same question.
        ran: the instrument of the run, which says what its scores mean.
    """
    question, rounds = sample.transcript.question, sample.transcript.rounds
    return {
        "query": _cut(question.query),
        "options": [_cut(option) for option in question.options],
        "gold": _gold(sample),
        "solution": _cut(question.gold),
        "rounds": [_round(rnd, sample, record, ran) for rnd in rounds],
        "verdicts": {
            name: {"status": score.verdict.status, "answer": _text(score.verdict.answer)}
            for name, score in sample.scores.items()
        },
    }


def _gold(sample: Sample) -> str:
    question = sample.transcript.question
    return _cut(gold_answer(question.gold, answer_type=question.answer_type) or question.gold)


def _round(rnd: Round, sample: Sample, record: Record, ran: InstrumentName) -> dict[str, Any]:
    row = rnd.index - 1
    return {
        "mask": None if rnd.mask is None else _mask(rnd.mask, ran),
        "votes": {
            name: _vote(score, row, record.readings[name].votes)
            for name, score in sample.scores.items()
        },
        "answers": [
            {
                **_completion(completion),
                "read": {name: _text(s.answers[row][i]) for name, s in sample.scores.items()},
                "right": {name: r.answers[row][i] for name, r in record.readings.items()},
            }
            for i, completion in enumerate(rnd.completions)
        ],
    }


def _vote(score: Score, row: int, right: Sequence[bool]) -> dict[str, Any]:
    vote = score.votes[row]
    return {
        "answer": _text(vote.answer),
        "count": vote.count,
        "tie": vote.tie,
        "consensus": vote.consensus,
        "right": right[row],
    }


def _mask(mask: Mask, ran: InstrumentName) -> dict[str, Any]:
    judged = {completion.key.agent: completion for completion in mask.completions}
    return {
        "strategy": mask.strategy,
        "memories": [
            {
                "keep": keep,
                "why": _why(evidence, ran),
                "judge": _completion(judged[agent]) if agent in judged else None,
            }
            for agent, (keep, evidence) in enumerate(zip(mask.keep, mask.evidence, strict=True))
        ],
    }


def _why(evidence: Evidence, ran: InstrumentName) -> str:
    """What a memory was kept or masked by, in words."""
    said = []
    if evidence.label is not None:
        source = {"none": " (no label was found)", "bare": " (a bare word)", "gold": " (by gold)"}
        label = evidence.label.replace("_", " ").upper()
        said.append(f"label {label}{source.get(evidence.source or '', '')}")
    if evidence.score is not None:
        number = f"{evidence.score:.4f}" if math.isfinite(evidence.score) else "∞"
        names = {"paper": "perplexity {} (low is good)", "released": "score {} (high is good)"}
        said.append(names[ran].format(number))
    return ", ".join(said)


def _completion(completion: Completion) -> dict[str, Any]:
    thinking, rest = split_thinking(completion.text)
    return {
        "thinking": _cut(thinking),
        "text": _cut(rest),
        "tokens": completion.output_tokens,
        "end": completion.finish_reason,
    }


def _text(value: object) -> str | None:
    return None if value is None else _cut(str(value))


def _cut(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text of at most about so many characters, its middle left out."""
    if len(text) <= longest:
        return text
    gone = len(text) - longest
    return f"{text[: longest // 2]}\n[… {gone:,} characters left out …]\n{text[-longest // 2 :]}"
