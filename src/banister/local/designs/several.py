"""Designs for more than two hypotheses, and for hypotheses that are only known up to a class."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.stochastic import matrix_level
from banister.core.laws.utility import Divergence, divergence, divergence_after
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearSolver
from banister.errors import BadValue
from banister.local.channels.base import Certificate
from banister.local.channels.matrix import MatrixChannel
from banister.local.designs.columns import MOST_CATEGORIES, StaircaseDesign, best_staircase, subset_sums
from banister.local.designs.priors import law, same_length

Pairs = list[tuple[Floats, Floats]]
Kept = Callable[[Floats], float]


def design_average(
    epsilon: Number, hypotheses: Sequence[ArrayLike], *, utility: str | Divergence, solver: LinearSolver = SOLVER
) -> MatrixChannel:
    """For several hypotheses: the largest mean divergence over ordered pairs. Up to 20 categories.

    >>> laws = [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]
    >>> design_average(epsilon=1, hypotheses=laws, utility="kl").outputs
    3
    """
    level, kind, pairs = need.non_negative("epsilon", epsilon), divergence(utility), _pairs(hypotheses)
    gains = np.mean([_gains(level, one, other, kind) for one, other in pairs], axis=0)
    found = best_staircase(float(level), gains[None, :], solver, _noise(level))

    def kept(matrix: Floats) -> float:
        return float(np.mean([divergence_after(kind, matrix, one, other) for one, other in pairs]))

    return _certified(level, found, kind, "average over pairs", kept)


def design_worst(
    epsilon: Number, hypotheses: Sequence[ArrayLike], *, utility: str | Divergence, solver: LinearSolver = SOLVER
) -> MatrixChannel:
    """For several hypotheses: the largest divergence of the worst ordered pair. Up to 20 categories.

    Staircases still suffice, but k + pairs - 1 outputs may be needed: [K16] Thm 3.3.2 (a) counts k, and does not apply
    to a minimum of convex functions.

    >>> laws = [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]
    >>> channel = design_worst(epsilon=1, hypotheses=laws, utility="kl")
    >>> round(channel.utility, 6), round(channel.level, 6)
    (0.180045, 1.0)
    """
    level = need.non_negative("epsilon", epsilon)
    return design_pairs(level, _pairs(hypotheses), divergence(utility), solver, "worst pair")


def design_robust(
    epsilon: Number,
    zero: Sequence[ArrayLike],
    one: Sequence[ArrayLike],
    *,
    utility: str | Divergence,
    solver: LinearSolver = SOLVER,
) -> MatrixChannel:
    """For two hypotheses that are classes of laws: the largest divergence that is kept whichever laws are true.

    >>> channel = design_robust(1, [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1]], [[0.1, 0.1, 0.8]], utility="total-variation")
    >>> round(channel.utility, 6)
    0.323482
    """
    level = need.non_negative("epsilon", epsilon)
    laws0 = [law(f"zero[{i}]", values) for i, values in enumerate(zero)]
    laws1 = [law(f"one[{i}]", values) for i, values in enumerate(one)]
    same_length(laws0 + laws1)
    pairs = [(p, q) for p in laws0 for q in laws1]
    return design_pairs(level, pairs, divergence(utility), solver, "worst law of each class")


def design_pairs(epsilon: Fraction, pairs: Pairs, kind: Divergence, solver: LinearSolver, method: str) -> MatrixChannel:
    """The channel whose smallest divergence over the given pairs is largest."""
    gains = np.array([_gains(epsilon, one, other, kind) for one, other in pairs])
    found = best_staircase(float(epsilon), gains, solver, _noise(epsilon))

    def kept(matrix: Floats) -> float:
        return min(divergence_after(kind, matrix, one, other) for one, other in pairs)

    return _certified(epsilon, found, kind, method, kept)


def _certified(epsilon: Fraction, found: StaircaseDesign, kind: Divergence, method: str, kept: Kept) -> MatrixChannel:
    channel = MatrixChannel.of_staircase(found.theta, found.favoured, epsilon)
    value = max(0.0, kept(channel.cell_matrix) - 2.0**-45 * (1 + float(epsilon)))
    certificate = Certificate(
        utility_name=kind.name, method=method, utility=value, upper_bound=max(value, found.bound), dual=found.dual
    )
    return channel.certified(certificate)


def _pairs(hypotheses: Sequence[ArrayLike]) -> Pairs:
    if len(hypotheses) < 2:
        raise BadValue(f"hypotheses holds {len(hypotheses)} law; a test needs at least two.")
    laws = same_length([law(f"hypotheses[{i}]", values) for i, values in enumerate(hypotheses)])
    return list(permutations(laws, 2))


def _gains(epsilon: Fraction, p0: Floats, p1: Floats, kind: Divergence) -> Floats:
    """The gain of each of the 2^k sets."""
    if p0.size > MOST_CATEGORIES:
        raise BadValue(
            f"{p0.size} categories have 2^{p0.size} sets; a design for several laws takes up to {MOST_CATEGORIES}. "
            "Merge categories first."
        )
    a = math.expm1(float(matrix_level(epsilon)))
    return kind.gain(1 + a * subset_sums(p1), a * subset_sums(p0 - p1))


def _noise(epsilon: Fraction) -> float:
    """A bound on the rounding of a gain: masses are at most e^epsilon, logarithms at most epsilon."""
    level = float(epsilon)
    return 64 * 2.0**-52 * math.exp(level) * (1 + level) * math.expm1(level)
