"""Certified sums of powers: over the whole numbers of a range, and over a geometric number, for any real exponent.

Whole exponents have closed forms without cancellation. The others are summed by the Euler-Maclaurin formula, whose
remainder after 2m terms is at most 4/(2π)^(2m) ∫|f^(2m)|, and that integral is bounded term by term. So every value is
a ball that holds the truth, for a decay of 10^-18 as well as for one of 400.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb

from flint import arb, arb_poly, ctx, fmpq

from banister.core.exact.numbers import ball, exp_ball

_FEW = 384
"""So many powers are added up one by one before the formula takes over."""


def power_of(x: arb, exponent: Fraction) -> arb:
    """x^exponent for x ≥ 0; 0^0 is 1, for the exponent 0 stands for a count."""
    if exponent.denominator == 1:
        return x ** int(exponent)
    return arb(0) if x == 0 else x ** ball(exponent)


def geometric_sum(decay: Fraction, exponent: Fraction, start: Fraction) -> arb:
    """Σ_(k ≥ 0) e^(-decay k) (start + k)^exponent, decay > 0 and start ≥ 0; a first term of 0 is nothing."""
    if exponent.denominator == 1 and exponent >= 0:
        return _closed(decay, int(exponent), start)
    if start == 0:
        return exp_ball(-decay) * geometric_sum(decay, exponent, Fraction(1))
    return _term_by_term(decay, exponent, start) if decay >= 1 else _by_formula(decay, exponent, start)


def _closed(decay: Fraction, degree: int, start: Fraction) -> arb:
    """E (G + start)^n / (1 - b), where E (G + 1)^n = E G^n / b gives each moment from the lower ones: all positive."""
    odds = 1 / ball(decay).expm1()
    plain = [arb(1)]
    for n in range(1, degree + 1):
        plain.append(odds * sum((comb(n, i) * plain[i] for i in range(n)), arb(0)))
    shift, total = ball(start), arb(0)
    for i in range(degree + 1):
        total += comb(degree, i) * shift ** (degree - i) * plain[i]
    return total * (1 + odds)


def _term_by_term(decay: Fraction, exponent: Fraction, start: Fraction) -> arb:
    """The terms until a geometric series with a larger ratio bounds what is left."""
    b, total, weight, k = exp_ball(-decay), arb(0), arb(1), 0
    while True:
        term = weight * power_of(ball(start + k), exponent)
        total, weight, k = total + term, weight * b, k + 1
        ratio = b * power_of(ball((start + k) / (start + k - 1)), max(exponent, Fraction(0)))
        if ratio < 0.99 and term * ratio / (1 - ratio) < total * arb(2) ** (-ctx.prec):
            left = (term * ratio / (1 - ratio)).upper()
            return total + arb(left / 2, left / 2)


def _by_formula(decay: Fraction, exponent: Fraction, start: Fraction) -> arb:
    """Euler-Maclaurin for f(x) = e^(-decay x) (start + x)^q, from x = N on."""
    orders = 2 * (ctx.prec // 5 + 2)
    first = max(0, ctx.prec // 6 + 2 - int(start))
    b, weight, total = exp_ball(-decay), arb(1), arb(0)
    for k in range(first):
        total += weight * power_of(ball(start + k), exponent)
        weight *= b
    at, rate = ball(start + first), ball(decay)
    binomials = list(_binomials(exponent, orders))
    powers = [power_of(at, exponent)]
    for _ in range(orders):
        powers.append(powers[-1] / at)
    falling = arb_poly([c * p for c, p in zip(binomials, powers, strict=True)])
    exponentials = [arb(1)]
    for n in range(1, orders + 1):
        exponentials.append(exponentials[-1] * -rate / n)
    product = falling * arb_poly(exponentials)
    integral = _incomplete(rate, exponent, at)
    rest = integral + powers[0] / 2
    for j in range(1, orders // 2 + 1):
        rest -= _bernoulli(2 * j) / (2 * j) * product[2 * j - 1]
    error = _remainder(rate, exponent, at, binomials, powers, exponentials, integral)
    return total + weight * (rest + arb(0, error.upper()))


def _incomplete(rate: arb, exponent: Fraction, at: arb) -> arb:
    """∫_0^∞ e^(-rate x) (at + x)^q dx."""
    z = rate * at
    return z.exp() * z.gamma_upper(ball(exponent + 1)) / rate ** ball(exponent + 1)


def _remainder(
    rate: arb,
    exponent: Fraction,
    at: arb,
    binomials: list[arb],
    powers: list[arb],
    exponentials: list[arb],
    integral: arb,
) -> arb:
    """4/(2π)^n n! Σ_j |C(q, j)| rate^(n-j)/(n-j)! ∫ e^(-rate x) (at + x)^(q-j) dx, each integral from above."""
    n, total = len(powers) - 1, arb(0)
    for j in range(n + 1):
        if j > exponent + 1:
            inside = powers[j] * at / ball(j - exponent - 1)
        elif j > exponent:
            inside = powers[j] / rate
        else:
            inside = integral / at**j  # (at + x)^-j is at most at^-j.
        total += abs(binomials[j]) * abs(exponentials[n - j]) * inside
    return 4 * arb(n).fac() * total / (2 * arb.pi()) ** n


def _binomials(exponent: Fraction, most: int) -> Iterator[arb]:
    """C(q, 0), C(q, 1), …, C(q, most) as balls."""
    value = arb(1)
    yield value
    for j in range(most):
        value = value * ball(exponent - j) / (j + 1)
        yield value


@lru_cache(maxsize=1024)
def _exact_bernoulli(n: int) -> fmpq:
    return fmpq.bernoulli(n)


def _bernoulli(n: int) -> arb:
    return arb(_exact_bernoulli(n))


def range_terms(exponent: Fraction, low: int) -> tuple[list[tuple[arb, Fraction]], arb]:
    """Terms c n^q whose sum G has Σ_(low < i ≤ n) i^exponent = G(n) - G(low) for all n ≥ low, and the error at most.

    Exact for whole exponents. Otherwise `low` must be at least a few hundred, and the error is uniform in n.
    """
    whole = exponent.denominator == 1
    orders = 2 * ((int(exponent) + 3) // 2 if whole else ctx.prec // 18 + int(exponent) // 2 + 2)
    binomials = list(_binomials(exponent, orders))
    terms = [(1 / ball(exponent + 1), exponent + 1), (ball(Fraction(1, 2)), exponent)]
    for j in range(1, orders // 2 + 1):
        if whole and 2 * j - 1 > exponent:
            break
        terms.append((_bernoulli(2 * j) / (2 * j) * binomials[2 * j - 1], exponent - 2 * j + 1))
    if exponent == 0:
        return [(arb(1), Fraction(1))], arb(0)
    if whole:
        return terms, arb(0)
    n = orders
    sizes = abs(binomials[n]) * arb(n).fac() * power_of(ball(low), exponent - n + 1) / ball(n - exponent - 1)
    return terms, (4 * sizes / (2 * arb.pi()) ** n).upper()


def few(low: int, exponent: Fraction) -> int:
    """From which number on the formula for a range is used: what lies before it is added up one by one."""
    return low if exponent.denominator == 1 else max(low, _FEW)


def range_sum(exponent: Fraction, low: int, high: int) -> arb:
    """Σ_(low < i ≤ high) i^exponent, low ≥ 0."""
    middle = min(few(low, exponent), high)
    total: arb = sum((power_of(arb(i), exponent) for i in range(low + 1, middle + 1)), arb(0))
    if middle >= high:
        return total
    terms, error = range_terms(exponent, middle)
    for factor, q in terms:
        total += factor * (power_of(ball(high), q) - power_of(ball(middle), q))
    return total + arb(0, error)


def stair_sum(decay: Fraction, exponent: Fraction, *, period: int, step: int, above: int) -> arb:
    """Σ_(i > above) i^exponent b^(level of i), b = e^-decay; i = k period + j has level k where j < step, else k + 1.

    Exact:  b^(level of i) = (1 - b) Σ_(k: i < step + k period) b^k, so it is a geometric sum of sums over ranges.
    """
    middle, total = few(above, exponent), arb(0)
    for i in range(above + 1, middle + 1):
        k, j = divmod(i, period)
        total += power_of(arb(i), exponent) * exp_ball(-decay * (k if j < step else k + 1))
    k0 = max(0, -((step - 1 - middle) // period))
    reach = step - 1 + k0 * period
    terms, error = range_terms(exponent, middle)
    base = -1 / ball(-decay).expm1()
    ends = sum((factor * power_of(ball(middle), q) for factor, q in terms), arb(0))
    if exponent.denominator != 1 and decay >= Fraction(1, 10):
        inside = _shared(decay, terms, Fraction(reach), period)
    else:
        inside = arb(0)
        for factor, q in terms:
            inside += factor * power_of(ball(period), q) * geometric_sum(decay, q, Fraction(reach, period))
    return total + exp_ball(-decay * k0) * (inside / base - ends + arb(0, error))


def _shared(decay: Fraction, terms: list[tuple[arb, Fraction]], start: Fraction, period: int) -> arb:
    """Σ_k e^(-decay k) Σ c (start + k period)^q over terms with exponents that fall by 1 or 2: one power each."""
    b, weight, total, k = exp_ball(-decay), arb(1), arb(0), 0
    top = terms[0][1]
    gaps = [before[1] - after[1] for before, after in pairwise(terms)]
    sizes = [abs(factor) for factor, _ in terms]
    while True:
        at = ball(start + k * period)
        back = 1 / at
        powers = [power_of(at, top)]
        for gap in gaps:
            powers.append(powers[-1] * back if gap == 1 else powers[-1] * back * back)
        total += weight * sum((factor * x for (factor, _), x in zip(terms, powers, strict=True)), arb(0))
        size = weight * sum((factor * x for factor, x in zip(sizes, powers, strict=True)), arb(0))
        weight, k = weight * b, k + 1
        ratio = b * power_of(ball((start + k * period) / (start + (k - 1) * period)), max(top, Fraction(0)))
        if ratio < 0.99 and size * ratio / (1 - ratio) < abs(total) * arb(2) ** (-ctx.prec):
            return total + arb(0, (size * ratio / (1 - ratio)).upper())
