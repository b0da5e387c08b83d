"""`python -m madm2.grade` on every kind of file it reads."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from madm2.grade.__main__ import main
from tests.conftest import ROOT
from tests.unit.grade_command import grade, rows


def test_json_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = rows(
        {"id": "a", "dataset": "math", "output": "So $\\boxed{\\frac12}$.", "gold": "0.5"},
        {"dataset": "gsm8k", "output": "#### 18", "gold": "9 + 9 = 18\n#### 18"},
        {"answer_type": "choice", "output": "It is blue.", "gold": "B", "options": ["red", "blue"]},
        {"dataset": "aime", "answer": "073", "gold": "73"},
        {"dataset": "math", "output": "\\(\\frac{1}{2}\\)", "gold": "\\frac{1}{2}"},
        {"dataset": "MATH", "output": None, "gold": "1"},
        {"answer_type": "text", "answer": None, "gold": "yes"},
    )
    code, lines = grade(tmp_path, text)
    assert code == 0
    assert [line["id"] for line in lines] == ["a", 1, 2, 3, 4, 5, 6]
    assert [line["score"] for line in lines] == [1, 1, 0, 1, 1, 0, 0]
    assert [line["status"] for line in lines[-2:]] == ["no_answer", "no_answer"]
    assert [line["released_score"] for line in lines] == [1, 1, 0, 1, 0, 0, 0]
    keys = {"id", "answer", "status", "score", "released_answer", "released_score"}
    assert [set(line) - keys for line in lines] == [set()] * 4 + [{"difference"}] + [set()] * 2
    assert [line["released_answer"] for line in lines[:4]] == ["\\frac12", "18", "", "073"]
    summary = capsys.readouterr().err
    assert "accuracy          0.5714  (correct 4, no_answer 3)" in summary
    assert "released accuracy 0.4286  (correct 3, " in summary
    assert "1  math delimiters are not dropped" in summary


@pytest.mark.parametrize(
    ("row", "released_answer", "score", "released_score"),
    [
        # Neither read nor voted: as the released comparison takes it.
        ({"dataset": "aime", "answer": "the value 204", "gold": "204"}, "the value 204", 0, 0),
        ({"dataset": "mmlu_pro", "answer": "(B)", "gold": "B"}, "(B)", 1, 1),
        ({"dataset": "math", "answer": 7, "gold": 7}, "7", 1, 1),
        ({"dataset": "math", "answer": "7", "output": "8", "gold": "7"}, "7", 1, 1),
        ({"dataset": "math", "answer": None, "output": "8", "gold": "8"}, "8", 1, 1),
        ({"dataset": "math", "kind": "equal", "output": "the 7", "gold": "7"}, "the 7", 0, 1),
        # Read and voted, in the released code's normal form.
        ({"dataset": "aime", "output": "the value 204", "gold": "204"}, "value 204", 1, 1),
        ({"dataset": "gsm8k", "output": "9" * 400, "gold": "5"}, "9" * 400, 0, 0),
        ({"dataset": "mine", "answer_type": "numeric", "output": "so 7", "gold": "7"}, "so 7", 1, 1),
        ({"dataset": "mine", "answer_type": "text", "output": "yes", "gold": "Yes"}, "yes", 1, 0),
    ],
)  # fmt: skip
def test_one_row(
    tmp_path: Path,
    row: dict[str, object],
    released_answer: str,
    score: float,
    released_score: float,
) -> None:
    code, (line,) = grade(tmp_path, rows(row))
    assert code == 0
    assert line["released_answer"] == released_answer
    assert (line["score"], line["released_score"]) == (score, released_score)


@pytest.mark.parametrize(
    ("row", "status"),
    [
        ({"dataset": "math", "output": "", "gold": "7"}, "no_answer"),
        ({"dataset": "math", "output": "\\boxed{8}", "gold": "7"}, "incorrect"),
        ({"dataset": "math", "output": "\\boxed{8}", "gold": ""}, "bad_gold"),
        ({"dataset": "math", "answer": " ", "gold": "7"}, "no_answer"),
    ],
)
def test_every_status_is_told(tmp_path: Path, row: dict[str, object], status: str) -> None:
    code, (line,) = grade(tmp_path, rows(row))
    assert (code, line["status"], line["score"]) == (0, status, 0)


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.jsonl")]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert main([]) == 2


def test_odd_characters_pass(tmp_path: Path) -> None:
    text = '\ufeff{"dataset": "math", "output": "\\ud800 \\u0000 \\\\boxed{3}", "gold": "3"}\n\n'
    code, (line,) = grade(tmp_path, text)
    assert (code, line["score"]) == (0, 1)


def test_it_runs_as_a_module(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(rows({"dataset": "math", "output": "\\boxed{\\sqrt{8}}", "gold": "2\\sqrt2"}))
    command = [sys.executable, "-m", "madm2.grade", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["score"] == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--dataset", "mth"], "unknown dataset 'mth'"),
        (["--answer_type", "number"], "unknown answer type 'number'"),
        (["--output_file", "x"], "unrecognized arguments"),
        (["--output", "no/such/folder/out.jsonl"], "cannot write"),
    ],
)
def test_wrong_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(rows({"dataset": "math", "output": "1", "gold": "1"}))
    assert main([str(path), *args]) == 2
    assert message in capsys.readouterr().err


def test_an_input_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(rows({"dataset": "math", "output": "1", "gold": "1"}))
    before = path.read_text()
    assert main([str(path), "--output", str(tmp_path / "." / "rows.jsonl")]) == 2
    assert path.read_text() == before


def test_a_fault_in_the_first_line_leaves_earlier_output_alone(tmp_path: Path) -> None:
    assert grade(tmp_path, rows({"dataset": "math", "output": "1", "gold": "1"}))[0] == 0
    code, lines = grade(tmp_path, "torn")
    assert (code, len(lines)) == (2, 1)


def test_several_files_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, output in (("a", "1"), ("b", "2")):
        row = {"dataset": "math", "output": output, "gold": "1"}
        (tmp_path / name).write_text(rows(row))
    files = [str(tmp_path / name) for name in "ab"]
    assert main([*files, str(tmp_path / "none")]) == 2
    done = capsys.readouterr()
    assert [json.loads(line)["file"] for line in done.out.splitlines()] == files
    parts = re.findall(r"^accuracy +(\S+)", done.err, re.MULTILINE)
    assert parts == ["1.0000", "0.0000", "0.5000"], "each file, then all that was graded"


def test_rows_may_leave_the_dataset_to_the_flag(tmp_path: Path) -> None:
    row = {"output": "so 7", "gold": "7"}
    assert grade(tmp_path, rows(row), "--dataset", "GSM8K")[0] == 0
    assert grade(tmp_path, rows(row), "--answer_type", "numeric")[0] == 0


def test_a_reader_that_stops_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(rows({"dataset": "math", "output": "1", "gold": "1"}) * 2000)
    command = f"set -o pipefail; {sys.executable} -m madm2.grade {path} | head -n 1"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
