"""What the theorems say in one line: totals, shares, noise. All are upper bounds; `compose` and `calibrate` are exact.

They are here to compare with, to check a number in a paper, and for those who must show a formula.
"""

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from banister import need
from banister.accounting.charge import Cost
from banister.accounting.totals.closed_forms import ClosedForm, closed_forms
from banister.accounting.totals.total import compose
from banister.core.exact.numbers import BALL_BITS, Bracket, Number, ball, fraction_down, fraction_up, precision
from banister.core.privacy.guarantee import Guarantee, guarantee
from banister.errors import BadValue


def by_theorem(releases: Iterable[Cost | tuple[Cost, int]], *, delta: Number) -> tuple[ClosedForm, ...]:
    """Basic, advanced and simplified optimal composition of fixed releases at a total delta.

    >>> for form in by_theorem([(Guarantee(0.1), 100)], delta="1e-6"):
    ...     print(f"{form.name}: {form.epsilon:.4f}")
    basic: 10.0000
    advanced: 6.3082
    simplified: 5.7561
    """
    return closed_forms(compose(releases).loss, need.between("delta", delta, 0, 1))


def adaptive_by_formula(epsilons: Iterable[Number], *, delta: Number) -> float:
    """A total epsilon, rounded up, that holds even if each epsilon was chosen after the answers before it.

    √(2·log(1/delta)·S) + S/2 with S the sum of the squares; the limit on S must be fixed in advance.

    Upper bound:  [WRRW23] (abstract), for pure releases. The ledger's filters are sharper: docs/math/filters.md.

    >>> print(f"{adaptive_by_formula([0.1] * 100, delta='1e-6'):.3f}")
    5.757
    """
    chance = need.strictly_between("delta", delta, 0, 1)
    squares = sum((need.non_negative("epsilon", each) ** 2 for each in epsilons), Fraction(0))
    with precision(BALL_BITS):
        return Bracket.of_ball((2 * -ball(chance).log() * ball(squares)).sqrt() + ball(squares) / 2).up


def each_by_corollary(*, total: Guarantee, questions: int) -> Guarantee:
    """A guarantee for each of so many questions: epsilon/√(4k·log(e + epsilon/delta)), rounded down, and delta/2k.

    Upper bound:  [KOV15] Cor 4.1. `calibrate` is exact, and allows more.

    >>> print(f"{float(each_by_corollary(total=Guarantee(1, 1e-6), questions=100).epsilon):.5f}")
    0.01345
    """
    guarantee("total", total)
    count = need.whole("questions", questions, least=1)
    with precision(BALL_BITS):
        level = ball(total.epsilon) / (4 * count * _log_term(total)).sqrt()
        return Guarantee(max(Fraction(0), fraction_down(level)), total.delta / (2 * count))


def laplace_by_corollary(*, total: Guarantee, questions: int, sensitivity: Number) -> Fraction:
    """A variance of Laplace noise for each question, rounded up: 8k·sensitivity²·log(e + epsilon/delta)/epsilon².

    Upper bound:  [KOV15] Cor 4.2. `calibrate_laplace` is exact, and needs less.

    >>> print(f"{float(laplace_by_corollary(total=Guarantee(1, 1e-6), questions=100, sensitivity=1)):.0f}")
    11052
    """
    return _variance(total, questions, sensitivity)


def gaussian_by_theorem(*, total: Guarantee, questions: int, sensitivity: Number) -> Fraction:
    """A variance of Gaussian noise for each question, rounded up: 8k·sensitivity²·log(e + epsilon/delta)/epsilon².

    Upper bound:  [KOV15] Thm 4.3, which is false for very large epsilon; where epsilon ≤ 8·log(e + epsilon/delta) it is
                  proven, and elsewhere this refuses. `calibrate_gaussian` is exact, and needs less.

    >>> print(f"{float(gaussian_by_theorem(total=Guarantee(1, 1e-6), questions=100, sensitivity=1)):.0f}")
    11052
    """
    guarantee("total", total)
    with precision(BALL_BITS):
        if not ball(total.epsilon) <= 8 * _log_term(total):
            raise BadValue(
                f"epsilon = {float(total.epsilon):.6g} is beyond 8·log(e + epsilon/delta), where the theorem is not "
                "proven and in places false. Use calibrate_gaussian, which is exact."
            )
    return _variance(total, questions, sensitivity)


def _log_term(total: Guarantee) -> arb:
    """log(e + epsilon/delta)."""
    if total.delta == 0 or total.epsilon == 0:
        raise BadValue(
            f"The total {total} needs an epsilon and a delta above 0 here. Without a delta, add up epsilons."
        )
    return (arb(1).exp() + ball(total.epsilon / total.delta)).log()


def _variance(total: Guarantee, questions: int, sensitivity: Number) -> Fraction:
    guarantee("total", total)
    count = need.whole("questions", questions, least=1)
    reach = need.positive("sensitivity", sensitivity)
    with precision(BALL_BITS):
        return fraction_up(_log_term(total) * ball(8 * count * reach**2 / total.epsilon**2))
