"""docs/datasets.md says of every dataset what the registry holds."""

from __future__ import annotations

import re

from madm2.datasets.registry import DATASETS
from tests.conftest import ROOT


def test_the_table_is_the_registry() -> None:
    text = (ROOT / "docs/datasets.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| `(\w+)` (\| \[.+)$", text, re.MULTILINE))
    fetched = {name: DATASETS[name] for name in DATASETS if DATASETS[name].source}
    assert set(table) == set(fetched)
    for name, spec in fetched.items():
        source = spec.source
        assert source
        for part in (source.repo, f"{source.rows:,}", spec.answer_type, source.licence):
            assert part in table[name], name
        assert (source.revision or "resolved")[:7] in table[name], name
        assert ("gated" in table[name]) == source.gated, name


def test_a_pin_is_a_whole_commit() -> None:
    for name in DATASETS:
        if source := DATASETS[name].source:
            assert source.revision is None or re.fullmatch(r"[0-9a-f]{40}", source.revision), name
            assert source.licence and source.citation and source.config and source.files, name
