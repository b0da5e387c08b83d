"""Recorded runs of the released code, voted and graded again from their files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.grade.__main__ import main
from madm2.grading import released

RUN = "traces/qwen2.5-7b_math50_seed41"
FILES = {
    "cot_seed41.json": 0.46,
    "mad_3agents_2rounds_seed41.json": 0.60,
    "mad_objective_3agents_2rounds_seed41.json": 0.66,
    "mad_subjective_3agents_2rounds_seed41.json": 0.60,
}


@pytest.mark.parametrize(("name", "accuracy"), FILES.items())
def test_accuracy_votes_and_consensus_are_reproduced(
    shared: Path, name: str, accuracy: float
) -> None:
    document = json.loads((shared / RUN / name).read_text())
    right = 0.0
    for row in document["results"]:
        last = row["debate_history"][-1] if "debate_history" in row else [row["response"]]
        vote = released.vote([solution["answer"] for solution in last], "math")
        assert vote.key == row["pred"]
        if "consensus" in row:
            assert vote.consensus == row["consensus"]
        right += released.score(vote.key, row["ground_truth"], "math")
    assert right / len(document["results"]) == document["accuracy"] == accuracy


def test_objective_masks_are_reproduced(shared: Path) -> None:
    from madm2.pruners.objective import keep_above_median

    path = shared / RUN / "mad_objective_3agents_2rounds_seed41.json"
    for row in json.loads(path.read_text())["results"]:
        # The scores stand with the round whose completions they are of, the masks with the next.
        assert keep_above_median(row["perplexity_history"][0]) == row["mask_history"][1]


def test_every_round_of_the_debate_log_is_voted_alike(shared: Path) -> None:
    path = shared / RUN / "mad_subjective_3agents_2rounds_seed41_debate_log.json"
    for question in json.loads(path.read_text()).values():
        for rnd in question["rounds"]:
            vote = released.vote([a["response"]["answer"] for a in rnd["agents"]], "math")
            assert (vote.key, vote.consensus) == (rnd["common_answer"], rnd["consensus"])


DELIMITERS = "math delimiters are not dropped"
UNITS = "units and signs are not dropped"
# Where our verdict is not theirs; ours is right.
DIFFERENCES = {
    "cot_seed41.json": {
        53: "another answer was read",
        3062: DELIMITERS,
        953: DELIMITERS,
        299: UNITS,
    },
    "mad_3agents_2rounds_seed41.json": {
        53: DELIMITERS,
        843: UNITS,
        1238: DELIMITERS,
        3062: DELIMITERS,
        953: DELIMITERS,
        4616: DELIMITERS,
        299: UNITS,
    },
    "mad_objective_3agents_2rounds_seed41.json": {
        53: DELIMITERS,
        843: UNITS,
        1238: DELIMITERS,
        3062: DELIMITERS,
        953: DELIMITERS,
        4616: DELIMITERS,
        299: UNITS,
    },
    "mad_subjective_3agents_2rounds_seed41.json": {
        53: DELIMITERS,
        843: UNITS,
        1238: DELIMITERS,
        3062: DELIMITERS,
        953: DELIMITERS,
        299: UNITS,
    },
}
OURS = dict(zip(FILES, (0.54, 0.74, 0.80, 0.72), strict=True))


@pytest.mark.parametrize("name", FILES)
def test_the_regrade_command_explains_every_difference(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    out = tmp_path / "out.jsonl"
    assert main([str(shared / RUN / name), "--output", str(out)]) == 0
    lines = [json.loads(line) for line in out.open()]
    assert {line["id"]: line["difference"] for line in lines if "difference" in line} == (
        DIFFERENCES[name]
    )
    for line in lines:
        assert (line["score"] != line["released_score"]) == ("difference" in line)
    assert sum(line["released_score"] for line in lines) / len(lines) == FILES[name]
    assert sum(line["score"] for line in lines) / len(lines) == OURS[name]
    summary = capsys.readouterr().err
    assert "dataset math, by the form of its gold answers" in summary
    assert f"the file reports  {FILES[name]:.4f}" in summary


def test_the_debate_log_is_graded_like_its_results(shared: Path, tmp_path: Path) -> None:
    name = "mad_subjective_3agents_2rounds_seed41"
    graded = []
    for path in (shared / RUN / f"{name}.json", shared / RUN / f"{name}_debate_log.json"):
        assert main([str(path), "--output", str(tmp_path / "out.jsonl")]) == 0
        graded.append((tmp_path / "out.jsonl").read_text())
    assert graded[0] == graded[1]
