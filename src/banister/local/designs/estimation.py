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
from banister.local.channels.matrix import MatrixChannel
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.designs.columns import best_staircase, members, subset_sums

ESTIMATION = "estimation"
MOST_CATEGORIES = 8
"""Categories up to which all sets are weighed; beyond, sets of one size are used."""

_GAP = 1e-4
_MOST_ROUNDS = 150


def design_estimation(epsilon: Fraction, prior: Floats, solver: LinearSolver = SOLVER) -> MatrixChannel:
    """The channel with the least total squared error of the estimated frequencies, at the prior.

    Its utility is minus (people · total squared error); the upper bound holds for every channel of the level.
    """
    k, level = prior.size, float(matrix_level(epsilon))
    if k > MOST_CATEGORIES:
        raise BadValue(f"This design takes up to {MOST_CATEGORIES} categories, not {k}. Use design_frequency.")
    if epsilon == 0:
        raise BadValue("epsilon = 0 gives a channel that says nothing, so nothing can be estimated. Raise epsilon.")
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


def design_frequency(epsilon: Fraction, categories: int) -> RandomizedResponse | SubsetSelection:
    """The better of randomized response and subset selection for the frequencies of many categories.

    The certificate is at the uniform law. There the optimum over all channels is
    (k - 1)² (d e^epsilon + k - d)²/(k (k - d) d (e^epsilon - 1)²) for the best d: by convexity and symmetry a mixture
    of sets of one size is optimal (docs/math/local-frequency.md).
    """
    level = float(need.positive("epsilon", epsilon, "At 0 a report says nothing."))
    plain, sets = RandomizedResponse(epsilon, categories), SubsetSelection.least_variance(epsilon, categories)
    errors = [counting_error(categories, channel.keep, channel.spill) for channel in (plain, sets)]
    best = min(errors)
    certificate = Certificate(
        utility_name=ESTIMATION,
        method="subset selection, uniform law",
        utility=-best * (1 + 1e-12),
        upper_bound=-min(best, least_error(level, categories)),
        dual=np.zeros(0),
    )
    if best == errors[0]:
        return RandomizedResponse(epsilon, categories, certificate=certificate)
    return SubsetSelection(epsilon, categories, sets.size, certificate=certificate)


def counting_error(categories: int, keep: float, spill: float) -> float:
    """people · total squared error at the uniform law, for a report that supports sets of categories."""
    share = spill + (keep - spill) / categories
    return categories * share * (1 - share) / (keep - spill) ** 2


def least_error(epsilon: float, categories: int) -> float:
    """The least people · total squared error of any channel at the uniform law."""
    k, low = categories, math.exp(-epsilon)
    d = np.arange(1, k)
    errors = (k - 1) ** 2 * (d + (k - d) * low) ** 2 / (k * (k - d) * d * (1 - low) ** 2)
    return float(errors.min())


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
        if best_value - bound <= _GAP * best_value:
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
