"""Between losses, Rényi divergences and zero-concentrated privacy, rounded so that the claim stays true."""

from fractions import Fraction

from flint import arb

from banister import need
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, precision
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue


def renyi_divergence(loss: PrivacyLoss, *, order: Number) -> Bracket:
    """log E[e^((order − 1)·L)]/(order − 1) of the worse order of the neighbours; for order > 1.

    >>> print(f"{renyi_divergence(PrivacyLoss.gaussian(Fraction(1)), order=2).up:.6f}")
    1.000000
    """
    alpha = _order(order)
    with precision(BALL_BITS):
        law, back = loss.law, loss.law.reverse()
        if law.infinite() > 0 or back.infinite() > 0:
            return Bracket(float("inf"), float("inf"))
        moment = arb.max(law.moment(alpha), back.moment(alpha))
        return Bracket.of_ball(moment.log() / ball(alpha - 1))


def epsilon_of_renyi(divergence: Number, *, order: Number, delta: Number) -> Bracket:
    """The epsilon that a Rényi divergence of one order promises at a delta.

    epsilon = R + log(1 − 1/order) − log(delta · order)/(order − 1), at least 0.

    Upper bound:  [CKS20] Prop. 12, the best conversion that holds for every mechanism of that form.

    >>> print(f"{epsilon_of_renyi(0.5, order=10, delta=1e-6).up:.5f}")
    1.67385
    """
    alpha, value = _order(order), need.non_negative("divergence", divergence)
    chance = need.strictly_between("delta", delta, 0, 1)
    with precision(BALL_BITS):
        found = ball(value) + (1 - 1 / ball(alpha)).log() - ball(chance * alpha).log() / ball(alpha - 1)
        return Bracket.of_ball(arb.max(found, arb(0)))


def epsilon_of_zcdp(rho: Number, *, delta: Number) -> float:
    """The epsilon that rho-zero-concentrated privacy promises at a delta, rounded up: R = rho·order, the best order.

    Upper bound:  every order is valid, so that a poor search only costs accuracy.

    >>> print(f"{epsilon_of_zcdp(0.5, delta=1e-6):.4f}")
    5.2215
    """
    level = need.positive("rho", rho)
    need.strictly_between("delta", delta, 0, 1)

    def epsilon(order: Fraction) -> float:
        return epsilon_of_renyi(level * order, order=order, delta=delta).up

    low, high = Fraction(1), Fraction(2)
    while epsilon(1 + high) < epsilon(1 + high / 2):
        low, high = high / 4, high * 2
    low = min(low, high / 4)
    for _ in range(40):  # Golden section on order − 1, where the curve has one valley.
        a, b = low + (high - low) * Fraction(382, 1000), low + (high - low) * Fraction(618, 1000)
        low, high = (low, _short(b)) if epsilon(1 + _short(a)) < epsilon(1 + _short(b)) else (_short(a), high)
    return epsilon(1 + _short(low))


def zcdp_of_gaussian(mu_squared: Number) -> Fraction:
    """rho = mu²/2, exactly."""
    return need.positive("mu_squared", mu_squared) / 2


def _short(x: Fraction) -> Fraction:
    return Fraction(round(x * (1 << 40)), 1 << 40)


def _order(order: Number) -> Fraction:
    alpha = need.exact("order", order)
    if not alpha > 1:
        raise BadValue(f"order = {float(alpha):g} must be above 1. For order 1 use the mean of the loss.")
    return alpha
