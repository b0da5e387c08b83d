"""The regrade command on the released code's files and on a run's samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.grade.__main__ import main
from tests.conftest import ROOT
from tests.unit.grade_command import grade, released_row, rows, solution

GOLD = "It is $\\boxed{\\frac{1}{2}}$."
RESULTS = {
    "accuracy": 0.0,
    "results": [
        {
            "id": 7,
            "question": "q",
            "pred": "3",
            "ground_truth": GOLD,
            "debate_history": [
                [solution("4")] * 5,
                [solution(a) for a in ("3", "1/2", "3", "\\frac12", "0.5")],
            ],
        }
    ],
}
LAST = {"round": 2, "agents": [{"prompt": "p", "response": solution(a)} for a in ("3", "3", "4")]}
LOG = {"7": {"question": "q", "rounds": [{"round": 1, "agents": []}, LAST]}}


@pytest.mark.parametrize("indent", [None, 4])
def test_the_last_round_is_voted_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], indent: int | None
) -> None:
    text = json.dumps(RESULTS, indent=indent)
    code, (line,) = grade(tmp_path, text, name="x/math/mad_3agents_2rounds_seed1.json")
    assert code == 0
    assert (line["id"], line["answer"], line["score"]) == (7, "1/2", 1)
    assert (line["released_answer"], line["released_score"]) == ("3", 0)
    assert line["difference"] == "another answer was voted"
    assert "the file reports  0.0000" in capsys.readouterr().err


def test_our_own_file_of_that_kind_is_read(tmp_path: Path) -> None:
    text = '{"results": [\n' + json.dumps(RESULTS["results"][0]) + '\n], "accuracy": 1.0}\n'  # type: ignore[index]
    code, (line,) = grade(tmp_path, text, name="math/mad.json")
    assert (code, line["id"]) == (0, 7)


@pytest.mark.parametrize("indent", [None, 4])
def test_a_debate_log_takes_its_golds_from_the_results(tmp_path: Path, indent: int | None) -> None:
    text = json.dumps(LOG, indent=indent)
    assert grade(tmp_path, text, name="math/mad_debate_log.json")[0] == 2
    (tmp_path / "math" / "mad.json").write_text(json.dumps(RESULTS))
    code, (line,) = grade(tmp_path, text, name="math/mad_debate_log.json")
    assert (code, line["id"], line["answer"], line["score"]) == (0, 7, "3", 0)


@pytest.mark.parametrize(
    ("name", "text", "score"),
    [
        ("other.json", json.dumps(RESULTS), 0),
        ("data.jsonl", rows({"id": 7, "query": "q", "answer": "\\boxed{3}"}), 1),
        ("data.jsonl", rows(*[{"query": "q", "answer": f"\\boxed{{{n - 4}}}"} for n in range(8)]), 1),
    ],
)  # fmt: skip
def test_a_debate_log_takes_its_golds_from_a_file(
    tmp_path: Path, name: str, text: str, score: float
) -> None:
    (tmp_path / name).write_text(text)
    code, (line,) = grade(tmp_path, json.dumps(LOG), "--gold", str(tmp_path / name))
    assert (code, line["id"], line["score"], line["released_score"]) == (0, 7, score, score)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (json.dumps({"results": [released_row(id=8)]}), "question 7 has no gold answer"),
        (json.dumps({"results": [{"id": 8}]}), "is no results file"),
        (json.dumps({"rows": 3}), "is no results file"),
        ("{", "is not valid JSON"),
    ],
)
def test_golds_that_do_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    (tmp_path / "other.json").write_text(text)
    flags = ["--gold", str(tmp_path / "other.json"), "--dataset", "math"]
    assert grade(tmp_path, json.dumps(LOG), *flags)[0] == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("golds", "dataset"),
    [
        (["a\n#### 5", "#### 6"], "gsm8k"),
        (["\\boxed{5}", "a\n\\boxed{6}"], "math"),
        (["B", "J"], "mmlu_pro"),
        (["5", "6"], None),
        (["\\boxed{5}", "5"], None),
        (["K"], None),
    ],
)
def test_the_dataset_is_told_by_its_golds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], golds: list[str], dataset: str | None
) -> None:
    document = {"results": [released_row(id=n, ground_truth=g) for n, g in enumerate(golds)]}
    code, _ = grade(tmp_path, json.dumps(document))
    error = capsys.readouterr().err
    assert code == (0 if dataset else 2)
    assert (f"dataset {dataset}, by the form" if dataset else "or --dataset") in error


@pytest.mark.parametrize(
    ("response", "answer", "released_answer"),
    [
        (solution("5"), "5", "5"),
        (solution(" \\(5\\) "), "5", " \\(5\\) "),
        # Without thinking tags all of the text is in `think`, and ours reads it itself.
        (solution("n x.", "The answer is 5.\nThen x."), "5", "n x."),
        (solution("5", "\\boxed{5}\nok"), "5", "5"),
        # With them the rest is lost, but for what was read.
        (solution("</answer>", "So it is 5.\nThe answer is 5."), "5", "</answer>"),
        (solution("", "The answer is 5."), "5", ""),
        (solution("", "I give up."), None, ""),
    ],
)
def test_what_is_left_of_a_completion(
    tmp_path: Path, response: dict[str, str], answer: str | None, released_answer: str
) -> None:
    document = {"results": [released_row(ground_truth="\\boxed{5}", response=response)]}
    code, (line,) = grade(tmp_path, json.dumps(document))
    assert (code, line["released_answer"]) == (0, released_answer)
    assert line["answer"] == answer


@pytest.mark.parametrize(
    ("think", "letter", "answer"),
    [
        ("The answer is B, or D.", "D", "D"),  # the last letter of the thinking, by chance
        ("<answer>C</answer> I hope", "I", "C"),  # all of the text
        ("\\boxed{C} I hope", "I", "C"),
    ],
)
def test_what_is_left_of_a_choice(tmp_path: Path, think: str, letter: str, answer: str) -> None:
    document = {"results": [released_row(ground_truth="C", response=solution(letter, think))]}
    _, (line,) = grade(tmp_path, json.dumps(document))
    assert (line["released_answer"], line["answer"]) == (letter, answer)


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
    results = next(path for path in tmp_path.rglob("mad*.json") if "log" not in path.name)
    assert main([str(results), "--output", str(out)]) == 0
    lines = [json.loads(line) for line in out.open()]
    assert [line["answer"] for line in lines] == [s["scores"]["paper"]["answer"] for s in samples]
