"""What a Gaussian sketch gives away, certified: pairs of normal laws of different width, and of random shift.

Both pairs are r independent coordinates that matter only through their squared length, a chi-square number.
"""

import math
from fractions import Fraction

from flint import acb, arb

from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision

_TAIL = 48
"""Standard deviations of the squared length that are integrated over; what lies beyond is bounded and added."""


def survival(rows: int, x: arb) -> arb:
    """P(T > x) for a chi-square number T of so many degrees."""
    if x <= 0:
        return arb(1)
    return (x / 2).gamma_upper(arb(rows) / 2, 1)


def cumulative(rows: int, x: arb) -> arb:
    """P(T ≤ x), with the absolute accuracy of the working precision."""
    return 1 - survival(rows, x)


def widened(rows: int, ratio: Fraction, epsilon: Fraction) -> arb:
    """delta at epsilon between N(0, 1+ratio)^r, the true one, and N(0, 1)^r.

    With h = (r/2) log(1+ratio) and s = 2(1+ratio)/ratio: the loss passes epsilon where T > s(epsilon + h).
    """
    with precision(BALL_BITS):
        wide, g = 1 + ball(ratio), ball(epsilon)
        edge = 2 * wide / ball(ratio) * (g + arb(rows) / 2 * wide.log())
        return survival(rows, edge / wide) - exp_ball(epsilon) * survival(rows, edge)


def narrowed(rows: int, ratio: Fraction, epsilon: Fraction) -> arb:
    """The same with the places changed: N(0, 1)^r is the true one."""
    with precision(BALL_BITS):
        wide, g = 1 + ball(ratio), ball(epsilon)
        edge = 2 * wide / ball(ratio) * (arb(rows) / 2 * wide.log() - g)
        if edge <= 0:
            return arb(0)
        return cumulative(rows, edge) - exp_ball(epsilon) * cumulative(rows, edge / wide)


def wider(rows: int, ratio: Fraction, epsilon: Fraction) -> arb:
    """The larger of the two, as a ball: what is given away when r coordinates may have 1+ratio times the variance.

    A smaller ratio gives away less: scale down and add noise.
    """
    return arb.max(arb.max(widened(rows, ratio, epsilon), narrowed(rows, ratio, epsilon)), arb(0))


def shifted(rows: int, shift: Fraction, epsilon: Fraction) -> arb:
    """Upper ball of E[delta_Gauss(epsilon; mu = shift · √T)] for a chi-square number T of r degrees.

    The shift's length is random and known to the adversary. Integrated rigorously ([J17]) around the bulk of T; the
    mass below it counts as at its upper end, where the shift tells most, and the mass above it in full.
    """
    with precision(128):
        spread = math.sqrt(2 * rows)
        low = max(Fraction(1, 1000), Fraction(int(rows - _TAIL * spread)))
        high = Fraction(int(rows + _TAIL * spread) + 60)
        log_scale = (arb(rows) / 2).lgamma() + arb(rows) / 2 * arb(2).log()
        g, growth, size = acb(ball(epsilon)), acb(exp_ball(epsilon)), acb(ball(shift))
        half_root = acb(arb(1) / 2).sqrt()

        def told(t: acb) -> acb:
            mu = size * t.sqrt()
            first = ((g / mu - mu / 2) * half_root).erfc() / 2
            second = ((g / mu + mu / 2) * half_root).erfc() / 2
            return first - growth * second

        def mass(t: acb, analytic: bool) -> acb:
            # sqrt and log are analytic off the negative axis; a ball that touches it has no value.
            if analytic and not t.real > 0:
                return acb(arb("nan"))
            weight = ((acb(rows) / 2 - 1) * t.log() - t / 2 - acb(log_scale)).exp()
            return weight * told(t)

        inside = acb.integral(mass, acb(ball(low)), acb(ball(high)), rel_tol=arb(2) ** -40, abs_tol=arb(2) ** -80).real
        outside = cumulative(rows, ball(low)) * arb.max(told(acb(ball(low))).real, arb(0)) + survival(rows, ball(high))
        return arb.max(inside, arb(0)) + outside
