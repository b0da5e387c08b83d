"""The GPUs and the driver, as nvidia-smi tells of them; nothing is imported or initialised."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from madm2.check import Check, failed, ok, warning
from madm2.doctor.pins import CPU, PAPER, too_new_for_paper

NAME = "GPU"
TIMEOUT_S = 20
_FIELDS = "name,memory.total,memory.free,driver_version,compute_cap"
_DRIVER_FIX = "install or update the NVIDIA driver: nvidia-smi must list the GPU"
_BUSY_BELOW = 0.9  # vLLM takes this share of the memory unless told otherwise


@dataclass(frozen=True, slots=True)
class Gpus:
    """The GPUs of a machine, and why there are none where that is a fault.

    Args:
        rows: name, total and free MiB, driver version and compute capability of each.
        fault: what nvidia-smi says or does instead of listing them.
    """

    rows: Sequence[Sequence[str]] = ()
    fault: str = ""

    @property
    def capabilities(self) -> list[str]:
        """Compute capability of each GPU."""
        return [row[4] for row in self.rows]


def find_gpus() -> Gpus:
    """Ask nvidia-smi; a driver that hangs is given up after TIMEOUT_S."""
    command = ["nvidia-smi", f"--query-gpu={_FIELDS}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return Gpus(fault=f"nvidia-smi does not answer within {TIMEOUT_S} s")
    except OSError:
        return Gpus()
    rows = [[part.strip() for part in line.split(",")] for line in done.stdout.splitlines()]
    rows = [row for row in rows if len(row) == 5]
    if done.returncode or not rows:
        said = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
        return Gpus(fault=f"nvidia-smi says: {said[0]}")
    return Gpus(rows)


def check_gpus(gpus: Gpus, requirements: str, wanted: str | None) -> Iterator[Check]:
    """Compare the GPUs with the installed engine.

    Args:
        gpus: see `find_gpus`.
        requirements: the file whose engine is installed.
        wanted: GPUs that the run would use, comma-separated; None when that was not said.
    """
    if not gpus.rows:
        if requirements == CPU:
            yield warning(NAME, f"{gpus.fault or 'none'}; the CPU engine runs without, slowly")
        else:
            what = gpus.fault or "none: there is no nvidia-smi"
            fix = f"{_DRIVER_FIX}; or the CPU engine, in a fresh environment: "
            yield failed(NAME, what, f"{fix}pip install -r {CPU}")
        return
    names = [] if wanted is None else [name.strip() for name in wanted.split(",")]
    for number, (name, total, free, driver, capability) in enumerate(gpus.rows):
        told = f"{number}: {name}, {total} MiB, driver {driver}, compute capability {capability}"
        if requirements == CPU:
            fix = "bash scripts/quickstart.sh in a fresh environment picks the GPU's engine"
            yield warning(NAME, f"{told}; unused: the CPU engine is installed", fix)
        elif requirements == PAPER and too_new_for_paper(capability):
            fix = "in a fresh environment: pip install -r requirements-latest.txt"
            yield failed(NAME, f"{told}; vLLM 0.6.3 has no kernels for it", fix)
        elif _is_busy(total, free) and (not names or str(number) in names):
            fix = "--gpu_id of an idle one, or --set gpu_memory_utilization=F below the free share"
            yield warning(NAME, f"{told}; only {free} MiB are free", fix)
        else:
            yield ok(NAME, told)
    if requirements == CPU:
        return
    fix = f"--gpu_id (or CUDA_VISIBLE_DEVICES) from 0 to {len(gpus.rows) - 1}"
    lacking = [n for n in names if n.isdecimal() and int(n) >= len(gpus.rows)]
    if lacking:
        yield failed(NAME, f"there is no GPU {', '.join(lacking)}", fix)
    elif names in ([""], ["-1"]):
        yield failed(NAME, f"CUDA_VISIBLE_DEVICES={names[0]} hides all of them", fix)


def _is_busy(total: str, free: str) -> bool:
    is_told = total.isdecimal() and free.isdecimal()
    return is_told and int(free) < _BUSY_BELOW * int(total)
