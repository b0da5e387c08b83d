"""The regrade command, run in this process on a file made up for a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from madm2.grade.__main__ import main


def grade(
    tmp_path: Path, text: str | bytes, *args: str, name: str = "rows.jsonl"
) -> tuple[int, list[dict[str, Any]]]:
    """Write a file, grade it; the exit code and the lines."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    out = tmp_path / "out.jsonl"
    code = main([str(path), "--output", str(out), *args])
    return code, [json.loads(line) for line in out.open()] if out.exists() else []


def rows(*values: dict[str, object]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def solution(answer: str, think: str = "I add.") -> dict[str, str]:
    return {"think": think, "answer": answer}


def released_row(**other: object) -> dict[str, object]:
    """One result of the released code's CoT file."""
    return {"id": 1, "question": "q", "ground_truth": "#### 5", "response": solution("5"), **other}
