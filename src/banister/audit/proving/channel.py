"""The private report that keeps most of an answer, with its proof."""

from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.audit.checkers import channel as checker
from banister.audit.proof import Json, Proof, exact, rounded_down, rounded_up, texts
from banister.core.exact.numbers import Number
from banister.core.laws.stochastic import ONE, matrix_level
from banister.core.laws.utility import DIVERGENCES, MUTUAL_INFORMATION, favoured_information
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.local.channels.matrix import MatrixChannel
from banister.local.designs.columns import best_staircase, subset_sums
from banister.local.designs.priors import pair, positive_law

_NAMES = {each.name: each for each in DIVERGENCES}


def prove_channel(
    *,
    epsilon: Number,
    utility: str,
    between: tuple[ArrayLike, ArrayLike] | None = None,
    prior: ArrayLike | None = None,
) -> Proof:
    """The channel of level epsilon that keeps most of what is asked for, and the proof that none keeps more.

    With a `prior` the utility is "mutual-information"; `between` two laws it is one of the divergences that
    `bn.local.design` knows. Up to 12 categories.

    >>> proof = prove_channel(epsilon=1, utility="mutual-information", prior=[0.5, 0.3, 0.2])
    >>> round(float(Fraction(proof.claim["kept"])), 6), round(float(Fraction(proof.claim["bound"])), 6)
    (0.11412, 0.11412)
    """
    level = matrix_level(need.positive("epsilon", epsilon, "At 0 a report says nothing."))
    laws = _laws(utility, between, prior)
    k = laws[0].size
    if k > checker.MOST_CATEGORIES:
        raise BadValue(f"{k} categories have 2^{k} sets; a proof takes up to {checker.MOST_CATEGORIES} categories.")
    gains = _gains(float(level), utility, laws)
    found = best_staircase(float(level), gains[None, :], SOLVER, 1e-13 * float(np.abs(gains).max()))
    channel = MatrixChannel.of_staircase(found.theta, found.favoured, level)
    fair = [_law(each) for each in laws]
    weights: list[Json] = [[int(each) for each in row] for row in channel.weights]
    witness: dict[str, Json] = {"weights": weights, "whole": ONE}
    rows = checker.channel(witness, k)
    earned = sum((checker.gain(utility, fair, [row[y] for row in rows])[0] for y in range(len(rows[0]))), Fraction(0))
    prices = _prices(utility, fair, found.dual, level)
    claim: dict[str, Json] = {
        "epsilon": exact(level),
        "utility": utility,
        "kept": exact(max(Fraction(0), rounded_down(earned, 90))),
        "bound": exact(sum(prices, Fraction(0))),
    }
    claim |= {"prior": texts(fair[0])} if len(fair) == 1 else {"between": [texts(each) for each in fair]}
    return Proof("channel", claim, witness | {"prices": texts(prices)})


def _laws(utility: str, between: tuple[ArrayLike, ArrayLike] | None, prior: ArrayLike | None) -> tuple[Floats, ...]:
    if (between is None) == (prior is None):
        raise BadValue("Give either between=(p0, p1), two hypotheses, or prior=p, the law of the answers.")
    if prior is not None:
        if utility != MUTUAL_INFORMATION:
            raise BadValue(f"utility = {utility!r} needs two hypotheses; with a prior it is {MUTUAL_INFORMATION}.")
        return (positive_law("prior", prior),)
    assert between is not None
    if utility not in _NAMES:
        raise BadValue(f"utility = {utility!r} must be one of: {', '.join(_NAMES)}.")
    return pair(between)


def _gains(level: float, utility: str, laws: tuple[Floats, ...]) -> Floats:
    """The gain of each set of categories, in doubles: only the proposal rests on them."""
    if utility == MUTUAL_INFORMATION:
        return favoured_information(level, subset_sums(laws[0]))
    masses = [1 + np.expm1(level) * subset_sums(law) for law in laws]
    return np.asarray(_NAMES[utility].gain(masses[1], masses[0] - masses[1]), dtype=np.float64)


def _law(values: Floats) -> list[Fraction]:
    given = [Fraction(float(value)) for value in values]
    total = sum(given, Fraction(0))
    return [value / total for value in given]


def _prices(utility: str, laws: list[list[Fraction]], dual: Floats, level: Fraction) -> list[Fraction]:
    """The dual values, raised by as little as the checker asks for: it finds a set that they are too low for."""
    steep = checker.exp_bounds(level)[1]
    prices = [rounded_up(Fraction(float(value)), 90) for value in dual]
    lift = Fraction(1, 1 << 80) + max((abs(price) for price in prices), default=Fraction(0)) / (1 << 50)
    for _ in range(60):
        try:
            checker.priced(utility, laws, prices, steep)
        except ValueError:
            prices = [price + lift for price in prices]
            lift *= 2
        else:
            return prices
    raise BadValue("The prices of the categories could not be made high enough. Try a slightly different epsilon.")
