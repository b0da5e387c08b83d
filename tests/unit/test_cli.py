"""The command line on the scripted engine, in this process and as a program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from madm2.cli import main
from madm2.runs.layout import RunPaths, own_folder
from tests.conftest import ROOT

BASE = [
    "--engine",
    "scripted",
    "--dataset",
    "arithmetic",
    "--data_dir",
    str(ROOT / "processed_data"),
]

ENGINE_LENGTHS = ["max_model_len", "max_num_seqs", "max_num_batched_tokens", "swap_space"]
ENGINE_LENGTHS += ["memory_max_tokens", "judge_max_token_length", "max_token_length"]


def run(*args: object, save_path: Path | None = None) -> int:
    extra = ["--save_path", str(save_path)] if save_path else []
    return main([*BASE, *map(str, args), *extra])


def folder(save_path: Path, name: str) -> Path:
    return save_path / "main" / "scripted" / "arithmetic" / name


def test_a_run_writes_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--limit", 8, "--prune_strategy", "subjective", save_path=tmp_path) == 0
    out = capsys.readouterr().out
    for word in ("accuracy", "tokens in / out", "time", "kept memories", "unparsed answers"):
        assert word in out
    run_folder = folder(tmp_path, "mad_subjective_3agents_2rounds_seed42")
    samples = [json.loads(line) for line in (run_folder / "samples.jsonl").open()]
    results = json.loads((run_folder / "results.json").read_text())
    assert len(samples) == results["questions"] == 8
    for name in ("paper", "released"):
        right = sum(s["scores"][name]["status"] == "correct" for s in samples)
        assert results["accuracy"][name] == right / 8
    masks = [s["rounds"][1]["mask"]["keep"] for s in samples]
    assert results["kept_memories"] == sum(map(sum, masks))
    calls = [c for s in samples for r in s["rounds"] for c in r["completions"]]
    calls += [c for s in samples for c in s["rounds"][1]["mask"]["completions"]]
    assert results["output_tokens"]["total"] == sum(c["output_tokens"] for c in calls)
    assert not list(tmp_path.rglob("*.partial"))


def test_samples_come_in_subset_order_and_a_limit_takes_the_first(tmp_path: Path) -> None:
    assert run("--num_samples", 20, save_path=tmp_path / "a") == 0
    assert run("--num_samples", 20, "--limit", 5, save_path=tmp_path / "b") == 0
    ids = {}
    for part in "ab":
        path = folder(tmp_path / part, "mad_3agents_2rounds_seed42") / "samples.jsonl"
        ids[part] = [json.loads(line)["id"] for line in path.open()]
    assert ids["a"][:5] == ids["b"]
    assert ids["a"] != sorted(ids["a"])


@pytest.mark.parametrize("instrument", ["paper", "released"])
def test_the_released_files_have_the_released_keys(tmp_path: Path, instrument: str) -> None:
    args = ["--num_agents", 4, "--max_round", 3, "--prune_strategy", "subjective", "--limit", 6]
    assert run(*args, "--instrument", instrument, save_path=tmp_path) == 0
    name = "mad_subjective_4agents_3rounds_seed42"
    name += "" if instrument == "paper" else "_instrument-released"
    results = json.loads(folder(tmp_path, f"{name}.json").read_text())
    assert set(results) == {
        "accuracy", "token_usage_summary", "results", "time_consumption", "average_time_per_sample",
    }  # fmt: skip
    usage = results["token_usage_summary"]
    assert set(usage) == {
        "total_input_tokens", "total_output_tokens", "total_tokens", "call_count", "history",
    }  # fmt: skip
    # One call a round and agent, one a question and round boundary for its judges.
    assert usage["call_count"] == len(usage["history"]) == 3 * 4 + 2 * 6
    assert usage["total_tokens"] == sum(h["total_tokens"] for h in usage["history"])
    ours = json.loads((folder(tmp_path, name) / "results.json").read_text())
    assert usage["total_output_tokens"] == ours["output_tokens"]["total"]
    assert results["accuracy"] == ours["accuracy"][instrument]
    for row in results["results"]:
        assert set(row) == {
            "id", "question", "pred", "ground_truth", "debate_history", "consensus",
            "mask_history", "perplexity_history",
        }  # fmt: skip
        assert row["mask_history"][0] == [[], [], [], []]
        assert all(type(keep) is bool for keep in row["mask_history"][2])
        assert len(row["debate_history"]) == len(row["perplexity_history"]) == 3
        assert set(row["debate_history"][0][0]) == {"think", "answer"}
    log = json.loads(folder(tmp_path, f"{name}_debate_log.json").read_text())
    assert list(log) == [str(row["id"]) for row in results["results"]]
    first = log[str(results["results"][0]["id"])]
    assert [r["round"] for r in first["rounds"]] == [1, 2, 3]
    assert set(first["rounds"][0]) == {"round", "agents", "common_answer", "consensus"}
    assert set(first["rounds"][0]["agents"][0]) == {"prompt", "response", "perplexity"}


@pytest.mark.parametrize(
    ("args", "name"),
    [
        (["--only_voting"], "mad_3agents_1rounds_seed42"),
        (["--max_rounds", "1"], "mad_3agents_1rounds_seed42"),
        (["--prune_strategy", "subjective", "--strict"], "mad_strict_subjective_3agents_2rounds_seed42"),
        (["--prune_strategy", "objective", "--objective_keep", "2"], "mad_objective_3agents_2rounds_seed42_objective_keep-2"),
        (["--mode", "cot"], "cot_seed42"),
        (["--method", "cot", "--num_agents", "1", "--max_round", "1", "--only_voting"], "cot_seed42"),
        (["--mode", "cot", "--self_consistency"], "cot_sc_6paths_seed42"),
        (["--mode", "cot", "--method", "cot_sc", "--num_reasoning_paths", "4"], "cot_sc_4paths_seed42"),
        (["--method", "cot_sc", "--self_consistency", "--num_agents", "6"], "cot_sc_6paths_seed42"),
        (["--mode", "mad"], "mad_3agents_2rounds_seed42"),
        (["--mode", "mad", "--method", "sparse_mad", "--num_agents", "5"], "sparse_mad_5agents_2rounds_seed42"),
        (["--method", "sparse_mad", "--prune_strategy", "subjective", "--strict"], "sparse_mad_strict_subjective_3agents_2rounds_seed42"),
        (["--route", "majority:2/3"], "mad_3agents_2rounds_seed42_route-majority-2-3"),
        (["--route", "majority:.50"], "mad_3agents_2rounds_seed42_route-majority-0.5"),
        (["--route", "none"], "mad_3agents_2rounds_seed42"),
        (["--prune_strategy", "random_k", "--random_keep", "2"], "mad_random_k_3agents_2rounds_seed42_random_keep-2"),
        (["--prune_strategy", "oracle"], "mad_oracle_3agents_2rounds_seed42"),
        (["--answer_hint", "--seed", "7"], "mad_3agents_2rounds_seed7_answer_hint-on"),
        (["--revision", "v1/a"], "mad_3agents_2rounds_seed42_revision-v1-a"),
        (["--set", "temperature=0.5", "top_p=0.9"], "mad_3agents_2rounds_seed42_temperature-0.5_top_p-0.9"),
    ],
)  # fmt: skip
def test_choices_that_are_not_the_default_are_named(
    tmp_path: Path, args: list[str], name: str
) -> None:
    assert run(*args, "--limit", 2, save_path=tmp_path) == 0
    assert (folder(tmp_path, name) / "results.json").is_file()


def test_a_dry_run_shows_the_run_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(ROOT / "processed_data")
    assert (
        main(
            [
                "--dataset",
                "ARITHMETIC",
                "--data_dir",
                data,
                "--dry_run",
                "--save_path",
                str(tmp_path),
            ]
        )
        == 0
    )
    plan = yaml.safe_load(capsys.readouterr().out)
    assert plan["model"]["path"] == "Qwen/Qwen2.5-7B-Instruct"
    assert plan["model"]["sampling"]["max_tokens"] == 24064
    assert plan["questions"] == 100
    assert "<answer>" in plan["first_prompt"]
    assert not list(tmp_path.iterdir())


def test_ones_own_questions(tmp_path: Path) -> None:
    path = tmp_path / "Quiz.jsonl"
    path.write_text('{"query": "Capital of France?", "answer": "Paris"}\n')
    args = ["--engine", "scripted", "--dataset_path", str(path), "--save_path", str(tmp_path)]
    assert main([*args, "--answer_type", "text"]) == 0
    assert (tmp_path / "main/scripted/quiz/mad_3agents_2rounds_seed42/results.json").is_file()


def test_a_model_folder_without_a_model_gets_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model").mkdir()
    args = ["--dataset", "arithmetic", "--data_dir", str(ROOT / "processed_data")]
    assert main([*args, "--model_path", str(tmp_path / "model")]) == 2
    assert "holds no config.json" in capsys.readouterr().err


def test_an_interrupted_run_leaves_the_former_result_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("--limit", 4, save_path=tmp_path) == 0
    path = folder(tmp_path, "mad_3agents_2rounds_seed42") / "samples.jsonl"
    before = path.read_bytes()

    def stop(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("madm2.engines.scripted.ScriptedEngine.step", stop)
    assert run("--limit", 8, save_path=tmp_path) == 130
    assert path.read_bytes() == before


def test_a_long_name_is_cut_and_stays_apart(tmp_path: Path) -> None:
    for word in ("ab", "ac"):
        settings = [f"{key}=100" for key in ENGINE_LENGTHS] + [f"stop={'x' * 90}{word}"]
        assert run("--limit", 2, "--set", *settings, save_path=tmp_path) == 0
    folders = [path.parent for path in tmp_path.rglob("results.json")]
    assert len(folders) == 2
    for path in folders:
        assert path.with_name(f"{path.name}_debate_log.json").is_file()


@pytest.mark.parametrize("name", ["results.json", "samples.jsonl", ".json", "_debate_log.json"])
def test_a_folder_in_the_way_is_found_before_the_debate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    path = folder(tmp_path, "mad_3agents_2rounds_seed42")
    (path / name if name[0] in "rs" else path.with_name(path.name + name)).mkdir(parents=True)
    assert run("--limit", 2, save_path=tmp_path) == 2
    assert capsys.readouterr().err.startswith("error: cannot write")
    assert not list(tmp_path.rglob("*.partial"))


def test_a_file_in_the_way_of_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "main").write_text("a file")
    assert run("--limit", 2, save_path=tmp_path) == 2
    assert "have: Not a directory" in capsys.readouterr().err


def test_two_runs_do_not_share_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with own_folder(RunPaths(folder(tmp_path, "mad_3agents_2rounds_seed42"))):
        assert run("--limit", 2, save_path=tmp_path) == 2
        assert "another run is writing to" in capsys.readouterr().err
        assert run("--limit", 2, "--seed", 1, save_path=tmp_path) == 0
    assert run("--limit", 2, save_path=tmp_path) == 0


def test_a_reader_that_leaves_early_does_no_harm(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, str(ROOT / "multi_agent_debate.py"), *BASE, "--limit", "2"]
    done = subprocess.run(command, cwd=tmp_path, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(tmp_path.rglob("results.json"))


def test_a_terminal_that_knows_ascii_only(tmp_path: Path) -> None:
    path = tmp_path / "é.jsonl"
    path.write_text(json.dumps({"query": "où? \ud800", "answer": "là"}), encoding="utf-8")
    command = [sys.executable, str(ROOT / "multi_agent_debate.py"), "--engine", "scripted"]
    command += ["--dataset_path", str(path), "--answer_type", "text"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    for extra in ([], ["--dry_run"]):
        done = subprocess.run(
            [*command, *extra], cwd=tmp_path, env=environment, check=True, capture_output=True
        )
        assert b"\\xe9" in done.stdout


def test_help_and_a_run_load_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from madm2.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        f"assert main({[*BASE, '--limit', '2', '--save_path', str(tmp_path)]!r}) == 0\n"
        "heavy = {'torch', 'vllm', 'transformers', 'datasets', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)


def test_it_runs_as_a_program_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "multi_agent_debate.py"), *BASE, "--limit", "2"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "accuracy" in done.stdout
    assert (tmp_path / "results/main/scripted/arithmetic").is_dir()


def test_another_configuration_in_the_folder_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--limit", 4, save_path=tmp_path) == 0
    path = folder(tmp_path, "mad_3agents_2rounds_seed42") / "samples.jsonl"
    before = path.read_bytes()
    assert run("--limit", 2, save_path=tmp_path) == 2
    assert "4 questions there, 2 now" in capsys.readouterr().err
    assert run("--limit", 4, "--model_name", "qwen2.5-math-7b", save_path=tmp_path) == 2
    assert "model.name: 'scripted' there" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert run("--limit", 6, save_path=tmp_path) == 0
    assert path.read_bytes().startswith(before), "more questions extend a run"


def test_guessing_is_named_where_it_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--dataset", "logic", "--limit", 2, save_path=tmp_path) == 0
    assert "accuracy of guessing" in capsys.readouterr().out


def test_a_missing_package_is_one_short_message(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['yaml'] = None\n"
        "from madm2.cli import main\n"
        f"sys.exit(main({[*BASE, '--limit', '2', '--save_path', str(tmp_path)]!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "the package yaml is not installed" in done.stderr and "Traceback" not in done.stderr
