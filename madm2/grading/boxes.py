r"""Finds the parts of a completion: thinking, answer tags, \boxed contents, math segments.

Every scan is linear in the length of the text, whatever the text.
"""

from __future__ import annotations

import re

_THINK = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_ANSWER = re.compile(r"<(/?)answer\s*>", re.IGNORECASE)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BOX = re.compile(r"\\(?:boxed|fbox)(?![A-Za-z])\s*")
_BARE_BOX = re.compile(r"[^\s$.,;{}\\]+")
_DELIMITER = re.compile(r"\$\$|\$|\\.", re.DOTALL)
_CLOSING = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_MAX_CUT_OFF = 200


def strip_thinking(output: str) -> str:
    """Remove the thinking: closed blocks, an opening of the chat template's, a cut-off end.

    A block that is never closed is taken for cut off, unless the text goes on to close with an
    answer tag: then only the closing tag was forgotten.
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
        kept.append(rest[max(start, 0) :])
    return "".join(kept)


def answer_tags(text: str) -> list[str]:
    """Contents of <answer> tags, in order; one that is cut off at the end counts when short."""
    found: list[str] = []
    start: int | None = None
    for tag in _ANSWER.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            found.append(text[start : tag.start()])
            start = None
    if start is not None and len(text) - start <= _MAX_CUT_OFF:
        found.append(text[start:])
    return found


def find_boxes(text: str) -> list[str]:
    r"""Contents of \boxed and \fbox with balanced braces, in order of their start.

    Escaped braces do not count; `\boxed 7` without braces gives the next word.
    """
    if "\\boxed" not in text and "\\fbox" not in text:
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
        if text[box.end() : box.end() + 1] == "{":
            end = closing.get(box.end())
            if end is not None:
                found.append(text[box.end() + 1 : end])
        elif bare := _BARE_BOX.match(text, box.end()):
            found.append(bare[0])
    return found


def math_segments(text: str) -> list[tuple[int, int, str]]:
    r"""Math between $, $$, \( \) or \[ \]: (start, end, content) in order."""
    found = []
    start, closing = 0, ""
    for mark in _DELIMITER.finditer(text):
        if not closing and mark[0] in _CLOSING:
            start, closing = mark.start(), _CLOSING[mark[0]]
        elif closing and mark[0] == closing:
            content = text[start + len(closing) : mark.start()]
            if content.strip():
                found.append((start, mark.end(), content))
            closing = ""
        elif closing == "$" and mark[0] == "$$":
            closing = ""
    return found
