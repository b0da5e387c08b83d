"""Texts and units in the form in which equal ones are equal strings."""

from __future__ import annotations

import re

_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_PAUSE = re.compile(r"[,;](?!\d)|\s-\s|\s*-(?=[a-z])")
_PUNCTUATION = re.compile(r"\.(?!\d)|[?!\"'`~]|^\(|\)$")
_ARTICLES = frozenset({"a", "an", "the"})

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
    }.items()
    for spelling in spellings.split()
}
_POWERS = {"square": "2", "sq": "2", "cubic": "3", "cu": "3"}


def phrase_key(text: str) -> str:
    """A text without case, articles, punctuation that ends something, and spaces at will."""
    text = _TEXT.sub(r" \1 ", text).casefold()
    words = _PUNCTUATION.sub("", _PAUSE.sub(" ", text)).split()
    return " ".join(word for word in words if word not in _ARTICLES) or " ".join(words)


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
