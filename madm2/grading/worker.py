"""Runs symbolic work in a process of its own, with limits on time, memory and output files.

A server (`serve.py`) is started fresh, never forked from this process, which may use a GPU. It
loads sympy once and forks one child for each answer, so that no state of a parser leaks from one
answer to the next, and a child that overruns is killed while the server goes on. A second server
waits, ready, for the case that the first one is lost. Answers come back as JSON: nothing that a
child writes is run here.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from madm2.errors import UserError

TIMEOUT_S = 2.0
_ALLOWED = "madm2.grading."
_START_S = 60.0  # importing sympy on a busy machine
_MARGIN_S = 0.3  # what a call may take on top of its time
_LEAST_S = 1.0  # what is left to a call that had to wait for the start
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class WorkerTimeout(Exception):
    """No answer within the limits on time and memory; the process was killed."""


class WorkerError(Exception):
    """The function raised, or its process died."""


class _LostError(Exception):
    """The server is gone, through no fault of the call."""


class _Server:
    """The warm process; one call at a time."""

    def __init__(self) -> None:
        # What the parent can import comes last: a file beside its script must not hide a package.
        path = [os.path.abspath(entry) for entry in sys.path]
        code = (
            "import sys\n"
            f"sys.path[:] = dict.fromkeys([{_ROOT!r}, *filter(None, sys.path), *{path!r}])\n"
            f"from madm2.grading.serve import serve; serve({os.getpid()})"
        )
        self.owner = os.getpid()
        self.ready = False
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd="/",
            env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONUTF8": "1"},
        )

    def call(self, function: str, args: tuple[object, ...], timeout: float) -> tuple[str, Any]:
        started = time.monotonic()
        self._wait_until_ready()
        waited = time.monotonic() - started
        limit = min(timeout, max(_LEAST_S, timeout + _MARGIN_S - waited))
        deadline = time.monotonic() + limit + _MARGIN_S
        try:
            self._send(json.dumps([function, args, limit]).encode() + b"\n", deadline)
            outcome, value = json.loads(self._line(deadline))
        except (OSError, ValueError) as error:
            raise _LostError(str(error)) from error
        return str(outcome), value

    def _wait_until_ready(self) -> None:
        if self.ready:
            return
        try:
            self._line(time.monotonic() + _START_S)
        except OSError as error:
            assert self.process.stderr
            self.process.kill()
            said = self.process.stderr.read().decode(errors="replace").strip()
            if not said:  # killed from outside while it started
                raise _LostError(str(error)) from error
            raise UserError(
                "the process that compares answers does not start",
                have=said.splitlines()[-1],
                fix="pip install -r requirements.txt",
            ) from error
        self.ready = True

    def _send(self, message: bytes, deadline: float) -> None:
        assert self.process.stdin
        pipe = self.process.stdin.fileno()
        os.set_blocking(pipe, False)
        while message:
            _wait(pipe, select.POLLOUT, deadline)
            message = message[os.write(pipe, message) :]

    def _line(self, deadline: float) -> bytes:
        assert self.process.stdout
        pipe = self.process.stdout.fileno()
        line = b""
        while not line.endswith(b"\n"):
            _wait(pipe, select.POLLIN, deadline)
            chunk = os.read(pipe, 65536)
            if not chunk:
                raise OSError("the process that compares answers is gone")
            line += chunk
        return line

    def stop(self) -> None:
        if self.owner != os.getpid():  # a fork of this process has no say over it
            return
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)  # with the child that it waits for
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()


def _wait(pipe: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    left = deadline - time.monotonic()
    if left <= 0 or not poll.poll(1000 * left):
        raise WorkerTimeout("the process that compares answers does not answer")


class _Pool:
    """Idle servers, the spare first: a call takes the last one, or starts one."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.idle: list[_Server] = []

    def take(self) -> _Server:
        with self.lock:
            while self.idle:
                server = self.idle.pop()
                if server.process.poll() is None:
                    return server
                server.stop()
        return _Server()

    def give_back(self, server: _Server) -> None:
        with self.lock:
            self.idle.append(server)
            if len(self.idle) == 1:
                self.idle.insert(0, _Server())

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
    with _pool.lock:
        if not _pool.idle:
            _pool.idle.append(_Server())


def call(function: str, *args: object, timeout: float = TIMEOUT_S) -> Any:
    """Call a function of this package in a limited process.

    Args:
        function: `madm2.grading.module:name`.
        args: plain JSON values.
        timeout: seconds; the child is killed when it overruns.

    Returns:
        The function's result, a plain JSON value.

    Raises:
        WorkerTimeout: it overran its time or memory, or its server was lost again and again.
        WorkerError: it raised, or died.
        UserError: no server starts.
    """
    if not function.startswith(_ALLOWED):
        raise ValueError(f"{function} is not in {_ALLOWED}")
    outcome, value = _ask(function, args, timeout)
    if outcome == "timeout":
        raise WorkerTimeout(f"{function} overran its time or memory")
    if outcome == "error":
        raise WorkerError(value)
    return value


def _ask(function: str, args: tuple[object, ...], timeout: float) -> tuple[str, Any]:
    # The spare may be lost too; a new server cannot have been lost before.
    for next_server in (_pool.take, _pool.take, _Server):
        server = next_server()
        try:
            answer = server.call(function, args, timeout)
        except _LostError:
            server.stop()
            continue
        except BaseException:  # whatever it was, this server may still be at work
            server.stop()
            raise
        _pool.give_back(server)
        return answer
    raise WorkerTimeout("the process that compares answers was lost again and again")
