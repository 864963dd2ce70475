"""The price of a question in Gaussian time, found by comparing whole curves.

If at least `left` of a Gaussian budget remains, a question X may be charged c as soon as X together with Gaussian noise
of mu² = left − c gives away no more than Gaussian noise of mu² = left, at every epsilon and up to a small `slack`.
For a small question that is hardly more than the variance of its loss, while a Gaussian pair that dominates X by itself
costs π/2 times as much. Proof: docs/math/filters.md, "The whole curve".
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb, arb_series

from banister.core.composition.law import Law
from banister.core.exact.numbers import ball, exp_ball, fraction_up, precision
from banister.core.exact.search import halved
from banister.core.programs.linear import Floats

BITS = 192
ORDER = 24
"""The difference of two curves is a polynomial of this degree on each interval, and a remainder."""
PIECES = 8
"""Each polynomial is bounded on so many pieces of its interval."""
MOST_ATOMS = 64
MOST_INTERVALS = 400
TRIES = 6

Steps = tuple[tuple[Fraction, arb], ...]
"""The finite losses of a question with their masses."""


@lru_cache(maxsize=512)
def gaussian_price(law: Law, bound: Fraction, left: Fraction, rate: Fraction) -> Fraction | None:
    """About the least c that may be charged while `left` remains; the slack that goes with it is rate · c.

    Certified:  the comparison is proven for the c that is returned. Nothing where no c up to `left` is found. `bound`
                is the largest finite loss of the law; a law that is not symmetric, or has many losses, is taken for
                the worst of that bound.
    """
    whole = dominating_price(bound)
    found = _searched(_steps(law, bound), left, rate)
    prices = [price for price in (found, whole) if price is not None and price <= left]
    return min(prices, default=None)


def dominating_price(bound: Fraction) -> Fraction:
    """mu² of the Gaussian pair that dominates every pair of this bound: (2·Φ⁻¹(e^bound/(1 + e^bound)))², rounded up."""
    with precision(BITS):
        return _up(8 * (2 / (1 + exp_ball(bound))).erfcinv() ** 2)


def _steps(law: Law, bound: Fraction) -> Steps:
    atoms = law.atoms()
    with precision(BITS):
        if atoms is not None and len(atoms) <= MOST_ATOMS and law.reverse() == law:
            return tuple(atoms.items())
        heads = 1 / (1 + exp_ball(-bound))
        return ((bound, heads), (-bound, heads * exp_ball(-bound)))


def _searched(steps: Steps, left: Fraction, rate: Fraction) -> Fraction | None:
    """Guess in doubles, then prove; a guess that cannot be proven is raised a little."""
    guess = _guess([(float(v), float(m)) for v, m in steps], float(left), float(rate))
    if guess is None:
        return None
    extra = 2.0**-24
    for _ in range(TRIES):
        price = Fraction(math.ceil(guess * (1 + extra) * 2**64), 2**64)
        if price < left and _proven(steps, left, price, rate * price):
            return price
        extra *= 8
    return None


def _guess(steps: Sequence[tuple[float, float]], left: float, rate: float) -> float | None:
    variance = sum(m * v * v for v, m in steps)
    points = np.linspace(0, left / 2 + 7 * math.sqrt(left) + max(v for v, _ in steps), 600)

    def holds(price: float) -> bool:
        mine = sum((m * _curve(points - v, left - price) for v, m in steps), np.zeros_like(points))
        return bool(np.max(mine - _curve(points, left)) <= max(rate * price / 2, 1e-15))

    high = left * (1 - 1e-6)
    if not (variance / 4 < high and holds(high)):
        return None
    return halved(holds, variance / 4, high, rounds=40)[1]


def _curve(g: Floats, variance: float) -> Floats:
    from scipy.special import log_ndtr, ndtr

    root = math.sqrt(variance)
    found: Floats = ndtr(root / 2 - g / root) - np.exp(np.minimum(g + log_ndtr(-root / 2 - g / root), 0.0))
    return found


def _proven(steps: Steps, left: Fraction, price: Fraction, slack: Fraction) -> bool:
    """Whether Σ mass·H(g − v; left − price) ≤ H(g; left) + slack for every g ≥ 0.

    On [g₀ − h, g₀ + h] the difference is its Taylor polynomial at g₀ and a remainder, both in balls. Beyond the point
    where the sum itself is at most the slack nothing is left to prove, as it falls.
    """
    with precision(BITS):
        half = Fraction(math.ceil(math.sqrt(float(left - price)) * 2**20), 2**22)
        allowed = ball(slack)
        for interval in range(MOST_INTERVALS):
            centre = (2 * interval + 1) * half
            if _total(steps, ball(centre - half), left - price, 1)[0] <= allowed:
                return True
            if not _largest(steps, centre, half, left, price) <= allowed:
                return False
    return False


def _largest(steps: Steps, centre: Fraction, half: Fraction, left: Fraction, price: Fraction) -> arb:
    """An upper bound of the difference of the curves on an interval."""

    def difference(point: arb, order: int) -> list[arb]:
        mine, other = _total(steps, point, left - price, order), _hockey(point, left, order)
        return [a - b for a, b in zip(mine, other, strict=True)]

    row = difference(ball(centre), ORDER)
    reach = ball(half)
    rest = difference(ball(centre) + (-reach).union(reach), ORDER + 1)[ORDER]
    found = arb("-inf")
    for piece in range(PIECES):
        low, high = (ball(Fraction(2 * (piece + side), PIECES) * half - half) for side in (0, 1))
        t = low.union(high)
        value = arb(0)
        for part in reversed(row):
            value = value * t + part
        found = arb.max(found, value.upper())
    return found + abs(rest).upper() * reach**ORDER


def _total(steps: Steps, point: arb, variance: Fraction, order: int) -> list[arb]:
    total = [arb(0)] * order
    for value, mass in steps:
        total = [a + mass * b for a, b in zip(total, _hockey(point - ball(value), variance, order), strict=True)]
    return total


def _hockey(point: arb, variance: Fraction, order: int) -> list[arb]:
    """Taylor coefficients at the point of the Gaussian curve: (erfc(a) − e^g·erfc(b))/2, a and b as for the law."""
    root = ball(2 * variance).sqrt()
    shift = ball(variance / 2)
    first = arb_series([(point - shift) / root, 1 / root], order).erfc()
    second = arb_series([(point + shift) / root, 1 / root], order).erfc()
    found = (first - arb_series([point, 1], order).exp() * second) / 2
    return [found[i] for i in range(order)]


def _up(x: arb) -> Fraction:
    return Fraction(math.ceil(fraction_up(x) * 2**64), 2**64)
