from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from madm2 import cli
from madm2.datasets.load import load_dataset, load_file
from madm2.datasets.registry import DATASETS
from madm2.errors import UserError

CHECKED = ("gsm8k", "math", "aime24", "aime25")
ROW = '{"id": 1, "query": "q", "answer": "a"}'


def test_rows_become_questions(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [
        {"id": "a1", "query": "One?", "answer": "A", "options": ["x", "y"]},
        {"id": 2, "query": "Two?", "answer": 7, "level": "ignored"},
        {"id": 3, "query": "Three?", "answer": 10**400},
    ]
    path.write_text("\ufeff" + "\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    first, second, third = load_file(path, "x", "choice")
    assert (first.id, first.query, first.gold, first.options) == ("a1", "One?", "A", ("x", "y"))
    assert (second.id, second.gold, second.options) == (2, "7", ())
    assert third.gold == "1" + "0" * 400


def test_rows_without_ids_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"query": "q", "answer": "a"}\n{"query": "r", "answer": "b"}')
    assert [q.id for q in load_file(path, "x", "text")] == [0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no questions"),
        ("\n \n", "holds no questions"),
        (ROW + '\n{"id": 2, "query": "q", "ans', "line 2 is not valid JSON"),
        (ROW + "\n[1]", "line 2 is not a JSON object"),
        (ROW + '\n{"id": 2, "query": "q"}', "line 2 has no 'answer'"),
        (ROW + '\n{"id": 2, "answer": "q"}', "line 2 has no 'query'"),
        (ROW + '\n{"id": 2, "query": " ", "answer": "q"}', "line 2: 'query' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": null}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": true}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": NaN}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": 1e999}', "line 2: 'answer' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": ' + "9" * 5000 + "}", "is not valid JSON"),
        (ROW + '\n{"id": "1", "query": "q", "answer": "a"}', "was used on line 1"),
        (ROW + '\n{"query": "q", "answer": "a"}', "line 2: only some rows have an id"),
        (ROW + '\n{"id": 1.5, "query": "q", "answer": "a"}', "line 2: 'id' must be"),
        (ROW + '\n{"id": 2, "query": "q", "answer": "a", "options": "ab"}', "'options' must be"),
        (b"\xff\xfe", "line 1 is not UTF-8"),
        ("[" * 100_000, "line 1 is not valid JSON"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError) as error:
        load_file(path, "x", "text")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gsm8k", "python download_datasets.py --dataset_name gsm8k"),
        ("logic", "python -m madm2.datasets.generate logic"),
    ],
)
def test_missing_data_says_where_it_should_be(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(UserError, match=f"{name}_test.jsonl") as error:
        load_dataset(name, tmp_path)
    assert says in str(error.value)


@pytest.mark.parametrize("name", CHECKED)
def test_the_real_sets_load(shared: Path, name: str) -> None:
    source = DATASETS[name].source
    assert source
    assert len(load_dataset(name, shared / "data")) == source.rows


def write(folder: Path, name: str, lines: list[str], **record: object) -> Path:
    """A dataset's file, and where there is anything to record its record."""
    path = folder / name / f"{name}_test.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if record:
        meta = {
            "source": "here",
            "revision": "1",
            "rows": len(lines),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "licence": "none",
            "date": "2026-01-01",
            "modified": [],
        }
        path.with_name(f"{name}.meta.json").write_text(json.dumps(meta | record))
    return path


LINES = [f'{{"id": {n}, "query": "q{n}", "answer": "A"}}' for n in range(3)]


@pytest.mark.parametrize(
    ("record", "says"),
    [
        ({"rows": 4}, ["3 rows, the record says 4"]),
        ({"sha256": "0" * 64}, ["the record says 0000000000000000"]),
        (
            {"rows": 4, "sha256": "f" * 64},
            ["the record says 4", "the record says ffffffffffffffff"],
        ),
        ({"modified": ["3 rows, the dataset has 12032"]}, ["the dataset has 12032"]),
    ],
)
@pytest.mark.parametrize("given", ["dataset", "path"])
def test_rows_that_are_not_the_records_are_refused(
    tmp_path: Path, record: dict[str, object], says: list[str], given: str
) -> None:
    path = write(tmp_path, "mmlu_pro", LINES, **record)

    def load(allow_modified: bool) -> int:
        if given == "path":
            return len(load_file(path, "mine", "choice", allow_modified=allow_modified))
        return len(load_dataset("mmlu_pro", tmp_path, allow_modified=allow_modified))

    with pytest.raises(UserError, match="is not the data it should be") as error:
        load(False)
    assert all(text in str(error.value) for text in [*says, "--allow_modified_data"])
    assert load(True) == 3


def test_rows_that_are_the_records_load(tmp_path: Path) -> None:
    write(tmp_path, "mmlu_pro", LINES, date="2026-02-02")
    assert len(load_dataset("mmlu_pro", tmp_path)) == 3


def test_rows_of_ones_own_load_without_a_record(tmp_path: Path) -> None:
    write(tmp_path, "mmlu_pro", LINES)
    assert len(load_dataset("mmlu_pro", tmp_path)) == 3


@pytest.mark.parametrize("record", [{}, {"licence": "MIT"}])
@pytest.mark.parametrize("name", CHECKED)
def test_the_papers_sets_are_checked_with_and_without_a_record(
    name: str, record: dict[str, object], tmp_path: Path
) -> None:
    source = DATASETS[name].source
    assert source
    write(tmp_path, name, LINES, **record)
    with pytest.raises(UserError) as error:
        load_dataset(name, tmp_path)
    assert f"3 rows, the dataset has {source.rows}" in str(error.value)
    assert f"the dataset's to {source.queries_sha256}" in str(error.value)
    assert f"python download_datasets.py --dataset_name {name}" in str(error.value)
    assert len(load_dataset(name, tmp_path, allow_modified=True)) == 3


def test_another_order_of_the_papers_rows_is_found(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "data/aime24/aime24_test.jsonl").read_text(encoding="utf-8").splitlines()
    write(tmp_path, "aime24", [*lines[1:], lines[0]])
    with pytest.raises(UserError, match="queries hash to"):
        load_dataset("aime24", tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"rows": 3}', '"x"'])
def test_a_torn_record_is_one_message(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "mmlu_pro", LINES)
    path.with_name("mmlu_pro.meta.json").write_text(text)
    with pytest.raises(UserError, match="is not the record of a dataset"):
        load_dataset("mmlu_pro", tmp_path)


def test_a_run_refuses_other_rows_and_records_that_it_went_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "data", "aime24", LINES)
    command = ["--engine", "scripted", "--dataset", "aime24", "--data_dir", str(tmp_path / "data")]
    command += ["--save_path", str(tmp_path / "results")]
    assert cli.main(command) == 2
    assert "--allow_modified_data" in capsys.readouterr().err
    assert cli.main([*command, "--allow_modified_data"]) == 0
    (results,) = (tmp_path / "results").rglob("results.json")
    assert json.loads(results.read_text())["settings"]["allow_modified_data"] is True
