"""Answer phrases in common languages: where a text says that its answer follows."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from madm2.grading.cue_words import (
    EASTERN_JOINS,
    EASTERN_NOUNS,
    EASTERN_RESULTS,
    EASTERN_TOTALS,
    ENGLISH,
    ENGLISH_JOINS,
    OTHER,
    OTHER_JOINS,
    WEAK,
)

Kind = Literal["exact", "phrase", "label"]


class Statement(NamedTuple):
    """A place where a text states its answer.

    `kind` is `exact` for what a tag or box holds, `phrase` for what follows "the answer is",
    `label` for what follows "Answer:". `last` says that no digit follows the statement's line.
    """

    position: int
    content: str
    kind: Kind
    last: bool = True


# What must follow for a phrase without a verb to state an answer.
VALUE = r"(?=[-−]?(?:[\d$\\]|[(（]?(?:\d|(?-i:[A-JＡ-Ｊ])(?!\w|['’](?!d[iıuü]r)))))"
_ASIDE = r"[\"'”*_`)\]]{0,3}(?:,[^,.:\n]{1,30},)?"


def _join(name: str, joins: str) -> str:
    """A pattern for what stands between the noun and the answer, as a group of this name."""
    words = r"(?:[^\S\n]+(?:[^\W\d_]|[()'’-])[^\n.,:;=：!?]{0,40}?)??[^\S\n]*"
    verb = rf"(?<!\w)(?:{joins})(?!\w)[^\S\n]*[:：=—]?"
    return rf"{_ASIDE}(?P<{name}>{words}(?:{verb}|[:：]|[—–-](?=\s))|[^\S\n]*=)"


_LETTER_AHEAD = r"(?=[(（]?(?-i:[A-JＡ-Ｊ])(?![A-Za-z]))"
_EASTERN = (
    rf"(?:{EASTERN_NOUNS})(?:\**[:：】]|(?=不是)|{EASTERN_JOINS}|\s*{VALUE})"
    r"|(?:故|应|應|该|所以|因此)?(?:选|選)(?:择|擇)?(?:选项|項|项)?\s*[:：]?\s*"
    + _LETTER_AHEAD
    + rf"|正(?:确|確)的是[^\S\n]*{_LETTER_AHEAD}"
    + r"|(?:^|(?<=\n))答\s*[:：]"
)
# Words begin where no word character stands before them; looking for that first, and for a letter,
# saves most of the time.
_CUE = re.compile(
    r"(?:(?<!\w)(?=[a-z]|[^\x00-\x7f])(?:"
    rf"(?:{OTHER})[^\S\n]+{VALUE}"
    rf"|(?:{ENGLISH})(?!\w){_join('english', ENGLISH_JOINS)}"
    rf"|(?:{OTHER})(?!\w){_join('other', OTHER_JOINS)})"
    rf"|(?=[^\x00-\x7f])(?P<east>{_EASTERN}))[^\S\n]*",
    re.IGNORECASE,
)
_WEAK_CUE = re.compile(
    rf"(?:(?<!\w)(?:{WEAK})(?!\w){_join('weak', ENGLISH_JOINS + '|' + OTHER_JOINS)}"
    rf"|{EASTERN_RESULTS})[^\S\n]*|{EASTERN_TOTALS}",
    re.IGNORECASE,
)
# "Wait, it is 7": a correction states an answer without naming it one.
_CORRECTION = re.compile(
    r"(?<!\w)(?:wait|actually|correction|sorry|oops|no(?=,))\b[^.\n]{0,40}?(?<!\w)(?:it|this|that)"
    r"(?:['’]s|\s(?:is|should be|must be))(?:\s(?:actually|really))?\s+" + VALUE,
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(  # "12 is the answer"
    r"(\$[^$\n]{1,200}\$|\\\([^()\n]{1,200}\\\)|(?<![\w.,])[-−]?[$€£]?\d[\d.,/]{0,40})"
    r"\s+is (?:therefore |thus )?(?:the|our|my) (?:final |correct |right )?answer\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"^[\W_]*(?:\w+[ \t]+){{0,2}}(?:{ENGLISH}|{OTHER}|答案)[\W_]*$", re.IGNORECASE
)
# Lines that point at the next one.
_POINTER = re.compile(
    r"^\W*(?:as follows|(?:given |shown |stated )?(?:below|here)|the following)\W*$", re.IGNORECASE
)
_MARKUP = " \t\r*_#:：`$[]\\()"  # a line of nothing else holds no answer
_DISPLAY = (("$$", "$$"), ("\\[", "\\]"), ("\\begin{", "\\end{"), ("\\(", "\\)"))
_LIST_MARK = re.compile(r"^[^\S\n]*(?:[-*•]|\d{1,2}[.)])[^\S\n]+(?=\S)")
_MAX_CUES = 50
_MAX_MATH = 2000
_TAIL = 20_000


def answer_statements(text: str) -> list[Statement]:
    """What follows each answer phrase, in order of position; near the end of long texts only."""
    ends: dict[int, Kind] = {}
    tail = max(len(text) - _TAIL, 0)
    for found in _CUE.finditer(text, tail):
        join = found["english"] or found["other"] or found["east"] or ""
        ends[found.end()] = "label" if join.rstrip("* \t").endswith((":", "：", "=")) else "phrase"
    for found in _CORRECTION.finditer(text, tail):
        ends[found.end()] = "phrase"
    start = tail
    for line in text[tail:].split("\n"):
        if len(line) < 60 and _HEADING.match(line):
            ends[start + len(line)] = "label"
        start += len(line) + 1
    statements = [statement for statement, _ in _read(text, ends)]
    for found in _NAMED_AFTER.finditer(text, tail):
        statements.append(Statement(found.start(), found[1], "phrase"))
    return statements


def closing_statements(text: str) -> list[Statement]:
    """What follows "the result is" and the like, where nothing comes after."""
    closing = len(text.rstrip())
    tail = max(closing - _MAX_MATH, 0)
    ends: dict[int, Kind] = {m.end() + tail: "phrase" for m in _WEAK_CUE.finditer(text[tail:])}
    return [statement for statement, stop in _read(text, ends) if stop >= closing]


def _read(text: str, ends: dict[int, Kind]) -> list[tuple[Statement, int]]:
    """The statements after these positions, each with the end of its lines."""
    last_digit = next((i for i in range(len(text) - 1, -1, -1) if text[i].isdigit()), -1)
    found = []
    for end in sorted(ends)[-_MAX_CUES:]:
        start, stop = _content(text, end)
        if start < stop:
            content = text[start:stop]
            if start > end:  # on a later line
                content = _LIST_MARK.sub("", content)
            found.append((Statement(end, content, ends[end], last_digit < stop), stop))
    return found


def _content(text: str, start: int) -> tuple[int, int]:
    """The first line from here on that says something, as far as its display math reaches."""
    while start < len(text):
        newline = text.find("\n", start)
        stop = newline if newline >= 0 else len(text)
        line = text[start:stop]
        bare = line.strip(" \t\r*_:")
        for opening, closing in _DISPLAY:
            if bare.startswith(opening) and closing not in bare[len(opening) :]:
                end = text.find(closing, start + line.index(opening) + len(opening))
                if 0 <= end - start <= _MAX_MATH:
                    newline = text.find("\n", end)
                    return start, newline if newline >= 0 else len(text)
                break
        if line.strip(_MARKUP) and not _POINTER.match(line):
            return start, stop
        start = stop + 1
    return start, start
