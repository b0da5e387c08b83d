"""Runs symbolic work in a process of its own, with limits on time, memory and output files.

A server is started fresh (never forked from this process, which may use a GPU). It loads sympy
and the LaTeX parser once and forks one child for each answer, so that no state of a parser leaks
from one answer to the next, and a child that overruns is killed while the server goes on. Answers
come back as JSON: nothing that a child writes is run here.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from typing import Any

TIMEOUT_S = 2.0
MEMORY_BYTES = 2 << 30
_START_S = 60.0  # importing sympy on a busy machine
_ALLOWED = "madm2.grading."


class WorkerTimeout(Exception):
    """The function overran its time or memory; its process was killed."""


class WorkerError(Exception):
    """The function raised, or its process died."""


class _Server:
    """The warm process; one call at a time."""

    def __init__(self) -> None:
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self.owner = os.getpid()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"import sys; sys.path.insert(0, {root!r})\n"
                "from madm2.grading.worker import _serve; _serve()",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONUTF8": "1"},
        )
        self.ready = False

    def call(self, function: str, args: tuple[object, ...], timeout: float) -> Any:
        assert self.process.stdin and self.process.stdout
        if not self.ready:
            self._read_line(_START_S)
            self.ready = True
        message = json.dumps([function, args, timeout]).encode() + b"\n"
        self.process.stdin.write(message)
        self.process.stdin.flush()
        # The server enforces the limit; the margin is for its own scheduling.
        return json.loads(self._read_line(timeout + 10))

    def _read_line(self, timeout: float) -> bytes:
        assert self.process.stdout
        deadline = time.monotonic() + timeout
        line = b""
        while not line.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise OSError("the worker does not answer")
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                raise OSError("the worker is gone")
            line += chunk
        return line

    def stop(self) -> None:
        if self.owner != os.getpid():  # a fork of this process has no say over it
            return
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()


class _Pool:
    """Idle servers: a call takes one, or starts one, and gives it back."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: list[_Server] = []

    def take(self) -> _Server:
        with self.lock:
            while self.idle:
                server = self.idle.pop()
                if server.owner == os.getpid() and server.process.poll() is None:
                    return server
        return _Server()

    def give_back(self, server: _Server) -> None:
        with self.lock:
            self.idle.append(server)

    def stop(self) -> None:
        with self.lock:
            while self.idle:
                self.idle.pop().stop()


_pool = _Pool()
atexit.register(_pool.stop)


def _after_fork() -> None:
    # The lock may have been held at the fork, and the servers belong to the parent.
    _pool.lock = threading.Lock()
    _pool.idle = []


os.register_at_fork(after_in_child=_after_fork)


def warm_up() -> None:
    """Start a server now, so that the first answer need not wait for it."""
    _pool.give_back(_Server())


def call(function: str, *args: object, timeout: float = TIMEOUT_S) -> Any:
    """Call a function of this package in a limited process.

    Args:
        function: `madm2.grading.module:name`.
        args: plain JSON values.
        timeout: seconds; the child is killed when it overruns.

    Returns:
        The function's result, a plain JSON value.

    Raises:
        WorkerTimeout: it overran its time or memory.
        WorkerError: it raised, or died.
    """
    if not function.startswith(_ALLOWED):
        raise ValueError(f"{function} is not in {_ALLOWED}")
    server = _pool.take()
    try:
        outcome, value = server.call(function, args, timeout)
    except (OSError, ValueError) as error:
        server.stop()
        raise WorkerError(str(error)) from error
    except BaseException:
        server.stop()
        raise
    _pool.give_back(server)
    if outcome == "timeout":
        raise WorkerTimeout(f"{function} overran {timeout} s or its memory")
    if outcome == "error":
        raise WorkerError(value)
    return value


def _serve() -> None:
    """The server's loop: read a call, fork a child for it, pass on what the child says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    importlib.import_module("madm2.grading.symbolic")
    reader = os.fdopen(0, "rb", buffering=0)
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.write(out, b"ready\n")
    buffer = b""
    while True:
        while b"\n" not in buffer:
            chunk = reader.read(65536)
            if not chunk:  # the parent is gone
                os._exit(0)
            buffer += chunk
        line, buffer = buffer.split(b"\n", 1)
        function, args, timeout = json.loads(line)
        os.write(out, json.dumps(_run(function, args, timeout)).encode() + b"\n")


def _run(function: str, args: list[object], timeout: float) -> tuple[str, object]:
    """Fork a child for one call and wait for its answer or the end of its time."""
    started = time.monotonic()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        _work(function, args, timeout, write_end)
    os.close(write_end)
    answer = b""
    overrun = False
    while True:
        left = timeout - (time.monotonic() - started)
        if left <= 0 or not select.select([read_end], [], [], left)[0]:
            overrun = True
            break
        chunk = os.read(read_end, 65536)
        if not chunk:
            break
        answer += chunk
    os.close(read_end)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if overrun:
        return "timeout", None
    try:
        outcome, value = json.loads(answer)
        return str(outcome), value
    except ValueError:
        return "error", "the process died"


def _work(function: str, args: list[object], timeout: float, write_end: int) -> None:
    """In the child: set the limits, call, write the answer, end."""
    answer: tuple[str, object]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        seconds = int(timeout) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        module, _, name = function.partition(":")
        answer = "ok", getattr(importlib.import_module(module), name)(*args)
    except MemoryError:
        answer = "timeout", None
    except BaseException as error:
        answer = "error", f"{type(error).__name__}: {error}"[:500]
    try:
        os.write(write_end, json.dumps(answer).encode())
    finally:
        os._exit(0)
