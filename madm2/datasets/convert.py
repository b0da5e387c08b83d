"""Makes a question of a source's row: query, answer, and where there are any id and options."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from madm2.datasets.spec import Convert, Row
from madm2.errors import UserError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASKED = re.compile(r"\s*(?:Question:)?\s*(.*?)\s*(?:Answer:)?\s*", re.DOTALL)


def fields(query: str, answer: str, identifier: str | None = None) -> Convert:
    """Take the fields of these names; a whole number's answer loses an idle `.0`."""

    def convert(row: Mapping[str, Any]) -> Row:
        return _with_id(
            row, identifier, {"query": row[query].strip(), "answer": _plain(row[answer])}
        )

    return convert


def choices(query: str, options: str, answer: str, identifier: str | None = None) -> Convert:
    """Print the options below the question; the answer is a letter, or an option's place from 0."""

    def convert(row: Mapping[str, Any]) -> Row:
        return _with_id(row, identifier, _choice(row[query], list(row[options]), row[answer]))

    return convert


def checked_choices(query: str, options: str, answer: str, verdict: str) -> Convert:
    """As `choices`, of the rows whose `verdict` is `ok`: those have one right option."""
    convert_all = choices(query, options, answer)

    def convert(row: Mapping[str, Any]) -> Row | None:
        return convert_all(row) if row[verdict] == "ok" else None

    return convert


def asked(row: Mapping[str, Any]) -> Row:
    """EleutherAI's arithmetic: a prompt around the question, and its completion."""
    found = _ASKED.fullmatch(row["context"])
    return {"query": found[1] if found else "", "answer": str(row["completion"]).strip()}


def yes_or_no(row: Mapping[str, Any]) -> Row:
    """StrategyQA: a truth value."""
    made: Row = {"query": row["question"], "answer": "yes" if row["answer"] else "no"}
    return _with_id(row, "qid", made)


def one_right_three_wrong(row: Mapping[str, Any]) -> Row:
    """GPQA: the right answer comes first in the source, so the options are put in a fixed order.

    The order is that of a hash over the row's id and the option: the same everywhere.
    """
    texts = [
        str(row[name]).strip()
        for name in ("Correct Answer", *(f"Incorrect Answer {n}" for n in (1, 2, 3)))
    ]
    order = sorted(
        range(4),
        key=lambda i: hashlib.sha256(f"{row['Record ID']}\n{texts[i]}".encode()).hexdigest(),
    )
    question = _choice(str(row["Question"]).strip(), [texts[i] for i in order], order.index(0))
    return {"id": row["Record ID"], **question}


def olympiad(row: Mapping[str, Any]) -> Row:
    """OlympiadBench: what is given precedes the question; several answers are one list."""
    context = (row.get("context") or "").strip()
    answers = row["final_answer"]
    made: Row = {
        "query": f"{context}\n{row['question']}" if context else row["question"],
        "answer": answers if isinstance(answers, str) else ", ".join(answers),
    }
    return _with_id(row, "id", made)


def over_paragraphs(row: Mapping[str, Any]) -> Row:
    """MuSiQue: the question is asked over its paragraphs, in the source's order."""
    texts = [f"{p['title']}\n{p['paragraph_text']}" for p in row["paragraphs"]]
    query = "\n\n".join([*texts, f"Question: {row['question']}"])
    return _with_id(row, "id", {"query": query, "answer": row["answer"]})


def prepared(row: Mapping[str, Any]) -> Row:
    """A row that is in the project's own form already."""
    return {
        key: row[key] for key in ("id", "query", "answer", "options") if row.get(key) is not None
    }


def _with_id(row: Mapping[str, Any], name: str | None, made: Row) -> Row:
    """Give the question the source's id; where there is none, its place is its id."""
    return {"id": row[name], **made} if name and row.get(name) is not None else made


def _choice(question: str, options: Sequence[str], answer: object) -> Row:
    place = LETTERS.find(answer) if isinstance(answer, str) and len(answer) == 1 else answer
    if not isinstance(place, int) or not 0 <= place < len(options) <= len(LETTERS):
        raise UserError("the answer names no option", have=f"{answer!r} of {len(options)} options")
    shown = [f"{letter}. {text}" for letter, text in zip(LETTERS, options, strict=False)]
    return {
        "query": "\n".join([question, *shown]),
        "answer": LETTERS[place],
        "options": list(options),
    }


def _plain(answer: object) -> object:
    return int(answer) if isinstance(answer, float) and answer.is_integer() else answer
