r"""Cuts a cleaned answer into tokens, and refuses what is too large to parse.

A run of letters is a known name (`sin`, `pi`), a product of variables (`xy`) or a word (`miles`):
here is where that is decided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from madm2.grading.normal import MAX_CHARS, MAX_DIGITS
from madm2.grading.tree import NotUnderstoodError

MAX_DEPTH = 60


class Token(NamedTuple):
    """`kind` is number, name (a variable), command, text or mark; `spaced`: after a space."""

    kind: str
    text: str
    spaced: bool


FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth sech "
    "csch arcsinh arccosh arctanh ln log lg exp abs".split()
)
PLAIN_NAMES = {
    **{name: name for name in FUNCTIONS},
    **dict.fromkeys(("asin", "Arcsin"), "arcsin"),
    **dict.fromkeys(("acos", "Arccos"), "arccos"),
    **dict.fromkeys(("atan", "Arctan"), "arctan"),
    **dict.fromkeys(("inf", "infty", "infinity", "Infinity", "oo"), "infty"),
    **{name: name for name in ("sqrt", "cbrt", "pi", "floor", "ceil", "binom", "frac")},
    "theta": "theta",
    "alpha": "alpha",
    "beta": "beta",
    "gamma": "gamma",
    "lambda": "lambda",
    "Pi": "pi",
    "cup": "cup",
    "union": "cup",
    "and": "and",
    "or": "or",
    "in": "in",
}
GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega ell".split()
)
# Short words that look like products; all longer runs of letters are words anyway.
_SHORT_WORDS = frozenset(
    "cm mm km kg mg ml mi ft yd lb lbs oz hr hrs min mins sec secs mph kph kmh gal in day days "
    "odd yes no all one two six ten red nor not any men man cat cats dog dogs sum day top none "
    "am pm he she her his its the of to is at by on an as if we it be per deg rad sq cu gm gms "
    "won yen".split()
)
UNIT_LETTERS = frozenset("mgshlLJNKWVCF")
_MARKS = {"<=": "\\le", ">=": "\\ge", "!=": "\\ne", "==": "="}
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|\\text\s*\{(?P<text>[^{}]*)\}"
    r"|\\begin\s*\{(?P<begin>(?:[pbB]|small)?matrix|array)\}(?:\s*\{[clr| ]*\})?"
    r"|\\end\s*\{(?P<end>[A-Za-z]+)\}"
    r"|\\(?P<command>[A-Za-z]+)"
    r"|(?P<escaped>\\[\\{}%&|$])"
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3}(?![A-Za-z\d.]))?)"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<mark><=|>=|(?<![\d)])!=|==|[-+*/^_=<>!(){}\[\],;:|&%'€£¥₹])"
)
_DEEP = re.compile(r"\\?[(){}\[\]]")
_LONG_NUMBER = re.compile(rf"\d{{{MAX_DIGITS + 1}}}")
_TOWER = re.compile(r"(?:\^[\s{]*[\w.\\]+[\s]*){5}")


def check_size(text: str) -> None:
    """Refuse a text whose parsing could take long: by length, nesting, digits or powers."""
    if len(text) > MAX_CHARS or _LONG_NUMBER.search(text) or _TOWER.search(text):
        raise NotUnderstoodError("too large")
    depth = 0
    for bracket in _DEEP.finditer(text):
        depth += 1 if bracket[0][-1] in "({[" else -1
        if depth > MAX_DEPTH:
            raise NotUnderstoodError("nested too deeply")


def is_word(letters: str) -> bool:
    """Whether a run of letters is a word rather than known names or a product of variables."""
    if len(letters) < 2 or letters in PLAIN_NAMES:
        return False
    if letters.lower() in _SHORT_WORDS or len(letters) > 3:
        return True
    return not letters.islower() or bool(set(letters[1:]) & set("eiou"))


def tokenize(text: str) -> list[Token]:
    """The tokens of a cleaned text.

    Raises:
        NotUnderstoodError: it is too large, or holds a character that no answer has.
    """
    check_size(text)
    tokens: list[Token] = []
    position, spaced = 0, False
    while position < len(text):
        found = _TOKEN.match(text, position)
        if not found:
            raise NotUnderstoodError(f"the character {text[position]!r}")
        position = found.end()
        kind, content = str(found.lastgroup), str(found[str(found.lastgroup)])
        if kind == "space":
            spaced = True
            continue
        tokens.extend(_tokens(kind, content, spaced))
        spaced = False
    return _with_numbers_joined(tokens)


def _tokens(kind: str, content: str, spaced: bool) -> list[Token]:
    if kind == "word":
        if content in PLAIN_NAMES:
            return [Token("command", PLAIN_NAMES[content], spaced)]
        if is_word(content):
            return [Token("text", content, spaced)]
        return [Token("name", c, spaced and i == 0) for i, c in enumerate(content)]
    if kind == "text":
        word = content.strip(" ,.")
        if word in ("and", "or"):
            return [Token("command", word, spaced)]
        if len(word) == 1 and word.isalpha() and word not in UNIT_LETTERS:
            return [Token("name", word, spaced)]
        return [Token("text", content.strip(), spaced)] if content.strip() else []
    if kind == "command" and content in GREEK:
        return [Token("name", content, spaced)]
    if kind in ("begin", "end"):
        return [Token("mark", kind, spaced)]
    if kind == "escaped":
        return [Token("mark", {"\\%": "%", "\\&": ",", "\\|": "|"}.get(content, content), spaced)]
    if kind == "mark" and content in _MARKS:
        mark = _MARKS[content]
        if mark.startswith("\\"):
            return [Token("command", mark[1:], spaced)]
        return [Token("mark", mark, spaced)]
    return [Token(kind, content, spaced)]


OPENING = frozenset({"(", "[", "{", "\\{", "begin", "langle", "lfloor", "lceil"})
CLOSING = frozenset({")", "]", "}", "\\}", "end", "rangle", "rfloor", "rceil"})


def _with_numbers_joined(tokens: list[Token]) -> list[Token]:
    """Join grouped thousands: `1,234` outside brackets of lists, `12 345` anywhere."""
    joined: list[Token] = []
    brackets: list[str] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.text in OPENING:
            brackets.append(token.text)
        elif token.text in CLOSING and brackets:
            brackets.pop()
        listed = any(bracket != "{" for bracket in brackets)
        i += 1
        if token.kind == "number" and re.fullmatch(r"[1-9]\d{0,2}", token.text):
            digits, i = _grouped(tokens, i, token.text, commas=not listed)
            token = token._replace(text=digits)
        joined.append(token)
    return joined


def _grouped(tokens: Sequence[Token], i: int, digits: str, commas: bool) -> tuple[str, int]:
    first = digits, i
    while i < len(tokens):
        after = i + 1 if commas and tokens[i].text == "," and not tokens[i].spaced else i
        if after == i and not tokens[i].spaced:
            break
        if after >= len(tokens) or (after > i and tokens[after].spaced):
            break
        group = tokens[after]
        if group.kind != "number" or not re.fullmatch(r"\d{3}(\.\d*)?", group.text):
            break
        if after == i and i + 1 < len(tokens) and tokens[i + 1].text == "/":
            break  # a mixed number
        digits += group.text
        i = after + 1
        if "." in group.text:
            break
    # 1,234,56 is a list.
    more = [t.text[:1].isdigit() or t.text == "," for t in tokens[i : i + 2] if not t.spaced]
    return first if more == [True, True] else (digits, i)
