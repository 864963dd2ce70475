"""Any protocol as a matrix P(transcript | input): its privacy, checked party by party, and the best it can decide.

For users who bring a protocol of their own, and for the tests that try to beat randomized response.
"""

import math

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints, LinearSolver
from banister.errors import BadValue
from banister.parties.games.levels import response_matrix
from banister.parties.games.scores import Score
from banister.parties.games.worst import WorstCase, best_worst_case


def check_protocol(matrix: Floats) -> int:
    """The number of parties of a protocol matrix, if it is one."""
    parties = matrix.shape[0].bit_length() - 1 if matrix.ndim == 2 else -1
    if parties < 1 or matrix.shape[0] != 1 << parties:
        raise BadValue(f"A protocol needs one row for each of the 2^k inputs, not a matrix of shape {matrix.shape}.")
    if not np.all(matrix >= 0) or not np.allclose(matrix.sum(axis=1), 1, rtol=0, atol=1e-9):
        raise BadValue("Each row of a protocol is a law: chances of 0 or above that sum to 1.")
    return parties


def protocol_delta(matrix: Floats, party: int, epsilon: Number) -> float:
    """The least delta with which a party (from 1) is (epsilon, delta)-private in a protocol.

    The largest Σ max(P(τ|x) - e^epsilon P(τ|x'), 0) over inputs x, with x' the same but for the party's bit ([K16]
    Eq. (4.7)). In doubles: a check of a given matrix, good to about 10^-15 for each transcript.

    >>> protocol_delta(np.array([[0.75, 0.25], [0.25, 0.75]]), 1, 0)
    0.5
    """
    parties = check_protocol(matrix)
    number = need.whole("party", party, least=1, most=parties)
    steep = math.exp(min(float(need.non_negative("epsilon", epsilon)), 700.0))
    cube = matrix.reshape((1 << (number - 1), 2, 1 << (parties - number), -1))
    one, other = cube[:, 0], cube[:, 1]
    excess = [np.maximum(a - steep * b, 0).sum(axis=-1).max() for a, b in ((one, other), (other, one))]
    return float(max(excess))


def protocol_average(matrix: Floats, answers: Ints, score: Score, prior: Floats) -> float:
    """The best average score of an observer of any protocol.

    >>> answers = np.array([0, 1, 1, 0])
    >>> score = Score.of("zero-one", np.array([0.0, 1.0]))
    >>> round(protocol_average(coincident_reveals(Guarantee(1, "0.1")), answers, score, np.full(4, 1 / 4)), 6)
    0.646099
    """
    check_protocol(matrix)
    features = score.features()[:, answers] * prior
    return float(score.best(features @ matrix)[0].sum())


def protocol_worst(matrix: Floats, answers: Ints, score: Score, solver: LinearSolver) -> WorstCase:
    """The best worst case of an observer of any protocol."""
    check_protocol(matrix)
    return best_worst_case(matrix, answers, score.worth, solver)


def coincident_reveals(level: Guarantee) -> Floats:
    """Two parties: the first says its symbol; the second says its bit if that symbol was a sure one, else eps-RR.

    Both are exactly (epsilon, delta)-private, and for delta > 0 more accurate for XOR than independent reports: the
    counterexample to [K16] Thm 4.4.1 beyond delta = 0 (docs/math/parties-optimality.md).

    >>> matrix = coincident_reveals(Guarantee(1, "0.1"))
    >>> round(protocol_delta(matrix, 1, 1), 9), round(protocol_delta(matrix, 2, 1), 9)
    (0.1, 0.1)
    """
    first = response_matrix(level)
    if first.shape[1] != 4:
        raise BadValue("Reveals can only coincide with a delta above 0.")
    second = response_matrix(Guarantee(level.epsilon)) if level.epsilon else np.full((2, 2), 0.5)
    open_bit = np.eye(2)
    rows = []
    for x1 in (0, 1):
        for x2 in (0, 1):
            row = [first[x1, s] * (open_bit if s >= 2 else second)[x2, t] for s in range(4) for t in (0, 1)]
            rows.append(row)
    return np.array(rows)
