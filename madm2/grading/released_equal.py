"""When the released code takes two MATH answers for equal: its normal form and its five rules.

The last rule parses both sides; model text is not run as code there, and its length and nesting
are checked before the parser sees it.
"""

from __future__ import annotations

import math
import re
from typing import Literal

from madm2.grading import worker

Rule = Literal["plus_minus", "string", "float", "parts", "latex"]

_MAX_CHARS = 1000
_MAX_NESTING = 50  # Python's own limit stops the parser before that
_PLAIN_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_OPENING = re.compile(r"\\(?:text|mbox)\{")
_SQRT = re.compile(r"\\sqrt(\w+)")
# A run of blanks is entered at its start only, or a long one would be scanned again and again.
_DEGREES = re.compile(r"(?<!\s)\s*degrees", re.IGNORECASE)


def matching_rule(prediction: str, gold: str) -> Rule | None:
    """The first rule by which an answer equals the gold; None when none does.

    Raises:
        WorkerTimeout: the last rule did not end in time; the released code would go on.
    """
    ours, theirs = normalise(prediction), normalise(gold)
    if _plus_minus(ours, theirs) or _plus_minus(theirs, ours):
        return "plus_minus"
    if ours == theirs:
        return "string"
    if _floats_close(ours, theirs):
        return "float"
    if _same_parts(ours, theirs):
        return "parts"
    return "latex" if _same_expression(ours, theirs) else None


def _plus_minus(one: str, other: str) -> bool:
    before, sign, after = one.partition("\\pm")
    parts = re.split("[,;]", other)
    both = {f"{before}+{after}", f"{before}-{after}"}
    return bool(sign) and len(parts) == 2 and both == set(parts)


def _floats_close(ours: str, theirs: str) -> bool:
    try:
        left, right = float(ours.replace(",", "")), float(theirs.replace(",", ""))
    except ValueError:
        return False
    return math.isclose(left, right, rel_tol=1e-4)


def _same_parts(ours: str, theirs: str) -> bool:
    one, other = (
        sorted(filter(None, re.split("[,;]", side.strip("()[]{}")))) for side in (ours, theirs)
    )
    return len(one) > 1 and one == other


def _same_expression(ours: str, theirs: str) -> bool:
    if not (_can_be_parsed(ours) and _can_be_parsed(theirs)):
        return False
    if _PLAIN_NUMBER.fullmatch(ours) and _PLAIN_NUMBER.fullmatch(theirs):
        return False  # exact numbers here; equal ones are equal floats too
    try:
        return bool(worker.call("madm2.grading.released_latex:difference_is_zero", ours, theirs))
    except worker.WorkerError:
        return False


def _can_be_parsed(text: str) -> bool:
    """Whether a text is worth a parser: not empty, not long, not nested beyond its limits."""
    if not text or len(text) > _MAX_CHARS:
        return False
    depth = deepest = 0
    for character in text:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    return deepest <= _MAX_NESTING


def normalise(text: str) -> str:
    """The released code's normal form of a MATH answer, step by step in its order."""
    text = _unwrap_text(text.strip())
    for token in ("^{\\circ}", "\\circ", "°", "\\%", "%"):
        text = text.replace(token, "")
    text = _DEGREES.sub("", text)
    for token in ("inches^2", "square inches", "\n"):
        text = text.replace(token, "")
    text = text.removesuffix(".")
    for old, new in (
        ("\\!", ""),
        ("\\ ", " "),
        ("\\\\", "\\"),
        ("tfrac", "frac"),
        ("dfrac", "frac"),
        ("\\left", ""),
        ("\\right", ""),
        ("$", ""),
        (" ", ""),
        ("\u200b", ""),
    ):
        text = text.replace(old, new)
    return _SQRT.sub(r"\\sqrt{\1}", _brace_fractions(text)).strip()


def _unwrap_text(text: str) -> str:
    r"""`\text{X}` and `\mbox{X}` become X, which ends at the first closing brace."""
    kept, position = [], 0
    while opening := _OPENING.search(text, position):
        end = text.find("}", opening.end())
        if end < 0:
            break
        kept += [text[position : opening.start()], text[opening.end() : end]]
        position = end + 1
    return "".join(kept) + text[position:]


def _brace_fractions(text: str) -> str:
    head, *rest = text.split("\\frac")
    out = [head]
    for part in rest:
        if part.startswith("{"):
            out.append("\\frac" + part)
        elif len(part) < 2:
            return text
        else:
            second = part[1] if part[1] == "{" else f"{{{part[1]}}}"
            out.append(f"\\frac{{{part[0]}}}{second}{part[2:]}")
    return "".join(out)
