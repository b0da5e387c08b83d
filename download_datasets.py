"""Entry point: download the datasets and write them as a run reads them. See --help."""

import sys

from madm2.datasets.download import main

if __name__ == "__main__":
    sys.exit(main())
