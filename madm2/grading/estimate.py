"""Decides most comparisons of expressions with plain arithmetic, without a computer algebra.

Rational values are computed exactly, so they decide both ways. Others are estimated at a few
points with floats: a clear difference says that expressions are not equal; agreement says nothing.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from zlib import crc32

from madm2.grading.tree import Apply, Expression, Number, Symbol, has_name, symbols

_MAX_BITS = 8000
_RANGE = 1e8  # beyond this, or its inverse, rounding may be what makes floats differ
_CLOSE = 1e-7


@lru_cache(maxsize=8192)
def exact(expression: Expression) -> Fraction | None:
    """The value of an expression of rational numbers; None when it is not plainly one."""
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Symbol):
        return None
    values = [exact(arg) for arg in expression.args]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    try:
        return _exact(expression.name, known)
    except ZeroDivisionError:
        return None


def _exact(name: str, values: list[Fraction]) -> Fraction | None:
    first = values[0]
    if name == "add":
        return _all(operator.add, values)
    if name == "neg":
        return -first
    if name == "mul":
        return _all(operator.mul, values)
    if name == "inverse":
        return 1 / first
    if name == "div":
        return _all(operator.truediv, values)
    if name == "abs":
        return abs(first)
    if name in ("floor", "ceil"):
        return Fraction(math.floor(first) if name == "floor" else math.ceil(first))
    if name == "pow":
        return _power(first, values[1])
    if name == "root" and values[1] == 2 and first >= 0:
        above, below = math.isqrt(first.numerator), math.isqrt(first.denominator)
        root = Fraction(above, below)
        return root if root * root == first else None
    if name == "factorial" and first.denominator == 1 and 0 <= first <= 500:
        return Fraction(math.factorial(int(first)))
    if name == "binom" and all(v.denominator == 1 and 0 <= v <= 500 for v in values):
        return Fraction(math.comb(int(first), int(values[1])))
    return None


def _all(
    operation: Callable[[Fraction, Fraction], Fraction], values: list[Fraction]
) -> Fraction | None:
    result = values[0]
    for value in values[1:]:
        result = operation(result, value)
        if result.numerator.bit_length() + result.denominator.bit_length() > _MAX_BITS:
            return None
    return result


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    if exponent.denominator != 1 or (base == 0 and exponent <= 0):
        return None
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    return base ** int(exponent) if bits * abs(exponent) <= _MAX_BITS else None


def divides_by_zero(expression: Expression) -> bool:
    """Whether it holds a division by a rational expression that is 0: it has no value then."""
    if not isinstance(expression, Apply):
        return False
    if expression.name in ("div", "inverse") and exact(expression.args[-1]) == 0:
        return True
    return any(divides_by_zero(arg) for arg in expression.args)


def is_huge_power(expression: Expression) -> bool:
    """Whether a power or factorial in it is too large to compute with."""
    if not isinstance(expression, Apply):
        return False
    if any(is_huge_power(arg) for arg in expression.args):
        return True
    bounds = {"pow": 1e5, "factorial": 1e4, "binom": 1e4}
    if expression.name not in bounds:
        return False
    arg = expression.args[1 if expression.name == "pow" else 0]
    if symbols(arg):
        return False
    value = exact(arg)
    if value is not None:
        return abs(value) > bounds[expression.name]
    estimated = estimate(arg, {})
    return estimated is None or abs(estimated) > bounds[expression.name]


def surely_differ(one: Expression, other: Expression) -> bool:
    """Whether two expressions clearly have different values at some point."""
    for left, right in _values(one, other):
        if abs(left - right) > _CLOSE * max(1.0, abs(left), abs(right)):
            return True
    return False


def surely_not_proportional(one: Expression, other: Expression, positive: bool) -> bool:
    """Whether one is clearly no constant (above 0 if `positive`) times the other."""
    ratios = [
        left / right for left, right in _values(one, other) if min(abs(left), abs(right)) > 1e-3
    ]
    if positive and any(ratio.real < 0 for ratio in ratios):
        return True
    return any(abs(ratio - ratios[0]) > 1e-5 * abs(ratio) for ratio in ratios)


def rounds_to(decimal: Number, expression: Expression) -> bool:
    """Whether a constant rounds to a number that is written with that many decimals."""
    value = estimate(expression, {})
    if value is None or abs(value.imag) > 1e-12 or not decimal.decimals:
        return False
    half = 0.5 * 0.1**decimal.decimals
    return abs(value.real - float(decimal.value)) <= half * (1 + 1e-6)


def _values(one: Expression, other: Expression) -> Iterator[tuple[complex, complex]]:
    """The values of both at each point where both are defined and floats can be trusted."""
    for point in shared_points(one, other):
        left, right = estimate(one, point), estimate(other, point)
        if left is not None and right is not None:
            yield left, right


def shared_points(one: Expression, other: Expression) -> list[dict[str, float]]:
    """Points at which to compare two expressions.

    Those of the real domain that they share, unless i is in them or there are none.
    """
    names = symbols(one) | symbols(other)
    everywhere = points(names)
    if not names or has_name(one, "i") or has_name(other, "i"):
        return everywhere
    real = [point for point in everywhere if _is_real(one, point) and _is_real(other, point)]
    return real or everywhere


def _is_real(expression: Expression, point: Mapping[str, float]) -> bool:
    """Whether all steps to a value stay real, as far as floats can follow them."""
    try:
        _value(expression, point, real=True)
    except _NotRealError:
        return False
    except (ArithmeticError, ValueError):
        pass
    return True


_SCALES = (1.0, 1.0, 0.2, 10.0, 40.0, 1.0, 1.0, 8.0)


def points(names: frozenset[str]) -> list[dict[str, float]]:
    """Fixed values for variables: one empty point when there are none."""
    if not names:
        return [{}]
    # The last three are of either sign.
    return [
        {
            name: round(scale * (0.3 + _spread(f"{name}/{i}") / 4001), 6)
            * (-1 if i >= len(_SCALES) - 3 and (_spread(name) + i) % 2 else 1)
            for name in sorted(names)
        }
        for i, scale in enumerate(_SCALES)
    ]


def _spread(text: str) -> int:
    return crc32(text.encode()) % 10007


def estimate(expression: Expression, point: Mapping[str, float]) -> complex | None:
    """A value by floats; None where it is undefined or floats cannot be trusted."""
    try:
        return _value(expression, point)
    except (ArithmeticError, ValueError):
        return None


class _UntrustedError(ArithmeticError):
    """A value out of the range in which floats decide."""


class _NotRealError(ArithmeticError):
    """A value that is not real where real ones are wanted."""


def _value(expression: Expression, point: Mapping[str, float], real: bool = False) -> complex:
    if isinstance(expression, Number):
        result = complex(expression.value)
    elif isinstance(expression, Symbol):
        name = expression.name
        result = _CONSTANTS[name] if name in _CONSTANTS else complex(point[name])
    else:
        args = [_value(arg, point, real) for arg in expression.args]
        if expression.name not in _FUNCTIONS:
            raise _UntrustedError(expression.name)
        result = complex(_FUNCTIONS[expression.name](*args))
    result += 0j  # a negative zero would choose the other side of a branch cut
    size = abs(result)
    if real and abs(result.imag) > 1e-9 * size:
        raise _NotRealError
    if not size < _RANGE or 0 < size < 1 / _RANGE:
        raise _UntrustedError
    return result


def _integer(value: complex) -> int:
    if value.imag or value.real != int(value.real) or not 0 <= value.real <= 100:
        raise _UntrustedError
    return int(value.real)


def _root(value: complex, degree: complex) -> complex:
    if value.imag == 0 and value.real < 0 and degree.real % 2 == 1:  # the real root
        return -((-value) ** (1 / degree))
    return value ** (1 / degree)


def _floor(value: complex) -> complex:
    if value.imag or abs(value.real - round(value.real)) < _CLOSE:
        raise _UntrustedError
    return complex(math.floor(value.real))


_CONSTANTS = {"pi": complex(math.pi), "e": complex(math.e), "i": 1j, "oo": complex(math.inf)}
_FUNCTIONS: dict[str, Callable[..., complex]] = {
    "add": lambda *terms: sum(terms),
    "neg": lambda a: -a,
    "mul": lambda *factors: math.prod(factors),
    "inverse": lambda a: 1 / a,
    "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b,
    "root": _root,
    "abs": abs,
    "conjugate": lambda a: a.conjugate(),
    "floor": _floor,
    "ceil": lambda a: _floor(a) + 1,
    "factorial": lambda a: math.factorial(_integer(a)),
    "binom": lambda a, b: math.comb(_integer(a), _integer(b)),
    "degree": lambda a: a * math.pi / 180,
    "log": lambda a, b: cmath.log(a) / cmath.log(b),
    "exp": cmath.exp,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "tan": cmath.tan,
    "cot": lambda a: 1 / cmath.tan(a),
    "sec": lambda a: 1 / cmath.cos(a),
    "csc": lambda a: 1 / cmath.sin(a),
    "sinh": cmath.sinh,
    "cosh": cmath.cosh,
    "tanh": cmath.tanh,
    "arcsin": cmath.asin,
    "arccos": cmath.acos,
    "arctan": cmath.atan,
    "arcsinh": cmath.asinh,
    "arccosh": cmath.acosh,
    "arctanh": cmath.atanh,
}
