"""The regrade command: `python -m madm2.grade FILE...`."""
