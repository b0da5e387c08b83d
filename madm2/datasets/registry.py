"""Which datasets there are, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass

from madm2.registry import Registry
from madm2.types import AnswerType


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """What the project knows of a dataset.

    Args:
        answer_type: how its answers are read and compared.
        num_samples: questions a run asks by default (paper section 5.1); None means all.
        about: one line for people.
        chance: accuracy of guessing, where that is not nil.
    """

    answer_type: AnswerType
    num_samples: int | None = 100
    about: str = ""
    chance: float = 0.0


DATASETS: Registry[DatasetSpec] = Registry("dataset")
DATASETS.add("gsm8k", DatasetSpec("numeric", about="grade-school word problems (1,319)"))
DATASETS.add("math", DatasetSpec("math", about="competition mathematics (5,000)"))
DATASETS.add("aime24", DatasetSpec("numeric", None, "AIME 2024 (30)"))
DATASETS.add("aime25", DatasetSpec("numeric", None, "AIME 2025 (30)"))
DATASETS.add("mmlu_pro", DatasetSpec("choice", about="MMLU-Pro, up to 10 options", chance=0.1))
DATASETS.add("arithmetic", DatasetSpec("numeric", about="generated sums and products"))
DATASETS.add("logic", DatasetSpec("choice", about="generated deductions", chance=0.25))
