"""A table of typed values, and how it is printed: Markdown, CSV, JSON, LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Value = str | int | float | None
Kind = Literal["text", "count", "percent", "points", "ratio", "number", "seconds", "p"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key in JSON and CSV, its title for people, and how its values are shown.

    `percent` and `points` are stored as 0 to 1 and shown times 100; `points` is a difference.
    """

    key: str
    title: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table; a row holds values by column key, and what it lacks is empty.

    Args:
        name: for `--tables`.
        title: for people.
        columns: in order.
        rows: in order.
        notes: what one must know to read it.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Value], ...]
    notes: tuple[str, ...] = ()


def share(part: float, whole: float) -> float | None:
    """A part of a whole; None of nothing."""
    return part / whole if whole else None


def shown(value: Value, kind: Kind) -> str:
    """A value as people read it."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return ""
    if isinstance(value, str):
        return value
    forms = {
        "percent": f"{100 * value:.1f}",
        "points": f"{100 * value:+.1f}",
        "ratio": f"×{value:.2f}",
        "number": f"{value:,.1f}",
        "seconds": f"{value:,.1f}",
        "p": f"{value:.3f}" if value >= 0.001 else "<0.001",
    }
    return forms.get(kind, f"{value:,}")


def for_people(table: Table) -> tuple[list[Column], list[list[str]]]:
    """Columns and rows as people read them: without the columns that are empty throughout."""
    columns = [c for c in table.columns if any(row.get(c.key) is not None for row in table.rows)]
    return columns, [[shown(row.get(c.key), c.kind) for c in columns] for row in table.rows]


def markdown(tables: Sequence[Table]) -> str:
    """Markdown, aligned so that it can also be read as it is."""
    return "\n".join(_markdown(table) for table in tables if table.rows)


def _markdown(table: Table) -> str:
    columns, cells = for_people(table)
    rows = [[c.title for c in columns], *cells]
    rows = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(3, *(len(row[i]) for row in rows)) for i in range(len(columns))]
    left = [c.kind == "text" for c in columns]
    lines = [
        "| " + " | ".join(_padded(*cell) for cell in zip(row, widths, left, strict=True)) + " |"
        for row in rows
    ]
    rule = [
        "-" * w if is_left else "-" * (w - 1) + ":" for w, is_left in zip(widths, left, strict=True)
    ]
    lines.insert(1, "| " + " | ".join(rule) + " |")
    notes = ["\n" + one_line(note).replace("|", "\\|") for note in table.notes]
    return "\n".join([f"## {one_line(table.title)}", "", *lines, *notes, ""])


def _padded(text: str, width: int, left: bool) -> str:
    return text.ljust(width) if left else text.rjust(width)


def comma_separated(tables: Sequence[Table]) -> str:
    """CSV with unrounded values; several tables are parted by a line `# name`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, table in enumerate(tables):
        if len(tables) > 1:
            out.write(f"{chr(10) * (number > 0)}# {table.name}\n")
        writer.writerow([c.key for c in table.columns])
        writer.writerows([_plain(row.get(c.key)) for c in table.columns] for row in table.rows)
    return out.getvalue()


def _plain(value: Value) -> Value:
    return one_line(value) if isinstance(value, str) else value


def as_json(tables: Sequence[Table]) -> str:
    """One JSON object: each table's title, notes and rows, with unrounded values."""
    document = {
        table.name: {
            "title": table.title,
            "notes": list(table.notes),
            "rows": [{c.key: row.get(c.key) for c in table.columns} for row in table.rows],
        }
        for table in tables
    }
    return json.dumps(document, indent=2) + "\n"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "²": r"$^2$",
    "→": r"$\rightarrow$",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def latex(tables: Sequence[Table]) -> str:
    """LaTeX table floats, in the style of booktabs."""
    return "\n".join(_latex(table) for table in tables if table.rows)


def _latex(table: Table) -> str:
    columns, rows = for_people(table)
    align = "".join("l" if c.kind == "text" else "r" for c in columns)
    head = " & ".join(_tex(c.title) for c in columns) + r" \\"
    body = [" & ".join(map(_tex, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            f"\\caption{{{_tex(' '.join([table.title + '.', *table.notes]))}}}",
            f"\\begin{{tabular}}{{{align}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _tex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in one_line(text))


def one_line(text: str) -> str:
    """Without line breaks, control characters and changes of direction, which break a row."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+", " ", text)
