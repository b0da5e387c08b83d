"""The architecture, checked: a module imports only from those above it."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conftest import ROOT

# docs/design.md lists the same order, with what each holds.
ORDER = """
types errors check command files overlap jsonl registry yaml_text engine_keys config model_folder seeds prompts
datasets grading voting routing instruments grade attacks settings decisions conduct pruners methods journal engines
driver summary api runs method_flags grid resolve report run demo_model cli doctor
""".split()


def top(module: str) -> str:
    return module.split(".")[1]


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("madm2."):
            found.add(top(node.module))
        elif isinstance(node, ast.ImportFrom) and node.module == "madm2":
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update(top(a.name) for a in node.names if a.name.startswith("madm2."))
    return found


def test_modules_import_only_from_above() -> None:
    for path in sorted((ROOT / "madm2").rglob("*.py")):
        parts = path.relative_to(ROOT / "madm2").with_suffix("").parts
        if parts[0] == "__init__":
            continue
        assert parts[0] in ORDER, f"{path} has no place in the order"
        rank = ORDER.index(parts[0])
        below = {name for name in imports(path) if ORDER.index(name) > rank}
        assert not below, f"{path} imports from below: {below}"


def test_no_module_at_the_root_is_called_gen() -> None:
    # The latex2sympy2 wheel installs a top-level package of that name.
    assert not (ROOT / "gen.py").exists() and not (ROOT / "gen").exists()
