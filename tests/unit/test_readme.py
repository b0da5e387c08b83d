"""The README's examples run as written."""

from __future__ import annotations

import re

import pytest

from madm2.cli import build_parser
from madm2.pruners import PRUNERS
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.DOTALL))
def test_python_examples(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(PRUNERS)
    try:
        exec(compile(code, "README.md", "exec"), {})
    finally:
        for name in set(PRUNERS) - before:
            del PRUNERS._entries[name]


def test_every_flag_it_names_exists() -> None:
    flags = {flag for action in build_parser()._actions for flag in action.option_strings}
    named = set(re.findall(r"`(--\w+)", README)) | set(re.findall(r"(?<= )(--\w+)", README))
    assert named and named <= flags


def test_every_file_it_links_to_exists() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_papers_command_line_parses() -> None:
    (command,) = re.findall(r"    python multi_agent_debate.py (.*?)\n\n", README, re.DOTALL)
    args = build_parser().parse_args(command.replace("\\\n", " ").split())
    assert (args.prune_strategy, args.gpu_id, args.parallel) == ("objective", "0,1", True)
