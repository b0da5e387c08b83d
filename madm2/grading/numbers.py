"""Reads a number out of an answer: currencies, thousands separators, unicode digits, units."""

from __future__ import annotations

import re
import unicodedata

_CURRENCY = r"(?:US|R|A|C|HK|NZ|S)?\$|[€£¥₹₽₩₺₫₴₪¢₦฿]|USD|EUR|GBP|CHF|Rs\.?|CNY|RMB"
_SEPARATORS = "\u00a0\u202f\u2009\u2007'’"
_NUMBER = (  # the groups are counted: a long run must not be tried again from each of its digits
    r"(?:\d{1,2}(?:,\d{2}){1,6},\d{3}(?:\.\d+)?(?![\d,])|\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3}){2,12}(?![\d.])(?:,\d+)?|\d{1,3}(?:\.\d{3}){1,12},\d+"
    rf"|\d{{1,3}}(?:[{_SEPARATORS}]\d{{3}}){{1,12}}(?!\d)(?:[.,]\d+)?"
    r"|\d{1,3}(?: \d{3}){1,12}(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
)
NUMBER = re.compile(rf"(?<![\w.])-?[ ]?(?:(?:{_CURRENCY})[ ]?)?-?{_NUMBER}|{_NUMBER}")
_SIMPLE = re.compile(rf"(?<![\w./])-?\d{{1,9}}\s?/\s?\d{{1,9}}(?![\w/])|{NUMBER.pattern}")
_MEASURED = re.compile(  # 144 m^3
    rf"(-?(?:(?:{_CURRENCY})[ ]?)?-?{_NUMBER})\s+[A-Za-z.]+(?:[ /][A-Za-z.]+){{0,3}}\s*"
    r"(?:\^\s*\{?[23]\}?)?"
)
_FRACTION = re.compile(r"(-?(?:\d+\s+)?\d+\s?/\s?\d+)(?:\s+[A-Za-z]+)+")  # 1/4 cup
# No number is stated where one is denied, or two bound it.
_DENIED = re.compile(
    r"(?:\bnot|n['’]t)(?: be| equal(?: to)?)?\s*$|\bbetween\s+\S+\s+and\s*$", re.IGNORECASE
)
# Where nothing but a formula stands; behind a sentence it is an exclamation mark.
_FACTORIAL = re.compile(r"(?:\\[A-Za-z]+|[^A-Za-z\\])*\d[\s)}]*![\s)}.,;]*")
_CALCULATOR = re.compile(r"<<[^<>]*>>")
_PARENTHESES = re.compile(r"(?<=\S)\s*\([^()]*\)")
_OPERATORS = re.compile(r"[\\^/*+=_{}<>]|\d\s*[-–]\s*\d")
_SIGN_WORD = re.compile(
    r"^\W*(?:minus|negative|menos|moins|meno|минус|负|負|マイナス|마이너스|âm|eksi)\s*(?=[\d$])",
    re.IGNORECASE,
)
_EITHER = re.compile(
    rf"^\W*{_NUMBER}\s*(?:or|oder|ou|o|или|或|とか)\s+\W?{_NUMBER}|^\W*(?:between|from)\s+\W?\d",
    re.IGNORECASE,
)
# What follows these only gives a reason for, or a contrast to, the number before.
_ASIDE = re.compile(
    r"\s(?:since|because|given that|out of|instead of|rather than|compared (?:to|with)|"
    r"(?:down|up) from|porque|weil|parce que|car|perché|потому)\s.*",
    re.IGNORECASE | re.DOTALL,
)
_LINE_LABEL = re.compile(
    r"^(?:\W*(?:(?:step|étape|paso|schritt|passo|шаг|步骤)\s*\d+|第\s*\d+\s*步)\s*[:.)：]?|"
    r"\s*\d{1,2}[.)](?=\s+\S))",
    re.IGNORECASE,
)
_PLAIN = str.maketrans("−－﹣٫٬．，＄：＝（）％", "---.,.,$:=()%")


def plain_characters(text: str) -> str:
    """Unicode digits, fractions, minus signs and decimal marks as ASCII."""
    if text.isascii():
        return text
    out = []
    for char in text:
        digit = unicodedata.decimal(char, None)
        if digit is not None:
            out.append(str(digit))
        elif char in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞":
            out.append(" " + unicodedata.normalize("NFKC", char).replace("\u2044", "/"))
        else:
            out.append(char)
    return re.sub(r"(?<![\w)\]])[–](?= ?\d)", "-", "".join(out).translate(_PLAIN))


def without_calculator(text: str) -> str:
    """Drop GSM8K's <<9*2=18>> annotations."""
    return _CALCULATOR.sub("", text) if "<<" in text else text


def number_text(written: str) -> str:
    """A written number in plain form: no currency, separators or idle decimals.

    A comma before exactly three digits groups thousands, another one is a decimal comma; so
    does a stop when there are several. A leading zero stays (AIME writes 073).
    """
    digits = re.sub(r"^(?:[^\d.-]|\.(?!\d))+", "", re.sub(r"^\D*-", "-", written))
    digits = re.sub(r"[^\d.,-]", "", digits).rstrip(".,")
    sign = "-" if digits.startswith("-") else ""
    digits = digits.replace("-", "")
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d+", digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d{1,3}(\.\d{3}){2,}", digits):
        digits = digits.replace(".", "")
    elif re.fullmatch(r"\d+(,\d{2})*(,\d{3})+(\.\d+)?", digits):
        digits = digits.replace(",", "")
    else:
        digits = digits.replace(",", ".")
    if digits.startswith("."):
        digits = "0" + digits
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
    if not re.search(r"\d", text):
        return None
    text = re.sub(r"\\[!,;:]|\{,\}", lambda m: "," if m[0] == "{,}" else "", text)
    text = re.sub(r"\\(?: |quad|pounds|euro|yen|,)", " ", text)
    text = text.replace("\\$", "$").replace("\\%", "%").replace("~", " ")
    text = re.sub(r"\\(?:text|mbox|mathrm|textbf|mathbf|textit)\s*\{([^{}]*)\}", r" \1 ", text)
    text = re.sub(r"^\+\s*(?=[\d.])", "", _SIGN_WORD.sub("-", text))
    if "=" in text or "≈" in text or "\\approx" in text:
        right = re.split(r"=|≈|\\approx", text)[-1]
        if re.search(r"\d", right):
            text = right.strip()
    shorter = _PARENTHESES.sub("", text)
    if re.search(r"\d", shorter):
        text = shorter
    if not prose and _FACTORIAL.fullmatch(text):
        return text.rstrip(" .,;")
    text = re.sub(r"^(?:[\s!?,;:\"']|\.(?!\d))+", "", text).rstrip(" \n\t.!?,;:\"'*")
    text = " ".join(text.split())
    if measured := _MEASURED.fullmatch(text):
        return number_text(measured[1])
    if fraction := _FRACTION.fullmatch(text):
        return fraction[1]
    found = [m[0] for m in NUMBER.finditer(text)]
    if prose and _EITHER.match(text):
        return text if re.match(r"\W*\d", text) else None
    if len(found) == 1 or (prose and found and not _leads_with_math(text)):
        outside = text.replace(found[0], " ", 1)
        if len(found) > 1 or not _OPERATORS.search(_without_units(outside)):
            return number_text(found[0])
    if not prose or _leads_with_math(text):
        return text
    return number_text(found[0]) if found else None


def without_label(line: str) -> str:
    """A line without its list number or "Step 2:"."""
    return _LINE_LABEL.sub("", line)


def last_number(sentence: str) -> str | None:
    """The number that a sentence comes to: its last, reasons and contrasts apart.

    None when the sentence is a question or is cut off after an operator.
    """
    text = without_calculator(plain_characters(sentence))
    if re.search(r"[?=+*/×]\s*$", text[-50:]):
        return None
    text = re.sub(r"(?<=\w)[\^_](?:\d+|\{\d+\})", "", text)
    for shorter in (_ASIDE.sub("", _PARENTHESES.sub("", text)), text):
        if found := list(_SIMPLE.finditer(shorter)):
            last = found[-1][0]
            if _DENIED.search(shorter[: found[-1].start()][-60:]):
                return None
            return last.replace(" ", "") if "/" in last else number_text(last)
    return None


def _leads_with_math(text: str) -> bool:
    """Whether the first thing in a text is an expression rather than a number in a sentence."""
    return bool(
        re.match(r"[-(]?\s*(?:\\[a-zA-Z]+|[\d.,]+\s*[/^*+]|\d+\s+\d+/\d+|\(?\d+\s*[/^])", text)
    )


def _without_units(text: str) -> str:
    text = re.sub(r"\^\s*\{?\s*\\circ\s*\}?|\\circ|°", "", text)
    return re.sub(r"[A-Za-zµ²³]+\s*/\s*[A-Za-z]+|[A-Za-z]+\s*\^\s*\{?[23]\}?", "", text)
