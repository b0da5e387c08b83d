"""Reads an answer of a given type in a place where a text states one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from madm2.grading import choice, numbers
from madm2.grading.boxes import math_segments
from madm2.grading.cues import VALUE, Statement, answer_statements
from madm2.grading.unwrap import is_placeholder, says_nothing, strip_filler, unwrap
from madm2.types import AnswerType

_TEXT = re.compile(r"\\(?:text|mbox|textbf|mathrm)\s*\{([^{}]*)\}")
_QUOTED = re.compile(r"\s*([\"'])(.{1,300}?)(?<!\\)\1\s*(?:[,}\].]|$)")  # as in JSON
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)(?!(?<=\d!)\s*[=+*/×·])|[。！？．।]")  # 6! = 720
_REASON = re.compile(
    r",?\s+(?:because|since|as (?:it|the|this|we)|which|due to|so that|for which|where|"
    r"porque|car|weil|perché|так как|потому)\b.*|[,，]?\s*(?:因为|因為).*",
    re.IGNORECASE | re.DOTALL,
)
_NAME = re.compile(
    r"(?:(?:[A-Z]\.\s?){2,}|(?:Dr|Mrs?|Ms|St|Mt|Prof)\.\s)(?=[A-Z])"
)  # J. K. Rowling
# "20% of 60, which is 12" states the second number, "12, which is 3 more" the first.
_COMES_TO = re.compile(
    r"(?:(?:the|half|twice|double)\b|[\d.]+\s?(?:%|percent)\s+of\b)[^.\n]{0,200},\s*"
    r"(?:which (?:is|equals|comes to)|i\.e\.,?|that is,?)\s+(?=[^\d\n]{0,20}[\d.,]+[^\d\n]*$)",
    re.IGNORECASE,
)
_COPULA = re.compile(r"\s*(?:です|である|だ|となる|になる|입니다|이다|है|个|個|개)$")
_NEGATED = re.compile(
    r"\s*(?:(?:not|nicht|pas|нет|не|n['’]est pas)\s+(?=\S)|(?:no|non)\s+(?=[\d$\\(]|[A-J]\b)|不是)"
    r"(?:[^.\n]*?(?:\b(?:but(?: rather)?|sondern|sino|mais|а)\b|而是|[,;] it(?:['’]s| is))"
    r"\s*(.*))?",
    re.IGNORECASE | re.DOTALL,
)
_SECOND_THOUGHT = re.compile(
    r"[^.\n]{0,80}?(?:[,;—–-]|\.\.\.|…)\s*"
    r"(?:no,? wait|wait|no|actually|i mean|sorry|make that)\b[\s,:]*"
    rf"(?:(?:it|that)(?:['’]s| is| should be)\s+)?{VALUE}",
    re.IGNORECASE,
)
_IS_VALUE = re.compile(
    r"(?<!\w)(?:is|are|was|be|equals?|becomes?|gives?|"
    r"es|est|ist|beträgt|è|é|равн[аоы]?|是|为|為|は)\s*(?:then |thus |also |just |about |at )?"
    + VALUE,
    re.IGNORECASE,
)
# After a number at the head of a statement, these begin what is said about it.
_ABOUT = re.compile(
    r"(?P<number>[-−]?[$€£]?\d[\d.,]*(?:\s+[^\W\d_]+){0,3}?)\s+"
    r"(?:when|if|for|that|with|in(?! base)|on|of|among|to(?! the power)|where|such|per(?! ?cent))"
    r"\s.*",
    re.IGNORECASE | re.DOTALL,
)
JOINED_MATH = re.compile(r"\s*(?:,|;|and|or|&|,\s*and|,\s*or|和|或|y|o|et|ou|und|oder|и|или)\s*")
_MAX_WORDS_BEFORE = 6


def read(statement: Statement, answer_type: AnswerType, options: Sequence[str]) -> str | None:
    """The answer in a statement; None when it holds none of its type."""
    content = statement.content
    if statement.kind != "exact":
        if quoted := _QUOTED.match(content):
            content = re.sub(r"\\\\(?=[A-Za-z(\[])", r"\\", quoted[2])
        content = strip_filler(content)
        if second := _SECOND_THOUGHT.match(content):
            content = content[second.end() :]
        if expressed := _COMES_TO.match(content):
            content = content[expressed.end() :]
        if negated := _NEGATED.match(content):
            if not negated[1]:
                return None
            content = strip_filler(negated[1])
    elif inner := answer_statements(_TEXT.sub(r"\1", content)):
        content = inner[-1].content  # a whole sentence in a box or tag
    if answer_type == "choice":
        return choice.read_choice(content, options)
    if is_placeholder(content):
        return None
    statement = statement._replace(content=content)
    if answer_type == "numeric":
        return _numeric(statement)
    if statement.kind == "exact":
        return worded(unwrap(_from_sentence(content) if answer_type == "math" else content))
    return worded(
        unwrap(first_math(statement) if answer_type == "math" else _first_sentence(content))
    )


def worded(answer: str) -> str | None:
    """The answer, unless it is empty, a template's text or says nothing."""
    return None if is_placeholder(answer) or says_nothing(answer) else answer


def _numeric(statement: Statement) -> str | None:
    content, kind, last = statement.content, statement.kind, statement.last
    if kind == "exact":
        return numbers.read_number(unwrap(content), prose=False)
    segments = math_segments(content)
    if segments and not re.search(r"\d", content[: segments[0][0]]):
        return numbers.read_number(segments[0][2], prose=False)
    sentence = _first_sentence(content)
    before = re.split(r"\d", numbers.plain_characters(sentence), maxsplit=1)[0]
    words = len(re.findall(r"[^\W\d_]+", before))
    if kind == "label" and words > 1 and (len(re.findall(r"\d+", content)) > 1 or not last):
        return numbers.last_number(content) if last else None  # a solution, not yet its answer
    if words > _MAX_WORDS_BEFORE:
        return None
    return numbers.read_number(unwrap(sentence), prose=True)


def first_math(statement: Statement) -> str:
    """The answer that a phrase is followed by: math and what joins it, or a short sentence."""
    content = statement.content
    segments = math_segments(content)
    if segments and not content[: segments[0][0]].strip(" *_([:"):
        end, only = segments[0][1], True
        for start, stop, _ in segments[1:]:
            if not JOINED_MATH.fullmatch(content[end:start]):
                break
            end, only = stop, False
        return segments[0][2] if only else content[segments[0][0] : end]
    sentence = _COPULA.sub("", _REASON.sub("", _first_sentence(content)).strip())
    if about := _ABOUT.fullmatch(sentence):
        return about["number"]
    words = _count_words(sentence)
    if words > 4 and statement.kind == "label" and not statement.last:
        return ""
    number = numbers.NUMBER.match(numbers.plain_characters(sentence))
    if words <= 3:
        return sentence
    if number and not re.search(r"\d", sentence[number.end() :]):
        return numbers.number_text(number[0])
    if value := last_value(sentence):
        return first_math(Statement(0, value, "phrase"))
    if words <= _MAX_WORDS_BEFORE + 2:
        return sentence
    if number:
        return numbers.number_text(number[0])
    return segments[0][2] if segments and segments[0][1] <= len(sentence) else ""


def _from_sentence(content: str) -> str:
    """The answer in a tag that holds a sentence ("There are $5$ ways."), or the content."""
    if _count_words(content) >= 3 and (value := last_value(content)):
        return first_math(Statement(0, value, "phrase"))
    return content


def last_value(sentence: str) -> str:
    """What follows the last "is", "are" and the like that a value follows."""
    end = max((m.end() for m in _IS_VALUE.finditer(sentence)), default=0)
    return sentence[end:] if end else ""


def _count_words(text: str) -> int:
    prose = re.sub(r"\\[A-Za-z]+", " ", text)
    return len(re.findall(r"[^\W\d_]{2,}", prose))


def _first_sentence(content: str) -> str:
    name = _NAME.match(content)
    end = _SENTENCE_END.search(content, name.end() if name else 0)
    return content[: end.start()] if end else content
