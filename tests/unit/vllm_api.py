"""Reads the parts of vLLM's interface that this project uses from vLLM's source, importing nothing.

`python tests/unit/vllm_api.py FOLDER` prints them as JSON for the vllm package in FOLDER; the files
tests/golden/vllm_*_api.json were made so.
"""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

# The classes' files; 0.6.3 keeps its engine elsewhere.
_FILES = {
    "EngineArgs": ("engine/arg_utils.py",),
    "SamplingParams": ("sampling_params.py",),
    "LLM": ("entrypoints/llm.py",),
    "LLMEngine": ("v1/engine/llm_engine.py", "engine/llm_engine.py"),
    "RequestOutput": ("outputs.py",),
    "CompletionOutput": ("outputs.py",),
    "Logprob": ("logprobs.py", "sequence.py"),
    "RequestOutputKind": ("sampling_params.py",),
}
_SHUTDOWN = (
    ("v1/engine/core_client.py", "EngineCoreClient"),
    ("executor/executor_base.py", "ExecutorBase"),
)
_METHODS = {
    "LLM": ("__init__",),
    "LLMEngine": ("add_request", "step", "abort_request", "has_unfinished_requests"),
    "RequestOutput": ("__init__",),
}


def read_api(root: Path) -> dict[str, list[str]]:
    """Field names of classes, and parameter names of methods, of the vllm package in `root`."""
    api: dict[str, list[str]] = {}
    for name, files in _FILES.items():
        found = _class(root, files, name)
        if name in _METHODS:
            api |= {f"{name}.{method}": _parameters(found, method) for method in _METHODS[name]}
        else:
            api[name] = _fields(found)
    for file, name in _SHUTDOWN:
        if (root / file).is_file():
            api["shutdown"] = _parameters(_class(root, (file,), name), "shutdown")
            break
    return api


def _class(root: Path, files: tuple[str, ...], name: str) -> ast.ClassDef:
    file = next(root / file for file in files if (root / file).is_file())
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return next(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == name)


def _fields(found: ast.ClassDef) -> list[str]:
    names = [
        node.target.id
        for node in found.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    names += [  # members of an enum
        target.id
        for node in found.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    return [name for name in names if not name.startswith("_")]


def _parameters(found: ast.ClassDef, method: str) -> list[str]:
    # The last definition: those before it are overloads.
    *_, last = (n for n in found.body if isinstance(n, ast.FunctionDef) and n.name == method)
    names = [a.arg for a in (*last.args.posonlyargs, *last.args.args, *last.args.kwonlyargs)]
    rest = [f"**{last.args.kwarg.arg}"] if last.args.kwarg else []
    return [name for name in names if name != "self"] + rest


if __name__ == "__main__":
    rows = (f" {json.dumps(k)}: {json.dumps(v)}" for k, v in read_api(Path(sys.argv[1])).items())
    print("{\n" + ",\n".join(rows) + "\n}")
