"""Designs for hypotheses that are convex classes: every mixture of the laws that are listed.

The divergence kept by a channel is convex in the two laws, so its least value need not be at the listed laws. Cutting
planes: the best channel for the pairs found so far bounds the answer from above; the least favourable mixtures for
that channel bound what it keeps from below, and are the next pair.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.utility import Divergence, divergence
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearSolver
from banister.errors import BadValue
from banister.local.channels.base import Certificate
from banister.local.channels.matrix import MatrixChannel
from banister.local.designs.priors import law, same_length
from banister.local.designs.several import design_pairs

GAP = 1e-4
"""Relative distance of the two bounds at which the search stops."""

_MOST_ROUNDS = 60
_STEP = 1e-5
_SLOPE_ERROR = 1e-8
"""How far the slopes of a divergence, taken from differences of doubles, may be off; bounds are widened by it."""


def design_convex(
    epsilon: Number,
    zero: Sequence[ArrayLike],
    one: Sequence[ArrayLike],
    *,
    utility: str | Divergence,
    solver: LinearSolver = SOLVER,
) -> MatrixChannel:
    """As `design_robust`, for convex classes: any mixture of the laws of a class may be the true one.

    >>> channel = design_convex(1, [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1]], [[0.1, 0.1, 0.8]], utility="total-variation")
    >>> round(channel.utility, 4), channel.upper_bound - channel.utility < 1e-4
    (0.3235, True)
    """
    level, kind = need.non_negative("epsilon", epsilon), divergence(utility)
    if not zero or not one:
        raise BadValue("Each class needs at least one law.")
    laws = same_length([law("class", values) for values in (*zero, *one)])
    first, second = np.array(laws[: len(zero)]), np.array(laws[len(zero) :])
    pairs = [(p, q) for p in first for q in second]
    found: list[tuple[float, MatrixChannel]] = []
    bound = np.inf
    for _ in range(_MOST_ROUNDS):
        channel = design_pairs(level, pairs, kind, solver, "convex classes")
        bound = min(bound, channel.upper_bound)
        low, pair = least_divergence(kind, first @ channel.matrix, second @ channel.matrix)
        found.append((low, channel))
        kept, best = max(found, key=lambda entry: entry[0])
        if bound - kept <= GAP * bound or bound <= _SLOPE_ERROR:
            break
        pairs.append((pair[0] @ first, pair[1] @ second))
    certificate = Certificate(
        utility_name=kind.name,
        method="convex classes",
        utility=max(0.0, kept),
        upper_bound=max(bound, kept),
        dual=best.certificate.dual if best.certificate is not None else np.zeros(0),
    )
    return best.certified(certificate)


def least_divergence(kind: Divergence, first: Floats, second: Floats) -> tuple[float, tuple[Floats, Floats]]:
    """A lower bound on the divergence between mixtures of the rows of two matrices, and mixtures that nearly reach it.

    Lower bound:  a convex function lies above its tangent, and the tangent is least at a corner.
    """
    from scipy.optimize import LinearConstraint, minimize

    a, b = len(first), len(second)

    def value(weights: Floats) -> float:
        m0, m1 = weights[:a] @ first, weights[a:] @ second
        return float(kind.gain(m1, m0 - m1).sum())

    def slope(weights: Floats) -> Floats:
        m0, m1 = weights[:a] @ first, weights[a:] @ second
        along0, along1 = _slopes(kind, m0 / m1)
        return np.concatenate((first @ along0, second @ along1))

    start = np.concatenate((np.full(a, 1 / a), np.full(b, 1 / b)))
    sums = LinearConstraint(np.stack((np.arange(a + b) < a, np.arange(a + b) >= a)).astype(np.float64), 1.0, 1.0)
    found = minimize(
        value, start, jac=slope, bounds=[(0, 1)] * (a + b), constraints=sums, method="SLSQP", options={"ftol": 1e-14}
    )
    raw = np.clip(found.x, 0, 1)
    weights = np.concatenate((raw[:a] / raw[:a].sum(), raw[a:] / raw[a:].sum()))
    slopes = slope(weights)
    tangent = value(weights) - float(slopes @ weights) + float(slopes[:a].min() + slopes[a:].min())
    return tangent - _SLOPE_ERROR, (weights[:a], weights[a:])


def _slopes(kind: Divergence, ratio: Floats) -> tuple[Floats, Floats]:
    """The derivatives of m1 h(m0/m1 - 1) along m0 and m1, where h(u) = gain(1, u)."""
    ones = np.ones_like(ratio)
    u = ratio - 1
    rise = (kind.gain(ones, u + _STEP) - kind.gain(ones, u - _STEP)) / (2 * _STEP)
    return rise, kind.gain(ones, u) - (1 + u) * rise
