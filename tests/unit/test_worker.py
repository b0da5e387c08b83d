"""The limited worker: what it returns, what it stops, and where it must work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from madm2.errors import UserError
from madm2.grading import worker
from madm2.grading.worker import WorkerError, WorkerTimeout
from tests.conftest import ROOT

# Run in the child, where only functions of madm2.grading can be called: so they are put there,
# by a module that stands in for one of that package.
FUNCTIONS = textwrap.dedent(
    """
    import os, subprocess, sys, time

    counter = 0

    def echo(*args):
        return list(args)

    def count():
        global counter
        counter += 1
        return counter

    def sleep(seconds):
        time.sleep(seconds)

    def spin():
        while True:
            pass

    def eat_memory():
        return len([bytearray(1 << 28) for _ in range(64)])

    def recurse(n=10**9):
        return recurse(n - 1) + 1

    def die():
        os.kill(os.getpid(), 11)

    def fail(text):
        raise KeyError(text)

    def quit():
        sys.exit(3)

    def unspeakable():
        return object()

    def write_file(path):
        with open(path, "w") as file:
            file.write("x")

    def make_file(path):
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))

    def remove(path):
        os.remove(path)

    def run(path):
        subprocess.run(["touch", path])

    def shell(path):
        os.system("touch " + path)

    def talk():
        print("noise", flush=True)
        sys.stderr.write("noise")
        os.write(1, b'["ok", "forged"]' + bytes([10]))
        return "said"

    def modules():
        return sorted(sys.modules)

    def input_is_empty():
        return sys.stdin.read() == ""
    """
)
STAND_IN = "madm2.grading.stand_in"


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory):
    """Servers that find the stand-in: a folder added to the package's path."""
    folder = tmp_path_factory.mktemp("stand_in")
    (folder / "stand_in.py").write_text(FUNCTIONS)
    (folder / "sitecustomize.py").write_text(
        f"import madm2.grading\nmadm2.grading.__path__.append({str(folder)!r})\n"
    )
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{folder}{os.pathsep}{ROOT}"
    worker._pool.stop()
    yield lambda name, *args, **kwargs: worker.call(f"{STAND_IN}:{name}", *args, **kwargs)
    worker._pool.stop()
    os.environ.pop("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = before


@pytest.mark.parametrize(
    "value", [1, 0.5, "text", "\ud800", "\x00", "ünï", None, True, [1, ["2", None]], {"a": 1}]
)
def test_plain_values_pass_both_ways(functions, value: object) -> None:
    assert functions("echo", value) == [value]


def test_a_large_argument_passes(functions) -> None:
    assert functions("echo", "x" * 1_000_000) == ["x" * 1_000_000]


def test_no_state_is_left_to_the_next_call(functions) -> None:
    assert [functions("count") for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    ("name", "args", "error"),
    [
        ("sleep", (60,), WorkerTimeout),
        ("spin", (), WorkerTimeout),
        ("eat_memory", (), WorkerTimeout),
        ("recurse", (), WorkerError),
        ("die", (), WorkerError),
        ("fail", ("what",), WorkerError),
        ("quit", (), WorkerError),
        ("unspeakable", (), WorkerError),
        ("missing", (), WorkerError),
    ],
)
def test_what_goes_wrong_is_told_and_the_next_call_is_fine(
    functions, name: str, args: tuple[object, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        functions(name, *args, timeout=0.5)
    assert functions("echo", 5) == [5]


def test_an_error_carries_its_kind_and_message(functions) -> None:
    with pytest.raises(WorkerError, match="KeyError: 'what'"):
        functions("fail", "what")


@pytest.mark.parametrize("name", ["write_file", "make_file", "run", "shell"])
def test_no_file_is_made_and_nothing_is_run(functions, tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkerError, match="PermissionError"):
        functions(name, str(tmp_path / "made"))
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_removed(functions, tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    with pytest.raises(WorkerError, match="PermissionError"):
        functions("remove", str(tmp_path / "kept"))
    assert (tmp_path / "kept").exists()


def test_what_a_child_prints_is_no_answer(functions) -> None:
    assert functions("talk") == "said"
    assert functions("echo", 5) == [5]


def test_the_child_has_no_input(functions) -> None:
    assert functions("input_is_empty") is True


def test_neither_torch_nor_vllm_is_loaded(functions) -> None:
    loaded = functions("modules")
    assert "sympy" in loaded
    assert not {"torch", "vllm", "transformers", "numpy"} & set(loaded)


@pytest.mark.parametrize("function", ["os:system", "madm2.cli:main", "builtins:eval", "eval"])
def test_only_functions_of_grading_are_called(function: str) -> None:
    with pytest.raises(ValueError):
        worker.call(function, "1")


def test_a_lost_server_is_replaced(functions) -> None:
    assert functions("echo", 1) == [1]
    for server in worker._pool.idle:
        server.process.kill()
    assert functions("echo", 2) == [2]


def test_a_server_lost_during_a_call_costs_no_answer(functions) -> None:
    assert functions("echo", 1) == [1]
    # It is alive when it is taken, and gone when it is spoken to.
    server = worker._pool.idle[-1]
    server.process.stdin.close()
    server.process.stdin = open(os.devnull, "wb", buffering=0)  # noqa: SIM115
    server.process.wait()
    server.process.poll = lambda: None
    assert functions("echo", 2) == [2]


def test_a_frozen_server_is_given_up(functions) -> None:
    assert functions("echo", 1) == [1]
    os.kill(worker._pool.idle[-1].process.pid, signal.SIGSTOP)
    with pytest.raises(WorkerTimeout):
        functions("echo", 2, timeout=0.2)
    assert functions("echo", 3) == [3]


def test_a_spare_is_kept(functions) -> None:
    functions("echo", 1)
    assert len(worker._pool.idle) >= 2


def test_many_threads(functions) -> None:
    answers: dict[int, object] = {}

    def ask(i: int) -> None:
        if i % 4 == 3:
            with pytest.raises(WorkerTimeout):
                functions("spin", timeout=0.3)
        answers[i] = functions("echo", i)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {i: [i] for i in range(12)}


def test_a_fork_of_this_process_starts_its_own(functions) -> None:
    assert functions("echo", 1) == [1]
    before = [server.process.pid for server in worker._pool.idle]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            fine = functions("echo", 2) == [2]
            own = not set(before) & {server.process.pid for server in worker._pool.idle}
            code = 0 if fine and own else 2
            worker._pool.stop()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert functions("echo", 3) == [3]
    assert set(before) <= {server.process.pid for server in worker._pool.idle}


def test_a_python_that_lacks_what_is_needed_is_told_plainly(
    functions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sympy.py").write_text("raise ImportError('no sympy here')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(worker, "_ROOT", str(tmp_path))
    monkeypatch.setattr(worker, "_pool", worker._Pool())
    with pytest.raises(UserError, match="no sympy here"):
        worker.call(f"{STAND_IN}:echo", 1)


SYMBOLIC = """
from madm2.grading.equal import grade
def check():
    one = grade(gold=r"\\sin(2x)", prediction=r"2\\sin x\\cos x", answer_type="math")
    other = grade(gold=r"\\sqrt{3+2\\sqrt2}", prediction=r"1+\\sqrt2", answer_type="math")
    return one == other == "correct"
"""
PROGRAMS = {
    "plain": "assert check()",
    "daemon thread": """
import threading
thread = threading.Thread(target=lambda: print("fine") if check() else None, daemon=True)
thread.start(); thread.join()
""",
    "server started in a thread that has ended": """
import threading
from madm2.grading import worker
thread = threading.Thread(target=worker.warm_up); thread.start(); thread.join()
assert check()
""",
    "daemon process": """
import multiprocessing
def work(queue):
    queue.put(check())
for method in ("fork", "spawn"):
    if __name__ == "__main__":
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=work, args=(queue,), daemon=True)
        process.start()
        assert queue.get(timeout=100)
        process.join()
""",
    "closed standard files": """
import os
for i in (0, 1, 2): os.close(i)
assert check()
os._exit(0)
""",
    "open thread at exit": """
import threading
assert check()
threading.Thread(target=check).start()
""",
    "many open files": """
import os, resource
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
kept = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
assert check()
""",
    "interrupted group": """
import os, signal
assert check()
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.killpg(0, signal.SIGINT)
assert check()
""",
    "files beside the script named as packages": """
import pathlib
for name in ("gen", "sympy", "antlr4"):
    (pathlib.Path(__file__).parent / f"{name}.py").write_text("raise ImportError('hidden')")
assert check()
""",
    "another folder": """
import os, tempfile
os.chdir(tempfile.mkdtemp())
assert check()
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_where_it_must_work(tmp_path: Path, program: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{SYMBOLIC}\n{program}")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        start_new_session=True,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_servers_end_with_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    # A fork of the parent lives on and holds copies of its pipes.
    script.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{SYMBOLIC}\n"
        "import os, signal, time\nfrom madm2.grading import worker\nassert check()\n"
        "print(*[s.process.pid for s in worker._pool.idle], flush=True)\n"
        "if os.fork() == 0:\n    os.close(1); time.sleep(100); os._exit(0)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, start_new_session=True
    ) as program:
        assert program.stdout
        servers = [int(pid) for pid in program.stdout.read().split()]
        group = program.pid
    assert servers
    try:
        gone = threading.Event()
        for _ in range(100):
            if not any(_is_running(pid) for pid in servers):
                break
            gone.wait(0.2)
        assert not any(_is_running(pid) for pid in servers)
    finally:
        os.killpg(group, signal.SIGKILL)


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
