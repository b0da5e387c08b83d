"""Mistakes on the command line: one short message each, and exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from madm2.cli import main
from tests.unit.test_cli import run


def bad_file(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)
    return ["--dataset_path", str(path), "--answer_type", "text"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--dataset", "gsm9k"], "did you mean 'gsm8k'?"),
        (["--engine", "vllm", "--model_name", "qwen2.5-8b"], "did you mean 'qwen2.5-7b'?"),
        (["--prune_strategy", "subjectiv"], "did you mean 'subjective'?"),
        (["--instrument", "papr"], "did you mean 'paper'?"),
        (["--engine", "vlm"], "did you mean 'vllm'?"),
        (["--set", "temprature=1"], "did you mean 'temperature'?"),
        (["--config", "nowhere.yaml"], "cannot read the configuration"),
        (["--data_dir", "nowhere"], "no data for 'arithmetic'"),
        (["--num_agents", "0"], "--num_agents must be ≥ 1"),
        (["--num_agents", "three"], "invalid int value"),
        (["--max_round", "0"], "--max_round must be ≥ 1"),
        (["--limit", "0"], "--limit must be ≥ 1"),
        (["--num_samples", "some"], "--num_samples must be"),
        (["--num_samples", "0"], "--num_samples must be"),
        (["--seed", "-1"], "--seed is out of range"),
        (["--gpu_id", "0;1"], "--gpu_id is not a list of GPUs"),
        (["--gpu_id", "0,0"], "--gpu_id is not a list of GPUs"),
        (["--answer_type", "text"], "goes with --dataset_path"),
        (["--mode", "sparse"], "unknown mode"),
        (["--method", "sparse"], "did you mean 'sparse_mad'?"),
        (["--mode", "cot", "--method", "mad"], "have: --mode cot, --method mad"),
        (["--mode", "mad", "--method", "cot"], "have: --mode mad, --method cot"),
        (["--mode", "cot", "--method", "sparse_mad"], "name different methods"),
        (["--mode", "cot", "--self_consistency", "--method", "cot"], "--self_consistency, --method cot"),
        (["--self_consistency"], "--self_consistency goes with --mode cot"),
        (["--self_consistency", "--method", "mad"], "--self_consistency goes with --mode cot"),
        (["--self_consistency", "--method", "cot"], "--self_consistency goes with --mode cot"),
        (["--num_reasoning_paths", "4"], "--num_reasoning_paths goes with --method cot_sc"),
        (["--num_reasoning_paths", "4", "--mode", "cot"], "--num_reasoning_paths goes with"),
        (["--num_reasoning_paths", "4", "--method", "sparse_mad"], "--num_reasoning_paths goes with"),
        (["--num_reasoning_paths", "0", "--method", "cot_sc"], "--num_reasoning_paths must be ≥ 1"),
        (["--method", "cot", "--num_agents", "3"], "--num_agents is for debates, and cot is none"),
        (["--method", "cot_sc", "--num_agents", "3"], "--num_reasoning_paths says how many"),
        (["--method", "cot_sc", "--max_round", "2"], "--max_round is for debates"),
        (["--mode", "cot", "--prune_strategy", "objective"], "--prune_strategy is for debates"),
        (["--method", "cot_sc", "--route", "majority:0.5"], "--route is for debates"),
        (["--route", "majority"], "need: majority:T with 0 < T ≤ 1"),
        (["--route", "majority:0"], "need: majority:T with 0 < T ≤ 1"),
        (["--route", "majority:1.01"], "need: majority:T with 0 < T ≤ 1"),
        (["--route", "majority:1/0"], "need: majority:T with 0 < T ≤ 1"),
        (["--route", "majority:1e-9999999999"], "need: majority:T with 0 < T ≤ 1"),
        (["--route", "minority:0.5"], "need: majority:T with 0 < T ≤ 1"),
        (["--route", "majority:0.5", "--only_voting"], "have: --only_voting"),
        (["--route", "majority:0.5", "--max_round", "1"], "have: --max_round 1"),
        (["--random_keep", "0"], "--random_keep must be ≥ 1"),
        (["--prune_strategy", "random"], "did you mean 'random_k'?"),
        (["--prompts", "nope"], "unknown prompt set"),
        (["--num_agent", "3"], "unrecognized arguments"),
        (["--engine", "vllm", "--model_path", "/no/such/model"], "does not exist"),
        (["--gpu_id", "٣"], "--gpu_id is not a list of GPUs"),
        (["--dataset", ""], "--dataset is empty"),
        (["--dataset_path", ""], "--dataset_path is empty"),
        (["--model_path", " "], "--model_path is empty"),
        (["--exp_name", ""], "--exp_name is empty"),
        (["--exp_name", "/absolute"], "--exp_name must lie below --save_path"),
        (["--exp_name", "a/../../b"], "--exp_name must lie below --save_path"),
        (["--exp_name", "x" * 300], "have: File name too long"),
        (["--data_dir", "x" * 300], "have: File name too long"),
        (["--dataset", "x" * 5000], "need: one of"),
    ],
)  # fmt: skip
def test_mistakes_get_one_short_message_and_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    assert run(*args, save_path=tmp_path) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ")
    assert message in captured.err
    assert "Traceback" not in captured.err and len(captured.err.splitlines()) <= 4
    assert max(map(len, captured.err.splitlines())) <= 403
    assert not captured.out and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no questions"),
        ('{"query": "q"}', "line 1 has no 'answer'"),
        ('{"query": "q", "answer": "a"}\n{"query"', "line 2 is not valid JSON"),
    ],
)
def test_bad_data_gets_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert main(["--engine", "scripted", *bad_file(tmp_path, text)]) == 2
    assert message in capsys.readouterr().err
