"""The paper's table, cell by cell beside the paper's figures, and the paired comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from madm2.report.groups import DATASETS, Group, cot_sc_of, mad_of
from madm2.report.paper import Reported, reported
from madm2.report.stats import accuracy_interval, compare, holm, mean_std
from madm2.report.tables import Column, Table, Value, shown
from madm2.types import InstrumentName

READERS: tuple[InstrumentName, ...] = ("paper", "released")
# The columns that say which group a row is of.
GROUP = (Column("model", "model"), Column("dataset", "dataset"), Column("method", "method"))
BY_READER = (*GROUP, Column("instrument", "instrument"))


def group_values(group: Group) -> dict[str, Value]:
    """The values of the columns in GROUP."""
    return {
        "model": group.first.model,
        "dataset": group.first.dataset,
        "method": group.label,
    }


def paper_tables(groups: Sequence[Group]) -> list[Table]:
    """One table a model, laid out as the paper's: methods down, datasets across."""
    return [
        _paper_table(model, [g for g in groups if g.first.model == model])
        for model in dict.fromkeys(g.first.model for g in groups)
    ]


def _paper_table(model: str, groups: Sequence[Group]) -> Table:
    datasets = sorted(
        {g.first.dataset for g in groups},
        key=lambda name: (name not in DATASETS, DATASETS.index(name) if name in DATASETS else name),
    )
    rows: dict[tuple[str, InstrumentName], dict[str, Value]] = {}
    for group in groups:
        for reader in READERS:
            start: dict[str, Value] = {"method": group.label, "instrument": reader}
            row = rows.setdefault((group.label, reader), start)
            row[group.first.dataset] = _cell_text(cell_values(group, groups), group, reader)
    return Table(
        f"table_{model}",
        f"{model}: accuracy % ± std over seeds, tokens as ratio to MAD",
        (
            Column("method", "method"),
            Column("instrument", "instrument"),
            *(Column(name, name) for name in datasets),
        ),
        tuple(rows.values()),
        (
            "In brackets the paper's accuracy and ours less the paper's, in points. A fraction is "
            "questions answered of those asked, in a run that has not ended; without one all are.",
        ),
    )


def _cell_text(values: Mapping[str, Value], group: Group, reader: InstrumentName) -> str:
    accuracy = values[f"accuracy_{reader}"]
    if accuracy is None:
        return f"unfinished {group.progress}"
    text = shown(accuracy, "percent")
    if std := shown(values[f"std_{reader}"], "percent"):
        text += f" ±{std}"
    if ratio := shown(values["tokens_ratio"], "ratio"):
        text += f" {ratio}"
    if values["paper_accuracy"] is not None:
        paper = shown(values["paper_accuracy"], "percent")
        text += f" [{paper}, {shown(values[f'difference_{reader}'], 'points')}]"
    return text if "/" not in group.progress else f"{text} ({group.progress})"


def cells_table(groups: Sequence[Group]) -> Table:
    """Every figure of every group, a row each."""
    rows = [cell_values(group, groups) for group in groups]
    return Table(
        "cells",
        "Every cell: accuracy %, deviation over seeds, 95% interval, tokens, time",
        (
            *GROUP,
            Column("seeds", "seeds", "count"),
            Column("questions", "questions"),
            *(column for reader in READERS for column in _accuracy_columns(reader)),
            Column("paper_accuracy", "paper", "percent"),
            Column("paper_std", "paper ±", "percent"),
            *(Column(f"difference_{r}", f"Δ {r} instr.", "points") for r in READERS),
            Column("tokens_per_question", "tokens/question", "number"),
            Column("tokens_ratio", "tokens", "ratio"),
            Column("paper_tokens", "paper tokens", "ratio"),
            Column("seconds", "seconds", "seconds"),
        ),
        tuple(rows),
        (
            "± is the sample deviation of the seeds' accuracies (questions differ between seeds). "
            "The interval is of the error within the runs: a bootstrap clustered by question, all "
            "seeds together. Tokens are input and output of all calls; seconds are a run's, mean "
            "over seeds. CoT-SC paths are sampled at once: 1 round.",
        ),
    )


def _accuracy_columns(reader: InstrumentName) -> tuple[Column, ...]:
    return (
        Column(f"accuracy_{reader}", f"{reader} instr.", "percent"),
        Column(f"std_{reader}", "±", "percent"),
        Column(f"low_{reader}", "from", "percent"),
        Column(f"high_{reader}", "to", "percent"),
    )


def cell_values(group: Group, groups: Sequence[Group]) -> dict[str, Value]:
    """All figures of one group, by the keys of `cells_table`."""
    cell = group.first
    paper = reported(
        cell.model, cell.dataset, cell.method, cell.agents, cell.rounds, cell.choices
    ) or Reported(float("nan"))
    known = paper.accuracy == paper.accuracy
    seconds = [c.seconds for c in group.cells if c.seconds is not None]
    values: dict[str, Value] = {
        **group_values(group),
        "seeds": len(group.cells),
        "questions": group.progress,
        "paper_accuracy": paper.accuracy if known else None,
        "paper_std": paper.std,
        "paper_tokens": paper.tokens,
        "tokens_per_question": tokens_per_question(group),
        "tokens_ratio": _ratio(tokens_per_question(group), mad_tokens(group, groups)),
        "seconds": sum(seconds) / len(seconds) if seconds else None,
    }
    for reader in READERS:
        accuracies = group.accuracies(reader)
        if not accuracies:
            values[f"accuracy_{reader}"] = None
            continue
        mean, values[f"std_{reader}"] = mean_std(accuracies)
        low, high = accuracy_interval(group.outcomes(reader))
        values |= {f"accuracy_{reader}": mean, f"low_{reader}": low, f"high_{reader}": high}
        values[f"difference_{reader}"] = mean - paper.accuracy if known else None
    return values


def tokens_per_question(group: Group) -> float | None:
    """Input and output tokens of all calls a question; None where they are not recorded."""
    tokens = sum(sum(map(sum, cell.tokens.values())) for cell in group.cells)
    return tokens / group.questions if tokens and group.questions else None


def mad_tokens(group: Group, groups: Sequence[Group]) -> float | None:
    """Tokens a question of the MAD that a group is measured against."""
    base = mad_of(group, groups)
    return tokens_per_question(base) if base else None


def _ratio(mine: float | None, theirs: float | None) -> float | None:
    return mine / theirs if mine is not None and theirs else None


def _pairs(groups: Sequence[Group]) -> list[tuple[Group, Group]]:
    """Who is compared with whom, each two once."""
    pairs: list[tuple[Group, Group]] = []
    for group in groups:
        for base in (mad_of(group, groups), cot_sc_of(group, groups)):
            if base is not None and base is not group and (base, group) not in pairs:
                pairs.append((group, base))
    return pairs


def comparisons_table(groups: Sequence[Group]) -> Table:
    """Every group against MAD, and against CoT-SC with as many samples."""
    rows: list[dict[str, Value]] = []
    for reader in READERS:
        found: list[dict[str, Value]] = []
        for group, base in _pairs(groups):
            result = compare(group.outcomes(reader), base.outcomes(reader))
            if result is None:
                continue
            low, high = result.interval
            found.append(
                {
                    **group_values(group),
                    "against": base.label,
                    "instrument": reader,
                    "pairs": result.pairs,
                    "questions": result.questions,
                    "difference": result.difference,
                    "low": low,
                    "high": high,
                    "better": result.better,
                    "worse": result.worse,
                    "p": result.p,
                }
            )
        adjusted = holm([float(row["p"] or 0.0) for row in found])
        rows += [{**row, "p_holm": p} for row, p in zip(found, adjusted, strict=True)]
    return Table(
        "comparisons",
        "Paired comparisons: difference in accuracy, in points",
        (
            *BY_READER,
            Column("against", "against"),
            Column("pairs", "pairs", "count"),
            Column("questions", "questions", "count"),
            Column("difference", "difference", "points"),
            Column("low", "from", "points"),
            Column("high", "to", "points"),
            Column("better", "better", "count"),
            Column("worse", "worse", "count"),
            Column("p", "p", "p"),
            Column("p_holm", "p (Holm)", "p"),
        ),
        tuple(rows),
        (
            "Pairs are the same question under the same seed. The 95% interval is a paired "
            "bootstrap clustered by question; p is McNemar's exact test, in which a question "
            "counts once, by the sum over its seeds; Holm's correction runs over all rows of one "
            "instrument. CoT-SC stands for as many sampled answers as the debate has, judges' "
            "calls not counted.",
        ),
    )
