"""The figures of a run, added up sample by sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from madm2.types import Completion, InstrumentName, Sample


@dataclass(slots=True)
class Summary:
    """Running totals over samples; nothing that could be silently empty goes uncounted.

    Tokens are keyed by purpose (`answer`, `judge`). `statuses` counts each instrument's
    verdicts; `unparsed` its answers that could not be read, over all rounds. `routed` counts the
    questions on which a route decided, `debated` those that it sent on. `attacked` counts memories
    by what befell them, `tied_decisions` the ties of a decision other than the last vote.
    """

    questions: int = 0
    statuses: dict[InstrumentName, Counter[str]] = field(default_factory=dict)
    ties: Counter[str] = field(default_factory=Counter)
    unparsed: Counter[str] = field(default_factory=Counter)
    answers: int = 0
    input_tokens: Counter[str] = field(default_factory=Counter)
    output_tokens: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    finish_reasons: Counter[str] = field(default_factory=Counter)
    memories: int = 0
    kept_memories: int = 0
    all_masked: int = 0
    routed: int = 0
    debated: int = 0
    boundaries: int = 0
    shared_input_tokens: int = 0
    shared_output_tokens: int = 0
    attacked: Counter[str] = field(default_factory=Counter)
    tied_decisions: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    label_sources: Counter[str] = field(default_factory=Counter)

    def add(self, sample: Sample) -> None:
        """Count one sample."""
        self.questions += 1
        self.routed += sample.transcript.debated is not None
        self.debated += sample.transcript.debated is True
        for name, score in sample.scores.items():
            self.statuses.setdefault(name, Counter())[score.verdict.status] += 1
            self.ties[name] += score.votes[-1].tie
            if score.choice is not None:
                self.tied_decisions[name] += score.choice.tie
            self.unparsed[name] += sum(not answer for row in score.answers for answer in row)
        for completion in sample.transcript.completions():
            self._add_completion(completion)
        for rnd in sample.transcript.rounds:
            self.answers += len(rnd.completions)
            if rnd.mask is None:
                continue
            self.boundaries += 1
            self.memories += len(rnd.mask.keep)
            self.kept_memories += sum(rnd.mask.keep)
            self.all_masked += not any(rnd.mask.keep)
            for evidence in rnd.mask.evidence:
                if evidence.attack is not None:
                    self.attacked[evidence.attack] += 1
                if evidence.label is not None:
                    self.labels[evidence.label] += 1
                    self.label_sources[evidence.source or "none"] += 1

    def accuracy(self, instrument: InstrumentName) -> float:
        """Correct answers over all questions, 0 to 1; unanswered ones count as wrong."""
        return self.statuses.get(instrument, Counter())["correct"] / max(self.questions, 1)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for results.json."""
        tokens_in, tokens_out = sum(self.input_tokens.values()), sum(self.output_tokens.values())
        return {
            "questions": self.questions,
            "accuracy": {name: self.accuracy(name) for name in self.statuses},
            "statuses": {name: dict(counts) for name, counts in self.statuses.items()},
            "ties": dict(self.ties),
            "answers": self.answers,
            "unparsed_answers": dict(self.unparsed),
            "memories": self.memories,
            "kept_memories": self.kept_memories,
            "all_masked": self.all_masked,
            "round_boundaries": self.boundaries,
            "routed": self.routed,
            "debated": self.debated,
            "attacked": dict(self.attacked),
            "tied_decisions": dict(self.tied_decisions),
            "labels": dict(self.labels),
            "label_sources": dict(self.label_sources),
            "finish_reasons": dict(self.finish_reasons),
            "calls": dict(self.calls),
            "input_tokens": {"total": tokens_in, **self.input_tokens},
            "output_tokens": {"total": tokens_out, **self.output_tokens},
            "shared_tokens": {
                "input": self.shared_input_tokens,
                "output": self.shared_output_tokens,
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Summary:
        """The summary that `as_dict` made these values of."""

        def tokens(key: str) -> Counter[str]:
            return Counter({k: v for k, v in values[key].items() if k != "total"})

        return cls(
            questions=values["questions"],
            statuses={name: Counter(counts) for name, counts in values["statuses"].items()},
            ties=Counter(values["ties"]),
            unparsed=Counter(values["unparsed_answers"]),
            answers=values["answers"],
            input_tokens=tokens("input_tokens"),
            output_tokens=tokens("output_tokens"),
            shared_input_tokens=values["shared_tokens"]["input"],
            shared_output_tokens=values["shared_tokens"]["output"],
            calls=Counter(values["calls"]),
            finish_reasons=Counter(values["finish_reasons"]),
            memories=values["memories"],
            kept_memories=values["kept_memories"],
            all_masked=values["all_masked"],
            boundaries=values["round_boundaries"],
            routed=values["routed"],
            debated=values["debated"],
            attacked=Counter(values.get("attacked", {})),
            tied_decisions=Counter(values.get("tied_decisions", {})),
            labels=Counter(values["labels"]),
            label_sources=Counter(values["label_sources"]),
        )

    def _add_completion(self, completion: Completion) -> None:
        purpose = completion.key.purpose
        self.calls[purpose] += 1
        self.input_tokens[purpose] += completion.input_tokens
        self.output_tokens[purpose] += completion.output_tokens
        self.finish_reasons[completion.finish_reason] += 1
