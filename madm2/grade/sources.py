"""Reads what can be graded again: JSON lines, samples.jsonl, and the released code's files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from madm2.datasets.registry import DATASETS
from madm2.errors import UserError, unknown_name
from madm2.grading import released
from madm2.types import AnswerType, Question


@dataclass(frozen=True, slots=True)
class Record:
    """One question's last answers.

    `texts` are raw completions, one an agent; `answers`, where given, are already extracted and
    `released_answers` what the released code had read.
    """

    question: Question
    texts: tuple[str, ...]
    answers: tuple[str | None, ...] | None = None
    released_answers: tuple[str, ...] | None = None


def read_records(path: Path, dataset: str | None, gold_file: Path | None) -> Iterator[Record]:
    """Read a file of any kind, line by line where it has lines.

    Args:
        path: the file.
        dataset: dataset of a released-code file; None to take it from the path.
        gold_file: results file with the golds of a debate log; None for its sibling.

    Raises:
        UserError: an unreadable file or row; names the line.
    """
    try:
        raw = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise UserError(f"cannot read {path}", have=error.strerror or str(error)) from error
    if not raw.strip():
        raise UserError(f"{path} is empty", need="JSON lines, or a results file")
    document = _whole_document(raw)
    if document is None:
        yield from _lines(raw, path, dataset)
    elif isinstance(document.get("results"), list):
        yield from _results(document["results"], path, _dataset_of(path, dataset))
    else:
        golds = _golds(path, gold_file)
        yield from _debate_log(document, path, _dataset_of(path, dataset), golds)


def _whole_document(raw: bytes) -> dict[str, Any] | None:
    """The file as one JSON object of the released code's, or None when it is JSON lines."""
    first = raw.lstrip().split(b"\n", 1)
    try:
        row = json.loads(first[0])
        if isinstance(row, dict) and not isinstance(row.get("results"), list):
            is_log = row and all(isinstance(v, dict) and "rounds" in v for v in row.values())
            return row if is_log and len(first) == 1 else None
    except (ValueError, RecursionError):
        pass
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _lines(raw: bytes, path: Path, dataset: str | None) -> Iterator[Record]:
    count = 0
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except UnicodeDecodeError as error:
            raise UserError(f"{where} is not UTF-8", have=str(error)) from error
        except (ValueError, RecursionError) as error:
            raise UserError(f"{where} is not valid JSON", have=str(error)) from error
        if not isinstance(row, dict):
            raise UserError(f"{where} is not a JSON object", have=type(row).__name__)
        yield _sample(row, where) if "rounds" in row else _line(row, where, dataset, count)
        count += 1


def _line(row: dict[str, Any], where: str, dataset: str | None, index: int) -> Record:
    gold = row.get("gold")
    if isinstance(gold, (int, float)) and not isinstance(gold, bool):
        gold = str(gold)
    if not isinstance(gold, str):
        raise UserError(f"{where} has no 'gold' text", have=f"keys {', '.join(row)}")
    question = _question(row, where, dataset, index, gold)
    if "answer" in row:
        answer = row["answer"]
        if answer is not None and not isinstance(answer, (str, int, float)):
            raise UserError(f"{where}: 'answer' must be a text or null")
        answer = None if answer is None else str(answer)
        return Record(question, (answer or "",), (answer,), (answer or "",))
    output = row.get("output")
    if "output" not in row or not isinstance(output, (str, type(None))):
        raise UserError(f"{where} needs 'output', a text (or 'answer', already extracted)")
    return Record(question, (output or "",))


def _question(
    row: dict[str, Any], where: str, dataset: str | None, index: int, gold: str
) -> Question:
    name = row.get("dataset", dataset)
    if name is not None and not isinstance(name, str):
        raise UserError(f"{where}: 'dataset' must be a text")
    answer_type = row.get("answer_type")
    if answer_type is None:
        if name is None:
            raise UserError(f"{where} needs 'dataset' or 'answer_type'")
        answer_type = answer_type_of(name, where)
    elif answer_type not in get_args(AnswerType):
        raise _at(where, unknown_name("answer type", str(answer_type), get_args(AnswerType)))
    options = row.get("options") or []
    if not isinstance(options, list) or not all(isinstance(o, str) for o in options):
        raise UserError(f"{where}: 'options' must be a list of texts")
    return Question(
        row.get("id", index), (name or "").lower(), str(row.get("query", "")), gold, answer_type,
        tuple(options),
    )  # fmt: skip


def answer_type_of(dataset: str, where: str = "") -> AnswerType:
    """Answer type of a dataset by name; `aime` stands for either year."""
    name = {"aime": "aime24"}.get(dataset.lower(), dataset.lower())
    if name not in DATASETS:
        raise _at(where, unknown_name("dataset", dataset, DATASETS))
    return DATASETS[name].answer_type


def _at(where: str, error: UserError) -> UserError:
    problem = f"{where}: {error.problem}" if where else error.problem
    return UserError(problem, have=error.have, need=error.need, fix=error.fix)


def _sample(row: dict[str, Any], where: str) -> Record:
    try:
        question = _question(row, where, None, 0, str(row["gold"]))
        texts = tuple(str(c["text"]) for c in row["rounds"][-1]["completions"])
    except (KeyError, IndexError, TypeError) as error:
        raise UserError(f"{where} is no sample of a run", have=f"{error!r}") from error
    if not texts:
        raise UserError(f"{where} has no completions in its last round")
    return Record(question, texts)


def _dataset_of(path: Path, given: str | None) -> str:
    if given is not None:
        answer_type_of(given)
        return given.lower()
    for part in reversed(path.resolve().parts[:-1]):
        if part.lower() in DATASETS:
            return part.lower()
    raise UserError(
        f"{path} does not say which dataset it is of",
        need="a folder named after the dataset on its path, or --dataset",
        fix="--dataset math",
    )


def _results(rows: list[Any], path: Path, dataset: str) -> Iterator[Record]:
    for number, row in enumerate(rows, start=1):
        where = f"{path}, result {number}"
        try:
            last = row["debate_history"][-1] if "debate_history" in row else row["response"]
            solutions = last if isinstance(last, list) else [last]
            gold, identifier = str(row["ground_truth"]), row["id"]
        except (KeyError, IndexError, TypeError) as error:
            raise UserError(
                f"{where} is no result of the released code", have=repr(error)
            ) from error
        yield _released_record(
            identifier, dataset, str(row.get("question", "")), gold, solutions, where
        )


def _debate_log(
    document: dict[str, Any], path: Path, dataset: str, golds: Mapping[str, str]
) -> Iterator[Record]:
    for identifier, entry in document.items():
        where = f"{path}, question {identifier}"
        try:
            solutions = [agent["response"] for agent in entry["rounds"][-1]["agents"]]
            query = str(entry["question"])
        except (KeyError, IndexError, TypeError) as error:
            raise UserError(f"{where} is no debate log", have=repr(error)) from error
        if identifier not in golds:
            raise UserError(f"{where} has no gold in the results file", fix="check --gold")
        yield _released_record(identifier, dataset, query, golds[identifier], solutions, where)


def _golds(path: Path, gold_file: Path | None) -> dict[str, str]:
    """Golds by question id, from the results file that belongs to a debate log."""
    name = path.name.replace("_debate_log", "").replace("_cot_log", "")
    source = gold_file or path.with_name(name)
    if source == path or not source.is_file():
        raise UserError(
            f"{path} holds no gold answers",
            need=f"the results file beside it ({name}), or --gold FILE",
        )
    try:
        rows = json.loads(source.read_bytes())["results"]
        return {str(row["id"]): str(row["ground_truth"]) for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{source} is no results file", have=repr(error)) from error


def _released_record(
    identifier: Any, dataset: str, query: str, gold: str, solutions: list[Any], where: str
) -> Record:
    """A record of stored {'think', 'answer'} pairs, whose raw texts were not kept.

    Where a text had no thinking tags, `think` is all of it; otherwise it is put together again.
    """
    answer_type = answer_type_of(dataset)
    family = released.family_of(dataset, answer_type)
    texts, answers = [], []
    for solution in solutions:
        if not isinstance(solution, dict) or not {"think", "answer"} <= set(solution):
            raise UserError(f"{where}: a solution needs 'think' and 'answer'")
        think, answer = str(solution["think"] or ""), str(solution["answer"] or "")
        whole = released.read(think, family).answer == answer and "<think>" not in think
        texts.append(think if whole else f"<think>{think}</think>\n<answer>{answer}</answer>")
        answers.append(answer)
    if not texts:
        raise UserError(f"{where} has no solutions")
    question = Question(identifier, dataset, query, gold, answer_type)
    return Record(question, tuple(texts), None, tuple(answers))
