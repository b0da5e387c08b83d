"""`python -m madm2.grade` on every kind of file it reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from madm2.grade.__main__ import main
from tests.conftest import ROOT


def grade(
    tmp_path: Path, text: str | bytes, *args: str, name: str = "rows.jsonl"
) -> tuple[int, list[dict]]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    out = tmp_path / "out.jsonl"
    code = main([str(path), "--output", str(out), *args])
    return code, [json.loads(line) for line in out.open()] if out.exists() else []


def rows(*values: dict[str, object]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


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
    assert set(lines[0]) == {"id", "answer", "status", "score", "released_answer", "released_score"}
    summary = capsys.readouterr().err
    assert "accuracy          0.5714" in summary and "released accuracy 0.4286" in summary
    assert "math delimiters are not dropped" in summary


def released_results() -> dict[str, object]:
    def solution(answer: str) -> dict[str, str]:
        return {"think": "I add.", "answer": answer}

    row = {
        "id": 7, "question": "q", "pred": "\\frac{1}{2}", "ground_truth": "It is $\\boxed{\\frac{1}{2}}$.",
        "debate_history": [[solution("3")] * 3, [solution("1/2"), solution("\\frac12"), solution("3")]],
    }  # fmt: skip
    return {"accuracy": 1.0, "results": [row]}


@pytest.mark.parametrize("indent", [None, 4])
def test_a_results_file_is_voted_again(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps(released_results(), indent=indent)
    code, (line,) = grade(tmp_path, text, name="x/math/mad_3agents_2rounds_seed1.json")
    assert code == 0
    assert (line["id"], line["score"], line["answer"]) == (7, 1, "1/2")
    assert (line["released_answer"], line["released_score"]) == ("1/2", 1)


@pytest.mark.parametrize("indent", [None, 4])
def test_a_debate_log_takes_its_golds_from_the_results(tmp_path: Path, indent: int | None) -> None:
    agents = [{"prompt": "p", "response": {"think": "t", "answer": a}} for a in ("3", "3", "4")]
    log = {"7": {"question": "q", "rounds": [{"round": 1, "agents": agents}]}}
    text = json.dumps(log, indent=indent)
    code, _ = grade(tmp_path, text, name="math/mad_debate_log.json")
    assert code == 2
    (tmp_path / "math" / "mad.json").write_text(json.dumps(released_results()))
    code, (line,) = grade(tmp_path, text, name="math/mad_debate_log.json")
    assert (code, line["answer"], line["score"]) == (0, "3", 0)


def test_a_cot_results_file(tmp_path: Path) -> None:
    row = {
        "id": 1,
        "question": "q",
        "ground_truth": "#### 5",
        "response": {"think": "5", "answer": "5"},
    }
    code, (line,) = grade(tmp_path, json.dumps({"results": [row]}), "--dataset", "gsm8k")
    assert (code, line["score"], line["released_score"]) == (0, 1, 1)


def test_the_samples_of_a_run(tmp_path: Path) -> None:
    from madm2.cli import main as run

    data = str(ROOT / "processed_data")
    args = ["--engine", "scripted", "--dataset", "arithmetic", "--data_dir", data, "--limit", "20"]
    assert run([*args, "--save_path", str(tmp_path)]) == 0
    path = next(tmp_path.rglob("samples.jsonl"))
    out = tmp_path / "out.jsonl"
    assert main([str(path), "--output", str(out)]) == 0
    samples = [json.loads(line) for line in path.open()]
    for sample, line in zip(samples, map(json.loads, out.open()), strict=True):
        assert line["id"] == sample["id"]
        assert line["status"] == sample["scores"]["paper"]["status"]
        assert line["released_score"] == (sample["scores"]["released"]["status"] == "correct")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ('{"dataset": "math", "output": "1", "gold": "1"}\n{"dataset"', "line 2 is not valid JSON"),
        ('{"dataset": "math", "output": "1", "gold": "1"}\n[1]', "line 2 is not a JSON object"),
        (rows({"dataset": "math", "output": "1"}), "line 1 has no 'gold'"),
        (rows({"dataset": "math", "gold": "1"}), "line 1 needs 'output'"),
        (rows({"dataset": "math", "gold": "1", "output": 3}), "line 1 needs 'output'"),
        (rows({"gold": "1", "output": "1"}), "line 1 needs 'dataset' or 'answer_type'"),
        (rows({"dataset": "mth", "gold": "1", "output": "1"}), "line 1: unknown dataset 'mth'"),
        (rows({"answer_type": "x", "gold": "1", "output": "1"}), "line 1: unknown answer type"),
        (rows({"dataset": "math", "gold": "1", "output": "1", "options": 3}), "line 1: 'options'"),
        (rows({"id": 1, "dataset": "math", "gold": "1", "rounds": []}), "line 1 is no sample"),
        (b"\xff\xfe\x00", "line 1 is not UTF-8"),
        (json.dumps({"results": [{"id": 1}]}), "does not say which dataset"),
        (json.dumps({"results": [3]}), "does not say which dataset"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, message: str
) -> None:
    code, lines = grade(tmp_path, text)
    assert code == 2
    error = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error")]
    assert len(error) == 1 and message in error[0]
    if "line 2" in message:
        assert len(lines) == 1, "what was graded before is kept"


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
