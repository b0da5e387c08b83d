"""The README's examples run as written."""

from __future__ import annotations

import re

import pytest

from madm2.cli import build_parser
from madm2.datasets.download import _parser as download_parser
from madm2.grid import spread
from madm2.pruners import PRUNERS
from madm2.report.__main__ import build_parser as report_parser
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
    parsers = (build_parser(), download_parser(), report_parser())
    flags = {flag for p in parsers for action in p._actions for flag in action.option_strings}
    text = re.sub(r"^ +bash .*$", "", README, flags=re.MULTILINE)  # scripts have flags of their own
    named = set(re.findall(r"`(--\w+)", text)) | set(re.findall(r"(?<= )(--\w+)", text))
    assert named and named <= flags


def test_every_file_it_links_to_exists() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_command_lines_parse() -> None:
    commands = re.findall(r"    python multi_agent_debate.py ((?:.*\\\n)*.*)\n", README)
    runs = [
        spread(build_parser().parse_args(command.replace("\\\n", " ").split()))
        for command in commands
    ]
    first = runs[0][0]
    assert (first.prune_strategy, first.gpu_id, first.parallel) == ("objective", "0,1", True)
    assert len(runs[1]) == 2 * 5 * 5, "two datasets, five seeds, five methods"
