"""FREE-MAD-N under attack and FREE-MAD-C without, of four agents over the real engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from madm2.cli import main
from tests.e2e.test_main_job import debate

pytestmark = pytest.mark.real_engine
TAMPER = ("--attack", "tamper", "--compromised", "0.25")


@pytest.mark.parametrize(("stance", "attack"), [("anticonformity", TAMPER), ("conformity", ())])
def test_free_mad(tiny_model: Path, tmp_path: Path, stance: str, attack: tuple[str, ...]) -> None:
    how = ("--decision", "freemad", "--stance", stance, "--num_agents", "4", "--prompts", "small")
    done = debate(tiny_model, tmp_path / "live", *how, *attack, "--set", "max_model_len=2048")
    assert done.returncode == 0, done.stderr
    assert f"decision freemad, stance {stance}" in done.stdout
    assert ("memories attacked" in done.stdout) == bool(attack)
    assert "too long" not in done.stdout
    path = next(tmp_path.rglob("samples.jsonl"))
    for line in path.open():
        sample = json.loads(line)
        assert sample["scores"]["paper"]["choice"]["decision"] == "freemad"
        mask = sample["rounds"][1]["mask"]
        assert [e.get("attack") for e in mask["evidence"]].count("tamper") == len(attack) / 4
        (prompt,) = sample["rounds"][1]["prompts"]
        assert ("So the result is certain" in prompt[0]["content"]) == bool(attack)
    again = ["--engine", "replay", "--from", path.parent, "--save_path", tmp_path / "again"]
    assert main(list(map(str, again))) == 0
    replayed = next((tmp_path / "again").rglob("samples.jsonl"))
    assert replayed.read_bytes() == path.read_bytes()
