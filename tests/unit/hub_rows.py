"""Invented rows in each source's real schema, as the files that its repository holds."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from madm2.datasets.registry import DATASETS

Rows = list[dict[str, Any]]


def _parquet(rows: Rows) -> bytes:
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


def _arrow(rows: Rows) -> bytes:
    import pyarrow

    table, out = pyarrow.Table.from_pylist(rows), io.BytesIO()
    with pyarrow.ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def _csv(rows: Rows) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def _jsonl(rows: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


WRITERS = {"parquet": _parquet, "arrow": _arrow, "csv": _csv, "jsonl": _jsonl}


def source_row(name: str, n: int, file: str) -> dict[str, Any]:
    """Row n of a file of a dataset's source."""
    mmlu = {
        "question": f"Which is {n}?",
        "choices": ["none", str(n), "A", "n/a"],
        "answer": 1,
    }
    rows: dict[str, dict[str, Any]] = {
        "gsm8k": {"question": f"Ann has {n} cups. How many?", "answer": f"She has {n}.\n#### {n}"},
        "math": {
            "problem": f"What is ${n}$ of {file.split('/')[0]}?",
            "level": "Level 2",
            "type": "Algebra",
            "solution": rf"It is $\boxed{{{n}}}$.",
        },
        "math500": {
            "problem": f"What is ${n}$?",
            "solution": rf"It is $\boxed{{{n}}}$.",
            "answer": str(n),
            "subject": "Algebra",
            "level": 2,
            "unique_id": f"test/algebra/{n}.json",
        },
        "aime24": {
            "id": 60 + n,
            "problem": f"Find ${n}$.",
            "solution": "so",
            "answer": str(n),
            "url": "https://example.org",
            "year": "2024",
        },
        "aime25": {
            "id": n,
            "problem": f"Find ${n}$.",
            "answer": str(n),
            "solution": str(n),
            "url": "https://example.org",
            "year": 2025,
            "__index_level_0__": n,
        },
        "mmlu_pro": {
            "question_id": 70 + n,
            "question": f"Which is {n}?",
            "options": ["None", "I", str(n), *"defghij"],
            "answer": "C",
            "answer_index": 2,
            "cot_content": "",
            "category": "math",
            "src": "invented",
        },
        "mmlu": {**mmlu, "subject": "anatomy"},
        "formal_logic": {**mmlu, "subject": "formal_logic"},
        "logical_fallacies": {**mmlu, "subject": "logical_fallacies"},
        "eleuther_arithmetic": {
            "context": f"Question: What is {n} plus {len(file)}?\nAnswer:",
            "completion": f" {n + len(file)}",
        },
        "strategyqa": {
            "qid": f"q{n}",
            "term": "cup",
            "description": "a vessel",
            "question": f"Are there {n} cups?",
            "answer": n % 2 == 0,
            "facts": "Cups exist.",
        },
        "gpqa_diamond": {
            "Pre-Revision Question": "?",
            "Question": f'Which holds, "{n}"?\nOne only.',
            "Correct Answer": f"{n}.0\n",
            "Incorrect Answer 1": "None",
            "Incorrect Answer 2": "NA",
            "Incorrect Answer 3": "1,5",
            "Explanation": "so",
            "Subdomain": "Optics",
            "Record ID": f"rec{n}",
        },
        "amc12": {"id": n, "problem": f"Find ${n}$.", "answer": float(n), "url": "https://e.org"},
        "olympiadbench": {
            "id": 1600 + n,
            "question": f"Find $x_{n}$.",
            "solution": ["so"],
            "final_answer": [str(n), "7"] if n % 2 else [str(n)],
            "context": f"Let $x_{n}$ be given." if n % 2 else None,
            "image_1": None,
            "modality": "Text-only",
            "difficulty": "Competition",
            "is_multiple_answer": n % 2 == 1,
            "unit": None,
            "answer_type": "Numerical",
            "error": None,
            "question_type": "Open-ended",
            "subfield": "Algebra",
            "subject": "Math",
            "language": "English",
        },
        "mmlu_redux": {
            **mmlu,
            "question": f"Which is {n} in {file.split('/')[0]}?",
            "error_type": "ok" if n != 1 else "wrong_groundtruth",
            "source": "",
            "correct_answer": None if n != 1 else "2",
            "potential_reason": None,
        },
        "musique": {
            "id": f"2hop__{n}_1",
            "paragraphs": [
                {"idx": 0, "title": "Cup", "paragraph_text": "A cup.", "is_supporting": False},
                {"idx": 1, "title": "Ann", "paragraph_text": f"Ann, {n}.", "is_supporting": True},
            ],
            "question": f"Who is {n}?",
            "question_decomposition": [
                {"id": 1, "question": "?", "answer": "Ann", "paragraph_support_idx": 1}
            ],
            "answer": "Ann",
            "answer_aliases": [],
            "answerable": True,
        },
    }
    return rows[name]


def source_files(name: str, rows: int = 3) -> dict[str, bytes]:
    """The files of a dataset's source, with so many invented rows in each."""
    source = DATASETS[name].source
    assert source
    return {
        file: WRITERS[file.rsplit(".", 1)[1]]([source_row(name, n, file) for n in range(rows)])
        for file in source.files
    }
