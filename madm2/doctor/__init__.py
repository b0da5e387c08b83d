"""The preflight: is everything there that a run needs? `python -m madm2.doctor --help`."""
