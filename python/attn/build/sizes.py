# Licensed under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes that are known when the program runs: polynomials of the sizes of inputs, with integer coefficients.

Two sizes are equal where their polynomials are. Arrays of them are NumPy's of `object`, so that what models compute
with shapes is computed by NumPy.
"""

from __future__ import annotations

import numbers


class Undecided(Exception):
    """A comparison whose answer depends on sizes."""


class Quotient(str):
    """The name of a size that is another divided by a third, rounded down."""

    parts: tuple

    @staticmethod
    def of(dividend, divisor) -> "Quotient":
        name = Quotient(f"(({dividend!r}) / ({divisor!r}))")
        name.parts = dividend, divisor
        return name


class Size:
    """Sum of products. `terms`: products (sorted names) with their factors; never a plain number."""

    __slots__ = ("terms",)

    def __init__(self, terms: dict):
        self.terms = terms

    @staticmethod
    def symbol(name: str) -> "Size":
        return Size({(name,): 1})

    def __hash__(self):
        return hash(frozenset(self.terms.items()))

    def __eq__(self, other):
        if isinstance(other, Size):
            if self.terms == other.terms:
                return True
            difference = self - other
            if not isinstance(difference, Size):
                return difference == 0
            if difference.is_positive() or (-1 * difference).is_positive():
                return False
            raise Undecided(f"{self} == {other}")
        if isinstance(other, numbers.Integral) and other < 0 and all(f > 0 for f in self.terms.values()):
            return False
        raise Undecided(f"{self} == {other}")

    def __ne__(self, other):
        return not self == other

    def is_positive(self) -> bool:
        """Above 0 whatever the sizes are, which are not negative."""
        return self.terms.get((), 0) > 0 and all(f > 0 for f in self.terms.values())

    def _compare(self, other, word):
        difference = self - other
        value = difference if not isinstance(difference, Size) else (
            1 if difference.is_positive() else -1 if (-1 * difference).is_positive() else None)
        if value is None:
            raise Undecided(f"{self} {word} {other}")
        return value

    def __lt__(self, other):
        return self._compare(other, "<") < 0

    def __gt__(self, other):
        return self._compare(other, ">") > 0

    def __le__(self, other):
        return self._compare(other, "<=") <= 0

    def __ge__(self, other):
        return self._compare(other, ">=") >= 0

    def __add__(self, other):
        return combine(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other):
        return combine(self, other, -1)

    def __rsub__(self, other):
        return combine(other, self, -1)

    def __neg__(self):
        return self * -1

    def __mul__(self, other):
        terms: dict = {}
        for a, f in self.terms.items():
            for b, g in terms_of(other).items():
                product = tuple(sorted(a + b))
                terms[product] = terms.get(product, 0) + f * g
        return simplify(terms)

    __rmul__ = __mul__

    def __floordiv__(self, other):
        return divide(self, other)

    def __rfloordiv__(self, other):
        return divide(other, self)

    # What models divide are whole numbers.
    __truediv__, __rtruediv__ = __floordiv__, __rfloordiv__

    def __mod__(self, other):
        return self - divide(self, other) * other

    def __index__(self):
        raise Undecided(f"{self} as a number")

    __int__ = __float__ = __bool__ = __index__

    def __repr__(self):
        return " + ".join("*".join([*([str(f)] if f != 1 or not names else []), *names])
                          for names, f in sorted(self.terms.items()))


def terms_of(size) -> dict:
    return size.terms if isinstance(size, Size) else {(): int(size)}


def simplify(terms: dict):
    """The Size of these terms, or a number."""
    terms = {names: factor for names, factor in terms.items() if factor}
    if not terms:
        return 0
    return terms[()] if set(terms) == {()} else Size(terms)


def combine(a, b, sign: int):
    terms = dict(terms_of(a))
    for names, factor in terms_of(b).items():
        terms[names] = terms.get(names, 0) + sign * factor
    return simplify(terms)


def divide(a, b):
    """a / b, rounded down: exact where a term divides each term, else a name of its own."""
    divisor = terms_of(b)
    if len(divisor) == 1:
        (names, factor), = divisor.items()
        terms = {}
        for product, f in terms_of(a).items():
            rest = list(product)
            for name in names:
                if name not in rest:
                    break
                rest.remove(name)
            else:
                if f % factor == 0:
                    terms[tuple(rest)] = f // factor
                    continue
            break
        else:
            return simplify(terms)
    return Size.symbol(Quotient.of(a, b))


def is_static(shape) -> bool:
    return not any(isinstance(n, Size) for n in shape)


def same(a, b) -> bool:
    """Whether two sizes are provably equal."""
    try:
        return bool(a == b)
    except Undecided:
        return False
