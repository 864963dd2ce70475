"""How much each of many questions may give away, so that together they stay within a total."""

from fractions import Fraction

from banister import need
from banister.accounting.totals.scaling import largest_size
from banister.core.exact.numbers import Number, brief
from banister.core.privacy.guarantee import Guarantee, guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue


def calibrate(*, total: Guarantee, questions: int, delta_each: Number = 0) -> Guarantee:
    """The largest guarantee for each of so many questions, all fixed in advance, within the total.

    Exact:  the inverse of [KOV15] Thm 3.3; the epsilon is rounded down.

    >>> print(f"{float(calibrate(total=Guarantee(1, 1e-6), questions=100).epsilon):.6f}")
    0.024011
    """
    guarantee("total", total)
    count = need.whole("questions", questions, least=1)
    each = need.between("delta_each", delta_each, 0, 1)
    beside = PrivacyLoss.of_guarantee(Guarantee(0, each)).times(count)
    if not beside.keeps(Guarantee(0, total.delta)):
        raise BadValue(
            f"{count} questions with delta_each = {brief(each)} add up to delta {beside.delta_at(0).up:.3g}; the "
            f"total allows {brief(total.delta)}. Lower delta_each, e.g. to {float(total.delta) / (2 * count):.3g}."
        )
    size = largest_size(PrivacyLoss.pure, total=total, questions=count, beside=beside)
    return Guarantee(Fraction(size), each)


def calibrate_laplace(*, total: Guarantee, questions: int, sensitivity: Number) -> Fraction:
    """The least scale of Laplace noise for each question, rounded up.

    >>> scale = calibrate_laplace(total=Guarantee(1, 1e-6), questions=10, sensitivity=1)
    >>> print(f"{float(scale):.4f}")
    9.9898
    """
    size = largest_size(PrivacyLoss.laplace, total=total, questions=questions, beside=PrivacyLoss.nothing())
    return need.positive("sensitivity", sensitivity) / Fraction(size)


def calibrate_gaussian(*, total: Guarantee, questions: int, sensitivity: Number) -> Fraction:
    """The least standard deviation of Gaussian noise for each question, squared: its variance, rounded up.

    >>> variance = calibrate_gaussian(total=Guarantee(1, 1e-6), questions=100, sensitivity=1)
    >>> print(f"{float(variance):.1f}")
    1784.8
    """
    size = largest_size(PrivacyLoss.gaussian, total=total, questions=questions, beside=PrivacyLoss.nothing())
    return need.positive("sensitivity", sensitivity) ** 2 / Fraction(size)
