"""Answers that no model should give and that no grader may fall for, from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable


def hostile_answers(count: int, seed: int, canary: str) -> list[str]:
    """Answers of all the kinds below in turn; code in them would write the file `canary`."""
    rng = random.Random(seed)
    return [_KINDS[i % len(_KINDS)](rng, canary) for i in range(count)]


def _tower(rng: random.Random, canary: str) -> str:
    base = rng.choice(["9", "e", "x", "2", "(1+1)", "\\pi", "9.9"])
    text = base
    for _ in range(rng.randint(2, 8)):
        text = f"{base}^{{{text}}}"
    return rng.choice(["{}", "\\sin({})", "1/{}", "\\log {}", "{}!", "-{}"]).replace("{}", text)


def _plain_tower(rng: random.Random, canary: str) -> str:
    return rng.choice(["^", "**"]).join([str(rng.randint(7, 99))] * rng.randint(3, 12))


def _factorials(rng: random.Random, canary: str) -> str:
    return f"{rng.randint(10**3, 10**9)}" + "!" * rng.randint(1, 30)


def _nested(rng: random.Random, canary: str) -> str:
    opening, closing = rng.choice(
        ["()", "{}", "[]", ("\\frac{1}{", "}"), ("\\sqrt{", "}"), ("\\left(", "\\right)")]
    )
    n = rng.choice([100, 1000, 10_000])
    return opening * n + "7" + closing * rng.choice([n, n - 1, 0])


def _long_number(rng: random.Random, canary: str) -> str:
    digits = "7" * rng.choice([301, 1_999, 10_000, 100_000])
    return rng.choice(["{}", "\\frac{{{}}}{{3}}", "0.{}", "x={}", "{}_8", "{}A_{{16}}"]).format(
        digits
    )


def _code(rng: random.Random, canary: str) -> str:
    call = rng.choice(
        [
            f"__import__('os').system('touch {canary}')",
            f"open('{canary}','w')",
            f"exec(\"open('{canary}','w')\")",
            f"eval(compile(\"open('{canary}','w')\",'a','exec'))",
            f"(lambda: open('{canary}','w'))()",
            f"sympify(\"open('{canary}','w')\")",
        ]
    )
    return rng.choice(["{}", "{} + \\pi", "\\frac{{1}}{{{}}}", "x = {}", "({}, 2)"]).format(call)


def _attributes(rng: random.Random, canary: str) -> str:
    chain = ".".join(
        rng.choices(["__class__", "__base__", "__mro__", "__subclasses__()"], k=rng.randint(2, 40))
    )
    return rng.choice(["()", "x", "''", "\\pi", "1"]) + "." + chain


def _regex_bomb(rng: random.Random, canary: str) -> str:
    piece = rng.choice(
        [
            "a",
            " ",
            "1,",
            "\\text{",
            "^{",
            "\\ ",
            "{,}",
            "A1",
            "\\frac1",
            "-",
            "1 ",
            "\\%",
            "_{",
            "'",
        ]
    )
    return piece * rng.choice([300, 1_900 // len(piece), 50_000]) + rng.choice(["", "!", "\x00"])


def _odd_characters(rng: random.Random, canary: str) -> str:
    characters = ["\x00", "\ud800", "\udfff", "\u202e", "\uffff", "\x1b", "𝟗", "٣", "²", "½", "7"]
    return "".join(rng.choices(characters, k=rng.randint(1, 400)))


def _large_polynomial(rng: random.Random, canary: str) -> str:
    n = rng.choice([20, 100, 1500])
    terms = "+".join(f"{rng.randint(2, 9)}x^{{{k}}}" for k in range(1, n))
    return rng.choice(["{}", "({})^{{99999}}", "\\sqrt{{{}}}", "({})({})"]).replace("{}", terms)


def _long_list(rng: random.Random, canary: str) -> str:
    item = rng.choice(["{k}", "x+{k}", "({k},{k})", "\\sin {k}", "\\pm {k}", "x<{k}"])
    return ",".join(item.format(k=k) for k in range(rng.choice([30, 60, 400])))


def _slow_algebra(rng: random.Random, canary: str) -> str:
    n = rng.randint(5, 60)
    return rng.choice(
        [
            "\\sin(\\cos(\\tan(" * (n // 5) + "x" + ")))" * (n // 5),
            "+".join(f"\\sqrt{{{k}}}" for k in range(2, n)),
            f"\\int_0^{n} e^{{x^{{x^x}}}} \\, dx",
            f"\\sum_{{k=1}}^{{{10**n}}} \\frac{{1}}{{k!}}",
            f"\\prod_{{k=1}}^{{{10**9}}} (x+k)",
            f"(x+y+z+w)^{{{n * 100}}}",
            f"\\binom{{{10**9}}}{{{10**8}}}",
            "|" * n + "x" + "|" * n,
            "\\pm" * n + "1",
            f"\\begin{{pmatrix}}{'1&' * n}1\\end{{pmatrix}}",
        ]
    )


_KINDS: list[Callable[[random.Random, str], str]] = [
    _tower,
    _plain_tower,
    _factorials,
    _nested,
    _long_number,
    _code,
    _attributes,
    _regex_bomb,
    _odd_characters,
    _large_polynomial,
    _long_list,
    _slow_algebra,
]
