"""Which noise for many questions? Families, their epsilon and their shape, searched under the exact total."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from banister import need
from banister.accounting.totals.corollaries import each_by_corollary, gaussian_by_theorem, laplace_by_corollary
from banister.accounting.totals.counting import MOST_QUESTIONS, counting_bound
from banister.accounting.totals.scaling import largest_size
from banister.accounting.totals.shaping import best_shape
from banister.core.exact.numbers import BALL_BITS, Number, ball, float_down, fraction_down, precision
from banister.core.laws.cost import Cost, CostLike
from banister.core.laws.power_sums import power_of
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, Unsolved
from banister.mechanisms.comparison.least_noise import least_noise
from banister.mechanisms.line.gaussian import Gaussian
from banister.mechanisms.line.grid import Grid
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.line.on_grid import OnGrid
from banister.mechanisms.line.staircase import Staircase, best_gamma

_SCAN = (0.02, 0.15, 0.3, 0.5, 0.75, 0.9, 1.0)
_FINER = 7


@dataclass(frozen=True, slots=True)
class ForMany:
    """One noise for each of many questions, and what it costs a question."""

    name: str
    noise: LineNoise
    risk: float
    says: str
    """Its parameters in words."""


@dataclass(frozen=True, slots=True)
class LeastForMany:
    """All that were tried, the least noise first, with what a theorem would take and what none goes below.

    >>> found = least_noise_each(total=Guarantee(10, "1e-6"), questions=20, sensitivity=1, cost="squared")
    >>> [(each.name, round(each.risk, 2)) for each in found.contenders[:2]]
    [('shaped', 5.47), ('Gaussian', 5.86)]
    """

    total: Guarantee
    questions: int
    sensitivity: Fraction
    cost: Cost
    contenders: tuple[ForMany, ...]
    by_theorem: tuple[tuple[str, float], ...]
    """Squared costs that the corollaries of the composition theorem allow, with their sources; for comparison."""
    lower_bound: float | None
    """No noise that is drawn anew, with one law, for each question has a smaller expected cost; rounded down."""

    @property
    def best(self) -> ForMany:
        return self.contenders[0]


def least_noise_each(
    *, total: Guarantee, questions: Number, sensitivity: Number, cost: CostLike = "absolute"
) -> LeastForMany:
    """The least noise on the real line for each of so many questions, all of them within the total.

    Laplace, Gaussian, the staircase with its usual gamma, the staircase with the gamma that is best for that many
    questions, and a shape between staircase and Gaussian by a convex program (costs that are a power of the error).

    Certain:  each is composed exactly, so that all questions together keep the total; costs are those of what is drawn.

    >>> found = least_noise_each(total=Guarantee(1), questions=2, sensitivity=1, cost="squared")
    >>> found.best.name, round(found.best.risk, 3)
    ('staircase', 7.917)
    """
    count = need.whole("questions", questions, least=1)
    reach, chosen = need.size("sensitivity", sensitivity), Cost.of(cost)
    if not total.epsilon > 0:
        raise BadValue(f"The total {total} needs an epsilon above 0.")
    found = sorted(_entrants(total, count, reach, chosen), key=lambda each: each.risk)
    return LeastForMany(
        total, count, reach, chosen, tuple(found), _theorems(total, count, reach), _bound(total, count, reach, chosen)
    )


def usual_noises(*, total: Guarantee, questions: Number, sensitivity: Number) -> tuple[ForMany, ...]:
    """Laplace, the staircase with its usual gamma, and Gaussian noise for each of so many questions: nothing searched.

    Certain:  each is composed exactly, so that all questions together keep the total.

    >>> [(each.name, round(each.risk, 2)) for each in usual_noises(total=Guarantee(1), questions=2, sensitivity=1)]
    [('staircase', 7.92), ('Laplace', 8.0)]
    """
    count, reach = need.whole("questions", questions, least=1), need.size("sensitivity", sensitivity)
    return tuple(sorted(_unshaped(total, count, reach, Cost.of("squared")), key=lambda each: each.risk))


def theorems_for_many(*, total: Guarantee, questions: Number, sensitivity: Number) -> tuple[tuple[str, float], ...]:
    """The squared errors that the corollaries of the composition theorem allow each question, with their sources."""
    return _theorems(total, need.whole("questions", questions, least=1), need.size("sensitivity", sensitivity))


def _entrants(total: Guarantee, count: int, reach: Fraction, cost: Cost) -> Iterator[ForMany]:
    def largest(family: Callable[[Fraction], PrivacyLoss]) -> Fraction:
        size = largest_size(family, total=total, questions=count, beside=PrivacyLoss.nothing())
        return Fraction(size)

    level = largest(PrivacyLoss.laplace)
    laplace = Laplace(epsilon=level, sensitivity=reach, cost=cost)
    yield ForMany("Laplace", laplace, laplace.risk_for(cost), f"epsilon {float(level):.6g} each")
    yield from _staircases(largest, reach, cost)
    if not total.delta:
        return
    sigma, gaussian = _gaussian(largest, reach, cost)
    yield gaussian
    shape = best_shape(total, count, cost=cost, sigma=sigma)
    if shape is not None:
        drawn = OnGrid(shape, Grid(reach / shape.sensitivity), cost=cost, sensitivity=reach)
        yield ForMany("shaped", drawn, drawn.risk_for(cost), f"{len(shape.heights)} levels on each side")


def _unshaped(total: Guarantee, count: int, reach: Fraction, cost: Cost) -> Iterator[ForMany]:
    """Laplace, the usual staircase and, with a delta, the Gaussian."""

    def largest(family: Callable[[Fraction], PrivacyLoss]) -> Fraction:
        return Fraction(largest_size(family, total=total, questions=count, beside=PrivacyLoss.nothing()))

    level = largest(PrivacyLoss.laplace)
    laplace = Laplace(epsilon=level, sensitivity=reach, cost=cost)
    yield ForMany("Laplace", laplace, laplace.risk_for(cost), f"epsilon {float(level):.6g} each")
    yield next(_staircases(largest, reach, cost))
    if total.delta:
        yield _gaussian(largest, reach, cost)[1]


def _gaussian(
    largest: Callable[[Callable[[Fraction], PrivacyLoss]], Fraction], reach: Fraction, cost: Cost
) -> tuple[float, ForMany]:
    """Gaussian noise, and its standard deviation over the sensitivity."""
    sigma = math.nextafter(math.sqrt(1 / largest(PrivacyLoss.gaussian)) * (1 + 1e-15), math.inf)
    noise = Gaussian.with_sigma(sigma=Fraction(sigma) * reach, sensitivity=reach, cost=cost)
    return sigma, ForMany("Gaussian", noise, noise.risk_for(cost), f"sigma {float(noise.sigma):.6g}")


def _staircases(
    largest: Callable[[Callable[[Fraction], PrivacyLoss]], Fraction], reach: Fraction, cost: Cost
) -> Iterator[ForMany]:
    def made(gamma: Callable[[Fraction], float]) -> tuple[float, Staircase]:
        def noise(level: Fraction) -> Staircase:
            return Staircase.with_gamma(
                epsilon=level, sensitivity=reach, gamma=Fraction(gamma(level)), cost=cost, grid=_grid(reach)
            )

        found = noise(largest(lambda level: noise(level).loss()))
        return found.risk_for(cost), found

    risk, usual = made(lambda level: best_gamma(level, reach, cost))
    yield ForMany("staircase", usual, risk, f"epsilon {float(usual.epsilon):.6g} each, its usual gamma")
    tried = {gamma: made(_fixed(gamma)) for gamma in _SCAN}
    for _ in range(_FINER):
        best = min(tried, key=lambda gamma: tried[gamma][0])
        around = sorted(tried)
        place = around.index(best)
        sides = [around[i] for i in (place - 1, place + 1) if 0 <= i < len(around)]
        widest = max(sides, key=lambda side: abs(side - best))
        if abs(widest - best) < 0.005:
            break
        gamma = (best + widest) / 2
        tried[gamma] = made(_fixed(gamma))
    risk, found = min(tried.values(), key=lambda pair: pair[0])
    words = f"epsilon {float(found.epsilon):.6g} each, gamma {found.gamma:.4g}"
    yield ForMany("staircase for many", found, risk, words)


def _fixed(gamma: float) -> Callable[[Fraction], float]:
    return lambda level: gamma


def _grid(reach: Fraction) -> Grid:
    """One grid for all levels that are searched, so that the loss depends on the level alone."""
    return Grid.fine_for(reach)


def _theorems(total: Guarantee, count: int, reach: Fraction) -> tuple[tuple[str, float], ...]:
    if not total.delta:
        return ()
    each = each_by_corollary(total=total, questions=count)
    found = [
        (f"Laplace at epsilon {float(each.epsilon):.6g} each, [KOV15] Cor 4.1", float(2 * (reach / each.epsilon) ** 2)),
        ("Laplace, [KOV15] Cor 4.2", float(laplace_by_corollary(total=total, questions=count, sensitivity=reach))),
    ]
    try:
        variance = float(gaussian_by_theorem(total=total, questions=count, sensitivity=reach))
        found.append(("Gaussian, [KOV15] Thm 4.3", variance))
    except BadValue:  # Beyond the range in which the theorem is true.
        pass
    return tuple(found)


def _bound(total: Guarantee, count: int, reach: Fraction, cost: Cost) -> float | None:
    """The better of two bounds (docs/math/many.md): the mean of all the noises, and counting answers in half-lines."""
    if cost.exponent is None or cost.exponent < 1:
        return None
    found = [_by_the_mean(total, count, reach, cost)]
    if count <= MOST_QUESTIONS:
        with precision(BALL_BITS):
            unit = fraction_down(power_of(ball(reach), cost.exponent))
        found.append(float_down(Fraction(counting_bound(total, count, cost.exponent)) * unit))
    return max((each for each in found if each is not None), default=None)


def _by_the_mean(total: Guarantee, count: int, reach: Fraction, cost: Cost) -> float | None:
    """From one question: the mean of all the noises is noise for one answer, within the total."""
    try:
        one = least_noise(epsilon=total.epsilon, delta=total.delta, sensitivity=reach, cost=cost)
    except Unsolved:  # At an extreme epsilon the program for one question is beyond its solver, and proves nothing.
        return None
    if one.lower_bound is None or not one.certified:
        return None
    times = count if cost.exponent == 2 else 1
    return float_down(Fraction(one.lower_bound) * times)
