"""Datasets are downloaded from a hub on the loopback, converted, written and loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from madm2.datasets import download
from madm2.datasets.load import load_dataset, load_file
from madm2.datasets.registry import DATASETS, MMLU_SUBJECTS
from madm2.errors import UserError
from madm2.seeds import subset
from tests.conftest import GOLDEN, ROOT
from tests.unit.hub_client import bring, hub, meta, point_client_at, publish
from tests.unit.hub_emulator import COMMIT, Hub
from tests.unit.hub_rows import WRITERS, source_files, source_row

pytest.importorskip("datasets", reason="datasets is not installed")

__all__ = ["hub"]  # the fixture
NAMES = [name for name in DATASETS if DATASETS[name].source]
CHECKED = ("gsm8k", "math", "aime24", "aime25")


# Of each dataset's invented rows: how many are written, and what the second one says.
WRITTEN = {
    "gsm8k": (3, {"id": 1, "query": "Ann has 1 cups. How many?", "answer": "She has 1.\n#### 1"}),
    "math": (
        21,
        {"id": 1, "query": "What is $1$ of precalculus?", "answer": r"It is $\boxed{1}$."},
    ),
    "math500": (3, {"id": "test/algebra/1.json", "query": "What is $1$?", "answer": "1"}),
    "aime24": (3, {"id": 61, "query": "Find $1$.", "answer": "1"}),
    "aime25": (3, {"id": 1, "query": "Find $1$.", "answer": "1"}),
    "mmlu_pro": (
        3,
        {
            "id": 71,
            "query": "Which is 1?\nA. None\nB. I\nC. 1\nD. d\nE. e\nF. f\nG. g\nH. h\nI. i\nJ. j",
            "answer": "C",
            "options": ["None", "I", "1", *"defghij"],
        },
    ),
    "eleuther_arithmetic": (30, {"id": 1, "query": "What is 1 plus 38?", "answer": "39"}),
    "strategyqa": (3, {"id": "q1", "query": "Are there 1 cups?", "answer": "no"}),
    "amc12": (3, {"id": 1, "query": "Find $1$.", "answer": "1"}),
    "olympiadbench": (
        3,
        {"id": 1601, "query": "Let $x_1$ be given.\nFind $x_1$.", "answer": "1, 7"},
    ),
    "musique": (
        3,
        {
            "id": "2hop__1_1",
            "query": "Cup\nA cup.\n\nAnn\nAnn, 1.\n\nQuestion: Who is 1?",
            "answer": "Ann",
        },
    ),
} | {
    name: (
        rows,
        {
            "id": 1,
            "query": f"{query}\nA. none\nB. {number}\nC. A\nD. n/a",
            "answer": "B",
            "options": ["none", number, "A", "n/a"],
        },
    )
    for name, rows, query, number in (
        ("mmlu", 3, "Which is 1?", "1"),
        ("formal_logic", 3, "Which is 1?", "1"),
        ("logical_fallacies", 3, "Which is 1?", "1"),
        # The second row of each file is not `ok`.
        ("mmlu_redux", 60, "Which is 2 in anatomy?", "2"),
    )
}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "gpqa_diamond"])
def test_every_dataset_downloads_converts_and_loads(name: str, hub: Hub, tmp_path: Path) -> None:
    publish(hub, name)
    assert bring(tmp_path, "--dataset_name", name.upper(), "--allow_modified_data") == 0
    with pytest.raises(UserError, match="is not the data it should be"):
        load_dataset(name, tmp_path / "out")
    questions = load_dataset(name, tmp_path / "out", allow_modified=True)
    rows, second = WRITTEN[name]
    assert len(questions) == rows
    lines = (tmp_path / "out" / name / f"{name}_test.jsonl").read_text().splitlines()
    assert json.loads(lines[1]) == second
    source = DATASETS[name].source
    record = meta(tmp_path, name)
    assert record["source"] == source.repo
    assert record["revision"] == (source.revision or COMMIT)
    assert record["licence"] == source.licence
    assert record["modified"]


def test_gpqa_needs_a_token_and_puts_its_options_in_a_fixed_order(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(hub, "gpqa_diamond", 30)
    hub.gated["Idavidrein/gpqa"] = "hf_good"
    ask = ("--dataset_name", "gpqa_diamond", "--allow_modified_data")
    assert bring(tmp_path, *ask) == 2
    said = capsys.readouterr().err
    assert "accept the terms at https://huggingface.co/datasets/Idavidrein/gpqa" in said
    assert "HF_TOKEN=" in said
    monkeypatch.setenv("HF_TOKEN", "hf_bad")
    assert bring(tmp_path, *ask) == 2
    assert "is the token still good" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    monkeypatch.setenv("HF_TOKEN", "hf_good")
    assert bring(tmp_path, *ask) == 0
    questions = load_dataset("gpqa_diamond", tmp_path / "out", allow_modified=True)
    assert {question.gold for question in questions} == set("ABCD")
    for number, question in enumerate(questions):
        assert question.id == f"rec{number}"
        assert set(question.options) == {f"{number}.0", "None", "NA", "1,5"}, "texts as written"
        assert question.options["ABCD".index(question.gold)] == f"{number}.0"
        assert question.query.startswith(f'Which holds, "{number}"?\nOne only.\nA. ')


def test_a_set_of_the_expected_size_needs_no_flag(hub: Hub, tmp_path: Path) -> None:
    publish(hub, "amc12", 83)
    assert bring(tmp_path, "--dataset_name", "amc12") == 0
    assert len(load_dataset("amc12", tmp_path / "out")) == 83
    assert meta(tmp_path, "amc12")["modified"] == []


@pytest.mark.parametrize("name", CHECKED)
def test_the_papers_rows_pass_the_hash_of_their_queries(
    name: str, hub: Hub, tmp_path: Path, shared: Path
) -> None:
    source = DATASETS[name].source
    lines = (shared / "data" / name / f"{name}_test.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    query = "question" if name == "gsm8k" else "problem"
    answer = "solution" if name == "math" else "answer"
    made = [
        source_row(name, 0, "") | {query: f"{r['query']}\n", answer: r["answer"], "id": r["id"]}
        for r in rows
    ]
    sizes = (546, 479, 871, 540, 1187, 474, 903) if name == "math" else (len(made),)
    files = {}
    for file, size in zip(source.files, sizes, strict=True):
        files[file] = WRITERS["parquet"](made[:size])
        made = made[size:]
    hub.add(source.repo, source.revision, files)
    assert bring(tmp_path, "--dataset_name", name) == 0
    ours = load_dataset(name, tmp_path / "out")
    theirs = load_dataset(name, shared / "data")
    assert [(q.id, q.query, q.gold) for q in ours] == [(q.id, q.query, q.gold) for q in theirs]


def test_a_second_run_downloads_nothing(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(hub, "amc12", 83)
    assert bring(tmp_path, "--dataset_name", "amc12") == 0
    capsys.readouterr()
    before = snapshot(tmp_path)
    hub.requests.clear()
    assert bring(tmp_path, "--dataset_name", "amc12") == 0
    assert "already there" in capsys.readouterr().out
    assert (hub.requests, snapshot(tmp_path)) == ([], before)
    # The written rows are lost: they are made again of the raw files.
    (tmp_path / "out" / "amc12" / "amc12_test.jsonl").unlink()
    assert bring(tmp_path, "--dataset_name", "amc12") == 0
    # The raw files are lost as well: the hub's cache has the pinned commit.
    for path in sorted((tmp_path / "data" / "amc12").rglob("*.parquet")):
        path.unlink()
    (tmp_path / "out" / "amc12" / "amc12_test.jsonl").unlink()
    assert bring(tmp_path, "--dataset_name", "amc12") == 0
    assert (hub.requests, snapshot(tmp_path).keys()) == ([], before.keys())


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for part in ("data", "out")
        for path in sorted((folder / part).rglob("*"))
        if path.is_file()
    }


def test_the_released_two_steps(hub: Hub, tmp_path: Path) -> None:
    publish(hub, "amc12", 83)
    assert bring(tmp_path, "--dataset_name", "amc12", "--prepare_only") == 2
    assert bring(tmp_path, "--dataset_name", "amc12", "--raw_only") == 0
    assert (tmp_path / "data/amc12/data/train-00000-of-00001.parquet").is_file()
    assert not (tmp_path / "out").exists()
    hub.requests.clear()
    assert bring(tmp_path, "--dataset_name", "amc12", "--prepare_only") == 0
    assert len(load_dataset("amc12", tmp_path / "out")) == 83
    assert hub.requests == []


def test_a_set_without_a_pin_records_the_commit_that_it_got(hub: Hub, tmp_path: Path) -> None:
    publish(hub, "mmlu_redux", 100)
    assert DATASETS["mmlu_redux"].source.revision is None
    assert bring(tmp_path, "--dataset_name", "mmlu_redux") == 0
    assert meta(tmp_path, "mmlu_redux")["revision"] == COMMIT
    assert len(load_dataset("mmlu_redux", tmp_path / "out")) == 30 * 99
    hub.requests.clear()
    assert bring(tmp_path, "--dataset_name", "mmlu_redux") == 0
    assert hub.requests == []


def test_all_goes_on_past_what_fails(
    hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in NAMES:
        publish(hub, name)
    hub.gated["Idavidrein/gpqa"] = "hf_good"
    # The subjects of MMLU are files of one repository.
    hub.add("cais/mmlu", None, source_files("mmlu"))
    hub.add("cais/mmlu", DATASETS["mmlu"].source.revision, source_files("formal_logic"))
    assert bring(tmp_path, "--dataset_name", "all", "--allow_modified_data") == 2
    out, err = capsys.readouterr()
    assert "15 of 16 datasets are there; not: gpqa_diamond" in out
    assert err.count("error: ") == 1 and "error: gpqa_diamond: the hub does not give" in err


def test_one_subject_of_mmlu(hub: Hub, tmp_path: Path) -> None:
    source = DATASETS["mmlu"].source
    rows = [source_row("mmlu", n, "") for n in range(4)]
    file = "anatomy/test-00000-of-00001.parquet"
    hub.add(source.repo, source.revision, {file: WRITERS["parquet"](rows)})
    assert bring(tmp_path, "--dataset_name", "mmlu", "--subject", "Anatomy") == 0
    written = tmp_path / "out/mmlu_anatomy/mmlu_anatomy_test.jsonl"
    assert len(load_file(written, "mmlu", "choice")) == 4
    assert len(MMLU_SUBJECTS) == len(set(MMLU_SUBJECTS)) == 57


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--dataset_name", "gsmk8"], "did you mean 'gsm8k'?"),
        (["--dataset_name", "arithmetic"], "arithmetic comes with the project"),
        (["--dataset_name", "mmlu", "--subject", "anatomie"], "did you mean 'anatomy'?"),
        (["--dataset_name", "gsm8k", "--subject", "anatomy"], "--subject goes with"),
        (["--dataset_name", "gsm8k", "--raw_only", "--prepare_only"], "--raw_only goes without"),
        (["--dataset_name", "gsm8k", "--source", "nowhere"], "there is no nowhere"),
        ([], "the following arguments are required: --dataset_name"),
    ],
)
def test_a_mistake_is_one_message(
    args: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert download.main(args) == 2
    assert message in capsys.readouterr().err


def test_the_environment_of_the_hubs_client_holds(hub: Hub, tmp_path: Path) -> None:
    publish(hub, "gpqa_diamond", 198)
    hub.gated["Idavidrein/gpqa"] = "hf_good"

    def command(folder: str, **variables: str) -> subprocess.CompletedProcess[str]:
        places = ["--dataset_dir", f"{folder}/data", "--output_dir", f"{folder}/out"]
        return subprocess.run(
            [
                sys.executable,
                ROOT / "download_datasets.py",
                "--dataset_name",
                "gpqa_diamond",
                *places,
            ],
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith("HF_")},
                "HF_HOME": str(tmp_path / "elsewhere"),
                **variables,
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )

    done = command("one", HF_ENDPOINT=hub.endpoint, HF_TOKEN="hf_good")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "elsewhere" / "hub").is_dir()
    assert "Traceback" not in done.stderr
    hub.requests.clear()
    offline = command("two", HF_ENDPOINT=hub.endpoint, HF_HUB_OFFLINE="1")
    assert offline.returncode == 0, "the cache has it"
    bare = command("three", HF_ENDPOINT=hub.endpoint, HF_HUB_OFFLINE="1", HF_HOME=str(tmp_path))
    assert bare.returncode == 2
    assert "HF_HUB_OFFLINE is set" in bare.stderr and "Traceback" not in bare.stderr
    assert hub.requests == []


@pytest.mark.parametrize("name", CHECKED)
def test_own_files_are_taken_without_a_network(
    name: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_client_at("http://127.0.0.1:9", tmp_path, monkeypatch)
    assert bring(tmp_path, "--dataset_name", name, "--source", str(shared / "data" / name)) == 0
    ours = load_dataset(name, tmp_path / "out")
    theirs = load_dataset(name, shared / "data")
    assert [(q.id, q.query, q.gold) for q in ours] == [(q.id, q.query, q.gold) for q in theirs]
    rules = json.loads((GOLDEN / "released_rules.json").read_text())["subset"]
    for case in (case for case in rules if case["n"] == len(ours)):
        chosen = [ours[i].id for i in subset(len(ours), case["seed"], case["size"])]
        first = min(question.id for question in ours)
        assert [i - first for i in chosen[:10]] == case["first10"]
        assert sum(chosen) - first * len(chosen) == case["sum"]


@pytest.mark.parametrize("kind", ["jsonl", "json", "parquet"])
@pytest.mark.parametrize(
    "place", ["{name}_test.{kind}", "{name}/test.{kind}", "anything.{kind}", "hub"]
)
def test_own_files_may_have_any_usual_name_and_kind(kind: str, place: str, tmp_path: Path) -> None:
    rows = [source_row("strategyqa", n, "") for n in range(687)]
    if kind == "json":
        content = json.dumps(rows).encode()
    else:
        content = WRITERS[kind](rows)
    file = place.format(name="strategyqa", kind=kind)
    if place == "hub":
        file, content = DATASETS["strategyqa"].source.files[0], WRITERS["parquet"](rows)
    path = tmp_path / "own" / file
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert bring(tmp_path, "--dataset_name", "strategyqa", "--source", str(tmp_path / "own")) == 0
    questions = load_dataset("strategyqa", tmp_path / "out")
    assert [q.id for q in questions] == [f"q{n}" for n in range(687)]
    assert bring(tmp_path, "--dataset_name", "strategyqa", "--source", str(path)) == 0
