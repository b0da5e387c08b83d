"""One self-contained HTML page: tables, figures, and every debate; it needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import IO, Any

from madm2.report.cells import Cell, samples_of
from madm2.report.debates import debate_of, entry_of
from madm2.report.groups import Group
from madm2.report.tables import Table, for_people, one_line

_ASSETS = Path(__file__).parent / "assets"


def write_page(
    file: IO[str],
    tables: Sequence[Table],
    figures: Iterable[tuple[str, str]],
    cells: Sequence[Cell],
    max_debates: int,
    notes: Sequence[str] = (),
) -> None:
    """Write the page.

    Args:
        file: where to.
        tables: shown first.
        figures: title and SVG.
        cells: whose debates are shown.
        max_debates: debates in the page; every run gives its first ones, by turns.
        notes: what people must know of the report, shown at its top.
    """
    style = (_ASSETS / "page.css").read_text(encoding="utf-8")
    script = "".join(
        (_ASSETS / name).read_text(encoding="utf-8") for name in ("math.js", "page.js")
    )
    # Whatever a text might smuggle in: this script alone runs, and nothing is loaded.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; "
        "style-src 'unsafe-inline'; img-src data:"
    )
    shown = [table for table in tables if table.rows]
    file.write(
        f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Multi-agent debates</title><style>{style}</style></head><body>
<header><h1>Multi-agent debates with memory masking</h1>
<nav aria-label="Sections"><a href="#debates">debates</a>
"""
    )
    drawn = list(figures)
    if drawn:
        file.write('<a href="#figures">figures</a>\n')
    for number, table in enumerate(shown):
        file.write(f'<a href="#t{number}">{_html(table.name.replace("_", " "))}</a>\n')
    file.write("</nav></header><main>\n")
    for note in notes:
        file.write(f'<p class="warning">{_html(note)}</p>\n')
    for number, table in enumerate(shown):
        file.write(_table(table, number))
    if drawn:
        file.write(_figures(drawn))
    file.write((_ASSETS / "debates.html").read_text(encoding="utf-8"))
    file.write("</main>\n")
    _write_debates(file, cells, max_debates)
    file.write(f"<script>{script}</script></body></html>\n")


def _write_debates(file: IO[str], cells: Sequence[Cell], max_debates: int) -> None:
    """Each debate as a data block of its own, which is parsed when it is opened."""
    entries: list[dict[str, Any]] = []
    for run, (cell, share) in enumerate(zip(cells, shares(cells, max_debates), strict=True)):
        # Records first: then no sample is read that is not shown.
        for record, sample in zip(cell.records[:share], samples_of(cell), strict=False):
            file.write(_block(f"d{len(entries)}", debate_of(sample, record, cell.instrument)))
            entries.append(entry_of(sample, record, run))
    runs = [f"{c.model}, {c.dataset}, {Group((c,)).label}, seed {c.seed}" for c in cells]
    total = sum(len(cell.records) for cell in cells)
    file.write(_block("list", {"runs": runs, "debates": entries, "total": total}))


def shares(cells: Sequence[Cell], most: int) -> list[int]:
    """How many debates each cell may show, so that all together show at most so many."""
    found = [0] * len(cells)
    order = sorted(range(len(cells)), key=lambda i: len(cells[i].records))
    for place, i in enumerate(order):
        found[i] = min(len(cells[i].records), most // (len(order) - place))
        most -= found[i]
    return found


def _block(name: str, value: object) -> str:
    # ASCII, and without a character that could end the element or begin another.
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def _figures(figures: Sequence[tuple[str, str]]) -> str:
    shown = []
    for title, svg in figures:
        data = base64.b64encode(svg.encode()).decode()
        shown.append(
            f'<figure><img alt="{_html(title)}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{_html(title)}</figcaption></figure>\n"
        )
    return (
        '<section id="figures"><h2>Figures</h2>\n'
        f'<div class="figures">{"".join(shown)}</div></section>\n'
    )


def _table(table: Table, number: int) -> str:
    columns, rows = for_people(table)
    numeric = [c.kind != "text" for c in columns]
    head = "".join(
        f'<th scope="col"{_class(right)}>{_html(c.title)}</th>'
        for c, right in zip(columns, numeric, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{_class(right)}>{_html(cell)}</td>"
            for cell, right in zip(row, numeric, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    notes = "".join(f'<p class="note">{_html(note)}</p>' for note in table.notes)
    title = _html(table.title)
    return (
        f'<section id="t{number}"><h2>{title}</h2>\n'
        f'<div class="scroll" tabindex="0" role="region" aria-label="{title}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>{notes}</section>\n"
    )


def _class(right: bool) -> str:
    return ' class="n"' if right else ""


def _html(text: str) -> str:
    return escape(one_line(text))
