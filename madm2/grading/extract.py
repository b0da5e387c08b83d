"""Reads the final answer out of a raw completion, by answer type, or says that there is none.

The thinking goes first. Then, in this order, the last well-formed one of: an answer tag, a box,
GSM8K's ####, an answer phrase; and at the end what closes the text, where the type allows that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from madm2.grading import choice, numbers
from madm2.grading.boxes import answer_tags, find_boxes, math_segments, strip_thinking
from madm2.grading.cues import after_cues, opens_with_question, split_at_questions
from madm2.types import AnswerType

__all__ = ["extract", "find_boxes", "gold_answer", "strip_thinking"]

_END_TOKENS = re.compile(r"<\|?/?(?:im_end|endoftext|eot_id|end_of_text|s|eos)\|?>|\x00")
_EMPHASIS = re.compile(r"(?<![\w*])(\*\*\*|\*\*|__)(?=\S)([^*\n]{1,400}?)(?<=\S)\1(?![\w*(])")
_TEXT = re.compile(r"\\(?:text|mbox|textbf|mathrm)\s*\{([^{}]*)\}")
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_PLACEHOLDER = re.compile(
    r"^[\W_]*(?:(?:your|the|my|insert|write|put|a)\b[\s\w]*\banswer\b[\s\w,]*|answer(?: here)?|"
    r"final answer|n/?a|none|unknown|number|value|result)?[\W_]*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")
_NEGATED = re.compile(
    r"^\s*(?:(?:not|no|nicht|pas|нет|не|non)\s+(?=\S)|不是)(?:[^.\n]*?\b(?:but|sondern|sino|mais|а|而是)\s+(.*))?",
    re.IGNORECASE | re.DOTALL,
)
_FILLER = re.compile(
    r"^(?:[\s,:=>*_→–—]+|-(?!\.?\d)|(?:thus|therefore|so|then|simply|just|clearly|"
    r"exactly|equal to|given by|approximately|about|indeed|also|now|hence)\b)+",
    re.IGNORECASE,
)
_MAX_CHARS = 200_000


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
    text = _END_TOKENS.sub("", strip_thinking(output[-_MAX_CHARS:]))
    text = _without_markdown(text)
    refine = _refiner(answer_type, options)
    for part in split_at_questions(text):
        for content, prose in _stated(part):
            if (answer := refine(content, prose)) is not None:
                return answer
        if (answer := _unstated(part, answer_type, options)) is not None:
            return answer
        if not opens_with_question(part):
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


def _stated(text: str) -> Iterator[tuple[str, bool]]:
    """What the text states as its answer, best first: (content, whether it is prose)."""
    for content in reversed(answer_tags(text)):
        boxes = find_boxes(content)
        yield (boxes[-1] if boxes else content), False
    for content in reversed(find_boxes(text)):
        yield content, False
    for part in reversed(text.split("####")[1:]):
        yield part.lstrip().split("\n", 1)[0], True
    for content in after_cues(text):
        yield content, True


def _refiner(answer_type: AnswerType, options: Sequence[str]) -> Callable[[str, bool], str | None]:
    def refine(content: str, prose: bool) -> str | None:
        if _is_placeholder(content):
            return None
        if prose:
            content = _FILLER.sub("", content)
            if negated := _NEGATED.match(content):
                if not negated[1]:
                    return None
                content = negated[1]
        elif inner := next(after_cues(_TEXT.sub(r"\1", content)), ""):
            content = inner  # a whole sentence in a box or tag
        if answer_type == "choice":
            return choice.read_choice(_unwrap(content), options)
        if answer_type == "numeric":
            return _numeric(content, prose)
        return _math_or_text(content, prose, answer_type)

    return refine


def _is_placeholder(content: str) -> bool:
    return len(content) <= 200 and bool(_PLACEHOLDER.match(content))


def _numeric(content: str, prose: bool) -> str | None:
    if prose:
        segments = math_segments(content)
        if segments and not re.search(r"\d", content[: segments[0][0]]):
            return numbers.read_number(segments[0][2], prose=False)
        content = _first_sentence(content)
    return numbers.read_number(_unwrap(content), prose)


def _math_or_text(content: str, prose: bool, answer_type: AnswerType) -> str | None:
    if prose:
        content = _first_statement(content) if answer_type == "math" else _first_sentence(content)
    answer = _unwrap(content)
    return answer if answer and not _is_placeholder(answer) else None


def _first_statement(content: str) -> str:
    """The answer that a phrase is followed by: math and what joins it, or a short sentence."""
    segments = math_segments(content)
    if segments and not content[: segments[0][0]].strip(" *_([:"):
        end = segments[0][1]
        only = True
        for start, stop, _ in segments[1:]:
            if not re.fullmatch(r"\s*(?:,|;|and|or|&|,\s*and|,\s*or)\s*", content[end:start]):
                break
            end, only = stop, False
        return segments[0][2] if only else content[segments[0][0] : end].replace("$", "")
    sentence = _first_sentence(content)
    if len(sentence.split()) > 8:
        inside = math_segments(sentence)
        if inside:
            return inside[0][2]
        if found := numbers.NUMBER.match(numbers.plain_characters(sentence)):
            return numbers.number_text(found[0])
        return ""
    return sentence


def _first_sentence(content: str) -> str:
    end = _SENTENCE_END.search(content)
    return content[: end.start()] if end else content


def _unstated(text: str, answer_type: AnswerType, options: Sequence[str]) -> str | None:
    """What closes a text that states no answer, where that is more than a guess."""
    if answer_type == "choice":
        return choice.claimed_choice(text, options) or choice.bare_choice(text, options)
    if answer_type == "numeric":
        return numbers.last_number(text)
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines:
        return None
    if answer_type == "text":
        return _unwrap(lines[0]) if len(lines) == 1 and len(lines[0]) <= 200 else None
    segments = math_segments(text)
    if segments and len(text.rstrip()) - segments[-1][1] <= 200:
        return _unwrap(segments[-1][2])
    if len(lines) == 1 and not re.search(r"[A-Za-z]{3}", re.sub(r"\\[A-Za-z]+", "", lines[0])):
        return _unwrap(lines[0]) or None
    return numbers.last_number(lines[-1])


def _without_markdown(text: str) -> str:
    text = _EMPHASIS.sub(r"\2", text)
    return _CODE.sub(r"\1", text)


def _unwrap(content: str) -> str:
    r"""Strip what stands around an answer: math delimiters, boxes, emphasis, a closing stop."""
    text = content.strip()
    for _ in range(6):
        before = text
        boxes = find_boxes(text) if text.startswith(("\\boxed", "\\fbox")) else []
        if boxes:
            text = boxes[-1]
        text = text.strip().strip("`").strip()
        for opening, closing in (
            ("$$", "$$"),
            ("$", "$"),
            ("\\(", "\\)"),
            ("\\[", "\\]"),
            ("**", "**"),
        ):
            inside = text[len(opening) : len(text) - len(closing)]
            if (
                len(text) > len(opening) + len(closing)
                and text.startswith(opening)
                and text.endswith(closing)
                and opening not in inside
            ):
                text = inside.strip()
        text = re.sub(r"(?<!\\)[.!。,;]+$", "", text) if not text.endswith("\\.") else text
        if text.startswith('"') and text.endswith('"') and len(text) > 1:
            text = text[1:-1]
        if text == before:
            break
    return text.strip()
