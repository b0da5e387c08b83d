"""Reads the results files and logs that the released code writes, and ours of the same form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from madm2.datasets.load import load_file
from madm2.datasets.registry import DATASETS
from madm2.errors import UserError
from madm2.grade.record import (
    Defaults,
    Record,
    Source,
    answer_type_of,
    checked_id,
    checked_text,
)
from madm2.grading import released
from madm2.jsonl import parse_object
from madm2.types import Question, QuestionId

_Golds = Mapping[str, tuple[QuestionId, str]]


def read_results(document: dict[str, Any], path: Path, defaults: Defaults) -> Source:
    """A results file; UserError when its dataset cannot be told."""
    rows = document["results"]
    if not rows:
        raise UserError(f"{path} holds no results")
    golds = [str(row.get("ground_truth", "")) for row in rows if isinstance(row, dict)]
    dataset, note = dataset_of(path, defaults, golds)
    stated = document.get("accuracy")
    accuracy = float(stated) if isinstance(stated, (int, float)) else None
    return Source(_results(rows, path, dataset, defaults), note, accuracy)


def read_debate_log(
    document: dict[str, Any], path: Path, defaults: Defaults, gold_file: Path | None
) -> Source:
    """A log, with the golds of the results file beside it or of `gold_file`."""
    golds = _golds(path, gold_file)
    present = [golds[key][1] for key in document if key in golds]
    dataset, note = dataset_of(path, defaults, present)
    return Source(_debate_log(document, path, dataset, defaults, golds), note)


def dataset_of(path: Path, defaults: Defaults, golds: list[str]) -> tuple[str, str]:
    """The dataset of a file, and how it was told: the flag, the folder, or the golds' form."""
    folder = path.resolve().parent.name.lower()
    if defaults.dataset is not None or defaults.answer_type is not None:
        return defaults.dataset or "", ""
    if folder in DATASETS:
        return folder, f"dataset {folder}, by its folder"
    forms = {
        "gsm8k": r"(?s).*####",
        "math": r"(?s).*\\(?:boxed|fbox)",
        "mmlu_pro": r"[A-J]\Z",
    }
    for name, form in forms.items():
        if golds and all(re.match(form, gold) for gold in golds):
            return name, f"dataset {name}, by the form of its gold answers"
    raise UserError(
        f"{path} does not say which dataset it is of",
        need="a file in a folder named after the dataset, or --dataset",
        fix="add --dataset and one of " + ", ".join(DATASETS),
    )


def _results(rows: list[Any], path: Path, dataset: str, defaults: Defaults) -> Iterator[Record]:
    for number, row in enumerate(rows, start=1):
        where = f"{path}, result {number}"
        try:
            last = _last_solutions(row)
            identifier, gold = checked_id(row["id"], where), row["ground_truth"]
        except (KeyError, IndexError, TypeError) as error:
            raise UserError(
                f"{where} is no result of the released code",
                have=repr(error),
                need="id, ground_truth, and debate_history, responses or response",
            ) from error
        gold = checked_text(gold, "ground_truth", where)
        question = question_of(identifier, dataset, row.get("question"), gold, defaults)
        yield _record(question, last if isinstance(last, list) else [last], where)


def _last_solutions(row: dict[str, Any]) -> list[Any]:
    """The solutions that were voted on, in a result of any of the three forms."""
    if "debate_history" in row:
        solutions: list[Any] = row["debate_history"][-1]
        return solutions
    return row["responses"] if "responses" in row else [row["response"]]


def is_log(document: Mapping[str, Any]) -> bool:
    """Whether every entry is a question as one of the three kinds of log has it."""
    forms = ({"rounds"}, {"question", "paths"}, {"question", "response"})
    entries = document.values()
    return bool(document) and all(
        isinstance(entry, dict) and any(form <= entry.keys() for form in forms) for entry in entries
    )


def _debate_log(
    document: dict[str, Any], path: Path, dataset: str, defaults: Defaults, golds: _Golds
) -> Iterator[Record]:
    for key, entry in document.items():
        where = f"{path}, question {key}"
        try:
            solutions = [agent["response"] for agent in _last_agents(entry)]
        except (KeyError, IndexError, TypeError) as error:
            raise UserError(f"{where} is no debate log entry", have=repr(error)) from error
        if key not in golds:
            raise UserError(
                f"{where} has no gold answer", fix="is --gold of the same run, or dataset?"
            )
        identifier, gold = golds[key]
        question = question_of(identifier, dataset, entry.get("question"), gold, defaults)
        yield _record(question, solutions, where)


def _last_agents(entry: dict[str, Any]) -> list[Any]:
    if "rounds" in entry:
        agents: list[Any] = entry["rounds"][-1]["agents"]
        return agents
    return entry["paths"] if "paths" in entry else [entry]


def _golds(path: Path, gold_file: Path | None) -> _Golds:
    """Golds by the question id's text."""
    beside = path.with_name(re.sub("_(debate|cot)_log", "", path.name))
    source = gold_file or beside
    if source == path or (gold_file is None and not source.is_file()):
        raise UserError(
            f"{path} is a log, which holds no gold answers",
            need=f"its results file beside it ({beside.name}), or --gold FILE",
        )
    if gold_file is not None and gold_file.suffix == ".jsonl":
        questions = load_file(gold_file, "gold", "text")
        return {str(question.id): (question.id, question.gold) for question in questions}
    try:
        raw = source.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise UserError(f"cannot read {source}", have=error.strerror or str(error)) from error
    try:
        rows = parse_object(raw, str(source))["results"]
        return {str(row["id"]): (row["id"], str(row["ground_truth"])) for row in rows}
    except (KeyError, TypeError) as error:
        raise UserError(
            f"{source} is no results file", have=repr(error), need="results, or a .jsonl dataset"
        ) from error


def question_of(
    identifier: QuestionId, dataset: str, query: object, gold: str, defaults: Defaults
) -> Question:
    """A question as a results file states it."""
    answer_type = defaults.answer_type or answer_type_of(dataset)
    return Question(identifier, dataset, str(query or ""), gold, answer_type)


def _record(question: Question, solutions: list[Any], where: str) -> Record:
    if not solutions:
        raise UserError(f"{where} has no solutions in its last round")
    texts, answers = [], []
    for solution in solutions:
        if not isinstance(solution, dict) or not {"think", "answer"} <= set(solution):
            raise UserError(f"{where}: a solution needs 'think' and 'answer'")
        think = checked_text(solution["think"] or "", "think", where)
        answer = checked_text(
            "" if solution["answer"] is None else solution["answer"], "answer", where
        )
        texts.append(completion_of(think, answer, question))
        answers.append(answer)
    return Record(question, tuple(texts), tuple(answers))


def completion_of(think: str, answer: str, question: Question) -> str:
    """The completion that a stored pair was read from, as far as the pair can tell.

    The released code stores the content of the thinking tags, or without them all of the text:
    then its answer can be read there again. Of a completion with thinking tags the rest is lost
    but for what was read in it; where that is nothing, or the end of a tag, the thinking is all
    there is.
    """
    if not answer.replace("</answer>", "").strip():
        return think
    family = released.family_of(question.dataset, question.answer_type)
    whole = released.read(think, family).answer == answer
    if whole and question.answer_type == "choice":
        # A lone letter may just happen to be the last one of the thinking.
        whole = "<answer>" in think or "\\boxed" in think
    return think if whole else f"<think>{think}</think>\n<answer>{answer}</answer>"
