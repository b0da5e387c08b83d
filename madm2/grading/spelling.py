"""Rewrites spellings of whole answers that the parser does not know into ones that it knows."""

from __future__ import annotations

import re
from fractions import Fraction

TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_BASE_NAMES = {
    name: str(number)
    for number, name in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen".split(),
        start=2,
    )
}
_A_BASE = "|".join((r"\d{1,2}", *_BASE_NAMES))
_BASE = re.compile(
    rf"_ ?\{{? ?(?:\\text ?\{{ ?)?(?:base[ -]?)?\(?({_A_BASE})\)?(?: ?\}})?(?: ?\}})?$"
    rf"|_\{{ ?\\text ?\{{ ?base ?\}} ?({_A_BASE}) ?\}}$"
    rf"|(?<=[0-9A-F]) ?(?:\\text ?\{{ ?)?\(?(?:in )?base[ -]?\}}?[ -]?({_A_BASE})\)?(?: ?\}})?$"
)
_HALF_DAY = re.compile(r"(?<![A-Za-z])([aApP])\. ?[mM](?![A-Za-z])\.?")
_FIGURE = re.compile(r"\\(?:overline|angle|triangle) ?\{? ?([A-Z]{1,4}) ?\}?")
_REPEATING = re.compile(r"(\d{0,40})\.(\d{0,40})\\(?:overline|bar|dot) ?\{(\d{1,40})\}")
_CHOOSE = re.compile(r"(?:\{|^)([^{}]*)\\choose(?![A-Za-z])([^{}]*)(?:\}|$)")
_MAX_STACKED = 3
_ARGUMENT = r"((?:[^{}]|\{[^{}]*\})*)"
_STACKED = re.compile(rf"(?:\{{|^){_ARGUMENT}\\over(?![A-Za-z]){_ARGUMENT}(?:\}}|$)")
_UNIT_FRACTION = re.compile(r"\\frac ?\{ ?\\text ?\{([^{}]*)\} ?\} ?\{ ?\\text ?\{([^{}]*)\} ?\}")
_ROW_SPACE = re.compile(r"\\\\ ?\[[\d. ]*(?:pt|em|ex|mm|cm)\]")
_UNION = re.compile(r"(?<=[)\]]) ?U ?(?=[(\[])")
_OUTWARD = re.compile(r"([\[\](])([^\[\]()]*,[^\[\]()]*)([\[\])])")


def respell(text: str) -> str:
    """A cleaned text in spellings that the parser knows."""
    text = _HALF_DAY.sub(r" \1m", text)
    if "\\" in text:
        text = _FIGURE.sub(r"\1", _ROW_SPACE.sub(r"\\\\", text))
        text = _REPEATING.sub(_fraction, text)
        text = _CHOOSE.sub(r"\\binom{\1}{\2}", text)
        for _ in range(text.count("\\over") and _MAX_STACKED):
            text = _STACKED.sub(r"\\frac{\1}{\2}", text)
        text = _UNIT_FRACTION.sub(r"\\text{\1/\2}", text)
    if outward := _OUTWARD.fullmatch(text):
        # ]a,b[ is how some write (a,b).
        text = outward[1].replace("]", "(") + outward[2] + outward[3].replace("[", ")")
    return _BASE.sub(_base, _UNION.sub(r" \\cup ", text))


def _base(found: re.Match[str]) -> str:
    base = found[1] or found[2] or found[3]
    return f"_{_BASE_NAMES.get(base, base)}"


def _fraction(found: re.Match[str]) -> str:
    r"""0.1\overline{6} as the fraction that it is."""
    shift, period = 10 ** len(found[2]), 10 ** len(found[3]) - 1
    value = Fraction(int((found[1] or "0") + found[2]), shift)
    return f"({value + Fraction(int(found[3]), shift * period)})"
