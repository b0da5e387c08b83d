"""Starts the preflight, or says that this Python is too old even for that."""

from __future__ import annotations

import sys


def _start() -> int:
    if sys.version_info < (3, 10):  # noqa: UP036  an old Python gets here, and no further
        print(f"failed   Python  {sys.version.split()[0]}\n         fix: use Python 3.11")
        return 1
    from madm2.doctor.command import main

    return main()


if __name__ == "__main__":
    sys.exit(_start())
