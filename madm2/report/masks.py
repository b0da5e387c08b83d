"""Tables about memories: which were kept, whether rightly, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from madm2.report.groups import Group
from madm2.report.paper import identification
from madm2.report.records import memories
from madm2.report.results import BY_READER, READERS, group_values
from madm2.report.tables import Column, Table, Value, share
from madm2.types import InstrumentName


def strict_rule(keep: Sequence[bool], right: Sequence[bool]) -> bool:
    """Figure 3, strict: every erroneous memory was masked."""
    return not any(kept and not ok for kept, ok in zip(keep, right, strict=True))


def loose_rule(keep: Sequence[bool], right: Sequence[bool]) -> bool:
    """Figure 3, loose: among the kept memories the right ones are the majority."""
    kept = [ok for kept, ok in zip(keep, right, strict=True) if kept]
    return 2 * sum(kept) > len(kept)


def masks_table(groups: Sequence[Group]) -> Table:
    """Erroneous memory identification (figure 3), and masks as predictions of errors."""
    rows = [
        _mask_row(group, reader, number, found)
        for group in groups
        for reader in READERS
        for number, found in _by_boundary(group, reader).items()
    ]
    return Table(
        "masks",
        "Memories: erroneous memory identification, precision and recall of the mask, %",
        (
            *BY_READER,
            Column("round", "before round", "count"),
            Column("questions", "questions", "count"),
            Column("memories", "memories", "count"),
            Column("erroneous", "erroneous", "percent"),
            Column("kept", "kept", "percent"),
            Column("none_kept", "none kept", "percent"),
            Column("strict", "strict rule", "percent"),
            Column("strict_paper", "paper", "percent"),
            Column("loose", "loose rule", "percent"),
            Column("loose_paper", "paper", "percent"),
            Column("precision", "precision", "percent"),
            Column("recall", "recall", "percent"),
        ),
        tuple(rows),
        (
            "Strict: every erroneous memory of the question was masked (also where there was "
            "none). Loose: among the kept memories the right ones are the majority (not where "
            "none was kept). Percent of questions. Precision: masked memories that are erroneous; "
            "recall: erroneous memories that are masked. A memory is erroneous when its answer, "
            "voted for alone, is graded as not right.",
        ),
    )


_Pairs = list[tuple[tuple[bool, ...], tuple[bool, ...]]]


def _by_boundary(group: Group, reader: InstrumentName) -> dict[int, _Pairs]:
    """(keep, right) of every question, by the round whose memories they are."""
    found: dict[int, _Pairs] = {}
    for record in group.records():
        for boundary, right in memories(record, reader):
            found.setdefault(boundary.round, []).append((boundary.keep, right))
    return dict(sorted(found.items()))


def _mask_row(group: Group, reader: InstrumentName, number: int, found: _Pairs) -> dict[str, Value]:
    flat = [pair for keep, right in found for pair in zip(keep, right, strict=True)]
    wrong = sum(not ok for _, ok in flat)
    masked = sum(not kept for kept, _ in flat)
    both = sum(not kept and not ok for kept, ok in flat)
    cell = group.first
    # With one memory kept both rules are the same, and the paper gives one figure.
    figures: dict[str, tuple[str, str]] = {
        "mad_subjective": ("subjective_strict", "subjective_loose"),
        "mad_objective": ("objective", "objective"),
    }
    rules = figures.get(cell.method) if (cell.agents, number) == (3, 1) else None
    strict, loose = (identification(cell.model, cell.dataset, r) for r in rules or ("", ""))
    return {
        **group_values(group),
        "instrument": reader,
        "round": number + 1,
        "questions": len(found),
        "memories": len(flat),
        "erroneous": share(wrong, len(flat)),
        "kept": share(len(flat) - masked, len(flat)),
        "none_kept": share(sum(not any(keep) for keep, _ in found), len(found)),
        "strict": share(sum(strict_rule(*pair) for pair in found), len(found)),
        "strict_paper": strict,
        "loose": share(sum(loose_rule(*pair) for pair in found), len(found)),
        "loose_paper": loose,
        "precision": share(both, masked),
        "recall": share(both, wrong),
    }


_KEPT = ("all right", "mixed", "all wrong", "nothing")
_CHANGES = {
    (True, True): "right_right",
    (True, False): "right_wrong",
    (False, True): "wrong_right",
    (False, False): "wrong_wrong",
}


def transitions_table(groups: Sequence[Group]) -> Table:
    """How the vote and the single answers changed between rounds, by what was kept."""
    rows: list[dict[str, Value]] = []
    for group in groups:
        for reader in READERS:
            rows += _transition_rows(group, reader)
    changes = [name.replace("_", "→") for name in _CHANGES.values()]
    return Table(
        "transitions",
        "Changes from one round to the next, by what was kept",
        (
            *BY_READER,
            Column("round", "into round", "count"),
            Column("kept", "memories kept"),
            Column("questions", "questions", "count"),
            *(
                Column(f"vote_{key}", f"vote {name}", "count")
                for key, name in zip(_CHANGES.values(), changes, strict=True)
            ),
            *(
                Column(f"answers_{key}", f"answers {name}", "count")
                for key, name in zip(_CHANGES.values(), changes, strict=True)
            ),
        ),
        tuple(rows),
        ("An answer is compared with the answer of the same agent in the round before.",),
    )


def _transition_rows(group: Group, reader: InstrumentName) -> Iterator[dict[str, Value]]:
    counts: dict[tuple[int, str], Counter[str]] = {}
    for record in group.records():
        reading = record.readings[reader]
        for boundary, right in memories(record, reader):
            after = boundary.round  # the index of the round that read them
            count = counts.setdefault((after + 1, kept_kind(boundary.keep, right)), Counter())
            count["questions"] += 1
            count[f"vote_{_CHANGES[reading.votes[after - 1], reading.votes[after]]}"] += 1
            for before, now in zip(right, reading.answers[after], strict=True):
                count[f"answers_{_CHANGES[before, now]}"] += 1
    keys = [f"{what}_{name}" for what in ("vote", "answers") for name in _CHANGES.values()]
    for number, kind in sorted(counts, key=lambda key: (key[0], _KEPT.index(key[1]))):
        count = counts[number, kind]
        yield {
            **group_values(group),
            "instrument": reader,
            "round": number,
            "kept": kind,
            "questions": count["questions"],
            **{key: count[key] for key in keys},
        }


def kept_kind(keep: Sequence[bool], right: Sequence[bool]) -> str:
    """What was kept: all right, mixed, all wrong, or nothing."""
    kept = [ok for kept, ok in zip(keep, right, strict=True) if kept]
    if not kept:
        return "nothing"
    return "all right" if all(kept) else "mixed" if any(kept) else "all wrong"
