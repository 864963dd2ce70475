"""Brute force in forty digits, by roads that share nothing with the package."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import mpmath
from mpmath import mp, mpf

mp.dps = 60


def real(x: Fraction | int | float) -> mpf:
    exact = Fraction(x)
    return mpf(exact.numerator) / mpf(exact.denominator)


def quaternary(epsilon: Fraction, delta: Fraction) -> tuple[list[mpf], list[mpf]]:
    """The dominating pair of (epsilon, delta): four outputs under each neighbour."""
    d, p = real(delta), mpmath.exp(real(epsilon)) / (1 + mpmath.exp(real(epsilon)))
    return [d, (1 - d) * p, (1 - d) * (1 - p), mpf(0)], [mpf(0), (1 - d) * (1 - p), (1 - d) * p, d]


def enumerated_delta(pairs: Sequence[tuple[list[mpf], list[mpf]]], epsilon: Fraction) -> mpf:
    """Σ (P − e^epsilon·Q)⁺ over every product of outputs."""
    total, factor = mpf(0), mpmath.exp(real(epsilon))
    for outputs in itertools.product(*(list(zip(p, q, strict=True)) for p, q in pairs)):
        first, second = mpf(1), mpf(1)
        for p, q in outputs:
            first, second = first * p, second * q
        total += max(mpf(0), first - factor * second)
    return total


def binomial_delta(epsilon: Fraction, count: int, at: Fraction) -> mpf:
    """count-fold randomized response: the positive terms of the binomial sum."""
    e, g = real(epsilon), real(at)
    p = mpmath.exp(e) / (1 + mpmath.exp(e))
    q = 1 - p
    total, term, odds = mpf(0), p**count, q / p
    for minus in range(count + 1):
        if (count - 2 * minus) * epsilon <= at:
            break
        total += term * -mpmath.expm1(g - (count - 2 * minus) * e)
        term *= odds * (count - minus) / (minus + 1)
    return total


def laplace_delta(epsilon: Fraction, count: int, at: Fraction) -> mpf:
    """count-fold Laplace, by inverting its Laplace transform term by term (alternating, so many digits)."""
    with mp.workdps(60 + 6 * count):
        e, g, total = real(epsilon), real(at), mpf(0)
        for j in range(count + 1):
            a = (count - 2 * j) * e
            if (count - 2 * j) * epsilon <= at:  # In fractions: equal ends must not leave a rounding error.
                continue
            y, inner = a - g, mpf(0)
            row = mpmath.taylor(lambda u, j=j: (1 + u) ** (count - j) * (1 - u) ** j, 0, count)
            first, second = mpf(1), mpf(1)
            for m, c in enumerate(row):
                if m == 1:
                    first, second = 2 * (1 - mpmath.exp(-y / 2)), 2 * (mpmath.exp(y / 2) - 1)
                elif m > 1:
                    power = y ** (m - 1) / mpmath.factorial(m - 1)
                    first, second = 2 * (first - power * mpmath.exp(-y / 2)), 2 * (power * mpmath.exp(y / 2) - second)
                inner += c * mpf(2) ** -m * (mpmath.exp(a / 2) * first - mpmath.exp(g - a / 2) * second)
            total += mpmath.binomial(count, j) * inner
        return total * (mpmath.exp(-e / 2) / 2) ** count


def gaussian_delta(mu_squared: Fraction, at: Fraction | mpf) -> mpf:
    mu, g = mpmath.sqrt(real(mu_squared)), at if isinstance(at, mpf) else real(at)
    return mpmath.ncdf(-g / mu + mu / 2) - mpmath.exp(g) * mpmath.ncdf(-g / mu - mu / 2)
