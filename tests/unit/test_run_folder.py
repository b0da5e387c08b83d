"""What a run folder says, and what becomes of one that is finished, damaged or in the way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from madm2.cli import main
from madm2.runs.__main__ import main as show
from tests.conftest import ROOT
from tests.unit.scripted_runs import flags, program, rows, run_folder, same_results


def test_a_finished_run_answers_without_an_engine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(flags(tmp_path, "--limit", 5)) == 0
    first = capsys.readouterr().out
    before = {
        p: p.stat().st_mtime_ns for p in tmp_path.rglob("*.json*") if p.name != "manifest.json"
    }
    monkeypatch.setattr("madm2.run._debate", None)
    assert main(flags(tmp_path, "--limit", 5)) == 0
    assert capsys.readouterr().out == first
    assert {p: p.stat().st_mtime_ns for p in before} == before
    manifest = json.loads((run_folder(tmp_path) / "manifest.json").read_text())
    assert len(manifest["sessions"]) == 2


def test_more_questions_go_on_from_what_is_there(tmp_path: Path) -> None:
    assert main(flags(tmp_path / "a", "--limit", 5)) == 0
    former = rows(run_folder(tmp_path / "a"))
    assert main(flags(tmp_path / "a", "--limit", 9)) == 0
    assert rows(run_folder(tmp_path / "a"))[: len(former)] == former
    assert main(flags(tmp_path / "b", "--limit", 9)) == 0
    same_results(run_folder(tmp_path / "a"), run_folder(tmp_path / "b"))


def test_overwrite_moves_the_former_run_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run_folder(tmp_path)
    assert main(flags(tmp_path, "--limit", 5)) == 0
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    for number in (1, 2):
        assert main(flags(tmp_path, "--limit", 2, "--overwrite")) == 0
        assert f"{folder.name}.old{number}" in capsys.readouterr().err
    old = folder.with_name(f"{folder.name}.old1")
    assert {p.name: p.read_bytes() for p in old.iterdir()} == before
    assert old.with_name(f"{old.name}_debate_log.json").is_file()
    assert len((folder / "samples.jsonl").read_text().splitlines()) == 2


def test_a_run_without_its_manifest_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(tmp_path, "--limit", 2)) == 0
    manifest = run_folder(tmp_path) / "manifest.json"
    for damage in (
        manifest.unlink,
        lambda: manifest.write_text("{"),
        lambda: manifest.write_text("{}"),
    ):
        damage()
        assert main(flags(tmp_path, "--limit", 2)) == 2
        err = capsys.readouterr().err
        assert "manifest.json" in err and "--overwrite" in err
    assert main(flags(tmp_path, "--limit", 2, "--overwrite")) == 0


def test_the_manifest_says_how_a_run_was_made(tmp_path: Path) -> None:
    assert main(flags(tmp_path, "--limit", 2, "--set", "temperature=0.5")) == 0
    folder = run_folder(tmp_path, "mad_subjective_3agents_2rounds_seed42_temperature-0.5")
    manifest = json.loads((folder / "manifest.json").read_text())
    assert "--set" in manifest["command"]
    assert manifest["arguments"]["set"] == ["temperature=0.5"]
    assert manifest["settings"]["model"]["sampling"]["temperature"] == 0.5
    assert (
        len(manifest["settings"]["data_sha256"])
        == len(manifest["settings"]["prompts_sha256"])
        == 64
    )
    assert manifest["engine"]["engine"] == "scripted"
    here = manifest["environment"]
    assert here["python"] and here["platform"] and here["packages"]["sympy"]
    assert len(here["code_sha256"]) == 64
    if (ROOT / ".git").exists() and shutil.which("git"):
        assert len(here["git"]["commit"]) == 40 and here["git"]["dirty"] in (True, False)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    tmp_path.chmod(0o500)
    try:
        done = subprocess.run(program(tmp_path), capture_output=True, text=True)
    finally:
        tmp_path.chmod(0o700)
    assert done.returncode == 2 and "Permission denied" in done.stderr


def test_a_finished_run_in_a_folder_that_cannot_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(flags(tmp_path, "--limit", 5)) == 0
    first = capsys.readouterr().out
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK and access(path, mode))
    assert main(flags(tmp_path, "--limit", 5)) == 0
    assert capsys.readouterr().out == first
    assert main(flags(tmp_path, "--limit", 4)) == 2
    assert "5 questions there, 4 now" in capsys.readouterr().err


def test_going_on_after_an_overwrite_is_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("madm2.engines.scripted.ScriptedEngine.step", interrupt)
    assert main(flags(tmp_path, "--overwrite")) == 130
    assert "the same command without --overwrite goes on" in capsys.readouterr().err


def test_overwrite_takes_no_name_that_is_used(tmp_path: Path) -> None:
    folder = run_folder(tmp_path)
    assert main(flags(tmp_path, "--limit", 2)) == 0
    mine = folder.with_name(f"{folder.name}.old1.json")
    mine.write_text("mine")
    assert main(flags(tmp_path, "--limit", 2, "--overwrite")) == 0
    assert mine.read_text() == "mine"
    assert folder.with_name(f"{folder.name}.old2").is_dir()


@pytest.mark.parametrize(
    ("name", "value"),
    [("settings", None), ("settings", []), ("sessions", None), ("sessions", []), ("arguments", None), ("engine", 5), ("version", 2)],
)  # fmt: skip
def test_a_manifest_of_wrong_kinds_is_one_message(
    tmp_path: Path, name: str, value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(flags(tmp_path, "--limit", 2)) == 0
    folder = run_folder(tmp_path)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, name: value}))
    capsys.readouterr()
    replay = ["--engine", "replay", "--from", str(folder), "--save_path", str(tmp_path)]
    for command, words in (
        (main, flags(tmp_path, "--limit", 2)),
        (main, replay),
        (show, ["show", str(folder)]),
        (show, ["diff", str(folder), str(folder)]),
    ):
        assert command(words) == 2
        assert "manifest.json" in capsys.readouterr().err


def test_what_is_shown_of_a_damaged_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(flags(tmp_path, "--limit", 2)) == 0
    folder = run_folder(tmp_path)
    capsys.readouterr()
    assert show(["show", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["state"]["finished"] is True
    for content in ("[]", "{}", "x"):
        (folder / "results.json").write_text(content)
        assert show(["show", str(folder)]) == 2
        assert "results.json is damaged" in capsys.readouterr().err
    (folder / "results.json").unlink()
    (folder / "journal.jsonl").unlink()
    (folder / "journal.jsonl").mkdir()
    assert show(["show", str(folder)]) == 2
    assert f"{folder / 'journal.jsonl'}" in capsys.readouterr().err
    assert show(["show", str(folder / "samples.jsonl")]) == 2
    assert "is no run folder" in capsys.readouterr().err


def test_where_two_runs_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for part, seed in (("a", 1), ("b", 2)):
        assert main(flags(tmp_path / part, "--limit", 2, "--seed", seed)) == 0
    one, other = (
        str(run_folder(tmp_path / part, f"mad_subjective_3agents_2rounds_seed{seed}"))
        for part, seed in (("a", 1), ("b", 2))
    )
    capsys.readouterr()
    assert show(["diff", one, one]) == 0
    assert capsys.readouterr().out == ""
    assert show(["diff", one, other]) == 1
    assert "settings.seed: 1 | 2" in capsys.readouterr().out.splitlines()
    assert show(["diff", one]) == 2
