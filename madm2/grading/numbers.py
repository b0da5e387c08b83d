"""Reads a number out of an answer: currencies, thousands separators, unicode digits, units."""

from __future__ import annotations

import re
import unicodedata

_CURRENCY = r"[$€£¥₹₽₩₺₫₴₪¢]|US\$|USD|EUR|GBP|Rs\.?|R\$|CNY|RMB"
_SEPARATORS = "\u00a0\u202f\u2009\u2007'’"
_NUMBER = (
    rf"(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:\.\d{{3}})+,\d+|\d{{1,3}}(?:[{_SEPARATORS}]\d{{3}})+(?:[.,]\d+)?"
    r"|\d{1,3}(?: \d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
)
NUMBER = re.compile(rf"(?<![\w.])-?[ ]?(?:(?:{_CURRENCY})[ ]?)?-?{_NUMBER}|{_NUMBER}")
_CALCULATOR = re.compile(r"<<[^<>]*>>")
_PARENTHESES = re.compile(r"(?<=\S)\s*\([^()]*\)")
_OPERATORS = re.compile(r"[\\^/*+=_{}<>]|\d\s*[-–]\s*\d")


def plain_characters(text: str) -> str:
    """Unicode digits, minus signs and decimal marks as ASCII; the length may change."""
    if text.isascii():
        return text
    out = []
    for char in text:
        digit = unicodedata.decimal(char, None)
        if digit is not None:
            out.append(str(digit))
        else:
            out.append(_PLAIN.get(char, char))
    return re.sub(r"(?<![\w)\]])[–](?=\d)", "-", "".join(out))


_PLAIN = {
    "−": "-",
    "－": "-",
    "﹣": "-",
    "٫": ".",
    "٬": ",",
    "．": ".",
    "，": ",",
    "＄": "$",
    "：": ":",
    "＝": "=",
    "（": "(",
    "）": ")",
    "％": "%",
}


def without_calculator(text: str) -> str:
    """Drop GSM8K's <<9*2=18>> annotations."""
    return _CALCULATOR.sub("", text) if "<<" in text else text


def number_text(written: str) -> str:
    """A written number in plain form: no currency, separators or idle decimals.

    A comma before exactly three digits groups thousands, another one is a decimal comma. A
    leading zero stays (AIME writes 073).
    """
    digits = re.sub(r"[^\d.,-]", "", written).rstrip(".,")
    sign = "-" if digits.startswith("-") else ""
    digits = digits.replace("-", "")
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d+", digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    else:
        digits = digits.replace(",", ".")
    if "." in digits:
        digits = digits.rstrip("0").rstrip(".")
    return sign + (digits or "0")


def read_number(content: str, prose: bool) -> str | None:
    """The answer in a text that is known to state one; None when it holds no number.

    Args:
        content: what a tag or box holds, or what follows an answer phrase.
        prose: it is running text, in which a later number is another thing.
    """
    text = without_calculator(plain_characters(content)).strip()
    if not any(char.isdigit() for char in text):
        return None
    text = re.sub(r"\\[!,;: ]|\{,\}", lambda m: "," if m[0] == "{,}" else "", text)
    text = text.replace("\\$", "$").replace("\\%", "%").replace("~", " ")
    text = re.sub(r"\\(?:text|mbox|mathrm|textbf|mathbf|textit)\s*\{([^{}]*)\}", r" \1 ", text)
    if "=" in text:
        right = re.split(r"=|≈|\\approx", text)[-1]
        if any(char.isdigit() for char in right):
            text = right.strip()
    shorter = _PARENTHESES.sub("", text)
    if any(char.isdigit() for char in shorter):
        text = shorter
    text = text.strip(" .!?,;:\"'")
    found = [m[0] for m in NUMBER.finditer(text)]
    if len(found) == 1 or (prose and found and not _leads_with_math(text)):
        outside = text.replace(found[0], " ", 1)
        if len(found) > 1 or not _OPERATORS.search(_without_units(outside)):
            return number_text(found[0])
    return (
        text if not prose or _leads_with_math(text) else (number_text(found[0]) if found else None)
    )


def _leads_with_math(text: str) -> bool:
    """Whether the first thing in a text is an expression rather than a number in a sentence."""
    return bool(
        re.match(r"[-(]?\s*(?:\\[a-zA-Z]+|[\d.,]+\s*[/^*+]|\d+\s+\d+/\d+|\(?\d+\s*[/^])", text)
    )


def _without_units(text: str) -> str:
    text = re.sub(r"\^\s*\{?\s*\\circ\s*\}?|\\circ|°", "", text)
    return re.sub(r"[A-Za-zµ²³]+\s*/\s*[A-Za-z]+|[A-Za-z]+\s*\^\s*\{?[23]\}?", "", text)


def last_number(text: str) -> str | None:
    """The last number of the last sentence that holds one, for texts without an answer phrase."""
    text = without_calculator(plain_characters(text))
    for line in reversed(text.split("\n")):
        for sentence in reversed(re.split(r"(?<=[.!?。])\s+|(?<=。)", line)):
            found = [m[0] for m in NUMBER.finditer(sentence)]
            if found:
                return number_text(found[-1])
    return None
