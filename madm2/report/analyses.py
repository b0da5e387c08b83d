"""Tables about what happened in the debates: votes, answers, labels, tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from madm2.report.groups import Group
from madm2.report.masks import masks_table, transitions_table
from madm2.report.records import Record, memories
from madm2.report.results import BY_READER, GROUP, READERS, group_values, mad_tokens
from madm2.report.tables import Column, Table, Value, share
from madm2.types import InstrumentName

_LABELS = ("yes", "not_sure", "no")


def analyses(groups: Sequence[Group]) -> list[Table]:
    """All analyses, each as a table."""
    return [
        votes_table(groups),
        masks_table(groups),
        transitions_table(groups),
        answers_table(groups),
        labels_table(groups),
        tokens_table(groups),
    ]


def votes_table(groups: Sequence[Group]) -> Table:
    """First vote beside final vote, consensus and ties, and how good a single answer is."""
    rows = [
        _votes_row(group, list(group.records()), reader)
        for group in groups
        for reader in READERS
        if group.questions
    ]
    return Table(
        "votes",
        "Votes: the first round's beside the last one's, %",
        (
            *BY_READER,
            Column("questions", "questions", "count"),
            Column("single", "single answer", "percent"),
            Column("first", "first vote", "percent"),
            Column("final", "final vote", "percent"),
            Column("change", "change", "points"),
            Column("helped", "helped", "count"),
            Column("harmed", "harmed", "count"),
            Column("first_consensus", "first consensus", "percent"),
            Column("final_consensus", "final consensus", "percent"),
            Column("first_ties", "first ties", "percent"),
            Column("final_ties", "final ties", "percent"),
        ),
        tuple(rows),
        (
            "A single answer is one of the first round. Helped and harmed: questions whose vote "
            "became right, and stopped being right. Consensus is more than half of the agents by "
            "the paper instrument, at least half by the released one.",
        ),
    )


def _votes_row(group: Group, records: Sequence[Record], reader: InstrumentName) -> dict[str, Value]:
    readings = [record.readings[reader] for record in records]
    n = len(readings)
    single = [right for reading in readings for right in reading.answers[0]]
    first, final = sum(r.votes[0] for r in readings), sum(r.right for r in readings)
    return {
        **group_values(group),
        "instrument": reader,
        "questions": n,
        "single": share(sum(single), len(single)),
        "first": first / n,
        "final": final / n,
        "change": (final - first) / n,
        "helped": sum(r.right and not r.votes[0] for r in readings),
        "harmed": sum(r.votes[0] and not r.right for r in readings),
        "first_consensus": sum(r.consensus[0] for r in readings) / n,
        "final_consensus": sum(r.consensus[-1] for r in readings) / n,
        "first_ties": sum(r.ties[0] for r in readings) / n,
        "final_ties": sum(r.ties[-1] for r in readings) / n,
    }


def answers_table(groups: Sequence[Group]) -> Table:
    """Answers that could not be read, completions that were cut off, verdicts that failed."""
    rows: list[dict[str, Value]] = []
    for group in groups:
        records = list(group.records())
        answers = sum(len(row) for r in records for row in r.readings["paper"].answers)
        calls = sum(sum(r.calls.values()) for r in records)
        reasons = sum((Counter(r.finish_reasons) for r in records), Counter[str]())
        row: dict[str, Value] = {
            **group_values(group),
            "answers": answers,
            "calls": calls,
            "truncated": share(reasons["length"], calls),
            "too_long": reasons["prompt_too_long"],
        }
        for reader in READERS:
            readings = [record.readings[reader] for record in records]
            row[f"unparsed_{reader}"] = share(sum(r.unparsed for r in readings), answers)
            row[f"no_answer_{reader}"] = sum(r.status == "no_answer" for r in readings)
        statuses = Counter(reading.status for r in records for reading in r.readings.values())
        row["bad_gold"], row["grader_timeout"] = statuses["bad_gold"], statuses["grader_timeout"]
        rows.append(row)
    return Table(
        "answers",
        "Answers: unparsed and truncated, %",
        (
            *GROUP,
            Column("answers", "answers", "count"),
            *(Column(f"unparsed_{r}", f"unparsed, {r}", "percent") for r in READERS),
            *(Column(f"no_answer_{r}", f"no verdict, {r}", "count") for r in READERS),
            Column("calls", "calls", "count"),
            Column("truncated", "truncated", "percent"),
            Column("too_long", "prompt too long", "count"),
            Column("bad_gold", "bad gold", "count"),
            Column("grader_timeout", "grader timeout", "count"),
        ),
        tuple(rows),
        (
            "Unparsed: of all answers of all rounds; no verdict: questions whose last round gave "
            "no answer. Truncated: completions, judges' among them, that ended at the length "
            "limit; results files of the released code do not tell. Bad gold and timeouts: "
            "verdicts of either instrument.",
        ),
    )


def labels_table(groups: Sequence[Group]) -> Table:
    """The judges' labels, and how many of the memories under each were right."""
    rows: list[dict[str, Value]] = []
    for group in groups:
        for reader in READERS:
            all_of, right_of = _label_counts(group, reader)
            if not all_of:
                continue
            row: dict[str, Value] = {**group_values(group), "instrument": reader}
            for label in _LABELS:
                row[label] = all_of[label]
                row[f"{label}_right"] = share(right_of[label], all_of[label])
            rows.append(row)
    return Table(
        "labels",
        "Labels of the judges, and the right memories among those with each, %",
        (
            *BY_READER,
            *(
                column
                for label in _LABELS
                for column in (
                    Column(label, label.replace("_", " ").upper(), "count"),
                    Column(f"{label}_right", "right", "percent"),
                )
            ),
        ),
        tuple(rows),
        (
            "NOT SURE counts missing labels too. Of results files of the released code the labels "
            "are read off the masks: what was kept counts as YES.",
        ),
    )


def _label_counts(group: Group, reader: InstrumentName) -> tuple[Counter[str], Counter[str]]:
    all_of, right_of = Counter[str](), Counter[str]()
    for record in group.records():
        for boundary, right in memories(record, reader):
            for label, ok in zip(boundary.labels, right, strict=True):
                if label is not None:
                    all_of[label] += 1
                    right_of[label] += ok
    return all_of, right_of


def tokens_table(groups: Sequence[Group]) -> Table:
    """Input and output tokens by purpose."""
    rows: list[dict[str, Value]] = []
    for group in groups:
        base = mad_tokens(group, groups)
        for purpose in sorted({name for cell in group.cells for name in cell.tokens}):
            sides = [
                sum(cell.tokens.get(purpose, (0, 0))[side] for cell in group.cells)
                for side in (0, 1)
            ]
            row: dict[str, Value] = {
                **group_values(group),
                "purpose": purpose,
                "input": share(sides[0], group.questions),
                "output": share(sides[1], group.questions),
            }
            row["total"] = share(sum(sides), group.questions)
            row["ratio"] = share(sum(sides), group.questions * base) if base else None
            rows.append(row)
    return Table(
        "tokens",
        "Tokens a question, by purpose",
        (
            *GROUP,
            Column("purpose", "purpose"),
            Column("input", "input", "number"),
            Column("output", "output", "number"),
            Column("total", "both", "number"),
            Column("ratio", "of MAD's", "ratio"),
        ),
        tuple(rows),
    )
