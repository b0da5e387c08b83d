"""Every random choice of a run, derived from its seed: the question subset and request seeds."""

from __future__ import annotations

import hashlib
import json

from madm2.types import RequestKey


def request_seed(run_seed: int, key: RequestKey) -> int:
    """Seed of one request: 31 bits of sha256 over the run seed and the request's key.

    It depends on nothing else, so a resumed or reordered run samples the same answers.
    """
    parts = [run_seed, key.question_id, key.round, key.purpose, key.agent, key.index]
    digest = hashlib.sha256(json.dumps(parts).encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def subset(n_rows: int, seed: int, num_samples: int | None) -> list[int]:
    """Row indices of the questions a run asks, in order.

    The first `num_samples` entries of NumPy's legacy permutation of `n_rows`, which is what the
    released code draws and so what the paper's subsets are. None means every row in file order.
    """
    if num_samples is None:
        return list(range(n_rows))
    import numpy as np

    order = np.random.RandomState(seed).permutation(n_rows)[:num_samples]
    return [int(i) for i in order]
