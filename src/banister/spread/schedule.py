"""The law by which the virtual source of adaptive diffusion keeps or passes its token."""

import math
from fractions import Fraction

from banister import need
from banister.errors import BadValue


def keep_probability(*, degree: int, time: int, hops: int) -> Fraction:
    """Chance that the virtual source keeps the token for the next two steps.

    With k = time/2 and x = degree - 1 it is (x^(k-hops+1) - 1)/(x^(k+1) - 1), and (k-hops+1)/(k+1) on a line. On a
    regular tree every holder but the virtual source is then equally likely to be the author, at even times.

    Exact:  [K15] Eq. (2.13); the law it produces is Eq. (2.12). Not defined before time 2: the author always passes.

    >>> keep_probability(degree=3, time=2, hops=1)
    Fraction(1, 3)
    """
    k = _half(time)
    need.whole("degree", degree, least=2)
    need.whole("hops", hops, least=1, most=k)
    x = degree - 1
    if x == 1:  # The general form reads 0/0; this is its limit.
        return Fraction(k - hops + 1, k + 1)
    return Fraction(x ** (k - hops + 1) - 1, x ** (k + 1) - 1)


def keep_chance(*, degree: float, time: int, hops: int) -> float:
    """`keep_probability` as a double, at any time without overflow; an infinite degree always passes.

    >>> keep_chance(degree=3, time=10**6, hops=2), keep_chance(degree=math.inf, time=4, hops=1)
    (0.25, 0.0)
    """
    k = _half(time)
    if math.isinf(degree):
        return 0.0
    if degree == 2:
        return (k - hops + 1) / (k + 1)
    log = math.log(degree - 1)
    return math.exp(-hops * log) * math.expm1(-(k - hops + 1) * log) / math.expm1(-(k + 1) * log)


def hops_law(*, degree: int, time: int) -> tuple[Fraction, ...]:
    """Chance that the virtual source is 1, 2, … time/2 hops from the author: (x - 1) x^(h-1)/(x^k - 1).

    >>> hops_law(degree=3, time=4)
    (Fraction(1, 3), Fraction(2, 3))
    """
    k = _half(time)
    need.whole("degree", degree, least=2)
    x = degree - 1
    if x == 1:
        return (Fraction(1, k),) * k
    return tuple(Fraction((x - 1) * x ** (h - 1), x**k - 1) for h in range(1, k + 1))


def _half(time: int) -> int:
    whole = need.whole("time", time, least=2)
    if whole % 2:
        raise BadValue(f"time = {whole} must be even: the virtual source decides at even times only.")
    return whole // 2
