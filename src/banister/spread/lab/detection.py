"""Exact chances that the best possible guess names the author, where they are known.

All of them are for endless regular trees and one post. On other graphs they are not even a bound: measure with a study.
"""

import math
from fractions import Fraction

from flint import arb

from banister import need
from banister.core.exact.numbers import Number, ball, fraction_up, precision


def ball_size(degree: int, radius: int) -> int:
    """Nodes within `radius` hops of a node of the regular tree: 1 + d((d - 1)^radius - 1)/(d - 2), or 1 + 2·radius.

    >>> ball_size(3, 2), ball_size(2, 5)
    (10, 11)
    """
    d, k = _degree(degree), need.whole("radius", radius, least=0)
    return 1 + 2 * k if d == 2 else 1 + d * ((d - 1) ** k - 1) // (d - 2)


def diffusion_size(degree: int, steps: int, rate: Number) -> Fraction:
    """Expected holders of random diffusion: (d (1 + q(d - 2))^T - 2)/(d - 2), or 1 + 2qT on a line.

    Exact:  corrects the formula in the text of [K15] section 2.2.2, which is right for q = 1 only.

    >>> diffusion_size(3, 2, "1/2")
    Fraction(19, 4)
    """
    d, t = _degree(degree), need.whole("steps", steps, least=0)
    q = need.between("rate", rate, 0, 1)
    return 1 + 2 * q * t if d == 2 else (d * (1 + q * (d - 2)) ** t - 2) / (d - 2)


def line_detection(steps: int) -> Fraction:
    """Detection of Protocol 1 on a line: (2T + 1)/(T + 1)². Exact: equality in [K15] Eq. (2.4).

    >>> line_detection(1)
    Fraction(3, 4)
    """
    t = need.whole("steps", steps, least=0)
    return Fraction(2 * t + 1, (t + 1) ** 2)


def line_distance(steps: int) -> Fraction:
    """Expected hops between the author and the best guess for Protocol 1 on a line; about 2T/9.

    >>> line_distance(1)
    Fraction(1, 4)
    """
    t = need.whole("steps", steps, least=0)
    total = 2 * sum(c * c - 1 for c in range(1, t + 1)) + (t + 1) ** 2 - 1
    return Fraction(total, 3 * (t + 1) ** 2)


def line_diffusion_detection(steps: int, rate: Number) -> Fraction:
    """Detection of random diffusion on a line: the sum over sizes m of max over l of b(l) b(m - l), b binomial.

    >>> line_diffusion_detection(2, "1/2")
    Fraction(5, 8)
    """
    t, q = need.whole("steps", steps, least=0), need.between("rate", rate, 0, 1)
    b = [math.comb(t, left) * q**left * (1 - q) ** (t - left) for left in range(t + 1)]
    total = Fraction(0)
    for m in range(2 * t + 1):
        total += max(b[left] * b[m - left] for left in range(max(0, m - t), min(m, t) + 1))
    return total


def tree_size(degree: int, steps: int) -> int:
    """Holders of the tree protocol after `steps` steps.

    >>> [tree_size(3, t) for t in range(6)]
    [1, 2, 4, 6, 10, 14]
    """
    d, t = _degree(degree), need.whole("steps", steps, least=0)
    k = t // 2
    if t % 2 == 0:
        return ball_size(d, k)
    return 2 * (k + 1) if d == 2 else 2 * ((d - 1) ** (k + 1) - 1) // (d - 2)


def tree_detection(degree: int, steps: int) -> Fraction:
    """Detection of the tree protocol: (d - 1)/(2 + (d - 2) N) with N holders, from one step on.

    Exact:  [K15] Eq. (2.8), for the corrected Protocol 2.

    >>> tree_detection(3, 4)
    Fraction(1, 6)
    """
    d = _degree(degree)
    need.whole("steps", steps, least=1)
    return Fraction(d - 1, 2 + (d - 2) * tree_size(d, steps))


def adaptive_detection(degree: int, steps: int) -> Fraction:
    """Detection of adaptive diffusion made for this degree, on the regular tree of this degree.

    Exact:  at even steps 1/(N - 1) with N holders. At odd steps 2k + 1 ≥ 3 it is
    (1/2 + 1/d)(d - 2)/((d - 1)^(k+1) - 1), above the bound of [K15] Theorem 2.3.1(b), which holds at even steps only.

    >>> adaptive_detection(3, 4), adaptive_detection(3, 3)
    (Fraction(1, 9), Fraction(5, 18))
    """
    d, t = _degree(degree), need.whole("steps", steps, least=1)
    k = t // 2
    if t == 1:
        return Fraction(1, 2)
    if t % 2 == 0:
        return Fraction(1, ball_size(d, k) - 1)
    if d == 2:
        return Fraction(2, t + 1)
    return (Fraction(1, 2) + Fraction(1, d)) * Fraction(d - 2, (d - 1) ** (k + 1) - 1)


def diffusion_limit(degree: int) -> float:
    """Detection of ordinary diffusion in continuous time by the rumor centre, as the holders grow without end.

    d · I_½(1/(d - 2), (d - 1)/(d - 2)) - (d - 1), where I is the regularized incomplete beta function ([SZ12]).

    >>> round(diffusion_limit(3), 6), round(diffusion_limit(4), 4)
    (0.25, 0.2732)
    """
    d = need.whole("degree", degree, least=3, hint="On a line the chance falls like 1/√T instead.")
    with precision(128):
        value = d * _half_beta(Fraction(1, d - 2), Fraction(d - 1, d - 2)) - (d - 1)
        return float(fraction_up(value))


def _half_beta(a: Fraction, b: Fraction) -> arb:
    return ball(Fraction(1, 2)).beta_lower(ball(a), ball(b), 1)


def spies_detection(degree: int, spies: Number) -> float:
    """Detection of the tree protocol (or of always passing) when each node but the author is a spy with chance p,
    after many steps, by spies that pool arrival times, senders and counters.

    Σ_{l ≥ 1} q^(n_l - 1) (d - 1)^(1 - l) (p + q E_l) with q = 1 - p, n_l = ((d - 1)^l - 1)/(d - 2), s = q^(n_l) and
    E_l = (1 - (1 - s)^(d-1))/((d - 1) s) - s^(d-2)/(d - 1). No protocol can go below p.

    >>> round(spies_detection(3, 0.1), 3), round(spies_detection(10, 0.1), 3)
    (0.431, 0.184)
    """
    d = need.whole("degree", degree, least=3)
    p = float(need.strictly_between("spies", spies, 0, 1))
    q, total, branch = 1 - p, 0.0, 1
    for level in range(1, 64):
        s = q**branch
        if s < 1e-300:
            break
        alone = -math.expm1((d - 1) * math.log1p(-s)) / ((d - 1) * s) - s ** (d - 2) / (d - 1)
        total += q ** (branch - 1) * (d - 1) ** (1 - level) * (p + q * alone)
        branch = branch * (d - 1) + 1
    return total


def steps_to_reach(degree: int, holders: int) -> int:
    """The first even step at which adaptive diffusion has that many holders; at most about twice flooding.

    >>> steps_to_reach(4, 1000)
    12
    """
    d, n = _degree(degree), need.whole("holders", holders, least=1)
    k = 0
    while ball_size(d, k) < n:
        k += 1
    return 2 * k


def _degree(degree: int) -> int:
    return need.whole("degree", degree, least=2)
