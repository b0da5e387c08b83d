"""The page of debates: what it holds, that no text gets out of its place, and its formulas."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from madm2.report.__main__ import main
from madm2.report.groups import group_cells
from madm2.report.page import shares
from tests.unit.report_runs import cells_below, copied, edit_samples, folders, run, unfinish
from tests.unit.test_report_analyses import RECORDS, group

ASSETS = Path(__file__).resolve().parents[2] / "madm2" / "report" / "assets"


class Page(HTMLParser):
    """The elements of a page, and the content of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.data: dict[str, Any] = {}
        self.scripts: list[str] = []
        self._script: dict[str, str | None] | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._script = dict(attrs) if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._script is not None and self._script.get("type") == "application/json":
            self.data[self._script["id"] or ""] = json.loads(data)
        elif self._script is not None:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._script = None


def page_of(root: Path, tmp_path: Path, *words: str, code: int = 0) -> Page:
    target = tmp_path / "page.html"
    assert main([str(root), "--format", "html", "--output", str(target), *words]) == code
    return Page(target.read_text(encoding="utf-8"))


def test_every_debate_is_there(report_runs: Path, tmp_path: Path) -> None:
    page = page_of(report_runs, tmp_path)
    found = page.data["list"]
    assert len(found["debates"]) == found["total"] == 64
    assert len(found["runs"]) == 8
    cells = [cell for one in group_cells(cells_below(report_runs)) for cell in one.cells]
    for number, entry in enumerate(found["debates"]):
        row = [json.loads(line) for line in (cells[entry["run"]].source / "samples.jsonl").open()]
        sample = next(r for r in row if str(r["id"]) == entry["id"])
        debate = page.data[f"d{number}"]
        assert debate["query"] == sample["query"] == entry["query"]
        assert debate["gold"] == sample["gold"]
        for name, score in sample["scores"].items():
            assert debate["verdicts"][name]["status"] == score["status"]
            for shown, answers, vote in zip(
                debate["rounds"], score["answers"], score["votes"], strict=True
            ):
                assert [a["read"][name] for a in shown["answers"]] == answers
                assert shown["votes"][name]["tie"] == vote["tie"]
        for shown, told in zip(debate["rounds"], sample["rounds"], strict=True):
            if told["mask"] is None:
                assert shown["mask"] is None
                continue
            memories = shown["mask"]["memories"]
            assert [m["keep"] for m in memories] == told["mask"]["keep"]
            for memory, evidence in zip(memories, told["mask"]["evidence"], strict=True):
                if "label" in evidence:
                    assert memory["why"].startswith(f"label {evidence['label'].upper()[:2]}")
                    assert "<label>" in memory["judge"]["text"] or "no label" in memory["why"]
                elif "score" in evidence:
                    assert "perplexity" in memory["why"] and "low is good" in memory["why"]
        right = sample["scores"]["paper"]["status"] == "correct"
        assert ("right" in entry["flags"]) == right != ("wrong" in entry["flags"])
        assert ("tie" in entry["flags"]) == sample["scores"]["paper"]["votes"][-1]["tie"]


HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--<script>",
    "]]></style><svg/onload=alert(1)>",
    "nul \0 bell \x07 escape \x1b[31m",
    "right to left \u202e override \u2066 isolate",
    "lone \ud800 and \udfff",
    "line \u2028 separator",
    "$\\frac{</math><script>alert(1)</script>}{2}$",
    "__proto__",
    "&lt;b&gt;&#60;",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_gets_out_of_its_place(tmp_path: Path, text: str) -> None:
    folder = run(tmp_path / "runs", "--prune_strategy", "subjective", limit=2)

    def put(sample: dict[str, Any]) -> None:
        sample["query"] = sample["gold"] = text
        sample["options"] = [text]
        for rnd in sample["rounds"]:
            for completion in [
                *rnd["completions"],
                *(rnd["mask"] or {"completions": []})["completions"],
            ]:
                completion["text"] = completion["finish_reason"] = text
        for score in sample["scores"].values():
            score["answer"] = text
            score["answers"] = [[text] * len(row) for row in score["answers"]]
            for vote in score["votes"]:
                vote["answer"] = text

    edit_samples(folder, put)
    page = page_of(folder, tmp_path, "--tables", "cells")
    other = run(tmp_path / "plain", "--prune_strategy", "subjective", limit=2)
    plain = page_of(other, tmp_path, "--tables", "cells")
    assert page.tags == plain.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    debate = page.data["d0"]
    assert debate["query"] == text
    assert debate["options"] == [text]
    assert debate["rounds"][0]["answers"][0]["read"]["paper"] == text


def test_names_are_escaped_too(tmp_path: Path) -> None:
    from tests.unit.report_runs import edit_json

    folder = run(tmp_path / "runs")
    name = '<script>alert("&")</script>'
    edit_json(folder / "manifest.json", lambda d: d["settings"]["model"].update(name=name))
    page = page_of(folder, tmp_path)
    assert page.tags.count("script") == 8 + 1 + 1
    assert name in page.data["list"]["runs"][0]


def test_only_the_pages_own_script_may_run_and_nothing_is_loaded(
    report_runs: Path, tmp_path: Path
) -> None:
    page = page_of(report_runs, tmp_path)
    [script] = page.scripts
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    [policy] = [
        value or "" for name, value in page.attributes if (value or "").startswith("default-src")
    ]
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy
    for name, value in page.attributes:
        if name in ("src", "href"):
            assert (value or "").startswith(("#", "data:image/svg+xml;base64,"))
    for word in ("innerHTML", "insertAdjacentHTML", "document.write", "eval(", "fetch(", "import("):
        assert word not in script


def test_every_element_that_the_script_asks_for_is_there(report_runs: Path, tmp_path: Path) -> None:
    page = page_of(report_runs, tmp_path)
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'\$\("(\w+)"\)', (ASSETS / "page.js").read_text())) <= set(ids)
    links = [value for name, value in page.attributes if name == "href"]
    assert {(link or "")[1:] for link in links} <= set(ids)


def test_huge_texts_are_cut_in_their_middle(tmp_path: Path) -> None:
    folder = run(tmp_path / "runs", limit=1)
    huge = "begin " + "x" * 3_000_000 + " end"

    def put(sample: dict[str, Any]) -> None:
        sample["query"] = huge
        for rnd in sample["rounds"]:
            for completion in rnd["completions"]:
                completion["text"] = huge

    edit_samples(folder, put)
    page = page_of(folder, tmp_path)
    for text in (page.data["d0"]["query"], page.data["d0"]["rounds"][0]["answers"][0]["text"]):
        assert text.startswith("begin ") and text.endswith(" end")
        assert "characters left out" in text and len(text) < 25_000
    assert (tmp_path / "page.html").stat().st_size < 1_000_000


@pytest.mark.parametrize(
    ("sizes", "most", "want"),
    [
        ([4, 4], 100, [4, 4]),
        ([4, 4], 4, [2, 2]),
        ([1, 9, 9], 9, [1, 4, 4]),
        ([9, 1, 0], 6, [5, 1, 0]),
        ([4, 4], 0, [0, 0]),
        ([], 5, []),
    ],
)
def test_every_run_gets_its_share(sizes: list[int], most: int, want: list[int]) -> None:
    cells = [group((RECORDS * 3)[:size]).first for size in sizes]
    assert shares(cells, most) == want


def test_max_debates(report_runs: Path, tmp_path: Path) -> None:
    page = page_of(report_runs, tmp_path, "--max_debates", "16")
    assert len(page.data["list"]["debates"]) == 16
    assert page.data["list"]["total"] == 64
    assert {entry["run"] for entry in page.data["list"]["debates"]} == set(range(8))
    page = page_of(report_runs, tmp_path, "--max_debates", "0")
    assert page.data["list"]["debates"] == []


def test_unfinished_and_damaged_runs(report_runs: Path, tmp_path: Path) -> None:
    root = copied(report_runs, tmp_path / "runs")
    first, second, *_ = folders(root)
    unfinish(first, 3)
    (second / "samples.jsonl").write_text("{")
    page = page_of(root, tmp_path, code=2)
    assert page.data["list"]["total"] == 51
    text = (tmp_path / "page.html").read_text()
    assert "could not be read" in text and "(11/24)" not in text and "(3/8)" in text


FORMULAS = {
    "x^2+1": "math(msup(mi:x mn:2) mo:+ mn:1)",
    r"\frac{1}{2}": "math(mfrac(mn:1 mn:2))",
    r"\frac12": "math(mfrac(mn:1 mn:2))",
    r"\dfrac{a+b}{c}": "math(mfrac(mrow(mi:a mo:+ mi:b) mi:c))",
    r"\sqrt[3]{8}": "math(mroot(mn:8 mn:3))",
    r"\sqrt2": "math(msqrt(mn:2))",
    r"\sqrt\frac34": "math(msqrt(mfrac(mn:3 mn:4)))",
    r"\left( 3, \frac{\pi}{2} \right)": "math(mo:( mn:3 mo:, mfrac(mi:π mn:2) mo:))",
    r"3\text{ inches}": "math(mn:3 mtext: inches)",
    r"x_{1}^{2}": "math(msubsup(mi:x mn:1 mn:2))",
    r"f'(x)": "math(msup(mi:f mo:′) mo:( mi:x mo:))",
    r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}": (
        "math(mo:( mtable(mtr(mtd(mn:1) mtd(mn:2)) mtr(mtd(mn:3) mtd(mn:4))) mo:))"
    ),
    r"50\%": "math(mn:50 mo:%)",
    r"1{,}000": "math(mn:1 mo:, mn:000)",
    r"\boxed{7}": "math(mn:7)",
    r"\{x \mid x \le 3\}": "math(mo:{ mi:x mo:∣ mi:x mo:≤ mn:3 mo:})",
    "": "math(mrow())",
    # What is not understood stays as it is.
    r"\unknown{3}": None,
    r"\frac{1}": None,
    "{": None,
    "}": None,
    "a & b": None,
    r"\left( 3": None,
    r"\begin{tikz}\end{tikz}": None,
    r"\begin{matrix} 1": None,
    "{" * 300 + "}" * 300: None,
    "x^" * 3000: None,
    "\\": None,
}

RUN_MATH = """
const document = { createElementNS: (_, tag) => ({ tag, childNodes: [], textContent: "",
  append(...nodes) { this.childNodes.push(...nodes); }, setAttribute() {} }) };
%s
const shown = (n) => n.childNodes.length || !n.textContent
  ? `${n.tag}(${n.childNodes.map(shown).join(" ")})` : `${n.tag}:${n.textContent}`;
const flat = (text) => text === null ? null : text.replace(/^math\\(mrow\\((.+)\\)\\)$/, "math($1)");
const sources = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(sources.map((s) => { const n = mathML(s, false); return n && flat(shown(n)); })));
"""


def test_formulas() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    program = RUN_MATH % (ASSETS / "math.js").read_text(encoding="utf-8")
    ended = subprocess.run(
        [node, "-e", program],
        input=json.dumps(list(FORMULAS)),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert dict(zip(FORMULAS, json.loads(ended.stdout), strict=True)) == FORMULAS
