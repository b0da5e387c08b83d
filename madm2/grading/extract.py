"""Reads the final answer out of a raw completion, by answer type, or says that there is none.

The thinking goes first, and boxes that are said to be wrong. Then, in this order, the last
well-formed one of: an answer tag, a box, GSM8K's ####, an answer phrase; and at the end what closes
the text, where the type allows that.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence

from madm2.grading import choice, numbers
from madm2.grading.boxes import (
    answer_tags,
    find_boxes,
    placed_boxes,
    strip_thinking,
    unclosed_box,
    without_tags,
)
from madm2.grading.closing import read_closing
from madm2.grading.cues import Statement, answer_statements, closing_statements
from madm2.grading.reading import read
from madm2.grading.turns import (
    first_turn,
    gives_up,
    opens_with_question,
    retractions,
    split_at_questions,
)
from madm2.grading.unwrap import strip_markup
from madm2.types import AnswerType

__all__ = ["extract", "find_boxes", "gold_answer", "strip_thinking"]

_HEADING = re.compile(r"\**(?:step|part|case|schritt|paso|étape|步骤)\b", re.IGNORECASE)
_NOT = re.compile(
    r"(?:\bnot|\bcannot|n['’]t)(?: be| have| equal)?[\s$(\[\\]*\\f?box(?:ed)?\s*$", re.IGNORECASE
)
_WRONG = re.compile(  # what may follow a box that is turned down: ", which is wrong"
    r"\W{0,6}(?:(?:but |and )?(?:which|that|this|it) )?"
    r"(?:(?:is|was)(?: not|n['’]t) (?:right|correct|valid|possible|the answer)"
    r"|(?:is|was) (?:clearly |obviously )?(?:wrong|incorrect|invalid|impossible)"
    r"|fails|(?:does not|doesn['’]t|cannot|can['’]t) (?:work|fit|hold|be (?:right|correct)))"
    r"(?=\s*(?:[.,;:!?…—\n-]|$|because|since|as\b|so\b))",
    re.IGNORECASE,
)
_MAX_CHARS = 200_000
_MAX_STATEMENTS = 200
_SHORT = 200


def extract(
    output: str | None, *, answer_type: AnswerType, options: Sequence[str] = ()
) -> str | None:
    """Read the final answer of a completion.

    Args:
        output: the raw text, thinking included.
        answer_type: numeric, math, choice or text.
        options: texts of a multiple-choice question's options, where known.

    Returns:
        The answer as written, without wrappers; a letter for `choice`; a plain number for
        `numeric` where one stands alone. None when there is no answer: never a guess.
    """
    if not output:
        return None
    text = strip_thinking(output[-_MAX_CHARS:]).replace("\x00", "")
    text = _without_denied_boxes(strip_markup(first_turn(text)))
    for number, part in enumerate(split_at_questions(text)):
        for statement in _stated(part):
            if (answer := read(statement, answer_type, options)) is not None:
                return answer
        if not gives_up(part) and (answer := _unstated(part, answer_type, options)) is not None:
            return answer
        introduces = number == 0 and len(part) < _SHORT and not gives_up(part)
        if not opens_with_question(part) and not introduces:
            return None  # what it runs on into does not count
    return None


def gold_answer(gold: str, *, answer_type: AnswerType) -> str | None:
    """The final answer inside a dataset's answer field.

    GSM8K solutions end in `#### 18`, MATH solutions hold it in the last box; otherwise the
    field is the answer. None when it is empty.
    """
    text = gold.strip()
    if "####" in text:
        text = text.rsplit("####", 1)[1].strip()
    elif boxes := find_boxes(text):
        text = boxes[-1].strip()
    if answer_type == "numeric":
        return numbers.read_number(text, prose=False) or text or None
    if answer_type == "choice":
        return choice.read_choice(text, ()) or text or None
    return text or None


def _stated(text: str) -> list[Statement]:
    """What the text states as its answer, best first.

    What is stated after a retraction ("Wait, ...") comes before what was stated before it.
    """
    ranked: list[tuple[int, Statement]] = []
    for position, content in answer_tags(text):
        boxes = find_boxes(content)
        ranked.append((4, Statement(position, boxes[-1] if boxes else content, "exact")))
    for position, content in placed_boxes(text):
        ranked.append((3, Statement(position, content, "exact")))
    ranked += [(2, statement) for statement in _hashes(text)]
    ranked += [(1, statement) for statement in answer_statements(text)]
    retracted = retractions(text)
    ranked.sort(key=lambda r: (bisect(retracted, r[1].position), r[0], r[1].position), reverse=True)
    statements = [statement for _, statement in ranked[:_MAX_STATEMENTS]]
    statements += reversed(closing_statements(text))
    if not find_boxes(text) and (box := unclosed_box(text)):
        statements.append(Statement(0, box, "exact"))
    return statements


def _without_denied_boxes(text: str) -> str:
    """The text with the boxes blanked of which the words around them say that they are wrong."""
    kept = list(text)
    for position, content in placed_boxes(text):
        start = text.rfind("\\", 0, position)
        end = position + len(content) + 2 * (text[position] == "{")
        if _NOT.search(text[max(position - 40, 0) : position]) or _WRONG.match(
            text[end : end + 80]
        ):
            kept[start:end] = " " * (end - start)
    return "".join(kept)


def _hashes(text: str) -> Iterator[Statement]:
    """What follows GSM8K's ####, where that is not a heading ("#### Step 2")."""
    position = 0
    for part in text.split("####")[1:]:
        position = text.find("####", position) + 4
        content = part.lstrip("# \t\n").split("\n", 1)[0]
        if not _HEADING.match(content):
            yield Statement(position, content, "label")


def _unstated(text: str, answer_type: AnswerType, options: Sequence[str]) -> str | None:
    text = without_tags(text)
    if answer_type == "choice":
        return choice.closing_choice(text, options)
    return read_closing(text, answer_type)
