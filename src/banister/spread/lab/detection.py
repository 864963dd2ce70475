"""Exact chances that the best possible guess names the author, where they are known.

All of them are for endless regular trees and one post. On other graphs they are not even a bound: measure with a study.
"""

import math
from fractions import Fraction

from flint import arb

from banister import need
from banister.core.exact.numbers import Number, ball, fraction_up, precision
from banister.errors import BadValue
from banister.spread.schedule import hops_law, keep_probability


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


def adaptive_sizes(degree: int, steps: int) -> tuple[int, ...]:
    """How many holders adaptive diffusion can have: one number at even steps; at odd ones if it passed, if it kept.

    Exact:  ball(k) at 2k. At 2k + 1 it is ball(k) + (d - 1)^k after a pass, where [K15] Theorem 2.3.1(a) has equality,
            and ball(k + 1) after a keep.

    >>> [adaptive_sizes(3, t) for t in (1, 2, 3, 4, 5)]
    [(2,), (4,), (6, 10), (10,), (14, 22)]
    """
    d, t = _degree(degree), need.whole("steps", steps, least=0)
    k = t // 2
    if t % 2 == 0:
        return (ball_size(d, k),)
    if t == 1:
        return (2,)
    return (ball_size(d, k) + (d - 1) ** k, ball_size(d, k + 1))


def adaptive_mean_size(degree: int, steps: int) -> Fraction:
    """Expected holders of adaptive diffusion; at odd steps 2k + 1 a keep has the chance Σ_h p_h alpha(2k, h).

    >>> adaptive_mean_size(3, 4), adaptive_mean_size(3, 3)
    (Fraction(10, 1), Fraction(22, 3))
    """
    sizes = adaptive_sizes(degree, steps)
    if len(sizes) == 1:
        return Fraction(sizes[0])
    before = steps - 1
    law = hops_law(degree=degree, time=before)
    kept = sum(
        (p * keep_probability(degree=degree, time=before, hops=h) for h, p in enumerate(law, 1)), start=Fraction(0)
    )
    return (1 - kept) * sizes[0] + kept * sizes[1]


def adaptive_distance(degree: int, steps: int) -> Fraction:
    """Expected hops between the author and the best guess for adaptive diffusion, at even steps.

    Exact:  both are uniform on the ball without its centre, independently, so it is Σ 2 s (M - s)/M² over the links,
            M the candidates and s those beyond the link. [K15] Theorem 2.3.1(c) says at least (d - 1)/d · T/2.

    >>> [str(adaptive_distance(3, t)) for t in (2, 4, 6, 8)]
    ['4/3', '68/27', '572/147', '3676/675']
    """
    d, t = _degree(degree), need.whole("steps", steps, least=2)
    if t % 2:
        raise BadValue(f"steps = {t} must be even: at odd steps the likelihood is not flat.")
    k = t // 2
    total = ball_size(d, k) - 1
    pairs = sum(d * (d - 1) ** (i - 1) * 2 * s * (total - s) for i in range(1, k + 1) for s in [_branch(d, k - i + 1)])
    return Fraction(pairs, total**2)


def tree_distance(degree: int, steps: int) -> Fraction:
    """Expected hops between the author and the best guess for the tree protocol: two leaves, drawn independently.

    Exact:  the same sum over links, with s the leaves beyond each. [K15] Eq. (2.9) is a lower bound.

    >>> [str(tree_distance(3, t)) for t in (1, 2, 3, 4)]
    ['1/2', '4/3', '2', '3']
    """
    d, t = _degree(degree), need.whole("steps", steps, least=1)
    k, odd = divmod(t, 2)
    total = 2 * (d - 1) ** k if odd else d * (d - 1) ** (k - 1)
    pairs = total * total // 2 if odd else 0  # The link in the middle of a tree with two centres halves the leaves.
    first = 2 * (d - 1) if odd else d
    for i in range(1, k + 1):
        beyond = (d - 1) ** (k - i)
        pairs += first * (d - 1) ** (i - 1) * 2 * beyond * (total - beyond)
    return Fraction(pairs, total**2)


def _branch(degree: int, depth: int) -> int:
    """Nodes of a branch so many levels deep, its root included."""
    return depth if degree == 2 else ((degree - 1) ** depth - 1) // (degree - 2)


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
