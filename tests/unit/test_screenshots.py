"""scripts/screenshots.sh with a stand-in for the browser: what it is asked for, and its errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.report_runs import folders

BROWSER = """#!/bin/sh
for word; do case "$word" in
    --screenshot=*) out="${word#*=}" ;;
    --window-size=*) size="${word#*=}" ;;
    file://*) page="${word#file://}" ;;
esac; done
grep -q '<title>' "${page%%#*}" && echo "$size ${page##*.html}" > "$out"
"""


def take(tmp_path: Path, browser: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "browser"
    path.write_text(browser)
    path.chmod(0o755)
    out = tmp_path / "shots"
    env = {**os.environ, "BROWSER": str(path), "PYTHON": sys.executable, "OUT": str(out)}
    script = [str(ROOT / "scripts" / "screenshots.sh"), *words]
    return subprocess.run(["bash", *script], env=env, capture_output=True, text=True, timeout=300)


def test_three_pictures(report_runs: Path, tmp_path: Path) -> None:
    ended = take(tmp_path, BROWSER, str(next(folders(report_runs))))
    assert ended.returncode == 0, ended.stderr
    pictures = {p.name: p.read_text().split() for p in (tmp_path / "shots").iterdir()}
    assert pictures == {
        "report.png": ["1400,1000"],
        "debate.png": ["1400,1300", "#d243"],
        "narrow.png": ["400,1000", "#d243"],
    }


@pytest.mark.parametrize("browser", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\nexit 0\n"])
def test_a_browser_that_fails(report_runs: Path, tmp_path: Path, browser: str) -> None:
    ended = take(tmp_path, browser, str(next(folders(report_runs))))
    assert ended.returncode == 1
    assert not list((tmp_path / "shots").iterdir())


def test_runs_that_are_not_there(tmp_path: Path) -> None:
    ended = take(tmp_path, BROWSER, str(tmp_path / "nothing"))
    assert ended.returncode == 2 and "is not there" in ended.stderr
