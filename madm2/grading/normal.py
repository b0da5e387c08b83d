r"""A cheap normal form of an answer: one spelling for what is written in many ways.

`clean` takes away what carries no meaning (delimiters, boxes, bold, sizes, spaces of LaTeX) and
writes unicode as LaTeX; `normal` then squeezes out what only matters to a reader. Both are linear
in the length of the text and know no mathematics.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

MAX_CHARS = 2000
MAX_DIGITS = 300

_SYMBOLS = {
    **dict.fromkeys("−–—‐‑‒―﹣－", "-"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2007\u2009\u200a\u202f\u3000\t\n\r", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\u2061\u2062\ufeff", ""),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("‘’′", "'"),
    **dict.fromkeys("·⋅∙•", "\\cdot "),
    **dict.fromkeys("°º˚", "^\\circ "),
    **dict.fromkeys("⁄∕", "/"),
    "×": "\\times ",
    "÷": "\\div ",
    "√": "\\sqrt ",
    "∛": "\\sqrt[3] ",
    "∞": "\\infty ",
    "≤": "\\le ",
    "⩽": "\\le ",
    "≥": "\\ge ",
    "⩾": "\\ge ",
    "≠": "\\ne ",
    "≈": "\\approx ",
    "∪": "\\cup ",
    "∩": "\\cap ",
    "∈": "\\in ",
    "±": "\\pm ",
    "∓": "\\mp ",
    "∅": "\\emptyset ",
    "ℝ": "\\mathbb{R}",
    "ℤ": "\\mathbb{Z}",
    "⟨": "\\langle ",
    "⟩": "\\rangle ",
    "∘": "\\circ ",
    "∠": "\\angle ",
    "△": "\\triangle ",
    "∨": " or ",
    "∧": " and ",
    "→": "\\to ",
    "…": "\\ldots ",
    **{
        letter: f"\\{name} "
        for letter, name in zip(
            "αβγδεζηθικλμνξπρσςτυφϕχψωΓΔΘΛΞΠΣΦΨΩ",
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma "
            "sigma tau upsilon phi phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi "
            "Omega".split(),
            strict=True,
        )
    },
}
_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ]+")
_LOWERED = re.compile(r"[₀₁₂₃₄₅₆₇₈₉₊₋]+")
_VULGAR = re.compile(r"[¼½¾⅐-⅞]")
_DROPPED = re.compile(
    r"(?P<keep>\\\\|\\\$)|\\[()\[\]]|\$|`"
    r"|\\(?:left|right|bigg?[lrm]?|Bigg?[lrm]?|displaystyle|textstyle|limits)(?![A-Za-z])\.?"
)
_SPACES = re.compile(r"(?P<keep>\\\\)|\\(?:[,;: ]|(?:q?quad|enspace|thinspace)(?![A-Za-z]))|~")
_FRACTION = re.compile(r"\\[dtc]frac(?![A-Za-z])")
_PLAIN_STYLE = re.compile(
    r"\\(?:bf|it|rm|sf|tt|cal|tiny|small|large|Large|LARGE|huge|Huge)(?![A-Za-z])"
    r"|\\(?:text)?color ?\{[A-Za-z]*\}"
    r"|\\(?:mathbf|mathit|boldsymbol|bm|pmb|mathsf|mathcal|vec|underline|overrightarrow|boxed|fbox)"
    r"(?=\s*[{\dA-Za-z])(?![A-Za-z])"
)
_TEXT_STYLE = re.compile(r"\\(?:mbox|hbox|textbf|textit|textrm|textsf|textnormal|emph|mathrm)\s*\{")
_BLACKBOARD = re.compile(r"\\mathbb ?([A-Z])(?![A-Za-z])")
_OPERATOR = re.compile(r"\\operatorname\*?\s*\{\s*([A-Za-z]+)\s*\}")
_UPRIGHT_CONSTANT = re.compile(r"\\mathrm\s*\{([ied])\}")
_TIMES_TEN = re.compile(r"(?<=\d) ?[xX] ?(?=10 ?\^)")
_DEGREE = re.compile(
    r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z])|\\degree)|\\degree(?![A-Za-z])"
    r"|(?<=\d)\^ ?(?:o(?![A-Za-z])|\{o\})"
)
_THIN_COMMA = re.compile(r"(?<=\d)(?:,\\! ?|\{,\}|\\[,!;:]|')(?=\d{3}(?!\d))")
_WORDS = {
    "\\leqslant": "\\le ",
    "\\leq": "\\le ",
    "\\geqslant": "\\ge ",
    "\\geq": "\\ge ",
    "\\neq": "\\ne ",
    "\\dbinom": "\\binom",
    "\\tbinom": "\\binom",
    "\\lvert": "|",
    "\\rvert": "|",
    "\\vert": "|",
    "\\mid": "|",
    "\\lt": "<",
    "\\gt": ">",
    "\\colon": ":",
    "\\cr": "\\\\ ",
    "\\textdollar": "\\$",
    "\\pounds": "£",
    "\\euro": "€",
    "\\lbrace": "\\{",
    "\\rbrace": "\\}",
    "\\lbrack": "[",
    "\\rbrack": "]",
    "\\ast": "*",
    "\\varnothing": "\\emptyset ",
    "\\land": " and ",
    "\\lor": " or ",
    "\\dots": "\\ldots ",
    "\\cdots": "\\ldots ",
    "\\vee": " or ",
    "\\varphi": "\\phi ",
    "\\varepsilon": "\\epsilon ",
    "\\smallsetminus": "\\setminus ",
    "\\backslash": "\\setminus ",
}
_RENAMED = re.compile(
    "(?:" + "|".join(re.escape(w) for w in sorted(_WORDS, key=len, reverse=True)) + ")(?![A-Za-z])"
)
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d*)(?P<rest>\.\d*)?"
)


def _ascii(text: str) -> str:
    text = _VULGAR.sub(_vulgar, text)
    text = _RAISED.sub(lambda m: "^{" + unicodedata.normalize("NFKC", m[0]) + "}", text)
    text = _LOWERED.sub(lambda m: "_{" + unicodedata.normalize("NFKC", m[0]) + "}", text)
    text = text.replace("−", "-")
    return unicodedata.normalize("NFKC", "".join(_SYMBOLS.get(c, c) for c in text))


def _vulgar(found: re.Match[str]) -> str:
    above, _, below = unicodedata.normalize("NFKC", found[0]).partition("⁄")
    return f"\\frac{{{above}}}{{{below}}}"


def clean(text: str) -> str:
    """One spelling without wrappers; spaces, words and the order of things stay.

    A text that is too long comes back stripped and otherwise as it is.
    """
    return _clean(text) if len(text) <= MAX_CHARS else text.strip()


@lru_cache(maxsize=8192)
def _clean(text: str) -> str:
    text = text.strip()
    if not text.isascii():
        text = _ascii(text)
    text = text.translate(_BLANKS)
    if "\\" in text or "{,}" in text:
        text = _THIN_COMMA.sub("", text).replace("\\!", "")
    text = _DROPPED.sub(lambda m: m["keep"] or "", text)
    if "\\" in text:
        text = _SPACES.sub(lambda m: m["keep"] or " ", text)
        text = _PLAIN_STYLE.sub("", _FRACTION.sub(r"\\frac", text))
        text = _OPERATOR.sub(r"\\\1 ", _UPRIGHT_CONSTANT.sub(r" \1", text))
        text = _TEXT_STYLE.sub(r"\\text{", text)
        text = _RENAMED.sub(lambda m: _WORDS[m[0]], text)
        text = _BLACKBOARD.sub(r"\\mathbb{\1}", text)
    text = _unwrapped(" ".join(text.split())).replace("**", "^")
    if "\\" in text or "^" in text:
        text = _DEGREE.sub(r"\\degree ", text)
    return _TIMES_TEN.sub(r"\\times ", text.replace("...", "\\ldots ")).strip()


_BLANKS = {ord(c): " " for c in "\t\n\r\v\f"}


def _unwrapped(text: str) -> str:
    """Drop what stands around everything: a few levels, as more are no answer."""
    for _ in range(8):
        before = text
        text = text.removesuffix("\\\\").rstrip(" .;,").lstrip()
        for mark in ("**", "__", "*", '"', "'"):
            if text.startswith(mark) and text.endswith(mark) and len(text) > 2 * len(mark):
                text = text[len(mark) : -len(mark)].strip()
        if text.startswith("{") and text.endswith("}") and _is_one_group(text):
            text = text[1:-1].strip()
        if text == before:
            break
    return text


def _is_one_group(text: str) -> bool:
    depth = 0
    for brace in _BRACE.finditer(text):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.end() == len(text)
    return False


_BRACE = re.compile(r"\\.|[{}]")
_GROUP = re.compile(r"\{\s*([A-Za-z0-9])\s*\}")
_SHORT_FRACTION = re.compile(r"\\frac\s*(?:\{(\w)\}|(\w))\s*(?:\{(\w)\}|(\w))")
_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
# A space says nothing unless it parts words or numbers; but 1, 234 is not 1,234.
_LOOSE = re.compile(r" (?!\w)|(?<![\w,]) |(?<=,) (?!\d{3}(?!\d))")


def normal(text: str) -> str:
    """The form in which equal strings are equal answers."""
    return _normal(text) if len(text) <= MAX_CHARS else text.strip()


@lru_cache(maxsize=8192)
def _normal(text: str) -> str:
    text = _clean(text)
    if "\\" in text:
        text = _TEXT.sub(r" \1 ", text)
        text = _SHORT_FRACTION.sub(_braced, text)
    text = _GROUP.sub(r"{\1}", text)
    text = re.sub(r"([_^])\{(\w)\}(?!\w)", r"\1\2", text)
    return _LOOSE.sub("", " ".join(text.split()))


def _braced(found: re.Match[str]) -> str:
    above, below = found[1] or found[2], found[3] or found[4]
    return f"\\frac{{{above}}}{{{below}}}"


def plain_number(text: str) -> Fraction | None:
    """The exact value of a plainly written number, with or without grouped thousands."""
    if len(text) > MAX_DIGITS:
        return None
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    whole, rest = found["whole"], found["rest"] or ""
    if not whole and len(rest) < 2:
        return None
    return Fraction(found["sign"] + re.sub(r"[, ]", "", whole or "0") + rest.rstrip("."))
