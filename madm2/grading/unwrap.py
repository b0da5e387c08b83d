"""Strips what stands around an answer: markdown, math delimiters, idle words, template text."""

from __future__ import annotations

import re

from madm2.grading.boxes import find_boxes
from madm2.grading.cue_words import alternatives

_EMPHASIS = re.compile(
    r"(?<![A-Za-z0-9*])(\*\*\*|\*\*|__)(?=\S)([^*\n]{1,400}?)(?<=\S)\1(?![A-Za-z0-9*(])"
)
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_EMPTY_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{\s*\}")
_HTML = re.compile(r"</?(?:b|strong|i|em|u|mark|span|p|br|code|center|div)(?:\s[^<>]{0,100})?/?>")
_FENCE = re.compile(r"^[^\S\n]*```\w*[^\S\n]*$", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
_TEXT = re.compile(r"\\(?:text|mbox|textbf|mathrm)\s*\{([^{}]*)\}")
_PLACEHOLDER = re.compile(
    r"[\W_]*(?:[A-Za-z ,'’_/-]{0,60}\banswer\b[A-Za-z ,'’_/-]{0,40}|n/?a|none|unknown|number|"
    r"value|result|x{2,}|y{2,}|todo|tbd)?[\W_]*",
    re.IGNORECASE,
)
# What an answer phrase may be followed by without any answer being stated.
_REMARKS = alternatives(
    r"""
    correct|right|wrong|incorrect|clear|obvious|reasonable|valid|verified|confirmed|consistent
    simple|straightforward|helpful|useful|accurate|satisfactory|unique|complete|easy|ready
    unclear|unsure|not (?:known|clear|sure|given)|as follows|(?:given |shown )?(?:above|below)
    """
)
_NOTHING = re.compile(
    rf"\W*(?:(?:very |quite |also |indeed |clearly |still )?(?:{_REMARKS})|"
    r"(?:found|obtained|given|computed|calculated|determined|derived)"
    r"(?: (?:by|from|as|using)\b.*)?)\W*",
    re.IGNORECASE | re.DOTALL,
)
_IDLE = alternatives(
    r"""
    thus|therefore|so|then|simply|just|clearly|probably|likely|most likely|exactly|equal to
    given by|approximately|about|indeed|also|now|hence|obviously|definitely
    donc|alors|daher|somit|entonces|por tanto|portanto|quindi|dunque|então|dus|więc
    """
)
_FILLER = re.compile(
    r"(?:[\s,:=>*_→—}]+|[-–](?!\s?[.\d$\\])|(?:that is|i\.e\.|namely),?\s|"
    rf"(?:{_IDLE})\b)+",
    re.IGNORECASE,
)
_PAIRS = (
    ("$$", "$$"),
    ("$", "$"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("\\\\(", "\\\\)"),
    ("\\\\[", "\\\\]"),
    ("**", "**"),
)
_ENVIRONMENT = re.compile(
    r"\\begin\{(align|equation|gather|displaymath|math)(\*?)\}(.*)\\end\{\1\2\}", re.DOTALL
)


def strip_markup(text: str) -> str:
    """Drop bold, code marks, simple HTML (what they mark stays) and empty boxes."""
    text = _EMPHASIS.sub(r"\2", text)
    for pattern in (_EMPTY_BOX, _FENCE, _STRUCK):
        text = pattern.sub("", text)
    return _HTML.sub("", _CODE.sub(r"\1", text))


def strip_filler(content: str) -> str:
    """Drop the idle words between an answer phrase and the answer ("therefore", "about")."""
    filler = _FILLER.match(content)
    return content[filler.end() :] if filler else content


def is_placeholder(content: str) -> bool:
    """Whether this is nothing, or a template's text ("YOUR FINAL ANSWER", "...")."""
    return len(content) <= 200 and bool(_PLACEHOLDER.fullmatch(_TEXT.sub(r"\1", content)))


def says_nothing(content: str) -> bool:
    """Whether this speaks about the answer without stating it ("correct", "as follows")."""
    return len(content) <= 200 and bool(_NOTHING.fullmatch(content))


def _ends_with(text: str, closing: str) -> bool:
    return text.endswith(closing) and not text.endswith("\\" + closing)


def unwrap(content: str) -> str:
    r"""Strip what stands around an answer: math delimiters, boxes, emphasis, a closing stop."""
    text = content.strip()
    for _ in range(6):
        before = text
        boxes = find_boxes(text) if text.startswith(("\\boxed", "\\fbox")) else []
        if boxes:
            text = boxes[-1]
        text = text.strip().strip("`").strip()
        if environment := _ENVIRONMENT.fullmatch(text):
            text = environment[3].replace("&", "").strip()
        for opening, closing in _PAIRS:
            inside = text[len(opening) : len(text) - len(closing)]
            if (
                len(text) > len(opening) + len(closing)
                and text.startswith(opening)
                and text.endswith(closing)
            ):
                if opening not in inside:
                    text = inside.strip()
                elif opening == "$":  # several formulas
                    text = text.replace("$", "")
            if _ends_with(text, closing) and opening not in text[: -len(closing)]:
                text = text[: -len(closing)].strip()  # its opening was cut off with a phrase
        bare = text.rstrip(".。．,;*")
        if re.search(r"[^\W\d_]{2}!{1,9}$", bare[-20:]):  # but 5! is a number
            bare = bare.rstrip("!")
        if not bare.endswith(("\\", "^")):  # spacing, or a starred name
            text = bare
        if text.startswith('"') and text.endswith('"') and len(text) > 1:
            text = text[1:-1]
        if text == before:
            break
    return text.strip()
