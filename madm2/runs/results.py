"""results.json and the closing table: the figures of a finished run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from madm2.files import write_json
from madm2.runs.layout import RunPaths
from madm2.summary import Summary

VERSION = 1


def write_results(
    path: Path, summary: Summary, *, seconds: float, settings: Mapping[str, object]
) -> None:
    """Write the figures, atomically: a run whose results are there has ended.

    Args:
        path: `results.json`.
        summary: totals over all samples.
        seconds: wall time of the run, without loading the model.
        settings: the resolved run.
    """
    write_json(
        path,
        {
            "version": VERSION,
            "settings": dict(settings),
            "seconds": seconds,
            "tokens_per_second": round(summary.output_tokens.total() / max(seconds, 1e-9), 1),
            **summary.as_dict(),
        },
    )


def read_finished(paths: RunPaths, settings: Mapping[str, object]) -> tuple[Summary, float] | None:
    """The figures and seconds of a run that has ended; None while it has not.

    Args:
        paths: the run's files.
        settings: the resolved run, which the folder's manifest has been compared with.
    """
    try:
        document = json.loads(paths.results.read_text(encoding="utf-8"))
        if document["settings"]["questions"] != settings["questions"]:
            return None
        found = Summary.from_dict(document), float(document["seconds"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    files = (paths.samples, paths.released_results, paths.released_log)
    return found if all(file.is_file() for file in files) else None


def closing_table(
    summary: Summary,
    seconds: float,
    instrument: str,
    chance: float = 0.0,
    *,
    upper_bound: bool = False,
) -> str:
    """The table a run ends with, ready to print.

    Args:
        summary: totals over all samples.
        seconds: wall time of the run.
        instrument: the one that ran.
        chance: the accuracy of guessing.
        upper_bound: the masks were made with the gold answers.
    """
    n = summary.questions
    rows: list[tuple[str, str]] = [("questions", f"{n}")]
    for name in sorted(summary.statuses, key=lambda name: name != instrument):
        right = summary.statuses[name]["correct"]
        ran = " (ran)" if name == instrument else ""
        rows.append(
            (f"accuracy, {name} instrument{ran}", f"{summary.accuracy(name):.1%}  ({right}/{n})")
        )
    if upper_bound:
        rows.append(("upper bound", "the masks were made with the gold answers"))
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
    if summary.shared_output_tokens:
        shared = f"{summary.shared_input_tokens:,} / {summary.shared_output_tokens:,}"
        rows.append(("  of them shared with another run", shared))
    rows.append(("time", f"{seconds:.1f} s  ({tokens_out / max(seconds, 1e-9):,.0f} tokens/s)"))
    if summary.routed:
        rows.append(("debated after the first vote", f"{summary.debated} of {summary.routed}"))
    if summary.attacked:
        said = ", ".join(f"{count} {name}" for name, count in sorted(summary.attacked.items()))
        rows.append(("memories attacked", said))
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
    if tied := summary.tied_decisions[instrument]:
        rows.append(("ties in the decision", f"{tied} of {n}"))
    for name, counts in summary.statuses.items():
        for status in ("bad_gold", "grader_timeout"):
            if counts[status]:
                rows.append((f"{status}, {name} instrument", f"{counts[status]} of {n}"))
    width = max(len(label) for label, _ in rows)
    return "\n".join(f"{label:<{width}}  {value}" for label, value in rows)


def _mask_rows(summary: Summary) -> list[tuple[str, str]]:
    if not summary.memories and summary.routed:
        return [("kept memories", "none to keep: no question was debated")]
    if not summary.memories:
        return [("kept memories", "none to keep: there is a single round")]
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
