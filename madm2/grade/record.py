"""What every kind of file is read into: one question with its last answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from madm2.datasets.registry import DATASETS
from madm2.errors import UserError, unknown_name
from madm2.types import AnswerType, Question


@dataclass(frozen=True, slots=True)
class Record:
    """One question's answers in the last round, one an agent.

    Args:
        question: with the gold field as the file has it.
        texts: raw completions; empty where `extracted` is given.
        released_answers: what the released code had read in them, where the file says so.
        extracted: this one answer is graded as it stands; nothing is read or voted.
    """

    question: Question
    texts: tuple[str, ...] = ()
    released_answers: tuple[str, ...] | None = None
    extracted: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file that can be graded.

    Args:
        records: read one by one; UserError at the first that cannot be used.
        note: how something was found that the file does not say, for the summary.
        accuracy: the accuracy that the file reports itself.
    """

    records: Iterator[Record]
    note: str = ""
    accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class Defaults:
    """What the command line says of files that do not say it themselves."""

    dataset: str | None = None
    answer_type: AnswerType | None = None

    @classmethod
    def of(cls, dataset: str | None, answer_type: str | None) -> Defaults:
        """Check what was given; UserError with the valid names."""
        kind = None if answer_type is None else checked_type(answer_type)
        if dataset is not None and kind is None:
            answer_type_of(dataset)
        return cls(None if dataset is None else dataset.lower(), kind)


def checked_type(name: object) -> AnswerType:
    """The answer type of that name; UserError when there is none."""
    for known in get_args(AnswerType):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise unknown_name("answer type", str(name), get_args(AnswerType))


def answer_type_of(dataset: str) -> AnswerType:
    """Answer type of a dataset by its name; `aime` stands for any year. UserError if unknown."""
    name = "aime24" if dataset.lower() == "aime" else dataset.lower()
    return DATASETS[name].answer_type


def checked_text(value: object, name: str, where: str) -> str:
    """A text, or a number as text; UserError for anything else."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise UserError(f"{where}: {name!r} must be a text", have=_shown(value))
    return value


def checked_id(value: object, where: str) -> str | int:
    """An identifier: a text or a whole number; UserError for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise UserError(f"{where}: 'id' must be a text or a whole number", have=_shown(value))
    return value


def checked_options(value: object, where: str) -> tuple[str, ...]:
    """Texts of the options; UserError for anything else. None stands for no options."""
    options: Sequence[Any] = () if value is None else value  # type: ignore[assignment]
    if not isinstance(options, (list, tuple)) or not all(isinstance(o, str) for o in options):
        raise UserError(f"{where}: 'options' must be a list of texts", have=_shown(value))
    return tuple(options)


def at(where: str, error: UserError) -> UserError:
    """The same error, with the place named."""
    return UserError(f"{where}: {error.problem}", have=error.have, need=error.need, fix=error.fix)


def _shown(value: object) -> str:
    return repr(value)[:80]
