"""The channel from whose reports frequencies are estimated best, when a prior says roughly what they are.

The Fisher information of a staircase channel, J = Σ_A theta_A S_A S_Aᵀ/(P·S_A), is linear in theta, so the total
squared error of efficient estimates, n·error = tr J⁻¹ - Σ P², is convex ([YB18] derive it for subset selection).
It is minimised by cutting planes: each trial point gives a linear bound from below, the linear program over all
staircases with these bounds gives the next point, and its value certifies how much could still be gained.
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.laws.stochastic import matrix_level
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearSolver
from banister.errors import BadValue
from banister.local.channels.base import Certificate
from banister.local.channels.every_set import EverySet
from banister.local.channels.hadamard import HadamardResponse
from banister.local.channels.matrix import MatrixChannel
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.designs.bounds import contraction
from banister.local.designs.columns import best_staircase, members, subset_sums

ESTIMATION = "estimation"
Frequencies = RandomizedResponse | SubsetSelection | EverySet | HadamardResponse
MOST_CATEGORIES = 10
"""Categories up to which all sets are weighed; beyond, sets of one size are used."""

SMALL = Fraction(1, 50_000)
"""Levels up to which the uniform law's optimum is, to one part in 10 000, that of every law."""

_GAP = 1e-4
_WIDE_GAP = 1e-3
"""How close the certified bound comes, up to 8 categories and beyond."""
_MOST_ROUNDS = 150


def design_estimation(epsilon: Fraction, prior: Floats, solver: LinearSolver = SOLVER) -> MatrixChannel:
    """The channel with the least total squared error of the estimated frequencies, at the prior.

    Its utility is minus (people · total squared error); the upper bound holds for every channel of the level.
    """
    k, level = prior.size, float(matrix_level(epsilon))
    if k > MOST_CATEGORIES:
        raise BadValue(f"This design takes up to {MOST_CATEGORIES} categories, not {k}. Use bn.local.design.")
    if epsilon == 0:
        raise BadValue("epsilon = 0 gives a channel that says nothing, so nothing can be estimated. Raise epsilon.")
    if epsilon <= SMALL:
        return _small(epsilon, prior)
    sets = np.arange(1 << k)
    columns = np.where(members(sets, k), math.exp(level), 1.0)
    masses = prior @ columns
    theta, bound = _cutting_planes(level, columns, masses, solver)
    used = theta > 1e-9 * theta.max()
    channel = _channel(epsilon, theta[used], members(sets[used], k))
    reached = _error(channel.matrix, prior)
    square = float(prior @ prior)
    certificate = Certificate(
        utility_name=ESTIMATION,
        method="cutting planes",
        utility=-(reached - square) * (1 + 1e-12),
        upper_bound=-(min(bound, reached) - square),
        dual=np.zeros(k),
    )
    return channel.certified(certificate)


def design_frequency(epsilon: Fraction, prior: Floats) -> Frequencies:
    """The best of the channels with short reports for the frequencies of many categories.

    The prior decides which of them is taken, and at which the certificate holds; their sets do not depend on it. Its
    utility is minus (people · total squared error of the estimate) at the prior. For the uniform law the bound is the
    optimum over all channels, else it is true and may be far from it: see `error_bound`.
    """
    need.positive("epsilon", epsilon, "At 0 a report says nothing.")
    k = prior.size
    kinds: tuple[Frequencies, ...] = (
        RandomizedResponse(epsilon, k),
        SubsetSelection.least_error(epsilon, k),
        EverySet.least_error(epsilon, k),
        _hadamard(epsilon, k),
    )
    errors = [counting_error_at(prior, each.keep, each.spill) if each.quick else math.inf for each in kinds]
    # Of equally good ones the first, which has the shorter reports.
    place = next(place for place, error in enumerate(errors) if error <= min(errors) * (1 + 1e-9))
    best, error = kinds[place], errors[place]
    even = np.ptp(prior) <= 1e-15
    certificate = Certificate(
        utility_name=ESTIMATION,
        method=best.title if even else f"{best.title}, not made for this prior",
        utility=-error * (1 + 1e-12),
        upper_bound=-min(error, error_bound(epsilon, prior)),
        dual=np.zeros(0),
    )
    return best.certified(certificate)


def error_bound(epsilon: Fraction, prior: Floats) -> float:
    """What no channel has less of at the prior: people · total squared error of unbiased estimates.

    Lower bound:  for the uniform law the optimum itself. Elsewhere the larger of two: the reports' law is within a
    factor e^epsilon of that under the uniform law, so tr J⁻¹ is at least e^-epsilon times its least value there; and
    Fisher information is at most tanh²(epsilon/2) of that of open answers (docs/math/local-frequency.md).
    """
    level, k, square = float(epsilon), prior.size, float(prior @ prior)
    least = least_error(level, k)
    if np.ptp(prior) <= 1e-15:
        return least
    near = math.exp(-level) * (least + 1 / k) - square
    return max(near, (1 - square) / contraction(level)) * (1 - 1e-12)


def counting_error_at(prior: Floats, keep: float, spill: float) -> float:
    """people · total squared error of the estimate at the prior, for a report that supports sets of categories."""
    shares = spill + (keep - spill) * prior
    return float((shares * (1 - shares)).sum()) / (keep - spill) ** 2


def _hadamard(epsilon: Fraction, categories: int) -> HadamardResponse:
    return HadamardResponse.least_variance(epsilon, categories)


def _small(epsilon: Fraction, prior: Floats) -> MatrixChannel:
    """All sets of one size, equally likely: the optimum at the uniform law, and nearly so at every law.

    At such levels J is too close to singular for numbers; both error and bound come from the uniform law's closed
    form, within a factor e^epsilon.
    """
    level, k = float(epsilon), prior.size
    sets = np.arange(1 << k)
    sizes = members(sets, k).sum(axis=0)
    d = _best_size(level, k)
    chosen = sets[sizes == d]
    theta = np.full(chosen.size, 1 / (chosen.size * (1 + math.expm1(level) * d / k)))
    square, least = float(prior @ prior), least_error(level, k)
    certificate = Certificate(
        utility_name=ESTIMATION,
        method="sets of one size",
        utility=-(math.exp(level) * (least + 1 / k) - square) * (1 + 1e-6),  # Weights are whole: one part in 10^6.
        upper_bound=-error_bound(epsilon, prior),
        dual=np.zeros(k),
    )
    return MatrixChannel.of_staircase(theta, members(chosen, k), epsilon).certified(certificate)


def least_error(epsilon: float, categories: int) -> float:
    """The least people · total squared error of any channel at the uniform law."""
    return float(_set_errors(epsilon, categories).min())


def _best_size(epsilon: float, categories: int) -> int:
    return int(_set_errors(epsilon, categories).argmin()) + 1


def _set_errors(epsilon: float, categories: int) -> Floats:
    """people · total squared error at the uniform law of all sets of size 1, 2, ..., equally likely."""
    k, low = categories, math.exp(-epsilon)
    d = np.arange(1, k)
    errors: Floats = (k - 1) ** 2 * (d + (k - d) * low) ** 2 / (k * (k - d) * d * math.expm1(-epsilon) ** 2)
    return errors


def _cutting_planes(level: float, columns: Floats, masses: Floats, solver: LinearSolver) -> tuple[Floats, float]:
    """Weights of all sets, and a lower bound on tr J⁻¹ over all channels.

    tr J⁻¹ is convex and of degree -1, so it is at least 2f - Σ_A theta_A S_AᵀJ⁻²S_A/(P·S_A) for the f and J of any
    trial point. As Σ_A theta_A P·S_A = 1, the constant 2f counts as a gain of its own for each column.
    """
    k, sets = columns.shape
    middle = _uniform_start(level, k)
    best, best_value, bound = middle, math.inf, -math.inf
    cuts: list[Floats] = []
    for _ in range(_MOST_ROUNDS):
        value, slopes = _tangent(columns, masses, middle)
        if value < best_value:
            best, best_value = middle, value
        if best_value - bound <= (_GAP if k <= 8 else _WIDE_GAP) * best_value:
            break
        cuts.append(slopes - 2 * value * masses)
        found = best_staircase(level, np.array(cuts), solver, 1e-9)
        bound = max(bound, -found.bound)
        corner = np.zeros(sets)
        np.add.at(corner, found.favoured.T @ (1 << np.arange(k)), found.theta)
        middle = 0.6 * best + 0.4 * corner
    return best, bound


def _uniform_start(level: float, k: int) -> Floats:
    """Every set of the size that is best for a uniform prior, equally likely."""
    sizes = subset_sums(np.ones(k)).round().astype(int)
    d = min(max(1, round(k / (math.exp(level) + 1))), k - 1)
    chosen = sizes == d
    start: Floats = chosen / (chosen.sum() * (1 + math.expm1(level) * d / k))
    return start


def _tangent(columns: Floats, masses: Floats, theta: Floats) -> tuple[float, Floats]:
    inverse = np.linalg.inv((columns * (theta / masses)) @ columns.T)
    slopes: Floats = ((inverse @ columns) ** 2).sum(axis=0) / masses
    return float(np.trace(inverse)), slopes


def _error(matrix: Floats, prior: Floats) -> float:
    return float(np.trace(np.linalg.inv((matrix / (prior @ matrix)) @ matrix.T)))


def _channel(epsilon: Fraction, theta: Floats, favoured: NDArray[np.bool_]) -> MatrixChannel:
    sums = (theta * np.where(favoured, math.exp(epsilon), 1.0)).sum(axis=1)
    return MatrixChannel.of_staircase(theta / sums.max(), favoured, epsilon)
