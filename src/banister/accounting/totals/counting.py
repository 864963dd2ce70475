"""What no noise for many questions goes below, certified: who moves all answers may be looked for by counting.

Let every answer move by its sensitivity, and let p and q be the chances that one noisy answer lies in some set, after
and before. How many of the k answers lie in it is made from the release, so for each m

    P(Bin(k, p) ≥ m) ≤ e^epsilon · P(Bin(k, q) ≥ m) + delta,

which bounds p by a function of q. For half-lines that bounds how fast the distribution function of the noise may rise
from one sensitivity to the next, and with it how narrow the noise can be (docs/math/many.md).
"""

import math
from fractions import Fraction

import numpy as np
from flint import arb

from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints

MOST_QUESTIONS = 300
"""Beyond, the certified binomial tails take too long, and only the bound by one question is given."""
_EDGE = 14.0
"""Knots lie between chances of 1 / (1 + e^±14); what is beyond is rounded to the safe side."""
_KNOTS_A_STEP = 320
_MOST_KNOTS = 8000
_MOST_STEPS = 1500
_PLACES = 128
_SLACK = 1e-9


def counting_bound(total: Guarantee, questions: int, exponent: Fraction) -> float:
    """No noise of one law, drawn anew for each of so many questions of sensitivity 1, has a smaller E|noise|^exponent.

    Certain:  the binomial tails are compared in certified arithmetic, the rest is rounded to the safe side.

    >>> round(counting_bound(Guarantee(10, "1e-6"), 20, Fraction(2)), 1)
    3.3
    """
    knots = _knots(total, questions)
    after = _after(knots, total, questions)
    starts = _starts(knots)
    right = _above(starts, knots, after)  # P(noise > t + i) for the i-th step from t.
    left = _above(np.nextafter(1 - starts, 2), knots, after)  # P(noise ≤ t - i).
    steps, power = np.arange(min(len(right), len(left))), float(exponent)  # Leaving terms out is safe.
    ends = np.linspace(0.0, 1.0, _PLACES + 1)
    # E|noise|^m is the integral of m x^(m-1) over both tails; m x^(m-1) rises, so the nearer end of each is safe.
    rising = power * (steps[None, :] + ends[:-1, None]) ** (power - 1)
    falling = power * (steps[None, 1:] - ends[1:, None]) ** (power - 1)
    least = (rising @ right[: len(steps), 1:] + falling @ left[1 : len(steps), :-1]).min(axis=1)
    return max(0.0, float(least.mean()) * (1 - _SLACK))


def _knots(total: Guarantee, questions: int) -> Floats:
    """Chances at which the bound is worked out, evenly on the scale of log odds, finer where the noise must be wide."""
    middle = _proposed(np.array([0.5]), total, questions, _tried(questions))[0][0]
    step = math.log(middle / (1 - middle)) if middle < 1 else _EDGE
    most = _MOST_KNOTS * min(1.0, 100 / questions)  # Certified tails of many questions take longer.
    half = int(min(most / 2, max(200.0, _EDGE * _KNOTS_A_STEP / step)))
    odds = np.linspace(-_EDGE, _EDGE, 2 * half + 1)
    found: Floats = 1 / (1 + np.exp(-odds))
    return found


def _starts(knots: Floats) -> Floats:
    """The values at one point of the distribution function that are told apart: 0, some of the knots, and 1."""
    inner = knots[:: max(1, len(knots) // 1000)]
    return np.concatenate(([0.0], inner, [1.0]))


def _tried(questions: int) -> Ints:
    """The numbers of answers that are counted to: all of few, a part of many."""
    found: Ints = np.unique(np.linspace(1, questions, min(questions, 64)).round().astype(np.int64))
    return found


def _proposed(chances: Floats, total: Guarantee, questions: int, counts: Ints) -> tuple[Floats, Ints]:
    """In doubles: the largest chance that each is allowed to become, and the count that says so."""
    from scipy.special import betainc, betaincinv  # A third of a second to load.

    best, by = np.ones(len(chances)), np.full(len(chances), counts[0])
    for count in counts:
        a, b = float(count), float(questions - count + 1)
        allowed = math.exp(float(total.epsilon)) * betainc(a, b, chances) + float(total.delta)
        found = np.where(allowed < 1, betaincinv(a, b, np.minimum(allowed, 1.0)), 1.0)
        by = np.where(found < best, count, by)
        best = np.minimum(found, best)
    return best, by


def _largest(knots: Floats, total: Guarantee, questions: int) -> Floats:
    """For each knot q a chance that p cannot exceed, proven; it does not fall with q."""
    few = np.arange(0, len(knots), max(1, len(knots) // 200))
    by = _proposed(knots[few], total, questions, _tried(questions))[1]
    place = np.minimum(np.searchsorted(few, np.arange(len(knots)), side="right") - 1, len(few) - 1)
    proposed, chosen = np.ones(len(knots)), by[place]
    for count in np.unique(by):
        for beside in (0, 1):
            here = by[np.minimum(place + beside, len(few) - 1)] == count
            found = _proposed(knots[here], total, questions, np.array([count]))[0]
            less = found < proposed[here]
            proposed[here] = np.where(less, found, proposed[here])
            chosen[here] = np.where(less, count, chosen[here])
    proven = np.ones(len(knots))
    with precision(BALL_BITS):
        growth, chance = exp_ball(total.epsilon), ball(total.delta)
        for n, (q, p, count) in enumerate(zip(knots, proposed, chosen, strict=True)):
            up = float(p) * (1 + _SLACK)
            if up < 1 and _tail(up, questions, int(count)) >= growth * _tail(float(q), questions, int(count)) + chance:
                proven[n] = up
    found = np.minimum.accumulate(proven[::-1])[::-1]  # What a larger q does not allow, a smaller one does not.
    return np.asarray(found, dtype=np.float64)


def _tail(chance: float, questions: int, count: int) -> arb:
    """P(Bin(questions, chance) ≥ count)."""
    return arb(chance).beta_lower(arb(count), arb(questions - count + 1), True)


def _after(knots: Floats, total: Guarantee, questions: int) -> Floats:
    """What the distribution function can have become one sensitivity further on, for each knot: both orders hold."""
    largest = _largest(knots, total, questions)
    # From behind: 1 - a ≤ largest(1 - b) is impossible where 1 - b is a knot or less at which `largest` is below 1 - a.
    impossible = np.searchsorted(largest, np.nextafter(1 - knots, -1), side="left")
    back = np.where(impossible > 0, np.nextafter(1 - knots[np.maximum(impossible - 1, 0)], 2), 1.0)
    return np.minimum(largest, back)


def _above(starts: Floats, knots: Floats, after: Floats) -> Floats:
    """What the distribution function leaves at least: at the start, one sensitivity further on, and so on."""
    value = np.minimum(starts, 1.0)
    found = [value]
    while len(found) < _MOST_STEPS and float(value.min()) < 1:
        place = np.searchsorted(knots, value, side="left")
        value = np.where(place < len(knots), after[np.minimum(place, len(knots) - 1)], 1.0)
        found.append(value)
    left: Floats = np.maximum(0.0, 1 - np.asarray(found) - 1e-15)
    return left
