"""results.json and the closing table: the figures of a finished run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from madm2.errors import UserError
from madm2.summary import Summary

VERSION = 1
# Where a run was made, not what it is.
_PLACES = {"data_file", "gpus", "tensor_parallel", "engine_settings", "questions"}


def write_results(
    path: Path, summary: Summary, *, seconds: float, settings: Mapping[str, object]
) -> None:
    """Write the figures, atomically.

    Args:
        path: `results.json`.
        summary: totals over all samples.
        seconds: wall time of the run, without loading the model.
        settings: the resolved run.
    """
    document = {
        "version": VERSION,
        "settings": dict(settings),
        "seconds": round(seconds, 3),
        "tokens_per_second": round(summary.output_tokens.total() / max(seconds, 1e-9), 1),
        **summary.as_dict(),
    }
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    os.replace(partial, path)


def check_former_run(path: Path, settings: Mapping[str, object]) -> None:
    """Refuse to replace the results of another configuration, or of more questions.

    Args:
        path: `results.json` of a former run, if there is one.
        settings: the resolved run.

    Raises:
        UserError: naming what differs.
    """
    try:
        former = json.loads(path.read_text(encoding="utf-8"))["settings"]
        asked = int(former["questions"])
    except (OSError, ValueError, KeyError, TypeError):
        return
    now = json.loads(json.dumps(settings))
    differing = [
        f"{key}: {former.get(key)!r} there, {now.get(key)!r} now"
        for key in sorted((former.keys() | now.keys()) - _PLACES)
        if former.get(key) != now.get(key)
    ]
    if asked > now["questions"]:
        differing.append(f"{asked} questions there, {now['questions']} now")
    if differing:
        raise UserError(
            f"{path.parent} holds the results of another run",
            have="; ".join(differing),
            fix="choose another --exp_name or --save_path, or move that folder away",
        )


def closing_table(summary: Summary, seconds: float, instrument: str, chance: float = 0.0) -> str:
    """The table a run ends with, ready to print; `chance` is the accuracy of guessing."""
    n = summary.questions
    rows: list[tuple[str, str]] = [("questions", f"{n}")]
    for name in sorted(summary.statuses, key=lambda name: name != instrument):
        right = summary.statuses[name]["correct"]
        ran = " (ran)" if name == instrument else ""
        rows.append(
            (f"accuracy, {name} instrument{ran}", f"{summary.accuracy(name):.1%}  ({right}/{n})")
        )
    if chance:
        rows.append(("accuracy of guessing", f"{chance:.0%}"))
    tokens_out = summary.output_tokens.total()
    rows.append(("tokens in / out", f"{summary.input_tokens.total():,} / {tokens_out:,}"))
    for purpose in summary.calls:
        if purpose != "answer":
            rows.append(
                (
                    f"  of them for {purpose} calls",
                    f"{summary.input_tokens[purpose]:,} / {summary.output_tokens[purpose]:,}",
                )
            )
    rows.append(("time", f"{seconds:.1f} s  ({tokens_out / max(seconds, 1e-9):,.0f} tokens/s)"))
    rows += _mask_rows(summary)
    rows.append(
        ("unparsed answers", f"{summary.unparsed[instrument]} of {summary.answers}"),
    )
    for reason, label in (
        ("length", "cut off at the length limit"),
        ("prompt_too_long", "prompts too long for the model"),
    ):
        if count := summary.finish_reasons[reason]:
            rows.append((label, f"{count} of {summary.calls.total()} calls"))
    if ties := summary.ties[instrument]:
        rows.append(("ties in the last vote", f"{ties} of {n}"))
    for name, counts in summary.statuses.items():
        for status in ("bad_gold", "grader_timeout"):
            if counts[status]:
                rows.append((f"{status}, {name} instrument", f"{counts[status]} of {n}"))
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {value}" for label, value in rows)


def _mask_rows(summary: Summary) -> list[tuple[str, str]]:
    if not summary.memories:
        return [("kept memories", "none to keep: a single round is a vote")]
    kept, total = summary.kept_memories, summary.memories
    note = "  (no memory was masked)" if kept == total else ""
    rows = [("kept memories", f"{kept} of {total}{note}")]
    if summary.all_masked:
        rows.append(("rounds with all memories masked", f"{summary.all_masked}"))
    if summary.labels:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(summary.labels.items()))
        rows.append(("labels", counts))
        sources = ", ".join(f"{k} {v}" for k, v in sorted(summary.label_sources.items()))
        rows.append(("labels read from", sources))
    return rows
