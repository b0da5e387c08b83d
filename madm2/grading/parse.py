r"""Parses one mathematical expression, in LaTeX or plain text, by recursive descent.

What is not in the grammar below is not understood; nothing is looked up by name.

    sum     = product (("+" | "-" | \pm | \mp) product)*
    product = power (("*" | "/" | nothing) power)*
    power   = postfix ("^" sign* power)?
    postfix = atom ("!" | degree | "%")*
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from madm2.grading.cursor import Cursor
from madm2.grading.tokens import FUNCTIONS, Token
from madm2.grading.tree import Apply, Expression, NotUnderstoodError, Number, Symbol

_MAX_DEPTH = 60  # of atoms within atoms; every recursion goes through one
_MAX_POSTFIXES = 3
_TIMES = {"cdot", "times", "*"}
_OVER = {"div", "/"}
_CONSTANTS = {"pi": "pi", "infty": "oo"}
_INVERTIBLE = frozenset("sin cos tan cot sec csc sinh cosh tanh coth sech csch".split())
_PAIRS = {"(": ")", "[": "]", "{": "}", "lfloor": "rfloor", "lceil": "rceil"}
_FLOORS = {"lfloor": "floor", "lceil": "ceil"}
_STARTING = frozenset({"frac", "sqrt", "cbrt", "binom", "overline", "floor", "ceil"})
_STARTING |= FUNCTIONS | _CONSTANTS.keys() | _FLOORS.keys()
_OPAQUE = frozenset("fgh")  # letters that name functions when a bracket follows


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


class _Parser(Cursor):
    """One method for each rule of the grammar."""

    depth = 0
    bars = 0  # open absolute values, in which | closes

    def whole(self) -> Expression:
        expression = self.sum()
        if self.position < len(self.tokens):
            raise NotUnderstoodError(f"{self.peek().text!r} after an expression")
        return expression

    def sum(self) -> Expression:
        terms = [_signed(self.sign(), self.product())]
        while sign := self.sign():
            terms.append(_signed(sign, self.product()))
        return terms[0] if len(terms) == 1 else Apply("add", tuple(terms))

    def product(self, argument: bool = False) -> Expression:
        r"""Read a product; as an unbracketed argument (`\sin 2x`) it ends before a function."""
        factors = [self.mixed() or self.power()]
        while True:
            token = self.peek()
            if token.text in _TIMES and token.kind != "name" and not argument:
                self.next()
                factors.append(_signed(self.sign(), self.power()))
            elif token.text in _OVER and not argument:
                self.next()
                factors.append(Apply("inverse", (_signed(self.sign(), self.power()),)))
            elif self.starts_atom(token) and not (argument and token.text in FUNCTIONS):
                if token.kind == "number" and self.tokens[self.position - 1].kind == "number":
                    raise NotUnderstoodError("two numbers side by side")
                factors.append(self.power())
            else:
                return factors[0] if len(factors) == 1 else Apply("mul", tuple(factors))

    def mixed(self) -> Expression | None:
        r"""Read a mixed number, `2\frac{3}{4}` or `2 3/4`, if one stands here."""
        whole = self.peek()
        if whole.kind != "number" or not whole.text.isdigit():
            return None
        start = self.position
        self.next()
        fraction: Expression | None = None
        if self.peek().text == "frac":
            fraction = self.atom()
        elif self.peek().kind == "number" and self.peek().spaced and self.peek(1).text == "/":
            above, below = self.next(), self.peek(1)
            self.position += 2
            if below.kind == "number":
                fraction = Apply("div", (_number(above.text), _number(below.text)))
        if _is_proper(fraction) and self.peek().text not in ("^", "!"):
            assert fraction
            return Apply("add", (_number(whole.text), fraction))
        self.position = start
        return None

    def starts_atom(self, token: Token) -> bool:
        if token.kind in ("number", "name"):
            return True
        if token.kind == "mark":
            return token.text in ("(", "[", "{") or (token.text == "|" and not self.bars)
        return token.kind == "command" and token.text in _STARTING

    def power(self) -> Expression:
        base = self.postfix()
        if self.peek().text != "^":
            return base
        self.next()
        self.deeper()
        exponent = _signed(self.sign(), self.power())
        self.depth -= 1
        return Apply("pow", (base, exponent))

    def postfix(self) -> Expression:
        value = self.atom()
        for _ in range(_MAX_POSTFIXES):
            text = self.peek().text
            if text == "!":
                value = Apply("factorial", (value,))
            elif text == "degree":
                value = Apply("degree", (value,))
            elif text != "%":
                return value
            self.next()
        return value

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise NotUnderstoodError("nested too deeply")

    def atom(self) -> Expression:
        self.deeper()
        token = self.next()
        if token.kind == "number":
            value: Expression = _number(token.text)
        elif token.kind == "name":
            value = self.named(token.text)
        elif token.text == "|":
            self.bars += 1
            value = Apply("abs", (self.sum(),))
            self.expect("|")
            self.bars -= 1
        elif token.text in _PAIRS:
            value = self.inside_brackets(token.text)
        elif token.kind == "command":
            value = self.command(token.text)
        else:
            raise NotUnderstoodError(f"{token.text!r} is no expression")
        self.depth -= 1
        return value

    def inside_brackets(self, opening: str) -> Expression:
        bars, self.bars = self.bars, 0
        value = self.sum()
        self.bars = bars
        self.expect(_PAIRS[opening])
        return Apply(_FLOORS[opening], (value,)) if opening in _FLOORS else value

    def named(self, name: str) -> Expression:
        """Read a variable with its index, or an f(x), which is opaque."""
        if name in ("e", "i") and self.peek().text != "_":
            return Symbol(name)
        if self.peek().text == "_":
            self.next()
            name += "_" + self.raw_argument()
        primes = ""
        while self.peek().text == "'":
            primes += self.next().text
        if primes or name in _OPAQUE:
            name += primes
            if self.peek().text == "(":
                name += f"({self.raw_group()})"
        return Symbol(name)

    def command(self, name: str) -> Expression:
        if name in _CONSTANTS:
            return Symbol(_CONSTANTS[name])
        if name in ("frac", "binom"):
            return Apply({"frac": "div"}.get(name, name), self.two_arguments())
        if name in ("sqrt", "cbrt"):
            return self.root(name)
        if name == "overline":
            return Apply("conjugate", (self.argument(),))
        if name in ("floor", "ceil"):
            return Apply(name, (self.bracketed(),))
        if name in FUNCTIONS:
            return self.function(name)
        raise NotUnderstoodError(f"\\{name}")

    def argument(self) -> Expression:
        """Read a braced group, or a single thing as TeX allows."""
        token = self.peek()
        if token.text in ("{", "(") or token.kind in ("name", "command"):
            return self.atom()
        raise NotUnderstoodError("no argument")

    def two_arguments(self) -> tuple[Expression, Expression]:
        r"""Read two arguments; digits without braces are one each: \frac12."""
        token = self.peek()
        if token.kind != "number":
            above = self.argument()
        else:
            self.next()
            if not token.text.isdigit() or len(token.text) > 2:
                raise NotUnderstoodError("an odd fraction")
            above = _number(token.text[0])
            if len(token.text) == 2:
                return above, _number(token.text[1])
        token = self.peek()
        if token.kind == "number" and token.text.isdigit() and len(token.text) == 1:
            return above, self.atom()
        return above, self.argument()

    def root(self, name: str) -> Expression:
        degree: Expression = _number("3" if name == "cbrt" else "2")
        if name == "sqrt" and self.peek().text == "[":
            degree = self.atom()
        inside = self.atom() if self.peek().kind == "number" else self.argument()
        return Apply("root", (inside, degree))

    def function(self, name: str) -> Expression:
        base: Expression = _number("10") if name in ("log", "lg") else Symbol("e")
        exponent: Expression | None = None
        for _ in range(2):
            if name == "log" and self.peek().text == "_":
                self.next()
                base = self.atom()
            elif self.peek().text == "^":
                self.next()
                exponent = _signed(self.sign(), self.atom())
        if exponent == Apply("neg", (_number("1"),)) and name in _INVERTIBLE:
            name, exponent = "arc" + name, None
        if self.peek().text in ("(", "[", "{", "|"):
            inside = self.atom()
        else:
            inside = _signed(self.sign(), self.product(argument=True))
        result = (
            Apply("log", (inside, base)) if name in ("log", "lg", "ln") else Apply(name, (inside,))
        )
        return Apply("pow", (result, exponent)) if exponent else result

    def bracketed(self) -> Expression:
        if self.peek().text not in ("(", "[", "{"):
            raise NotUnderstoodError("no bracket")
        return self.atom()


def _signed(sign: int, value: Expression) -> Expression:
    return Apply("neg", (value,)) if sign < 0 else value


def _number(text: str) -> Number:
    before_exponent = text.lower().partition("e")[0]
    _, point, decimals = before_exponent.partition(".")
    return Number(Fraction(text), len(decimals) if point else None)


def _is_proper(fraction: Expression | None) -> bool:
    """Whether it is a fraction of integers below 1."""
    if not isinstance(fraction, Apply) or fraction.name != "div":
        return False
    above, below = fraction.args
    if not (isinstance(above, Number) and isinstance(below, Number)):
        return False
    return above.decimals is None and below.decimals is None and 0 < above.value < below.value
