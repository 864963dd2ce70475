"""What is left of a loss when the release sees only a random sample of the people."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from banister import need
from banister.accounting.charge import Cost, loss_of
from banister.core.exact.numbers import BALL_BITS, Number, ball, exp_ball, fraction_of, fraction_up, precision
from banister.core.privacy.guarantee import Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue

_HINT = "It is the chance with which each person enters the sample."


def sampled(
    release: Cost, *, rate: Number | None = None, size: int | None = None, people: int | None = None
) -> PrivacyLoss:
    """The loss of a release (a mechanism, a guarantee or a loss) that sees only a sample: with `rate` one that each
    person enters by herself (`poisson_sampled`), with `size` and `people` one of a fixed size
    (`sampled_without_replacement`).

    >>> from banister.core.privacy.guarantee import Guarantee
    >>> print(f"{sampled(Guarantee(1), rate=0.01).epsilon_at(0).up:.5f}")
    0.01704
    """
    if rate is not None and size is None and people is None:
        return poisson_sampled(release, rate=rate)
    if rate is None and size is not None and people is not None:
        return sampled_without_replacement(release, size=size, people=people)
    raise BadValue(
        "A sample is stated by rate=0.01, where each person enters it with that chance, or by size=100, people=10_000, "
        "where it has that size; state one of the two."
    )


def poisson_sampled(loss: Cost, *, rate: Number) -> PrivacyLoss:
    """The loss of a release on a sample that each person enters independently with this chance.

    With (P, Q) the pair of the release for neighbours of which one has a person more, the sample gives the pair
    ((1 − rate)·Q + rate·P, Q), so that

        delta(epsilon)                = rate · delta_PQ(log(1 + (e^epsilon − 1)/rate)),
        delta the other way(epsilon)  = s · delta_QP(log(rate·e^epsilon/s)), s = 1 − (1 − rate)·e^epsilon, 0 if s ≤ 0.

    Exact:   for that pair; it dominates for ADD_REMOVE neighbours ([ZDW22] Thm 11). Not for REPLACE.

    >>> whole = PrivacyLoss.gaussian(Fraction(1))
    >>> part = poisson_sampled(whole, rate=0.01).times(100)
    >>> print(f"{whole.epsilon_at(1e-5).up:.2f} once, {part.epsilon_at(1e-5).up:.2f} for a hundred samples")
    4.38 once, 0.72 for a hundred samples
    """
    share = need.between("rate", rate, 0, 1, _HINT)
    loss = loss_of(loss)
    loss.about(Neighbours.ADD_REMOVE)  # Refused where it speaks of others alone.
    forth, back = _curves(loss)
    if share in (0, 1):
        return loss if share else PrivacyLoss.nothing()

    def delta(epsilon: Fraction) -> arb:
        with precision(BALL_BITS):
            inner = (1 + (exp_ball(epsilon) - 1) / ball(share)).log()
            return ball(share) * _at(forth, inner)

    def other(epsilon: Fraction) -> arb:
        with precision(BALL_BITS):
            stay = 1 - ball(1 - share) * exp_ball(epsilon)
            if not stay > 0:
                return arb(0)
            return stay * _at(back, (ball(share) * exp_ball(epsilon) / stay).log())

    ends = _shrunk(loss.law.top(), share), _mirrored(loss.law.reverse().top(), share)
    key = ("poisson sampled", share, loss.law.identity())
    return PrivacyLoss.of_two_curves(delta, other, key=key, ends=ends).about(Neighbours.ADD_REMOVE)


def sampled_without_replacement(loss: Cost, *, size: int, people: int) -> PrivacyLoss:
    """The loss of a release on a sample of fixed size, drawn without replacement; REPLACE neighbours.

    delta(epsilon) = rate · delta_of_the_release(log(1 + (e^epsilon − 1)/rate)), rate = size/people.

    Upper bound:  [BBG18] Thm 11, with the worse of the two orders of the release's pair.

    >>> part = sampled_without_replacement(PrivacyLoss.pure(Fraction(1)), size=10, people=1000)
    >>> print(f"{part.epsilon_at(0).up:.5f}")
    0.01704
    """
    count = need.whole("people", people, least=1)
    share = Fraction(need.whole("size", size, least=1, most=count), count)
    loss = loss_of(loss)
    loss.about(Neighbours.REPLACE)  # Refused where it speaks of others alone.
    if share == 1:
        return loss
    forth, back = _curves(loss)

    def delta(epsilon: Fraction) -> arb:
        with precision(BALL_BITS):
            inner = (1 + (exp_ball(epsilon) - 1) / ball(share)).log()
            return ball(share) * arb.max(_at(forth, inner), _at(back, inner))

    tops = loss.law.top(), loss.law.reverse().top()
    end = None if tops[0] is None or tops[1] is None else _shrunk(max(tops[0], tops[1]), share)
    key = ("sampled without replacement", share, loss.law.identity())
    return PrivacyLoss.of_two_curves(delta, delta, key=key, ends=(end, end)).about(Neighbours.REPLACE)


def _curves(loss: PrivacyLoss) -> tuple[Callable[[Fraction], arb], Callable[[Fraction], arb]]:
    ways = loss.directions()
    return ways[0].delta_ball, ways[-1].delta_ball


def _shrunk(top: Fraction | None, share: Fraction) -> Fraction | None:
    """log(1 + rate·(e^top − 1)), rounded up: the largest ratio of the sampled pair to the one without the person."""
    if top is None:
        return None
    with precision(BALL_BITS):
        return fraction_up((1 + ball(share) * ball(top).expm1()).log())


def _mirrored(top: Fraction | None, share: Fraction) -> Fraction:
    """−log(1 − rate + rate·e^−top), rounded up, and bounded even where top is not."""
    with precision(BALL_BITS):
        left = arb(0) if top is None else exp_ball(-top)
        return fraction_up(-(ball(1 - share) + ball(share) * left).log())


def _at(curve: Callable[[Fraction], arb], point: arb) -> arb:
    """A curve that falls by at most its argument, at a ball of points."""
    return curve(max(fraction_of(point.mid()), Fraction(0))) + arb(0, point.rad().upper())
