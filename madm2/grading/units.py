"""Units behind a value: where they start, and one name for each that is known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from madm2.grading.tokens import FUNCTIONS, UNIT_LETTERS, Token
from madm2.grading.tree import NotUnderstoodError

_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")

# Spellings of the units that answers use; another word is a unit of its own kind.
_UNITS = {
    spelling: name
    for name, spellings in {
        "cm": "cm cms centimeter centimeters centimetre centimetres",
        "mm": "mm millimeter millimeters millimetre millimetres",
        "km": "km kms kilometer kilometers kilometre kilometres",
        "m": "m meter meters metre metres",
        "in": "in inch inches",
        "ft": "ft foot feet",
        "yd": "yd yds yard yards",
        "mi": "mi mile miles",
        "kg": "kg kgs kilogram kilograms",
        "g": "g gm gms gram grams",
        "mg": "mg milligram milligrams",
        "lb": "lb lbs pound pounds",
        "oz": "oz ounce ounces",
        "l": "l liter liters litre litres",
        "ml": "ml milliliter milliliters millilitre millilitres",
        "s": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "yr yrs year years",
        "degree": "degree degrees deg",
        "percent": "% percent percentage",
        "dollar": "dollar dollars usd",
        "cent": "cent cents",
        "mph": "mph",
        "am": "am",
        "pm": "pm",
    }.items()
    for spelling in spellings.split()
}
CURRENCIES = {
    **dict.fromkeys(("\\$", "$", "usd", "us", "dollar", "dollars"), "dollar"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "euro"),
    **dict.fromkeys(("£", "gbp"), "pound sterling"),
    **dict.fromkeys(("¥", "yen", "jpy", "yuan", "rmb", "cny"), "yen or yuan"),
    **dict.fromkeys(("₹", "rs", "rupees"), "rupee"),
}
_UNIT_MARKS = frozenset({"^", "/", "{", "}", "-", "%", "degree", "cdot", "(", ")"})
# Words that change what is said about the number before them.
_NO_UNIT = frozenset(
    "if when or and not no more less least most than mod modulo base where for to of except only "
    "greater fewer times but between from with without otherwise is are was".split()
)
_POWERS = {"square": "2", "sq": "2", "cubic": "3", "cu": "3"}


def unit_start(tokens: Sequence[Token]) -> int:
    """Where the unit begins: at a word or a degree or percent sign that only units follow."""
    in_function = False
    for i, token in enumerate(tokens):
        if token.text in FUNCTIONS:
            in_function = True  # whose argument may be in degrees
        elif token.kind == "text" or (
            token.text in ("degree", "%")
            and not in_function
            and (i + 1 == len(tokens) or tokens[i + 1].kind in ("text", "name"))
        ):
            _check_unit(tokens[i:])
            return i
    return len(tokens)


def has_measures(tokens: Sequence[Token]) -> bool:
    """Whether words are among the tokens that are units or labels, and none that say more."""
    words = [set(token.text.lower().split()) for token in tokens if token.kind == "text"]
    return bool(words) and not any(some & _NO_UNIT for some in words)


def _check_unit(tokens: Sequence[Token]) -> None:
    """Refuse what says more than a unit does: `2 or more`, `7 mod 12`, `3 hours 20 minutes`."""
    for before, token in zip([tokens[0], *tokens], tokens, strict=False):
        letter = token.kind == "name" and token.text in UNIT_LETTERS
        known = letter or token.kind == "text" or token.text in _UNIT_MARKS
        power = token.text in ("1", "2", "3") and before.text in ("^", "{", "-")
        words = set(re.findall(r"[a-z]+|\d+", token.text.lower()))
        if not (known or power) or (token.kind == "text" and words & _NO_UNIT):
            raise NotUnderstoodError("more than a unit")


def unit_key(text: str) -> str:
    """The name of a known unit with its power (`cm2`), or "" for none or an unknown one."""
    words = re.findall(r"[a-z%]+|\d+|/", _TEXT.sub(r" \1 ", text).casefold())
    power, names = "", []
    for word in words:
        if word in _POWERS:
            power = _POWERS[word]
        elif word in ("2", "3"):
            power = word
        else:
            names.append(_UNITS.get(word, ""))
    if names == ["mi", "", "h"] or names == ["mi", "h"]:
        names = ["mph"]
    return names[0] + power if len(names) == 1 and names[0] else ""
