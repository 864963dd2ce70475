"""Which of a person's groups count: neighbours on the circle of her own list, from a place that a keyed hash turns to.

Her groups stand in one order on every engine: by the number of their cell, then by the bytes of their values. Group j
of m counts when (j + turn) mod m < groups, where the turn is below m and made from the keys and from who she is. So
exactly min(groups, m) of them count, each with the same chance, without sorting hashes; and what counts is a function
of her own rows and the keys, so that nobody else's rows move it.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from banister.questions.question import Unknown
from banister.release.sources.sql.dialect import Dialect
from banister.release.sources.sql.syntax import both, cast, either, number, paren
from banister.release.work import HASH_PRIME, Physical, Work

SHIFT = 2**61
"""On top of a product within ±2^61 it makes a positive number; with another product it stays below 2^63."""

FOLD, CUT, LOW = 29, 20, 2**31 - 1
"""By how much a line is folded onto itself, which low bits of the last product are dropped, and the bits kept."""

TURN_BITS = 31
ODD_AND_LARGE = 2**29 + 1
"""What the factors of folded numbers have at least, so that the products reach all of the bits that are kept."""


def person_code(dialect: Dialect, person: exp.Expr, stored: Physical) -> exp.Expr:
    """A whole number within ±2^31 for a person; two people may share one, and then turn alike."""
    if stored is Physical.INTEGER:  # A remainder has the sign of the number.
        return cast(exp.Mod(this=person, expression=number(HASH_PRIME)), "bigint")
    return dialect.text_code(person if stored is Physical.TEXT else cast(person, "text"))


def turned(code: exp.Expr, keys: Sequence[int], *, besides: exp.Expr | None = None) -> exp.Expr:
    """A keyed hash of a code below 2^31; of the code and of another number from 0 on, where there is one.

    A line of the code, folded onto itself so that it is no line any more; another line of that, folded; and of that the
    middle bits of a multiple. Products are within ±2^61, so that nothing leaves 64 bits.
    """
    a, b, c, d, e = _factors(keys)
    line: exp.Expr = exp.Mul(this=code, expression=number(a))
    if besides is not None:
        small = paren(exp.Mod(this=besides, expression=number(HASH_PRIME)))
        line = exp.Add(this=line, expression=exp.Mul(this=small, expression=number(keys[5])))
    y = _folded(exp.Add(this=line, expression=number(b + SHIFT)))
    z = _folded(exp.Add(this=exp.Mul(this=y, expression=number(c)), expression=number(d)))
    product = paren(exp.Mul(this=z, expression=number(e)))
    cut = paren(exp.BitwiseRightShift(this=product, expression=exp.Literal.number(CUT)))
    return paren(exp.BitwiseAnd(this=cut, expression=number(LOW)))


def turn_codes(codes: NDArray[np.int64], keys: Sequence[int]) -> NDArray[np.int64]:
    """`turned` for an array of codes."""
    a, b, c, d, e = _factors(keys)
    x = codes * a
    x += b + SHIFT
    x ^= x >> FOLD
    x &= LOW
    x *= c
    x += d
    x ^= x >> FOLD
    x &= LOW
    x *= e
    x >>= CUT
    x &= LOW
    return x


def reached(j: exp.Expr, m: exp.Expr, turn: exp.Expr) -> exp.Expr:
    """How far place j of m is after the turn, once round or not: below m + m."""
    share = paren(exp.Mul(this=turn, expression=m))
    return exp.Add(this=j, expression=paren(exp.BitwiseRightShift(this=share, expression=_bits())))


def counts(far: exp.Expr, m: exp.Expr, groups: int) -> exp.Expr:
    """Whether a place so far round counts: far mod m < groups, for far below m + m, without a division."""
    first = exp.LT(this=far, expression=number(groups))
    beyond = exp.GTE(this=far, expression=m)
    again = exp.LT(this=far, expression=exp.Add(this=m, expression=number(groups)))
    return paren(either(first, both(beyond, again)))


def first_places(turns: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place that a person's choice begins at; the following ones count too, and after the last comes the first."""
    back = turns * sizes
    back >>= TURN_BITS
    np.subtract(sizes, back, out=back)
    back[back == sizes] = 0
    return back


def key_names(work: Work) -> list[str]:
    """The columns that tell cells apart: without a known axis, all have the number 0."""
    known = any(not isinstance(axis, Unknown) for axis in work.axes)
    return [*(["cell"] if known else []), *unknown_names(work)]


def unknown_names(work: Work) -> list[str]:
    """The columns of the unknown keys."""
    return [f"x{i}" for i, _ in enumerate(axis for axis in work.axes if isinstance(axis, Unknown))]


def _factors(keys: Sequence[int]) -> tuple[int, int, int, int, int]:
    return keys[0] | 1, keys[1], keys[2] | ODD_AND_LARGE, keys[3], keys[4] | ODD_AND_LARGE


def _folded(line: exp.Expr) -> exp.Expr:
    """The low bits of a number and its high bits, one upon the other."""
    high = paren(exp.BitwiseRightShift(this=paren(line), expression=exp.Literal.number(FOLD)))
    both = paren(exp.BitwiseXor(this=paren(line), expression=high))
    return paren(exp.BitwiseAnd(this=both, expression=number(LOW)))


def _bits() -> exp.Expr:
    return exp.Literal.number(TURN_BITS)
