"""Subjective masking: the model labels each memory YES, NO or NOT SURE."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from madm2.config import LABEL_END
from madm2.grading.extract import strip_thinking
from madm2.pruners.base import PRUNERS, Masking
from madm2.settings import DebateSettings
from madm2.types import Completion, Evidence, Mask, Memory, Question, Request, RequestKey

_TAG = re.compile(r"<label>((?:(?!<label>).)*?)(?:</label>|\Z)", re.IGNORECASE | re.DOTALL)
_WORD = r"(YES|NO|NOT\s+SURE|UNSURE)\b"
_LABEL = re.compile(rf"\W*{_WORD}", re.IGNORECASE)
# The choices of the prompt, repeated: no verdict.
_CHOICES = re.compile(rf"\W*{_WORD}\W*?(?:[|/,]|\bor\b)\W*{_WORD}", re.IGNORECASE)
_NAMES = {"yes": "yes", "no": "no", "not sure": "not_sure", "unsure": "not_sure"}


def read_label(text: str, bare_label: bool = False) -> Evidence:
    """Read a judge's verdict: the last well-formed label outside the thinking.

    Tolerant of case, markup around and words after the verdict, and of a closing tag that was
    cut off. No label counts as not sure, with source `none`.

    Args:
        text: the judge's completion.
        bare_label: without a tag, a bare leading Yes, No or Not sure counts (source `bare`).
    """
    spoken = strip_thinking(text)
    for content in reversed(_TAG.findall(spoken)):
        if label := _label(content):
            return Evidence(label=label, source="tag")
    if bare_label and (label := _label(spoken)):
        return Evidence(label=label, source="bare")
    return Evidence(label="not_sure", source="none")


def _label(text: str) -> str | None:
    found = _LABEL.match(text.replace("_", " "))
    if not found or _CHOICES.match(text.replace("_", " ")):
        return None
    return _NAMES[" ".join(found[1].lower().split())]


def read_released_label(text: str) -> Evidence:
    """The released code's reading: the first lower-case label tag, and exact words only."""
    found = re.search(r"<label>(.*?)</label>", text, re.DOTALL)
    if not found:
        return Evidence(label="not_sure", source="none")
    content = re.sub(r"([A-Za-z])[.:)]", r"\1", found[1].strip())
    content = re.sub(r"^[(\[]([A-Za-z])[)\]]$", r"\1", content).lower()
    return Evidence(label=content if content in ("yes", "no") else "not_sure", source="tag")


def kept(label: str | None, strict: bool) -> bool:
    """Keep YES; keep NOT SURE unless strict (paper, section 4.1 and table 2)."""
    return label == "yes" or (label == "not_sure" and not strict)


def mask(question: Question, memories: Sequence[Memory], settings: DebateSettings) -> Masking:
    """Ask the model about each memory, all at once, and mask what it calls wrong.

    A verdict that stopped at a label inside its thinking is asked for again, without a stop.
    """
    requests = [
        Request(
            RequestKey(question.id, memory.round + 1, "judge", memory.agent),
            settings.judge(question, memory),
            settings.judge_sampling,
            reads=(memory.completion.key,),
        )
        for memory in memories
    ]
    verdicts = yield requests
    asked = list(verdicts)
    if too_soon := [i for i, v in enumerate(verdicts) if stopped_in_thinking(v, settings)]:
        again = yield [_without_stop(requests[i]) for i in too_soon]
        asked += again
        verdicts = list(verdicts)
        for i, verdict in zip(too_soon, again, strict=True):
            verdicts[i] = verdict
    if settings.instrument.name == "released":
        evidence = [read_released_label(verdict.text) for verdict in verdicts]
    else:
        evidence = [read_label(v.text, settings.prompts.bare_label) for v in verdicts]
    keep = tuple(kept(e.label, settings.strict) for e in evidence)
    return Mask("subjective", keep, tuple(evidence), tuple(asked))


def stopped_in_thinking(verdict: Completion, settings: DebateSettings) -> bool:
    """Whether the label that ended a verdict is one that the model was still thinking about."""
    at_label = settings.judge_sampling.keep_stop and verdict.text.endswith(LABEL_END)
    return at_label and LABEL_END not in strip_thinking(verdict.text)


def _without_stop(request: Request) -> Request:
    sampling = request.sampling
    stop = tuple(stop for stop in sampling.stop if stop != LABEL_END)
    return replace(
        request,
        key=replace(request.key, index=1),
        sampling=replace(sampling, stop=stop, keep_stop=False),
    )


PRUNERS.add("subjective", mask)
