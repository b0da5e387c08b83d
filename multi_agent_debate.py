"""Entry point: debate a dataset's questions under a memory mask. See --help and README.md."""

import sys

from madm2.cli import main

if __name__ == "__main__":
    sys.exit(main())
