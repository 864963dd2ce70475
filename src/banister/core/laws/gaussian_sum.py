"""Certified sums of e^(-n² / 2 sigma²) over the integers, and over the integers from one on."""

from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from banister.core.exact.numbers import ball, exp_ball

_SUMMED = 100
"""Up to this sigma sums are taken term by term; beyond, by Euler-Maclaurin with its remainder bounded."""


def gaussian_total(sigma: Fraction) -> arb:
    """Σ over all integers n of e^(-n² / 2 sigma²)."""
    return _total(sigma, ctx.prec)


@lru_cache(maxsize=256)
def _total(sigma: Fraction, bits: int) -> arb:
    return 2 * gaussian_upper_sum(sigma, 1) + 1


def gaussian_upper_sum(sigma: Fraction, first: int) -> arb:
    """Σ over n ≥ first of e^(-n² / 2 sigma²)."""
    if first <= 0:  # The whole, less the mirrored rest: the terms are even in n.
        return _total(sigma, ctx.prec) - gaussian_upper_sum(sigma, 1 - first)
    if sigma > _SUMMED:
        return _euler_maclaurin(sigma, first)
    return _term_by_term(sigma, first)


def _term_by_term(sigma: Fraction, first: int) -> arb:
    """The terms one by one, and a geometric bound for what follows once they are below the working precision."""
    rate = 1 / (2 * sigma**2)
    total, n = arb(0), first
    term, ratio, shrink = exp_ball(-rate * n * n), exp_ball(-rate * (2 * n + 1)), exp_ball(-2 * rate)
    tiny = arb(2) ** -(ctx.prec + 16)
    while not term < tiny * (total + term):
        total, term = total + term, term * ratio
        ratio, n = ratio * shrink, n + 1
    rest = term / (1 - ratio)
    return total + rest.union(arb(0))


def _euler_maclaurin(sigma: Fraction, first: int) -> arb:
    """∫ + f'/24 - 7 f'''/5760 at x = first - 1/2, within (1/720) ∫ |f''''|, for f(x) = e^(-x² / 2 sigma²).

    Exact:  Euler-Maclaurin at half-integers, B₂(1/2) = -1/12, B₄(1/2) = 7/240, |B₄(t)| ≤ 1/30. The integral of
            |f''''| is bounded by that of (x⁴/sigma⁸ + 6x²/sigma⁶ + 3/sigma⁴) f, which has a closed form.
    """
    x = first - Fraction(1, 2)
    square = sigma**2
    f = exp_ball(-x * x / (2 * square))
    i0 = ball(sigma) * (arb.pi() / 2).sqrt() * (ball(x / sigma) / arb(2).sqrt()).erfc()
    i2 = ball(square) * (ball(x) * f + i0)
    i4 = ball(square) * (ball(x**3) * f + 3 * i2)
    slope = -ball(x / square) * f
    third = ball(3 * x / square**2 - x**3 / square**3) * f
    remainder = (i4 / ball(square**4) + 6 * i2 / ball(square**3) + 3 * i0 / ball(square**2)) / 720
    return i0 + slope / 24 - 7 * third / 5760 + (-remainder).union(remainder)
