"""The channel whose report tells most about the answer: mutual information for a known prior."""

import heapq
import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister.core.laws.stochastic import matrix_level
from banister.core.laws.utility import MUTUAL_INFORMATION, entropy, favoured_information, mutual_information
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, Ints, LinearProgram, LinearSolver
from banister.local.channels.base import Certificate
from banister.local.channels.matrix import MatrixChannel
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.columns import MOST_CATEGORIES, best_staircase, subset_sums

_MERGED = np.arange(16, 0, -1) ** 1.5 / (np.arange(16, 0, -1) ** 1.5).sum()
"""Cells of many different sizes: the sums of their sets are dense, and the optimum needs sets of one probability."""

_MOST_CELLS = 400
_ROUNDING = 2.0**-45
"""By how much sums of doubles near 1 are widened: 128 times the last place."""
_SMALL = Fraction(1, 10**6)
"""Levels below which programs are too flat for a solver; there one bit that halves the prior is as good."""
_HEAVY = 9
_MOST_ROUNDS = 60


def design_information(
    epsilon: Fraction, prior: Floats, solver: LinearSolver = SOLVER
) -> MatrixChannel | RandomizedResponse:
    """The channel that keeps most mutual information.

    Optimal:  up to 20 categories over all staircases ([K16] Thm 3.3.4), certified by pricing every set. Beyond that,
              light categories are merged into cells and the distance to the optimum is certified; for a uniform
              prior the optimum is in closed form.
    """
    level = float(matrix_level(epsilon))
    if epsilon == 0:
        return _silent(epsilon, prior.size)
    if np.ptp(prior) <= 1e-15:
        return _uniform(epsilon, prior)
    if prior.size <= MOST_CATEGORIES:
        return _exact(epsilon, prior, np.arange(prior.size), math.inf, solver)
    bound = min(information_cap(level), math.tanh(level / 2) ** 2 * entropy(prior) * (1 + 1e-12))
    if epsilon < _SMALL:
        halves = merged_cells(prior, np.full(2, 0.5))
        return _on_cells(epsilon, halves, np.bincount(halves, weights=prior).astype(np.float64), bound)
    bound = min(bound, divisible_bound(level, prior, solver))
    cell_of = merged_cells(prior, _MERGED)
    few = _exact(epsilon, np.bincount(cell_of, weights=prior).astype(np.float64), cell_of, bound, solver)
    many, plain = _shifted(epsilon, prior, bound), _response(epsilon, prior, bound)
    rivals: tuple[MatrixChannel | RandomizedResponse, ...] = (few, many, plain)
    return max(rivals, key=lambda channel: channel.utility)


def information_cap(epsilon: float) -> float:
    """What no report of level epsilon can tell about anything, in nats.

    c - 1 - ln c with c = epsilon e^epsilon/(e^epsilon - 1).
    Upper bound:  docs/math/local-design.md; about epsilon²/8 for small epsilon.

    >>> round(information_cap(1), 10)
    0.1233015615
    """
    if epsilon == 0:
        return 0.0
    excess = epsilon / -math.expm1(-epsilon) - 1
    if excess < 1e-4:
        return excess * excess * (1 / 2 - excess * (1 / 3 - excess / 4)) * (1 + 1e-9)
    return excess - math.log1p(excess)


def rate(epsilon: float, mass: Floats) -> Floats:
    """phi(z) = g(z)/(1 + a z): information of a channel all of whose sets have that probability."""
    result: Floats = favoured_information(epsilon, mass) / (1 + math.expm1(epsilon) * mass)
    return result


def best_mass(epsilon: float) -> float:
    """The probability z at which phi is largest: (epsilon e^epsilon - e^epsilon + 1)/(e^epsilon - 1)²."""
    a = math.expm1(epsilon)
    if epsilon < 1e-3:
        return 0.5 - epsilon / 6
    return (epsilon * (a + 1) - a) / (a * a)


def merged_cells(prior: Floats, wanted: Floats) -> Ints:
    """A cell for each category, heaviest first, so that the cells come close to the wanted probabilities."""
    cell_of = np.empty(prior.size, dtype=np.int64)
    missing = [(-share, cell) for cell, share in enumerate(wanted)]
    heapq.heapify(missing)
    for category in np.argsort(-prior, kind="stable"):
        lack, cell = missing[0]
        cell_of[category] = cell
        heapq.heapreplace(missing, (lack + float(prior[category]), cell))
    return np.unique(cell_of, return_inverse=True)[1]


def divisible_bound(epsilon: float, prior: Floats, solver: LinearSolver) -> float:
    """An upper bound on the information of every channel: all but the heaviest categories as one divisible mass.

    Averaging the rows of the light categories, with their probabilities as weights, turns any channel into a
    solution of this relaxation, so its optimum is at least theirs. Columns are (heavy set B, share u of the light
    mass); for each B the best u has a closed form, which makes the pricing exact.
    """
    heavy = np.sort(prior)[::-1][: min(_HEAVY, prior.size - 1)]
    light = max(0.0, 1 - float(heavy.sum()))
    a, h = math.expm1(epsilon), heavy.size
    masses = subset_sums(heavy)
    inside = (np.arange(masses.size) >> np.arange(h)[:, None] & 1).astype(np.float64)
    sets, shares = np.repeat(np.arange(masses.size), 3), np.tile([0.0, 0.4, 1.0], masses.size)
    bound = math.inf
    for _ in range(_MOST_ROUNDS):
        gains = favoured_information(epsilon, masses[sets] + light * shares)
        alpha = _relaxed(1 + a * np.vstack((inside[:, sets], shares)), gains, solver)
        # The best probability of a set: the derivative of g there equals the price of light mass.
        best = (np.exp(min(epsilon * (a + 1) / a - 1 - alpha[-1] / max(light, 1e-300), 700)) - 1) / a
        share = np.clip((best - masses) / max(light, 1e-300), 0, 1)
        worth = favoured_information(epsilon, masses + light * share)
        reduced = worth - (alpha.sum() + a * (subset_sums(alpha[:-1]) + alpha[-1] * share))
        slip = max(0.0, float(reduced.max()))
        bound = min(bound, float(alpha.sum()) + slip)
        if slip <= 1e-9 * bound:
            break
        fresh = reduced > 0
        sets, shares = np.append(sets, np.flatnonzero(fresh)), np.append(shares, share[fresh])
    return bound + _rounding(epsilon)


def _relaxed(columns: Floats, gains: Floats, solver: LinearSolver) -> Floats:
    height, width = columns.shape
    scale = float(gains.max())
    program = LinearProgram(
        cost=-gains / scale,
        lower=np.zeros(width),
        upper=np.full(width, np.inf),
        row_lower=np.ones(height),
        row_upper=np.ones(height),
        starts=np.arange(width + 1, dtype=np.int64) * height,
        rows=np.tile(np.arange(height, dtype=np.int64), width),
        values=columns.T.ravel(),
    )
    return -solver.solve(program).row_duals * scale


def _exact(epsilon: Fraction, masses: Floats, cell_of: Ints, bound: float, solver: LinearSolver) -> MatrixChannel:
    level = float(epsilon)
    gains = favoured_information(level, subset_sums(masses))
    noise = 16 * 2.0**-52 * math.exp(level) * level
    found = best_staircase(level, gains[None, :], solver, noise)
    whole = bound == math.inf
    channel = MatrixChannel.of_staircase(found.theta, found.favoured, epsilon)
    kept = max(0.0, mutual_information(masses, channel.cell_matrix) - _rounding(level))
    certificate = Certificate(
        utility_name=MUTUAL_INFORMATION,
        method="all sets" if whole else "merged cells",
        utility=kept,
        upper_bound=max(kept, found.bound if whole else bound),
        dual=found.dual,
    )
    return channel.certified(certificate, None if whole else cell_of)


def _shifted(epsilon: Fraction, prior: Floats, bound: float) -> MatrixChannel:
    """All cyclic shifts of d out of many cells of nearly equal probability; better than few cells at large epsilon.

    Each cell is in d of the shifts, so the rows sum to 1 whatever the probabilities are.
    """
    level = float(epsilon)
    most = max(2, min(prior.size, _MOST_CELLS, int(0.7 / prior.max())))
    counts = np.arange(max(2, most * 3 // 4), most + 1)
    sizes = np.clip(np.rint(counts * best_mass(level)), 1, counts - 1)
    cells = int(counts[rate(level, sizes / counts).argmax()])
    d = int(np.clip(np.rint(cells * best_mass(level)), 1, cells - 1))
    cell_of = merged_cells(prior, np.full(cells, 1 / cells))
    masses = np.bincount(cell_of, weights=prior).astype(np.float64)
    return _of_sets(epsilon, masses, _balanced_sets(cells, d), d, "shifted cells", bound, cell_of)


def _response(epsilon: Fraction, prior: Floats, bound: float) -> RandomizedResponse:
    """Randomized response on the heaviest categories and one cell of all others; best at large epsilon."""
    level, order = float(epsilon), np.argsort(-prior, kind="stable")
    heavy = prior[order]
    single = np.append(0.0, np.cumsum(favoured_information(level, heavy))[:-1])  # Of the first b - 1 of b cells.
    rest = np.maximum(1 - np.append(0.0, np.cumsum(heavy)[:-1]), 0)
    rest[-1] = heavy[-1]
    cells = np.arange(1, prior.size + 1)
    kept = (single + favoured_information(level, np.minimum(rest, 1))) / (math.expm1(level) + cells)
    best = max(2, int(kept.argmax()) + 1)
    cell_of = np.empty(prior.size, dtype=np.int64)
    cell_of[order] = np.minimum(np.arange(prior.size), best - 1)
    return _on_cells(epsilon, cell_of, np.append(heavy[: best - 1], rest[best - 1]), bound)


def _on_cells(epsilon: Fraction, cell_of: Ints, masses: Floats, bound: float) -> RandomizedResponse:
    """Randomized response on cells with these probabilities, with what it keeps."""
    level = float(epsilon)
    if level < 1:  # The closed form is a difference of nearly equal numbers there.
        exact = mutual_information(masses, RandomizedResponse(epsilon, masses.size).matrix)
    else:
        exact = float(favoured_information(level, np.minimum(masses, 1)).sum()) / (math.expm1(level) + masses.size)
    kept = max(0.0, exact * (1 - 1e-12) - _rounding(level))
    certificate = Certificate(
        utility_name=MUTUAL_INFORMATION,
        method="randomized response",
        utility=kept,
        upper_bound=max(kept, bound),
        dual=np.full(masses.size, bound / masses.size),
    )
    return RandomizedResponse(epsilon, cell_of.size, cell_of=cell_of, certificate=certificate)


def _rounding(level: float) -> float:
    """By how much information is moved against ourselves: its error is that of the matrix times at most epsilon."""
    return _ROUNDING * min(1.0, level)


def _uniform(epsilon: Fraction, prior: Floats) -> MatrixChannel:
    """Sets of d categories, each category in equally many: the optimum is max over d of phi(d/k)."""
    level, k = float(epsilon), prior.size
    sizes = np.arange(1, k)
    rates = rate(level, sizes / k)
    d = int(sizes[rates.argmax()])
    return _of_sets(
        epsilon,
        prior,
        _balanced_sets(k, d),
        d,
        "closed form",
        min(information_cap(level), float(rates.max()) + _rounding(level)),
        None,
    )


def _of_sets(
    epsilon: Fraction,
    masses: Floats,
    favoured: NDArray[np.bool_],
    size: int,
    method: str,
    bound: float,
    cell_of: Ints | None,
) -> MatrixChannel:
    """Equally likely sets of `size` cells, each cell in `size` of them."""
    level, k = float(epsilon), masses.size
    channel = MatrixChannel.of_staircase(np.full(k, 1 / (k + math.expm1(level) * size)), favoured, epsilon)
    kept = max(0.0, mutual_information(masses, channel.cell_matrix) - _rounding(level))
    certificate = Certificate(
        utility_name=MUTUAL_INFORMATION,
        method=method,
        utility=kept,
        upper_bound=max(kept, bound),
        dual=np.full(k, bound / k),
    )
    return channel.certified(certificate, cell_of)


def _balanced_sets(k: int, d: int) -> NDArray[np.bool_]:
    """The k cyclic shifts of one set of d categories, chosen so that they tell all categories apart."""
    base = np.arange(k) < d
    for gap in range(1, k - d + 1):
        if abs(np.fft.fft(base)).min() > 1e-9:
            break
        base = np.arange(k) < d - 1
        base[d - 1 + gap if d - 1 + gap < k else 0] = True
    return np.stack([np.roll(base, shift) for shift in range(k)], axis=1)


def _silent(epsilon: Fraction, categories: int) -> MatrixChannel:
    """The channel that says nothing, the only one at epsilon = 0."""
    certificate = Certificate(
        utility_name=MUTUAL_INFORMATION, method="closed form", utility=0.0, upper_bound=0.0, dual=np.zeros(categories)
    )
    cell_of = np.zeros(categories, dtype=np.int64)
    return MatrixChannel.of_matrix([[1.0]], 0).certified(certificate, cell_of)
