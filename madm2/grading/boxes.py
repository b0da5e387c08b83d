r"""Finds the parts of a completion: thinking, answer tags, \boxed contents, math segments.

Every scan is linear in the length of the text, whatever the text.
"""

from __future__ import annotations

import re

_THINK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_ANSWER = re.compile(
    r"<[ \t]?(/?)[ \t]?(?:final[ _-]?)?(?:answer|ans)(?:[ \t/][^<>\n]{0,40})?>", re.IGNORECASE
)
_CUT_TAG = re.compile(r"</?[ \t]?[a-z_]{0,12}$", re.IGNORECASE)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)(?![A-Za-z])\s*")
_BARE_BOX = re.compile(r"\\[dtc]?frac ?\d(?: ?\d)?|\\sqrt ?\d|\\[A-Za-z]+|[^\s$.,;{}\\]+(?:\.\d+)?")
_BOX_LIMIT = re.compile(r"\n|\$|\\\)|\\\]")
_DELIMITER = re.compile(r"\$\$|\$|\\.", re.DOTALL)
_CLOSING = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_MAX_CUT_OFF = 200


def strip_thinking(output: str) -> str:
    """Remove the thinking: closed blocks, an opening of the chat template's, a cut-off end.

    A block that is never closed is taken for cut off, unless the text closes with an answer
    tag on a line of its own: then only the closing tag was forgotten.
    """
    kept: list[str] = []
    position, depth = 0, 0
    for tag in _THINK.finditer(output):
        closing = bool(tag[1])
        if closing:
            if depth == 0:  # opened by the prompt: all before it is thinking
                kept.clear()
            depth = max(depth - 1, 0)
        elif depth == 0:
            kept.append(output[position : tag.start()])
            depth = 1
        position = tag.end()
    rest = output[position:]
    if depth == 0:
        kept.append(rest)
    elif rest.rstrip().lower().endswith("</answer>"):
        start = rest.lower().rfind("<answer")
        if start >= 0 and rest[:start].rstrip(" \t").endswith("\n"):
            kept.append(rest[start:])
    return "".join(kept)


def answer_tags(text: str) -> list[tuple[int, str]]:
    """The <answer> tags in order: (position, content).

    One that is cut off at the end counts when short, and the last line before a closing tag
    whose opening was in the prompt.
    """
    found: list[tuple[int, str]] = []
    start: int | None = None
    for tag in _ANSWER.finditer(text):
        if start is not None and (tag[1] or tag[0].endswith("/>")):  # <answer/> closes too
            found.append((start, text[start : tag.start()]))
            start = None
        elif not tag[1]:
            start = tag.end()
        elif not found:
            before = text[max(tag.start() - _MAX_CUT_OFF, 0) : tag.start()].rstrip()
            found.append((tag.start(), before.rsplit("\n", 1)[-1]))
    if start is not None and len(text) - start <= _MAX_CUT_OFF:
        found.append((start, _CUT_TAG.sub("", text[start:].rstrip())))
    return found


def without_tags(text: str) -> str:
    """The text with its answer tags themselves removed."""
    return _ANSWER.sub(" ", text)


def find_boxes(text: str) -> list[str]:
    r"""Contents of \boxed and \fbox with balanced braces, in order of their start.

    Escaped braces do not count; `\boxed 7` without braces gives the next word.
    """
    return [content for _, content in placed_boxes(text)]


def placed_boxes(text: str) -> list[tuple[int, str]]:
    """The boxes of `find_boxes`, each with its position."""
    if "box" not in text:
        return []
    closing: dict[int, int] = {}
    stack: list[int] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            stack.append(brace.start())
        elif brace[0] == "}" and stack:
            closing[stack.pop()] = brace.start()
    found = []
    for box in _BOX.finditer(text):
        start = box.end()
        if text[start : start + 1] == "{":
            if start in closing:
                found.append((start, text[start + 1 : closing[start]]))
        elif bare := _BARE_BOX.match(text, start):
            end = bare.end()
            while end in closing:  # \boxed\frac{1}{2}
                end = closing[end] + 1
            found.append((start, text[start:end]))
    return found


def unclosed_box(text: str) -> str:
    r"""Content of a last \boxed{ that is never closed: up to the end of its line or math."""
    ends = [box.end() for box in _BOX.finditer(text)]
    if not ends or text[ends[-1] : ends[-1] + 1] != "{":
        return ""
    return _BOX_LIMIT.split(text[ends[-1] + 1 : ends[-1] + 2001], maxsplit=1)[0]


def math_segments(text: str) -> list[tuple[int, int, str]]:
    r"""Math between $, $$, \( \) or \[ \]: (start, end, content) in order."""
    found = []
    start, closing = 0, ""
    for mark in _DELIMITER.finditer(text):
        if not closing and mark[0] in _CLOSING:
            start, closing = mark.start(), _CLOSING[mark[0]]
        elif closing == "$" == mark[0] and _is_currency(text, start, mark.start()):
            start = mark.start()
        elif closing and mark[0] == closing:
            content = text[start + len(closing) : mark.start()]
            if content.strip():
                found.append((start, mark.end(), content))
            closing = ""
        elif closing == "$" and mark[0] == "$$":
            closing = ""
    return found


def _is_currency(text: str, start: int, end: int) -> bool:
    """Whether two dollar signs are two amounts ("$5 and $6") rather than around math."""
    blank_before = text[end - 1].isspace() and not text[start + 1].isspace()
    return text[start + 1].isdigit() and (blank_before or text[end + 1 : end + 2].isdigit())
