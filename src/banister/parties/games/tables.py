"""Any function of a few parties: every input and every transcript, one party's channel at a time."""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

import numpy as np

from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.parties.games.levels import response_matrix
from banister.parties.games.scores import Score

MOST_ENTRIES = 1 << 25


def product_prior(priors: Sequence[Fraction]) -> Floats:
    """The chance of each of the 2^k inputs when bits are independent."""
    pairs = [np.array([float(1 - prior), float(prior)]) for prior in priors]
    return reduce(_kron, pairs, np.ones(1))


def average_value(table: Ints, levels: Sequence[Guarantee], prior: Floats, score: Score) -> float:
    """The best average score of an observer, for any function and any joint prior.

    Exact:  to 10^-12, by [K16] Eq. (4.5): the sum over transcripts of the worth of the best guess. The channel of each
    party is applied along its own axis, so the cost is that of listing the transcripts, not their square.
    """
    sums = _feature_sums(table, levels, prior, score)
    return float(score.best(sums)[0].sum())


def decisions(table: Ints, levels: Sequence[Guarantee], prior: Floats, score: Score) -> Floats:
    """The best guess for each transcript: one axis per party, in the order of `levels.symbols_of`."""
    return score.best(_feature_sums(table, levels, prior, score))[1]


def protocol_matrix(levels: Sequence[Guarantee]) -> Floats:
    """P(transcript | input): one row per input, one column per transcript."""
    matrices = [response_matrix(level) for level in levels]
    size = math.prod(matrix.size for matrix in matrices)
    if size > MOST_ENTRIES:
        raise BadValue(
            f"{len(matrices)} parties have {size} pairs of an input and a transcript, too many to list. Use fewer "
            "parties, a function of the number of ones, or delta = 0."
        )
    return reduce(_kron, matrices, np.ones((1, 1)))


def _feature_sums(table: Ints, levels: Sequence[Guarantee], prior: Floats, score: Score) -> Floats:
    matrices = [response_matrix(level) for level in levels]
    features = score.features()
    size = features.shape[0] * math.prod(matrix.shape[1] for matrix in matrices)
    if size > MOST_ENTRIES:
        raise BadValue(
            f"{len(matrices)} parties have {size // features.shape[0]} transcripts, too many to list for "
            f"{features.shape[0]} guesses. Use fewer parties, a function of the number of ones, or delta = 0."
        )
    sums: Floats = (features[:, table] * prior).reshape((features.shape[0],) + (2,) * len(matrices))
    for matrix in matrices:
        sums = np.tensordot(sums, matrix, axes=(1, 0))  # The axis of this party goes to the end, in order.
    return sums


def _kron(left: Floats, right: Floats) -> Floats:
    return np.kron(left, right).astype(np.float64, copy=False)
