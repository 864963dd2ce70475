"""Correlated people, designed together: each report's channel is the best for what the others' reports tell.

The answers X₁ … Xₙ have one joint law under each hypothesis, and person i answers through Qᵢ. With the others' channels
held, the divergence of all reports together is a sum of sublinear functions of the columns of Qᵢ, so the best Qᵢ is the
linear program of [K16] Thm 3.3.4 with other gains. People take turns until nobody gains; several starts are tried.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.stochastic import matrix_level
from banister.core.laws.utility import Divergence, divergence
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearSolver
from banister.errors import BadValue
from banister.local.channels.matrix import MatrixChannel
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.columns import best_staircase, subset_sums

MOST_CELLS = 1 << 16
"""Joint answers up to which all reports together are enumerated."""
MOST_EACH = 12
"""Categories of one person up to which all sets are priced."""
_MOST_STARTS = 24
_MOST_TURNS = 40


@dataclass(frozen=True, slots=True, eq=False)
class JointDesign:
    """One channel a person, what all reports together keep, and what nobody can do better alone.

    >>> same = np.eye(3) / 3  # Two people who hold the same answer, against two who hold any.
    >>> found = design_joint(1, same, np.full((3, 3), 1 / 9), utility="kl")
    >>> found.utility > found.by_response, len(found.channels)
    (True, 2)
    """

    channels: tuple[MatrixChannel, ...]
    utility: float
    """The divergence of all reports together under the two joint laws; for these very channels."""
    by_response: float
    """The same when everybody uses randomized response, to compare with."""
    whole: float
    """What the answers themselves would tell: nothing keeps more."""
    alone: tuple[float, ...]
    """With the others' channels held, no channel of this person keeps more: certified, one number a person."""
    history: tuple[float, ...]
    """The divergence after each turn of the best start; it does not fall, up to rounding."""


def design_joint(
    epsilon: Number,
    first: ArrayLike,
    second: ArrayLike,
    *,
    utility: str | Divergence,
    solver: LinearSolver = SOLVER,
) -> JointDesign:
    """Channels for people whose answers are correlated, at one level each; the axes of the two laws are the people.

    Private:  each person's report is epsilon-private for her own answer. What it says about *others*, whose answers go
              with hers, is not bounded by that: see docs/limits.md, "Local privacy".
    Optimal:  person by person, certified in `alone`. The best of all joint designs is not claimed: the problem is not
              convex ([K16] Sec. 5.2), and other starts might end higher.

    >>> alike, apart = [[0.45, 0.05], [0.05, 0.45]], [[0.25, 0.25], [0.25, 0.25]]
    >>> found = design_joint(1, alike, apart, utility="total-variation")
    >>> round(found.utility, 6), round(found.whole, 6)
    (0.085421, 0.4)
    """
    level, kind = need.non_negative("epsilon", epsilon), divergence(utility)
    laws = _joint_laws(first, second)
    people = laws[0].ndim
    responses = [RandomizedResponse(level, size).matrix for size in laws[0].shape]
    best: tuple[float, list[MatrixChannel], list[float]] | None = None
    for start in _starts(float(matrix_level(level)), laws, responses):
        made: list[MatrixChannel | None] = [None] * people
        rows, history = list(start), [_kept(kind, laws, start)]
        for turn in range(_MOST_TURNS * people):
            i = turn % people
            found = best_staircase(float(level), _gains(level, i, laws, rows, kind)[None, :], solver, _rounding(level))
            channel = MatrixChannel.of_staircase(found.theta, found.favoured, level)
            tried = [*rows[:i], channel.cell_matrix, *rows[i + 1 :]]
            value = _kept(kind, laws, tried)
            if value >= history[-1] or made[i] is None:
                rows, made[i] = tried, channel
                history.append(value)
            if turn >= 2 * people and history[-1] - history[-1 - people] <= 1e-12 * max(1.0, history[-1]):
                break
        if best is None or history[-1] > best[0] + 1e-12:
            best = history[-1], [each for each in made if each is not None], history
    assert best is not None
    value, channels, history = best
    held = [each.cell_matrix for each in channels]
    bounds = [_bound(level, i, laws, held, kind, solver) for i in range(people)]
    return JointDesign(
        channels=tuple(channels),
        utility=value,
        by_response=_kept(kind, laws, responses),
        whole=float(kind.between(laws[0].ravel(), laws[1].ravel())),
        alone=tuple(max(value, bound) for bound in bounds),
        history=tuple(history),
    )


def _joint_laws(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    laws = [np.asarray(each, dtype=np.float64) for each in (first, second)]
    if laws[0].shape != laws[1].shape or laws[0].ndim < 1:
        raise BadValue(f"The joint laws have the shapes {laws[0].shape} and {laws[1].shape}; they must be alike.")
    for name, each in zip(("first", "second"), laws, strict=True):
        if not (np.all(each >= 0) and abs(float(each.sum()) - 1) < 1e-9):
            raise BadValue(f"The {name} joint law must have chances of at least 0 that add up to 1.")
    if laws[0].size > MOST_CELLS or max(laws[0].shape) > MOST_EACH:
        raise BadValue(
            f"Joint laws of the shape {laws[0].shape} are too large: up to {MOST_CELLS} joint answers, and "
            f"{MOST_EACH} categories a person. Merge categories, or design for fewer people."
        )
    return laws[0] / laws[0].sum(), laws[1] / laws[1].sum()


def _starts(level: float, laws: tuple[Floats, Floats], responses: list[Floats]) -> Iterator[list[Floats]]:
    """Randomized response, and everybody cut in two: the same cut of each, and cuts that differ between neighbours."""
    yield responses
    low = 1 / (1 + math.exp(level))
    shapes = laws[0].shape
    cuts = [range(1, 1 << (size - 1)) for size in shapes]
    seen = 0
    for shift in range(2):
        for number in range(max(len(each) for each in cuts)):
            if seen >= _MOST_STARTS or not all(cuts):
                return
            seen += 1
            chosen = [each[(number + shift * i) % len(each)] for i, each in enumerate(cuts)]
            yield [_half(cut, size, low) for cut, size in zip(chosen, shapes, strict=True)]


def _half(cut: int, size: int, low: float) -> Floats:
    """One bit: whether the answer is in a set, by randomized response."""
    inside = (cut >> np.arange(size) & 1).astype(bool)
    keep = np.where(inside, 1 - low, low)
    return np.stack((keep, 1 - keep), axis=1)


def _kept(kind: Divergence, laws: tuple[Floats, Floats], rows: Sequence[Floats]) -> float:
    heard = [_heard(law, rows) for law in laws]
    return float(kind.between(heard[0].ravel(), heard[1].ravel()))


def _heard(law: Floats, rows: Sequence[Floats], but: int = -1) -> Floats:
    """The law of all reports, or of all but one person, whose own answer stays in her place."""
    for place, row in enumerate(rows):
        if place != but:
            law = np.moveaxis(np.tensordot(law, row, axes=(place, 0)), -1, place)
    return law


def _gains(level: Number, person: int, laws: tuple[Floats, Floats], rows: Sequence[Floats], kind: Divergence) -> Floats:
    """What a report that favours a set is worth beside what the others say, for each of the 2^k sets."""
    a = math.expm1(float(matrix_level(need.non_negative("epsilon", level))))
    own = [np.moveaxis(_heard(law, rows, person), person, 0).reshape(law.shape[person], -1) for law in laws]
    difference = own[0] - own[1]
    total = np.zeros(1 << own[0].shape[0])
    for others in range(own[0].shape[1]):
        base = own[1][:, others].sum() + a * subset_sums(own[1][:, others])
        gap = difference[:, others].sum() + a * subset_sums(difference[:, others])
        total += _finite(kind.gain, base, gap)
    return total


def _finite(gain: Callable[[Floats, Floats], Floats], base: Floats, gap: Floats) -> Floats:
    """Gains where something can be heard at all; what never comes under either law is worth nothing."""
    used = (base > 0) | (base + gap > 0)
    found = np.zeros(base.size)
    found[used] = gain(base[used], gap[used])
    if not np.all(np.isfinite(found)):
        raise BadValue(
            "Some answer is possible under one joint law and impossible under the other, given what others say, and "
            "this divergence is infinite there. Use total-variation, hellinger or jensen-shannon."
        )
    return found


def _bound(
    level: Number,
    person: int,
    laws: tuple[Floats, Floats],
    rows: Sequence[Floats],
    kind: Divergence,
    solver: LinearSolver,
) -> float:
    exact = need.non_negative("epsilon", level)
    gains = _gains(exact, person, laws, rows, kind)
    return best_staircase(float(exact), gains[None, :], solver, _rounding(exact)).bound


def _rounding(epsilon: Number) -> float:
    """A bound on the rounding of a gain, which adds up to MOST_CELLS terms."""
    level = float(need.non_negative("epsilon", epsilon))
    return 256 * 2.0**-52 * math.exp(level) * (1 + level) * math.expm1(level)
