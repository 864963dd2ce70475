"""Channels that keep the reported category close to the true one, for a distortion that the user gives."""

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.stochastic import exp_down, matrix_level, weights_within
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearProgram, LinearSolver
from banister.errors import BadValue
from banister.local.channels.base import Certificate
from banister.local.channels.matrix import MatrixChannel
from banister.local.designs.priors import law

MOST_CATEGORIES = 60
"""Categories up to which the linear program (k l + l variables) is quick."""


def design_distortion(
    epsilon: Number, prior: ArrayLike, *, distortion: ArrayLike, solver: LinearSolver = SOLVER
) -> MatrixChannel:
    """The channel with the least expected distortion Σ P(x) Q(y|x) d(x, y); its utility is minus that.

    Variables are the entries and, for each output, its least entry m: m ≤ Q(y|x) ≤ e^epsilon m.
    Optimal:  over all channels of the level; the bound is the value of the dual solution.

    >>> far = [[abs(x - y) for y in range(3)] for x in range(3)]
    >>> channel = design_distortion(2, [0.5, 0.3, 0.2], distortion=far)
    >>> round(-channel.utility, 6)
    0.287569
    """
    level, chances = matrix_level(need.non_negative("epsilon", epsilon)), law("prior", prior)
    d = _checked(distortion, chances.size)
    if chances.size > MOST_CATEGORIES:
        raise BadValue(f"{chances.size} categories are too many for the distortion program; up to {MOST_CATEGORIES}.")
    proposal, bound = _solved(float(exp_down(level)), chances[:, None] * d, solver)
    channel = MatrixChannel(weights_within(proposal, level), Guarantee(level))
    reached = float((chances[:, None] * channel.matrix * d).sum())
    certificate = Certificate(
        utility_name="distortion",
        method="linear program",
        utility=-reached * (1 + 1e-12),
        upper_bound=-min(reached, bound),
        dual=np.zeros(chances.size),
    )
    return channel.certified(certificate)


def least_mistakes(epsilon: float, prior: ArrayLike) -> tuple[float, int]:
    """The least chance of reporting a wrong category, and how many categories the best channel ever reports.

    1 - max_n e^epsilon P(top n)/(e^epsilon + n - 1): randomized response on the n likeliest categories; the others
    answer with one of those at random.

    >>> least_mistakes(epsilon=1, prior=[0.9, 0.05, 0.05])[1]
    1
    """
    chances = law("prior", prior)
    n = np.arange(1, chances.size + 1)
    right = np.cumsum(np.sort(chances)[::-1]) / (1 + (n - 1) * np.exp(-epsilon))
    return float(1 - right.max()), int(n[right.argmax()])


def _checked(distortion: ArrayLike, categories: int) -> Floats:
    d = np.asarray(distortion, dtype=np.float64)
    if d.ndim != 2 or d.shape[0] != categories:
        raise BadValue(f"The distortion needs one row for each of the {categories} categories, not shape {d.shape}.")
    if not (np.all(np.isfinite(d)) and d.min() >= 0):
        raise BadValue("The distortion must hold finite numbers, 0 or above: what it costs to report y for x.")
    return d


def _solved(steep: float, cost: Floats, solver: LinearSolver) -> tuple[Floats, float]:
    """A proposal for Q, and a lower bound on the cost of every channel, from the dual values of the row sums.

    Given any prices r of the rows, a channel costs at least Σ r + the sum over outputs of the least value of
    m Σ_x min(c, e^epsilon c)(x, y) over m in [0, 1] with c = cost - r: that holds whatever the solver did.
    """
    k, outputs = cost.shape
    scale = float(cost.max()) or 1.0
    entries = k * outputs
    per_entry = np.arange(entries)
    x, y = np.divmod(per_entry, outputs)
    rows = np.stack((x, k + per_entry, k + entries + per_entry), axis=1)
    least = np.concatenate(
        [np.column_stack((k + per_entry[y == j], k + entries + per_entry[y == j])).ravel() for j in range(outputs)]
    )
    program = LinearProgram(
        cost=np.append(cost.ravel() / scale, np.zeros(outputs)),
        lower=np.zeros(entries + outputs),
        upper=np.full(entries + outputs, np.inf),
        row_lower=np.concatenate((np.ones(k), np.zeros(entries), np.full(entries, -np.inf))),
        row_upper=np.concatenate((np.ones(k), np.full(entries, np.inf), np.zeros(entries))),
        starts=np.concatenate((3 * np.arange(entries), 3 * entries + 2 * k * np.arange(outputs + 1))).astype(np.int64),
        rows=np.concatenate((rows.ravel(), least)).astype(np.int64),
        values=np.concatenate((np.ones(3 * entries), np.tile([-1.0, -steep], entries))),
    )
    found = solver.solve(program)
    prices = found.row_duals[:k] * scale
    reduced = cost - prices[:, None]
    slack = np.minimum(reduced, steep * reduced).sum(axis=0)
    q = np.maximum(found.point[:entries].reshape(k, outputs), 0)
    return q / q.sum(axis=1, keepdims=True), float(prices.sum() + np.minimum(slack, 0).sum()) - 1e-12 * scale
