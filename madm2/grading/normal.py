r"""The cheap normal form of a math answer: a cleaned string, its unit, and plain numbers.

Pure string work of a few microseconds; most pairs of answers are decided on it.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

_UNICODE = {
    "−": "-", "–": "-", "－": "-", "×": "\\times ", "·": "\\cdot ", "⋅": "\\cdot ", "÷": "/", "∗": "*",
    "π": "\\pi ", "∞": "\\infty ", "≤": "\\le ", "≥": "\\ge ", "≠": "\\ne ", "∪": "\\cup ", "∩": "\\cap ",
    "∈": "\\in ", "±": "\\pm ", "°": "^\\circ ", "⁄": "/", "√": "\\sqrt ", "∛": "\\sqrt[3] ", "θ": "\\theta ",
    "α": "\\alpha ", "β": "\\beta ", "∅": "\\emptyset ", "′": "'", "，": ",", "（": "(", "）": ")", "．": ".",
    "％": "%", "\u200b": "", "\u2009": " ", "\u202f": " ", "\u00a0": " ", "ℝ": "\\mathbb{R}", "“": '"', "”": '"',
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SYNONYMS = (
    (re.compile(r"\\(?:left|right|bigl?|bigr?|Bigl?|Bigr?|biggl?|biggr?)(?![A-Za-z])\s*\.?(?=[()\[\]|{}\\<>.])"), ""),
    (re.compile(r"\\(?:displaystyle|textstyle|limits|nolimits|hfill|,|;|:|!|quad|qquad|enspace|thinspace)(?![A-Za-z])"), " "),
    (re.compile(r"\\[dtc]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r"\\(?:leq|leqslant|leqq)(?![A-Za-z])"), r"\\le "),
    (re.compile(r"\\(?:geq|geqslant|geqq)(?![A-Za-z])"), r"\\ge "),
    (re.compile(r"\\(?:neq)(?![A-Za-z])"), r"\\ne "),
    (re.compile(r"\\(?:lt)(?![A-Za-z])"), "<"),
    (re.compile(r"\\(?:gt)(?![A-Za-z])"), ">"),
    (re.compile(r"\\(?:lbrace)(?![A-Za-z])"), r"\\{"),
    (re.compile(r"\\(?:rbrace)(?![A-Za-z])"), r"\\}"),
    (re.compile(r"\\(?:div)(?![A-Za-z])"), "/"),
    (re.compile(r"\\(?:mp)(?![A-Za-z])"), r"\\pm "),
    (re.compile(r"\\operatorname\*?\s*\{([A-Za-z]+)\}"), r"\\\1 "),
    (re.compile(r"\\varnothing|\\emptyset"), r"\\emptyset "),
    (re.compile(r"\\infin(?:ty)?(?![A-Za-z])|(?<![A-Za-z\\])(?:infinity|inf)(?![A-Za-z])"), r"\\infty "),
)  # fmt: skip
_WRAPPERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("**", "**"), ("`", "`"), ('"', '"'))
_TEXT = re.compile(r"\\(?:text|mbox|textbf|textit|textrm|textnormal|mathrm|mathbf|mathit|hbox|mathsf|rm)\s*\{([^{}]*)\}")
_BOX = re.compile(r"^\\(?:boxed|fbox)\s*\{(.*)\}$", re.DOTALL)
_DEGREES = re.compile(r"\^\s*\{?\s*\\(?:circ|degree)\s*\}?|\\degree(?:s)?(?![a-z])|\\circ(?![a-z])|\s*\bdegrees?\b", re.IGNORECASE)
_CURRENCY = re.compile(r"\\\$|(?<![A-Za-z])(?:US\$|USD|EUR|GBP)\s*(?=[\d.])|[€£¥₹₽]|(?<![\\A-Za-z])\$(?=\s*[\d.])")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)")
_GROUPED = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d{1,3}(?: \d{3})+(?:\.\d+)?")
_FRACTION = re.compile(r"([-+]?)\\frac\{([-+]?\d+)\}\{([-+]?\d+)\}|([-+]?)\(?(\d+)\)?/\(?(\d+)\)?")
_MIXED = re.compile(r"([-+]?)(\d+)\s*\\frac\{(\d+)\}\{(\d+)\}|([-+]?)(\d+) (\d+)/(\d+)")
_SCIENTIFIC = re.compile(r"([-+]?(?:\d+(?:\.\d*)?|\.\d+))(?:[eE]|\s*(?:\\times|\\cdot|\*)\s*10\s*\^\s*)\{?([-+]?\d{1,3})\}?")
_MAX_DIGITS = 300

# Units and counted things that may follow a number; aliases have one name.
_UNIT_NAMES = """
cm=centimeter=centimeters=centimetre=centimetres=cms mm=millimeter=millimeters m=meter=meters=metre=metres
km=kilometer=kilometers=kilometre=kilometres in=inch=inches ft=foot=feet yd=yard=yards mi=mile=miles
g=gram=grams kg=kilogram=kilograms=kgs mg lb=lbs=pound=pounds oz=ounce=ounces s=sec=secs=second=seconds
min=mins=minute=minutes h=hr=hrs=hour=hours day=days week=weeks month=months year=years=yr=yrs mph kph
l=liter=liters=litre=litres ml=milliliter=milliliters gallon=gallons=gal unit=units dollar=dollars=bucks
cent=cents euro=euros yuan=rmb radian=radians=rad percent=percents point=points degree=degrees pm am n j w v pa
""".split()
UNITS = {alias: group.split("=")[0] for group in _UNIT_NAMES for alias in group.split("=")}
_SHORT = {name for name in UNITS if len(name) == 1}
_UNIT = re.compile(
    r"^(?P<value>.*?[\d})])\s*(?P<words>(?:(?:square|sq\.?|cubic|cu\.?|per|a|an)\s+|/)*[A-Za-z]+"
    r"(?:\s+(?:per|of|a|an|the)?\s*[A-Za-z]+|/[A-Za-z]+)*)\.?\s*(?P<power>\^\s*\{?[23]\}?)?$",
    re.DOTALL,
)


class Clean(NamedTuple):
    """A cleaned answer: its text without a unit, and the unit (empty for none)."""

    text: str
    unit: str


@lru_cache(maxsize=1 << 16)
def clean(answer: str) -> Clean:
    """Clean a math answer: unicode, wrappers, spacing, styling, currency, percent, units."""
    text = answer.replace("\x00", "").strip()
    if not text.isascii():
        text = _to_ascii(text)
    text = unwrap(text)
    text = text.replace("\\!", "").replace("{,}", ",").replace("\\ ", " ").replace("~", " ")
    if "\\" in text:
        for pattern, new in _SYNONYMS:
            text = pattern.sub(new, text)
        text = _brace_arguments(text)
    elif "infinity" in text or "inf" in text:
        text = _SYNONYMS[-1][0].sub("\\\\infty ", text)
    text = _DEGREES.sub("", text)
    text = _CURRENCY.sub("", text)
    text = re.sub(r"\s*\\?%", "", text)
    text, unit = _split_unit(text)
    text = _TEXT.sub(r" \1 ", _TEXT.sub(r" \1 ", text))
    text = unwrap(text.rstrip(" .;,"))
    text = re.sub(r",(?=\s)\s*", ", ", re.sub(r"\s+", " ", text)).strip()
    if _GROUPED.fullmatch(text):
        text = text.replace(",", "").replace(" ", "")
    # Spaces mean something between words and between two numbers only.
    text = re.sub(r" (?=[^A-Za-z0-9.\\(])|(?<=[^A-Za-z0-9.)}]) ", "", text)
    return Clean(text, unit)


def unwrap(text: str) -> str:
    """Strip math delimiters, boxes, emphasis and a closing stop from around an answer."""
    for _ in range(5):
        before = text
        text = text.strip()
        for opening, closing in _WRAPPERS:
            inside = text[len(opening) : len(text) - len(closing)]
            if inside and text.startswith(opening) and text.endswith(closing) and opening not in inside:
                text = inside.strip()
        if (box := _BOX.match(text)) and _balanced(box[1]):
            text = box[1].strip()
        if text.endswith(".") and not text.endswith("\\."):
            text = text[:-1]
        if text == before:
            break
    return text


def _balanced(text: str) -> bool:
    depth = 0
    for mark in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth < 0:
            return False
    return depth == 0


def _to_ascii(text: str) -> str:
    text = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺]+", lambda m: "^{" + m[0].translate(_SUPERSCRIPTS) + "}", text)
    out = []
    for char in text:
        if char in _UNICODE:
            out.append(_UNICODE[char])
            continue
        digit = unicodedata.decimal(char, None)
        if digit is not None:
            out.append(str(digit))
        elif unicodedata.name(char, "").startswith("VULGAR FRACTION"):
            top, _, bottom = unicodedata.normalize("NFKC", char).partition("⁄")
            out.append(f"\\frac{{{top}}}{{{bottom}}}")
        elif "FULLWIDTH" in unicodedata.name(char, ""):
            out.append(unicodedata.normalize("NFKC", char))
        else:
            out.append(char)
    return "".join(out)


_ARGUMENT = r"(\\[A-Za-z]+|[^\s\\{}])"
_FRAC_ONE = re.compile(r"\\frac\s*(?!\s*\{)" + _ARGUMENT)
_FRAC_TWO = re.compile(r"(\\frac\s*\{[^{}]*\})\s*(?!\s*\{)" + _ARGUMENT)
_SQRT = re.compile(r"\\sqrt\s*(\[[^\]]*\])?\s*(?![\s{\[])(\d+|\\[A-Za-z]+|[^\s\\{}\[(])")


def _brace_arguments(text: str) -> str:
    r"""Brace what \frac and \sqrt take without braces: \frac12, \frac1{72}, \sqrt 2."""
    if "\\frac" in text:
        text = _FRAC_ONE.sub(r"\\frac{\1}", text)
        text = re.sub(r"\\frac\s+\{", r"\\frac{", text)
        text = re.sub(r"(\\frac\{[^{}]*\})\s+", r"\1", text)
        text = _FRAC_TWO.sub(r"\1{\2}", text)
    if "\\sqrt" in text:
        text = _SQRT.sub(lambda m: f"\\sqrt{m[1] or ''}{{{m[2]}}}", text)
        text = re.sub(r"\\sqrt\s+(?=[\[{(])", r"\\sqrt", text)
    return text


def _split_unit(text: str) -> tuple[str, str]:
    """Part a number from the unit or counted thing behind it."""
    shown = _TEXT.sub(r" \1 ", text)
    found = _UNIT.match(shown.strip()) if len(shown) <= 200 else None
    if not found:
        return text, ""
    words = [w for w in re.split(r"[\s/]+", found["words"].lower()) if w]
    styled = "\\" in text and bool(re.search(r"\\(?:text|mbox|mathrm|textrm|rm)\b", text))
    value = found["value"].strip()
    spaced = shown.strip()[len(value) :].startswith(" ") or value.endswith("}")
    if re.search(r"[A-Za-z]{2,}", re.sub(r"\\[A-Za-z]+", "", value)):
        return text, ""
    if {"and", "or", "pm", "am"} & set(words) or any(len(w) == 1 and w not in _SHORT for w in words):
        return text, ""
    known = all(UNITS.get(w) or w in ("square", "sq", "cubic", "per", "of", "a") for w in words)
    if not known and (not re.fullmatch(r"[-+\d.,\s]+", value) or not spaced):
        return text, ""
    if any(w in _SHORT for w in words) and not styled:
        return text, ""  # without \text it is a variable
    unit = " ".join(UNITS.get(w, w.rstrip("s")) for w in words if w not in ("a", "an", "the"))
    power = re.sub(r"[^23]", "", found["power"] or "")
    if power:
        unit = {"2": "square ", "3": "cubic "}[power] + unit
    return value, unit.replace("sq ", "square ")


def number(text: str) -> Fraction | None:
    """The exact value of a plain number, fraction, mixed number or power of ten; else None."""
    if len(text) > 2 * _MAX_DIGITS or not text:
        return None
    if _NUMBER.fullmatch(text):
        return Fraction(text)
    if found := _FRACTION.fullmatch(text):
        sign, top, bottom = (found[1], found[2], found[3]) if found[2] else (found[4], found[5], found[6])
        if int(bottom):
            return Fraction(int(top), int(bottom)) * (-1 if sign == "-" else 1)
    elif found := _MIXED.fullmatch(text):
        sign, whole, top, bottom = found.groups()[:4] if found[2] else found.groups()[4:]
        if int(bottom):
            return (int(whole) + Fraction(int(top), int(bottom))) * (-1 if sign == "-" else 1)
    elif found := _SCIENTIFIC.fullmatch(text):
        return Fraction(found[1]) * Fraction(10) ** int(found[2])
    return None
