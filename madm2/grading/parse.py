r"""Parses one mathematical expression, in LaTeX or plain text, by recursive descent.

What is not in the grammar below is not understood; nothing is looked up by name.

    sum     = product (("+" | "-" | \pm | \mp) product)*
    product = signed (("*" | "/" | nothing) signed)*
    signed  = ("+" | "-" | \pm | \mp)* power
    power   = postfix ("^" signed)?
    postfix = atom ("!" | degree | "%")*
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from madm2.grading.tokens import CLOSING, FUNCTIONS, Token
from madm2.grading.tree import Apply, Expression, NotUnderstoodError, Number, Symbol

_MAX_RECURSION = 80
_TIMES = {"cdot", "times", "*"}
_OVER = {"div", "/"}
_NAMED = {"pi": "pi", "infty": "oo"}
_INVERTIBLE = frozenset("sin cos tan cot sec csc sinh cosh tanh coth sech csch".split())
_PAIRS = {"(": ")", "[": "]", "{": "}", "lfloor": "rfloor", "lceil": "rceil", "langle": "rangle"}
_FLOORS = {"lfloor": "floor", "lceil": "ceil"}
_OPAQUE = frozenset("fgh")  # letters that name functions when a bracket follows
_END = Token("end", "", False)


def parse_expression(tokens: Sequence[Token]) -> tuple[Expression, ...]:
    r"""The expression that all the tokens make; two of them when it holds \pm.

    Raises:
        NotUnderstoodError: they make none.
    """
    parser = _Parser(tokens, plus=True)
    first = parser.whole()
    if not parser.two_signs:
        return (first,)
    return first, _Parser(tokens, plus=False).whole()


class _Parser:
    r"""A position in the tokens; `plus` says how to read \pm."""

    def __init__(self, tokens: Sequence[Token], plus: bool) -> None:
        self.tokens = tokens
        self.position = 0
        self.depth = 0
        self.plus = plus
        self.two_signs = False

    def whole(self) -> Expression:
        expression = self.sum()
        if self.position < len(self.tokens):
            raise NotUnderstoodError(f"{self.peek().text!r} after an expression")
        return expression

    def peek(self, ahead: int = 0) -> Token:
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else _END

    def next(self) -> Token:
        token = self.peek()
        self.position += 1
        return token

    def expect(self, text: str) -> None:
        if self.next().text != text:
            raise NotUnderstoodError(f"no {text!r} where one should be")

    def sign(self) -> int:
        """Read signs; -1 when they make a minus, 0 when there are none."""
        total = 0
        while True:
            text = self.peek().text
            if text not in ("+", "-", "pm", "mp"):
                return total
            self.next()
            if text in ("pm", "mp"):
                self.two_signs = True
                text = "+" if (text == "pm") == self.plus else "-"
            total = (total or 1) * (1 if text == "+" else -1)

    def sum(self) -> Expression:
        self.depth += 1
        if self.depth > _MAX_RECURSION:
            raise NotUnderstoodError("nested too deeply")
        terms = [_signed(self.sign(), self.product())]
        while sign := self.sign():
            terms.append(_signed(sign, self.product()))
        self.depth -= 1
        return terms[0] if len(terms) == 1 else Apply("add", tuple(terms))

    def product(self, argument: bool = False) -> Expression:
        r"""Read a product; as an unbracketed argument (`\sin 2x`) it ends before a function."""
        left = self.mixed() or self.power()
        while True:
            token = self.peek()
            if token.text in _TIMES and token.kind != "name":
                if argument:
                    return left
                self.next()
                left = Apply("mul", (left, _signed(self.sign(), self.power())))
            elif token.text in _OVER and not argument:
                self.next()
                left = Apply("div", (left, _signed(self.sign(), self.power())))
            elif self.starts_atom(token) and not (argument and token.text in FUNCTIONS):
                if token.kind == "number" and self.tokens[self.position - 1].kind == "number":
                    raise NotUnderstoodError("two numbers side by side")
                left = Apply("mul", (left, self.power()))
            else:
                return left

    def mixed(self) -> Expression | None:
        r"""Read a mixed number: `2\frac{3}{4}` or `2 3/4`."""
        whole = self.peek()
        if whole.kind != "number" or not whole.text.isdigit():
            return None
        start = self.position
        self.next()
        if self.peek().text == "frac":
            fraction = self.atom()
            plain = isinstance(fraction, Apply) and all(
                isinstance(arg, Number) and arg.value.denominator == 1 for arg in fraction.args
            )
            if plain and self.peek().text != "^":
                return Apply("add", (_number(whole.text), fraction))
        elif self.peek().kind == "number" and self.peek().spaced and self.peek(1).text == "/":
            above, below = self.next().text, self.peek(1)
            self.position += 2
            if above.isdigit() and below.kind == "number" and below.text.isdigit():
                fraction = Apply("div", (_number(above), _number(below.text)))
                return Apply("add", (_number(whole.text), fraction))
        self.position = start
        return None

    def starts_atom(self, token: Token) -> bool:
        if token.kind in ("number", "name"):
            return True
        if token.kind == "mark":
            return token.text in ("(", "[", "{")
        return token.kind == "command" and (
            token.text in FUNCTIONS
            or token.text in _NAMED
            or token.text in _FLOORS
            or token.text in ("frac", "sqrt", "cbrt", "binom", "overline", "floor", "ceil")
        )

    def power(self) -> Expression:
        base = self.postfix()
        if self.peek().text != "^":
            return base
        self.next()
        if self.peek().text in ("prime", "'"):
            raise NotUnderstoodError("a derivative")
        self.depth += 1
        exponent = _signed(self.sign(), self.power() if self.depth < _MAX_RECURSION else None)
        self.depth -= 1
        return Apply("pow", (base, exponent))

    def postfix(self) -> Expression:
        value = self.atom()
        while True:
            text = self.peek().text
            if text == "!":
                value = Apply("factorial", (value,))
            elif text == "degree":
                value = Apply("degree", (value,))
            elif text != "%":
                return value
            self.next()

    def atom(self) -> Expression:
        token = self.next()
        if token.kind == "number":
            return _number(token.text)
        if token.kind == "name":
            return self.named(token.text)
        if token.text == "|":
            inside = self.sum()
            self.expect("|")
            return Apply("abs", (inside,))
        if token.text in _PAIRS and token.kind in ("mark", "command"):
            inside = self.sum()
            self.expect(_PAIRS[token.text])
            floor = _FLOORS.get(token.text)
            return Apply(floor, (inside,)) if floor else inside
        if token.kind == "command":
            return self.command(token.text)
        raise NotUnderstoodError(f"{token.text!r} is no expression")

    def named(self, name: str) -> Expression:
        """Read a variable with its index, or an opaque f(x)."""
        if name in ("e", "i"):
            return Symbol(name)
        if self.peek().text == "_":
            self.next()
            name += "_" + self.raw_argument()
        if self.peek().text == "'" or (name in _OPAQUE and self.peek().text == "("):
            primes = ""
            while self.peek().text == "'":
                primes += self.next().text
            inside = self.raw_group() if self.peek().text == "(" else ""
            return Symbol(f"{name}{primes}({inside})")
        return Symbol(name)

    def raw_argument(self) -> str:
        """The text of an index: one token or a braced group."""
        if self.peek().text == "{":
            return self.raw_group()
        token = self.next()
        if token.kind not in ("number", "name", "text"):
            raise NotUnderstoodError("an odd index")
        return token.text

    def raw_group(self) -> str:
        texts: list[str] = []
        level = 0
        while True:
            token = self.next()
            if token is _END:
                raise NotUnderstoodError("a bracket that is not closed")
            level += (token.text in _PAIRS) - (token.text in CLOSING)
            if level == 0:
                return " ".join(texts[1:])
            texts.append(token.text)

    def argument(self) -> Expression:
        r"""Read what follows \frac or \sqrt: a braced group, or one character as TeX does."""
        token = self.peek()
        if token.text == "{":
            self.next()
            inside = self.sum()
            self.expect("}")
            return inside
        if token.kind in ("name", "command") or token.text == "(":
            return self.atom()
        raise NotUnderstoodError("no argument")

    def fraction(self) -> tuple[Expression, Expression]:
        """Two arguments; `12` without braces is 1 and 2."""
        token = self.peek()
        if token.kind != "number" or not token.text.isdigit():
            above = self.argument()
        else:
            self.next()
            above = _number(token.text[0])
            if len(token.text) == 2:
                return above, _number(token.text[1])
            if len(token.text) > 2:
                raise NotUnderstoodError("an odd fraction")
        token = self.peek()
        if token.kind == "number" and token.text.isdigit() and len(token.text) == 1:
            self.next()
            return above, _number(token.text)
        return above, self.argument()

    def command(self, name: str) -> Expression:
        if name in _NAMED:
            return Symbol(_NAMED[name])
        if name in ("frac", "binom"):
            if self.peek().text == "(":  # binom(n, k) of plain text
                raise NotUnderstoodError("a plain binomial")
            return Apply({"frac": "div"}.get(name, name), self.fraction())
        if name in ("sqrt", "cbrt"):
            return self.root(name)
        if name == "overline":
            return Apply("conjugate", (self.argument(),))
        if name in ("floor", "ceil"):
            return Apply(name, (self.bracketed(),))
        if name in FUNCTIONS:
            return self.function(name)
        raise NotUnderstoodError(f"\\{name}")

    def root(self, name: str) -> Expression:
        degree: Expression = Number(Fraction(3 if name == "cbrt" else 2))
        if name == "sqrt" and self.peek().text == "[":
            self.next()
            degree = self.sum()
            self.expect("]")
        token = self.peek()
        inside = self.atom() if token.kind == "number" else self.argument()
        return Apply("root", (inside, degree))

    def function(self, name: str) -> Expression:
        base: Expression | None = Number(Fraction(10)) if name in ("log", "lg") else None
        exponent: Expression | None = None
        for _ in range(2):
            if name == "log" and self.peek().text == "_":
                self.next()
                base = self.atom()
            elif self.peek().text == "^":
                self.next()
                exponent = _signed(self.sign(), self.atom())
        if exponent == Apply("neg", (Number(Fraction(1)),)) and name in _INVERTIBLE:
            name, exponent = "arc" + name, None
        if self.peek().text in ("(", "[", "{", "|"):
            inside = self.postfix() if self.peek().text == "|" else self.bracketed()
        else:
            self.depth += 1
            if self.depth > _MAX_RECURSION:
                raise NotUnderstoodError("nested too deeply")
            inside = _signed(self.sign(), self.product(argument=True))
            self.depth -= 1
        if name in ("log", "lg", "ln"):
            result = Apply("log", (inside, base or Symbol("e")))
        elif name in ("det", "gcd", "lcm", "max", "min"):
            raise NotUnderstoodError(name)
        else:
            result = Apply(name, (inside,))
        return Apply("pow", (result, exponent)) if exponent else result

    def bracketed(self) -> Expression:
        if self.peek().text not in ("(", "[", "{"):
            raise NotUnderstoodError("no bracket")
        return self.atom()


def _signed(sign: int, value: Expression | None) -> Expression:
    if value is None:
        raise NotUnderstoodError("nested too deeply")
    return Apply("neg", (value,)) if sign < 0 else value


def _number(text: str) -> Number:
    point = text.lower().partition("e")[0].partition(".")
    return Number(Fraction(text), len(point[2]) if point[1] else None)
