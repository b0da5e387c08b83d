"""docs/tables.md: its commands are right, and make as many runs as it says."""

from __future__ import annotations

import re
import shlex

import pytest

from madm2.grid import spread
from tests.conftest import ROOT
from tests.unit.paper_scripts import BASH, commands, flags

pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")
TEXT = (ROOT / "docs" / "tables.md").read_text()
COMMANDS = re.findall(r"^    (.*bash scripts/.*)$", TEXT.replace("\\\n", " "), re.MULTILINE)
ROWS = re.findall(r"^\| .* \| `bash scripts/(\w+)\.sh` \| .* \| (\d+).* \|$", TEXT, re.MULTILINE)


def test_it_names_every_script() -> None:
    assert len(COMMANDS) >= 8 and len(ROWS) == 6
    for path in (ROOT / "scripts").glob("*.sh"):
        if 'cells "' in path.read_text() or path.name.startswith("run_all"):
            assert path.name in TEXT


@pytest.mark.parametrize("line", COMMANDS)
def test_its_commands(line: str) -> None:
    before, _, after = line.partition("bash scripts/")
    name, *words = shlex.split(after, comments=True)
    env = dict(text.split("=") for text in shlex.split(before) if text != "DRY_RUN=1")
    for command in commands(name.removesuffix(".sh"), *words, **env):
        flags(command)


@pytest.mark.parametrize(("name", "runs"), ROWS)
def test_its_numbers(name: str, runs: str) -> None:
    assert sum(len(spread(flags(command))) for command in commands(name)) == int(runs)
