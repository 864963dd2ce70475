"""Channels given by a matrix: designed ones, the geometric baseline, the quaternary one, and those a user brings."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banister import need
from banister.core.exact.numbers import Number, fraction_up
from banister.core.exact.numbers import exp_ball as _exp
from banister.core.laws.stochastic import (
    ONE,
    Weights,
    level_ratio,
    level_up,
    matrix_level,
    pulled_within,
    row_distance,
    staircase_weights,
    weights_of,
    weights_within,
)
from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.channels.base import Certificate, Channel, Field, Fields, Maker, Values, cells_field, dense, pure
from banister.local.estimates import Estimate, of_histogram
from banister.sampling.bits import BitSource
from banister.sampling.rows import PrivateRows


@dataclass(frozen=True, slots=True, eq=False, init=False)
class MatrixChannel(Channel):
    """Draw the report of category x from its row of a matrix of whole multiples of 2^-62.

    Row x is the row of category x, or of all categories of cell x where `cell_of` says so.

    Private:  the claimed guarantee is checked on the whole weights themselves when the value is built.
    """

    kind: ClassVar[str] = "matrix"

    rows: PrivateRows
    cell_of: Ints
    certificate: Certificate | None = field(default=None)

    def __init__(
        self,
        weights: Weights,
        guarantee: Guarantee,
        *,
        cell_of: Ints | None = None,
        certificate: Certificate | None = None,
    ) -> None:
        rows = PrivateRows(weights, guarantee)
        chosen = np.arange(weights.shape[0]) if cell_of is None else np.asarray(cell_of, dtype=np.int64)
        if chosen.ndim != 1 or not np.array_equal(np.unique(chosen), np.arange(weights.shape[0])):
            raise BadValue(f"cell_of must give each category one of the {weights.shape[0]} rows of the matrix.")
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "cell_of", chosen)
        object.__setattr__(self, "certificate", certificate)

    @classmethod
    def of_matrix(cls, matrix: ArrayLike, epsilon: Number) -> "MatrixChannel":
        """Any row-stochastic matrix whose level is at most epsilon; its true level is in `level`.

        >>> round(MatrixChannel.of_matrix([[0.75, 0.25], [0.25, 0.75]], 1.1).level, 9)
        1.098612289
        """
        given = _as_matrix(matrix)
        level = need.non_negative("epsilon", epsilon)
        return cls(pulled_within(weights_of(given), level), Guarantee(level))

    @classmethod
    def at_true_level(cls, matrix: ArrayLike) -> "MatrixChannel":
        """Any row-stochastic matrix, at the level that it has; refused where no finite level holds."""
        weights = weights_of(_as_matrix(matrix))
        ratio = level_ratio(weights)
        if ratio is None:
            raise BadValue(
                "An output of the matrix is possible for one category and impossible for another, so no finite "
                "epsilon holds. Give every category a share of that output."
            )
        return cls(weights, Guarantee(level_up(ratio)))

    @classmethod
    def of_staircase(cls, theta: Floats, favoured: NDArray[np.bool_], epsilon: Fraction) -> "MatrixChannel":
        """The channel theta_y · (e^epsilon where `favoured`, else 1), repaired to be exact."""
        return cls(staircase_weights(theta, favoured, epsilon), Guarantee(epsilon))

    def certified(self, certificate: Certificate, cell_of: Ints | None = None) -> "MatrixChannel":
        """The same channel with its certificate, and with cells of categories where those are given."""
        return MatrixChannel(self.weights, self.guarantee, cell_of=cell_of, certificate=certificate)

    @property
    def weights(self) -> Weights:
        """The rows as whole multiples of 2^-62."""
        return self.rows.weights

    @property
    def guarantee(self) -> Guarantee:
        return self.rows.guarantee

    @classmethod
    def examples(cls) -> "tuple[MatrixChannel, ...]":
        low_rank = cls.of_matrix([[0.6, 0.4], [0.4, 0.6], [0.5, 0.5]], 1)
        return geometric(1, 5), low_rank, quaternary(1, 0.05)

    @classmethod
    def makers(cls) -> dict[str, Maker]:
        return {"geometric": lambda promise, categories: geometric(pure(promise), categories), "quaternary": _yes_or_no}

    @classmethod
    def of_fields(cls, guarantee: Guarantee, fields: Fields, certificate: Certificate | None) -> "MatrixChannel":
        weights, cells = np.array(fields["weights"], dtype=np.int64), cells_field(fields.get("cell_of"))
        return cls(weights, guarantee, cell_of=cells, certificate=certificate)

    @property
    def categories(self) -> int:
        return int(self.cell_of.size)

    @property
    def outputs(self) -> int:
        return int(self.weights.shape[1])

    @property
    def rank(self) -> int:
        return int(np.linalg.matrix_rank(self.cell_matrix))

    @property
    def level(self) -> float:
        return self.rows.level

    @property
    def likeliest(self) -> float:
        return float(self.cell_matrix.max())

    @property
    def matrix(self) -> Floats:
        dense(self.categories, self.outputs)
        return self.cell_matrix[self.cell_of]

    @property
    def cell_matrix(self) -> Floats:
        """One row per cell; the same as `matrix` where each category is its own cell."""
        return self.rows.matrix

    def fields(self) -> dict[str, Field]:
        plain = np.array_equal(self.cell_of, np.arange(self.categories))
        return {"weights": self.weights.tolist()} | ({} if plain else {"cell_of": self.cell_of.tolist()})

    def draw(self, answers: Ints, bits: BitSource) -> Values:
        return self.rows.draw(self.cell_of[answers], bits)

    def distance(self) -> Fraction:
        return row_distance(self.weights)

    def tallied(self, values: Values) -> Ints:
        return np.bincount(values, minlength=self.outputs)

    def unbiased_from(self, tally: Ints, people: int, commonest: int) -> Estimate:
        return of_histogram(tally, self.matrix)

    def output_law(self, law: Floats) -> Floats:
        masses = np.bincount(self.cell_of, weights=law, minlength=self.weights.shape[0])
        result: Floats = masses @ self.cell_matrix
        return result

    def backward(self, weights: Floats) -> Floats:
        return (self.cell_matrix @ weights)[self.cell_of]


def geometric(epsilon: Number, categories: int) -> MatrixChannel:
    """The geometric baseline: two-sided geometric noise on the category's number, clamped to the ends.

    With b = e^(-epsilon/(k - 1)): (1 - b)/(1 + b) · b^|y - x| inside, the ends collect the tails.
    Private:  epsilon-local privacy. The source prints epsilon^(1/(k-1)) for b, which is not a probability law
              ([K16] Sec. 3.4.2); this is the corrected form.

    >>> geometric(2, 3).matrix.round(3).tolist()
    [[0.731, 0.17, 0.099], [0.269, 0.462, 0.269], [0.099, 0.17, 0.731]]
    """
    level = matrix_level(need.positive("epsilon", epsilon, "At 0 a report says nothing."))
    k = need.whole("categories", categories, least=2, most=4096)
    b = np.exp(-float(level) / (k - 1))
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    matrix = (1 - b) / (1 + b) * b**distance
    matrix[:, [0, -1]] = b ** distance[:, [0, -1]] / (1 + b)
    return MatrixChannel(weights_within(matrix, level), Guarantee(level))


def quaternary(epsilon: Number, delta: Number) -> MatrixChannel:
    """For yes and no under (epsilon, delta): with chance delta the answer itself, else a randomized one.

    Outputs 0 and 3 are the open answers, 1 and 2 the randomized ones.
    Optimal:  for two categories, every utility that obeys data processing ([K16] Thm 3.6.1).

    >>> quaternary(1, "0.1").matrix.round(3).tolist()
    [[0.1, 0.658, 0.242, 0.0], [0.0, 0.242, 0.658, 0.1]]
    """
    promise = Guarantee(
        matrix_level(need.non_negative("epsilon", epsilon)), need.strictly_between("delta", delta, 0, 1)
    )
    open_share = int(promise.delta * ONE)
    e_down = fraction_up(_exp(-promise.epsilon))  # The smaller share is rounded up, against ourselves.
    low = -int(-((ONE - open_share) * e_down / (1 + e_down)) // 1)
    high = ONE - open_share - low
    row = [open_share, high, low, 0] if high >= low else [open_share, low, high, 0]
    return MatrixChannel(np.array([row, row[::-1]], dtype=np.int64), promise)


def _yes_or_no(promise: Guarantee, categories: int) -> MatrixChannel:
    if categories != 2:
        raise BadValue(f"categories = {categories} must be 2: the quaternary channel is for yes and no.")
    if not promise.delta:
        raise BadValue("delta = 0 must be above 0 for the quaternary channel. Without delta use randomized-response.")
    return quaternary(promise.epsilon, promise.delta)


def _as_matrix(matrix: ArrayLike) -> Floats:
    given = np.asarray(matrix, dtype=np.float64)
    if given.ndim != 2 or min(given.shape) < 1:
        raise BadValue(f"A channel needs a matrix with one row per category, not an array of shape {given.shape}.")
    return given
