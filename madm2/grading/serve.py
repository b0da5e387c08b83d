"""The server of the limited worker: one forked child for each call, killed when it overruns.

Runs as a process of its own, started by `worker.py`. It speaks lines of JSON over its standard
input and output, and ends when its parent does.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import select
import signal
import sys
import time
from typing import NoReturn

MEMORY_BYTES = 2 << 30
# Loaded before the first call; a function `warm_up` in one of them is called once.
_PRELOADED = ("madm2.grading.symbolic", "madm2.grading.released_latex")
_PARENT_CHECK_MS = 2000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# What a child has no use for, by the first part of the names of Python's audit events.
_REFUSED = frozenset({"os", "shutil", "subprocess", "socket", "ctypes", "pty", "fcntl", "winreg"})
_NEEDED = frozenset({"os.listdir", "os.scandir"})  # for imports


def serve(parent: int) -> NoReturn:
    """Answer calls until the parent, a process id, is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in _PRELOADED:
        getattr(importlib.import_module(name), "warm_up", lambda: None)()
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.write(answers, b"ready\n")
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    pending = b""
    while True:
        # A copy of the other end may outlive the parent, in a process that the parent forked.
        while not poll.poll(_PARENT_CHECK_MS):
            if os.getppid() != parent:
                os._exit(0)
        chunk = os.read(requests, 65536)
        if not chunk:
            os._exit(0)
        pending += chunk
        while b"\n" in pending:
            line, pending = pending.split(b"\n", 1)
            function, args, timeout = json.loads(line)
            answer = _run(function, args, timeout, (requests, answers))
            os.write(answers, json.dumps(answer).encode() + b"\n")


def _run(
    function: str, args: list[object], timeout: float, pipes: tuple[int, int]
) -> tuple[str, object]:
    """Fork a child for one call and wait for its answer or the end of its time."""
    deadline = time.monotonic() + timeout
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        for pipe in (read_end, *pipes):
            os.close(pipe)
        _work(function, args, timeout, write_end)
    os.close(write_end)
    answer = _read(read_end, deadline)
    os.close(read_end)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if answer is None:
        return "timeout", None
    try:
        outcome, value = json.loads(answer)
    except ValueError:
        return "error", "the process died"
    return str(outcome), value


def _read(pipe: int, deadline: float) -> bytes | None:
    """All that the child writes; None when it has not ended in time."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    answer = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(1000 * left):
            return None
        chunk = os.read(pipe, 65536)
        if not chunk:
            return answer
        answer += chunk


def _work(function: str, args: list[object], timeout: float, write_end: int) -> NoReturn:
    """In the child: set the limits, call, write the answer, end."""
    try:
        _limit(timeout)
        module, _, name = function.partition(":")
        result = getattr(importlib.import_module(module), name)(*args)
        answer = json.dumps(["ok", result])
    except MemoryError:
        answer = json.dumps(["timeout", None])
    except BaseException as error:
        answer = json.dumps(["error", f"{type(error).__name__}: {error}"[:500]])
    rest = answer.encode()
    while rest:
        rest = rest[os.write(write_end, rest) :]
    os._exit(0)


def _limit(timeout: float) -> None:
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, int(timeout) + 1),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(kind, (most, most))
    sys.addaudithook(_refuse)


def _refuse(event: str, args: tuple[object, ...]) -> None:
    writes = event == "open" and isinstance(args[2], int) and args[2] & _WRITING
    if writes or (event.partition(".")[0] in _REFUSED and event not in _NEEDED):
        raise PermissionError(event)
