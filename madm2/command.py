"""What all command lines share: a parser with errors for people, and exit codes."""

from __future__ import annotations

import argparse
import errno
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from madm2.errors import EngineError, UserError

LONGEST_LINE = 400  # of a message: it may quote what was given, however long that is
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Parser(argparse.ArgumentParser):
    """An argument parser that raises UserError and takes no abbreviated flags."""

    def __init__(self, prog: str, description: str, epilog: str | None = None) -> None:
        super().__init__(prog=prog, description=description, epilog=epilog, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        raise UserError(message, fix=f"{self.prog} --help lists the flags")


def run_command(body: Callable[[], int | None], go_on: str = "") -> int:
    """Run a command's body and turn what it raises into a short message and an exit code.

    Args:
        body: returns its exit code, or None for 0.
        go_on: what to do after an interruption or a full disk.

    Returns:
        0 done, 1 the engine failed, 2 something the user can put right, 130 and 143 stopped by
        SIGINT and SIGTERM.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may not know every character
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with _stoppable():
            code = body()
        print(end="", flush=True)
        return code or 0
    except UserError as error:
        return _refuse(error)
    except EngineError as error:
        cause = error.__cause__
        traceback.print_exception(cause)
        first_line = str(cause).strip().partition("\n")[0]
        tell(f"error: {error}\n  have: {type(cause).__name__}: {first_line}\n  fix: {go_on}")
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "madm2").startswith("madm2"):
            raise
        return _refuse(
            UserError(
                f"the package {error.name} is not installed for {sys.executable}",
                fix="bash scripts/quickstart.sh, then: source .venv/bin/activate",
            )
        )
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except OSError as error:
        named = isinstance(error.filename, (str, bytes))
        what = f"cannot use {error.filename!s}" if named else "a file cannot be used"
        fix = "; ".join(filter(None, ("make room", go_on))) if error.errno in _FULL else ""
        return _refuse(UserError(what, have=error.strerror or str(error), fix=fix))
    except KeyboardInterrupt as stop:
        tell("interrupted" + (f": {go_on}" if go_on else ""))
        return 143 if isinstance(stop, _Terminated) else 130


class _Terminated(KeyboardInterrupt):
    """SIGTERM came."""


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let SIGTERM stop a command as cleanly as Ctrl-C does, and a second Ctrl-C at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_DFL)
        raise _Terminated if number == signal.SIGTERM else KeyboardInterrupt

    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in former.items():
        if handler is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _refuse(error: UserError) -> int:
    tell(f"error: {error}")
    return 2


def tell(message: str) -> None:
    """Print a message for people, its lines cut to a length that can be read."""
    for line in message.splitlines():
        print(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}...", file=sys.stderr)
