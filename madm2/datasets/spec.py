"""What the project knows of a dataset, and of the place its rows come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from madm2.types import AnswerType

Row = dict[str, object]
Convert = Callable[[Mapping[str, Any]], Row | None]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a dataset's rows come from, and what they must be.

    Args:
        repo: dataset repository on the hub.
        config: its configuration.
        split: its split.
        files: files of that configuration and split, in the order of the rows.
        convert: makes `query`, `answer` and, where there are any, `id` and `options` of a
            row; None leaves the row out.
        rows: rows that the files hold; None where that is not known.
        licence: as the dataset's card states it.
        citation: the paper to cite.
        revision: pinned commit; None is resolved when it is downloaded, and recorded.
        gated: whether the hub gives it only to accounts that accepted its terms.
        queries_sha256: first 16 hex digits of sha256 over the queries joined by newlines.
    """

    repo: str
    config: str
    split: str
    files: tuple[str, ...]
    convert: Convert
    rows: int | None
    licence: str
    citation: str
    revision: str | None = None
    gated: bool = False
    queries_sha256: str = ""

    @property
    def page(self) -> str:
        """The dataset's card."""
        return f"https://huggingface.co/datasets/{self.repo}"


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """What the project knows of a dataset.

    Args:
        answer_type: how its answers are read and compared.
        num_samples: questions a run asks by default (paper section 5.1); None means all.
        about: one line for people.
        chance: accuracy of guessing, where that is not nil.
        source: where it is downloaded; None for the sets that come with the project.
    """

    answer_type: AnswerType
    num_samples: int | None = 100
    about: str = ""
    chance: float = 0.0
    source: Source | None = None
