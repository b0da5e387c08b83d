"""scripts/setup_env.sh, with a stand-in for Python, pip and nvidia-smi on the path."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

BASH = shutil.which("bash")
TOOLS = ("dirname", "basename", "cat", "cksum", "tr", "grep", "sort", "tail", "df", "awk", "ls", "find", "touch", "rm", "mkdir", "cp")  # fmt: skip
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")

# Knows what setup_env.sh asks of Python. Appends its pip calls to $LOG; $PIP_FAILS is a word of the
# calls that fail, $PIP_SAYS their message.
FAKE_PYTHON = r"""#!/bin/bash
case "$*" in
    --version) echo "Python VERSION.0" ;;
    *version_info*) echo VERSION ;;
    "-c import venv, ensurepip") [ -z "$NO_VENV" ] ;;
    "-m venv --clear "*)
        rm -rf "$4"
        mkdir -p "$4/bin"
        cp "$0" "$4/bin/python"
        touch "$4/pyvenv.cfg"
        echo "venv" >> "$LOG" ;;
    "-c import pip") ;;
    "-m pip "*)
        echo "$*" | grep -oE 'uninstall.*|--no-input.*' >> "$LOG"
        if [ -n "$PIP_FAILS" ] && [[ "$*" == *"$PIP_FAILS"* ]]; then
            echo "$PIP_SAYS" >&2
            exit 1
        fi ;;
    *) echo "unexpected: $*" >&2; exit 99 ;;
esac
"""


class Machine:
    """A machine with only the programs that a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.venv = folder / "venv"
        self.log = folder / "pip.log"
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found
            (self.bin / tool).symlink_to(found)
        (self.bin / "bash").symlink_to(str(BASH))

    def program(self, name: str, text: str) -> None:
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def python(self, name: str = "python3.11", version: str = "3.11") -> None:
        self.program(name, FAKE_PYTHON.replace("VERSION", version))

    def gpus(self, capabilities: str) -> None:
        self.program(
            "nvidia-smi",
            "#!/bin/bash\n"
            'if [ "$1" = -L ]; then echo "GPU 0: NVIDIA (UUID: GPU-1)"; echo "GPU 1: NVIDIA"\n'
            f"else printf '{capabilities}'; fi\n",
        )

    def run(
        self, script: str = 'setup_env; echo "$ENGINE"', **env: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(BASH), "-c", f"set -euo pipefail; source {ROOT}/scripts/setup_env.sh; {script}"],
            env={"PATH": str(self.bin), "MADM2_VENV": str(self.venv), "LOG": str(self.log)} | env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def calls(self) -> list[str]:
        text = self.log.read_text() if self.log.exists() else ""
        self.log.unlink(missing_ok=True)
        return [line.replace(f"{ROOT}/", "") for line in text.splitlines()]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("capabilities", "engine"),
    [
        (r"7.0\n", "paper"),
        (r"8.0\n8.0\n", "paper"),
        (r"8.9\n", "paper"),
        (r"9.0\n", "paper"),
        (r"10.0\n", "latest"),
        (r"12.0\n", "latest"),
        (r"8.6\n12.0\n", "latest"),
        (r"9.0\n10.3\n9.0\n", "latest"),
        ("", "paper"),
        (r"Field compute_cap is not a valid field to query.\n", "paper"),
    ],
)
def test_the_gpu_decides_the_engine(machine: Machine, capabilities: str, engine: str) -> None:
    machine.gpus(capabilities)
    done = machine.run('choose_engine; echo "$ENGINE"')
    assert done.stdout.strip() == engine
    assert done.stderr.startswith("== engine: requirements") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "smi",
    [
        None,
        "#!/bin/bash\necho 'No devices were found'; exit 6\n",
        "#!/bin/bash\necho 'NVIDIA-SMI has failed because it could not reach the driver'; exit 9\n",
        "#!/bin/bash\nexit 1\n",
    ],
)
def test_without_a_gpu_it_is_the_cpu_engine(machine: Machine, smi: str | None) -> None:
    if smi:
        machine.program("nvidia-smi", smi)
    done = machine.run('choose_engine; echo "$ENGINE"')
    assert done.stdout.strip() == "cpu"
    assert "requirements-cpu.txt (no CUDA GPU" in done.stderr


def test_the_engine_can_be_named(machine: Machine) -> None:
    machine.gpus("9.0\\n")
    done = machine.run('choose_engine; echo "$ENGINE"', MADM2_ENGINE="cpu")
    assert done.stdout.strip() == "cpu"
    done = machine.run("choose_engine", MADM2_ENGINE="gpu")
    assert done.returncode == 2 and "cpu, paper or latest" in done.stderr


@pytest.mark.parametrize(
    ("pythons", "engine", "chosen"),
    [
        ({"python3": "3.11"}, "cpu", "python3"),
        ({"python3": "3.13", "python3.12": "3.12"}, "cpu", "python3.12"),
        ({"python3.12": "3.12", "python3.11": "3.11"}, "cpu", "python3.11"),
        ({"python3.10": "3.10"}, "paper", "python3.10"),
        ({"python3.10": "3.10"}, "cpu", None),
        ({"python3": "3.9"}, "paper", None),
        ({"python3": "3.14"}, "latest", None),
        ({}, "cpu", None),
    ],
)
def test_a_python_that_fits_is_found(
    machine: Machine, pythons: dict[str, str], engine: str, chosen: str | None
) -> None:
    for name, version in pythons.items():
        machine.python(name, version)
    done = machine.run('choose_engine; find_python; echo "$BASE"', MADM2_ENGINE=engine)
    if chosen:
        assert done.stdout.strip() == chosen
    else:
        assert done.returncode == 2 and "need: Python 3.1" in done.stderr
        assert all(f"{name} is {version}" in done.stderr for name, version in pythons.items())


def test_a_shim_without_a_python_behind_it_is_passed_over(machine: Machine) -> None:
    machine.program(
        "python3.11", "#!/bin/bash\necho 'pyenv: python3.11: not found' >&2; exit 127\n"
    )
    done = machine.run()
    assert done.returncode == 2 and "pyenv shim?" in done.stderr
    machine.python("python3.12", "3.12")
    assert machine.run().returncode == 0


def test_it_installs_once(machine: Machine) -> None:
    machine.python()
    assert machine.run().stdout == "cpu\n"
    calls = machine.calls()
    assert calls[0] == "venv"
    assert calls[1].startswith("--no-input torch==") and calls[1].endswith("+cpu")
    assert calls[2] == "--no-input -r requirements-cpu.txt"
    assert calls[3].startswith("uninstall") and "torchvision torchaudio torchcodec" in calls[3]
    assert machine.run().returncode == 0
    assert machine.calls() == []
    # The tests' packages come on top, and the plain environment is still whole after that.
    assert machine.run(f"setup_env {ROOT}/requirements-dev.txt").returncode == 0
    assert "-r requirements-cpu.txt -r requirements-dev.txt" in "\n".join(machine.calls())
    assert machine.run().returncode == 0
    assert machine.run(f"setup_env {ROOT}/requirements-dev.txt").returncode == 0
    assert machine.calls() == []


def test_a_broken_off_installation_starts_from_nothing(machine: Machine) -> None:
    machine.python()
    broken = machine.run(PIP_FAILS="requirements-cpu", PIP_SAYS="ERROR: no luck")
    assert broken.returncode == 2 and "ERROR: no luck" in broken.stderr
    machine.calls()
    assert machine.run().returncode == 0
    assert machine.calls()[0] == "venv"


def test_another_engine_gets_a_new_environment(machine: Machine) -> None:
    machine.python()
    for engine in ("paper", "cpu", "latest"):
        assert machine.run(MADM2_ENGINE=engine).stdout.strip() == engine
        assert machine.calls()[0] == "venv"


@pytest.mark.parametrize(
    ("message", "asks_pytorch"),
    [
        ("ERROR: No matching distribution found for torch", True),
        ("ERROR: Could not find a version; connection refused", True),
        ("OSError: [Errno 28] No space left on device", False),
    ],
)
def test_pytorchs_index_is_asked_only_when_torch_is_not_found(
    machine: Machine, message: str, asks_pytorch: bool
) -> None:
    machine.python()
    done = machine.run(PIP_FAILS="--no-input torch", PIP_SAYS=message)
    calls = machine.calls()
    assert any("--index-url https://download.pytorch.org" in c for c in calls) == asks_pytorch
    assert (done.returncode == 0) == asks_pytorch
    if not asks_pytorch:
        assert "the disk is full" in done.stderr


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("Max retries exceeded with url: /simple", "could not be reached"),
        ("Failed to establish a new connection", "could not be reached"),
        ("Temporary failure in name resolution", "could not be reached"),
        ("ResolutionImpossible", "could not be installed"),
    ],
)
def test_failures_are_told_apart(machine: Machine, message: str, said: str) -> None:
    machine.python()
    done = machine.run(PIP_FAILS="requirements", PIP_SAYS=message)
    assert done.returncode == 2
    assert said in done.stderr and message in done.stderr


def test_a_full_disk_is_seen_before_the_download(machine: Machine) -> None:
    machine.python()
    (machine.bin / "df").unlink()
    machine.program("df", "#!/bin/bash\necho Filesystem\necho disk 9 9 1048576 99% /\n")
    done = machine.run()
    assert done.returncode == 2 and "have: 1 GiB" in done.stderr
    assert machine.calls() == []


def test_somebody_elses_folder_is_not_cleared(machine: Machine) -> None:
    machine.python()
    machine.venv.mkdir()
    (machine.venv / "thesis.tex").write_text("years of work")
    done = machine.run()
    assert done.returncode == 2 and "no virtual environment" in done.stderr
    assert os.listdir(machine.venv) == ["thesis.tex"]


def test_a_python_without_venv_is_told(machine: Machine) -> None:
    machine.python()
    done = machine.run(NO_VENV="1")
    assert done.returncode == 2 and "apt install python3.11-venv" in done.stderr
