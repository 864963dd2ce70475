"""The least distortion of a sanitized table that holds for a whole class of priors: all mixtures of a few.

Between the sanitizer, who mixes mechanisms, and nature, who mixes priors, the order does not matter: both sides are
linear. So the least worst distortion is the most that nature can force by a mixture, and for each mixture the program
for one prior gives a mechanism, whose distortion under every prior is a linear bound on what nature can force, and a
certified bound from below. The bounds are cut until both sides meet.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banister.core.exact.numbers import Number
from banister.core.laws.table_programs import optimum_for_prior
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearProgram, LinearSolver
from banister.errors import BadValue

_ROUNDS = 60
_NEAR = 1e-7
_MOST = 64


@dataclass(frozen=True, slots=True, eq=False)
class ClassOptimum:
    """The mechanism that is best against the worst prior of a class, and the prior that is worst for it.

    >>> found = optimum_for_priors(2, 2, [[1, 0, 0], [0, 0, 1]], 1)
    >>> found.worst_prior.round(3).tolist(), bool(0 <= found.distortion - found.lower_bound < 1e-6)
    ([0.5, 0.0, 0.5], True)
    """

    distortion: float
    """Of the mechanism, under the worst prior of the class: numerical, right to about 1e-8."""
    lower_bound: float
    """No epsilon-private mechanism does better for all priors of the class. Certified, as that of one prior is."""
    histograms: tuple[tuple[int, ...], ...]
    mechanism: Floats
    worst_prior: Floats
    """A law of the histogram, a mixture of those given, under which the lower bound holds."""


def optimum_for_priors(
    records: int, cells: int, priors: Sequence[ArrayLike], epsilon: Number, *, solver: LinearSolver = SOLVER
) -> ClassOptimum:
    """The least distortion that is kept under every mixture of the priors, and the mechanism that keeps it.

    Each prior has one weight for each of `histograms_of(records, cells)`, in that order.

    >>> even, skewed = [1, 2, 1], [9, 2, 1]
    >>> both = optimum_for_priors(2, 2, [even, skewed], 1).distortion
    >>> both >= max(optimum_for_prior(2, 2, one, 1).distortion for one in (even, skewed)) - 1e-9
    True
    """
    if not 1 <= len(priors) <= _MOST:
        raise BadValue(f"{len(priors)} priors were given. A class is made of 1 to {_MOST} of them, and their mixtures.")
    laws = np.stack([_law(prior) for prior in priors])
    shares, lower, worst = np.full(len(laws), 1 / len(laws)), -math.inf, laws[0]
    mechanisms: list[Floats] = []
    costs: list[Floats] = []
    for _ in range(_ROUNDS):
        mixed = shares @ laws
        found = optimum_for_prior(records, cells, mixed, epsilon, solver=solver)
        if found.lower_bound > lower:
            lower, worst = found.lower_bound, mixed
        mechanisms.append(found.mechanism)
        costs.append(laws @ (found.mechanism * _distances(found.histograms)).sum(axis=1))
        shares, weights = _nature(np.array(costs), solver)
        reached = float((weights @ np.array(costs)).max())
        if reached - lower <= _NEAR * reached:
            break
    mechanism = np.tensordot(weights, np.array(mechanisms), axes=1)
    return ClassOptimum(reached, min(lower, reached), found.histograms, mechanism, worst)


def _law(prior: ArrayLike) -> Floats:
    weights = np.asarray(prior, dtype=np.float64)
    if weights.ndim != 1 or not np.all(np.isfinite(weights)) or np.any(weights < 0) or not weights.any():
        raise BadValue("A prior must be finite weights, none negative and not all 0: one for each histogram.")
    law: Floats = weights / weights.sum()
    return law


def _distances(histograms: tuple[tuple[int, ...], ...]) -> Floats:
    places = np.array(histograms, dtype=np.int64)
    far: Floats = np.abs(places[:, None, :] - places[None, :, :]).sum(axis=2).astype(np.float64)
    return far


def _nature(costs: Floats, solver: LinearSolver) -> tuple[Floats, Floats]:
    """The mixture of priors that forces most against the mechanisms so far, and the best mixture of those.

    Maximise t with t ≤ Σ_j share_j cost_ij for every mechanism i: the dual values are the mechanisms' weights.
    """
    tried, count = costs.shape
    values = np.concatenate([np.vstack([costs, np.ones(count)]).T.ravel(), -np.ones(tried)])
    rows = np.concatenate([np.tile(np.arange(tried + 1), count), np.arange(tried)])
    found = solver.solve(
        LinearProgram(
            cost=np.append(np.zeros(count), -1.0),
            lower=np.append(np.zeros(count), -np.inf),
            upper=np.append(np.ones(count), np.inf),
            row_lower=np.append(np.zeros(tried), 1.0),
            row_upper=np.append(np.full(tried, np.inf), 1.0),
            starts=np.append(np.arange(count + 1) * (tried + 1), count * (tried + 1) + tried).astype(np.int64),
            rows=rows.astype(np.int64),
            values=values,
        )
    )
    shares, weights = np.maximum(found.point[:count], 0.0), np.abs(found.row_duals[:tried])
    return shares / shares.sum(), weights / weights.sum()
