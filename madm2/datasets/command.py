"""Runs a command of this package: any mistake or fault is one short message, exit code 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

from madm2.errors import UserError


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are UserErrors."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line."""
        raise UserError(message, fix=f"python {self.prog} --help lists the flags")


def run(work: Callable[[], int]) -> int:
    """Exit code of the work: its own, 2 for a mistake or a fault, 130 interrupted."""
    try:
        code = work()
        print(end="", flush=True)
        return code
    except UserError as error:
        message = str(error)
    except ModuleNotFoundError as error:
        if (error.name or "madm2").startswith("madm2"):
            raise
        message = f"the package {error.name} is not installed for {sys.executable}"
    except OSError as error:
        what = f"cannot use {error.filename}" if error.filename else "a file cannot be used"
        message = f"{what}\n  have: {error.strerror or error}"
    except KeyboardInterrupt:
        print("interrupted: nothing is half-written", file=sys.stderr)
        return 130
    print(f"error: {message}", file=sys.stderr)
    return 2
