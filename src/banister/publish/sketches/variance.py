"""A private sketch of a matrix, released once, that answers the variance along every direction.

What is drawn here is not charged to any ledger; `banister.publish.sketches.sketch` is the safe path.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.accounting.protects import Protects
from banister.core.exact.numbers import BALL_BITS, Number, ball, brief, exp_ball, fraction_up, precision
from banister.core.exact.search import least_double
from banister.core.laws.chi_square import shifted, wider
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.publish.noise import Stated
from banister.publish.sketches.files import header_number
from banister.publish.sketches.intervals import Answer, scale_of, turned
from banister.sampling.bits import BitSource
from banister.sampling.normals import near_normals
from banister.sampling.rounded import NormalSize, rounded_many

Floats = NDArray[np.float64]
Sketch = NDArray[np.float32]

KIND = "variance"
FINE_BITS = 30
"""The mixing numbers are whole multiples of 2^-30."""
ENTRY_BITS = 18
"""The matrix's entries are whole multiples of 2^-18 of the bound on a row's length."""
_SPLIT = 15
_CHUNK = 1 << 13
"""So many rows at a time: products of 20 and 19 bits, summed, stay below 2^53."""
_COARSE = 16
_LAW = NormalSize()


@dataclass(frozen=True, slots=True, init=False)
class VarianceSketch:
    """Release Y = M A + w Z, M and Z standard normal, for a matrix A whose rows have length 1 at most.

    Private:  (epsilon, delta)-DP. A row added or removed changes the covariance w² I + AᵀA by the ratio 1/w² in one
              direction (`core.chi_square.wider`). A row replaced moves by at most 2; telling the adversary that row of
              M leaves a Gaussian shift of random length (`core.chi_square.shifted`), which is tight for long rows.
    Exact:    as for `CutSketch`: whole-number sums, ideal floor noise rounded after the sum, and the changed row's own
              rounding counted in delta.
    """

    epsilon: Fraction
    delta: Fraction
    columns: int
    rows: int
    neighbours: Neighbours
    width: float
    """w: the deviation of the floor's noise, for rows of length 1."""

    def __init__(self, *, epsilon: Number, delta: Number, columns: int, rows: int, neighbours: Neighbours) -> None:
        level = need.level("epsilon", epsilon)
        chance = need.strictly_between("delta", delta, 0, 1, "A Gaussian sketch needs some delta.")
        count = need.whole("columns", columns, least=1, most=1 << 16)
        size = need.whole("rows", rows, least=2, most=1 << 20)
        need.one_of("neighbours", neighbours, tuple(Neighbours))

        def private(width: Fraction) -> bool:
            if neighbours is Neighbours.ADD_REMOVE:
                found = wider(size, 1 / width**2, level)
            else:
                found = shifted(size, 2 / width, level)
            with precision(BALL_BITS):
                total = found + (1 + exp_ball(level)) * _slack(width, size)
            return bool(total <= ball(chance))

        width = least_double(private, start=Fraction(8))
        for name, value in zip(self.__slots__, (level, chance, count, size, neighbours, width), strict=True):
            object.__setattr__(self, name, value)

    @property
    def slack(self) -> float:
        """The part of delta that pays for doubles."""
        with precision(BALL_BITS):
            up = fraction_up((1 + exp_ball(self.epsilon)) * _slack(Fraction(self.width), self.rows))
        return float(up)

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, self.delta)

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.of_guarantee(self.guarantee)

    @property
    def certificate(self) -> str:
        """The kind of its certificate."""
        return "sketch"

    def stated(self) -> tuple[Stated, ...]:
        """The law of the rows, as a certificate states it."""
        return ({"noise": {"law": "VarianceSketch", "rows": self.rows, "width": str(Fraction(self.width))}},)

    @property
    def protects(self) -> Protects:
        """One row of the matrix."""
        return Protects(unit="row")

    def label(self) -> str:
        """One line for the ledger."""
        return f"sketch of all variances of {self.columns} columns"

    def key(self) -> str:
        """A hash of everything that the release depends on."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def header(self) -> dict[str, str]:
        """What a file of the sketch says about it."""
        return {
            "kind": KIND,
            "epsilon": brief(self.epsilon),
            "delta": brief(self.delta),
            "width": repr(self.width),
            "neighbours": self.neighbours.value,
        }

    @classmethod
    def of_header(cls, header: Mapping[str, str], *, columns: int, rows: int) -> "VarianceSketch":
        """The sketch that a file holds; nothing is calibrated again."""
        found = cls.__new__(cls)
        level, chance, width = (header_number(header, name) for name in ("epsilon", "delta", "width"))
        relation = need.one_of(
            "neighbours of the sketch", header.get("neighbours", ""), tuple(one.value for one in Neighbours)
        )
        values = (level, chance, columns, rows, Neighbours(relation), float(width))
        for name, value in zip(cls.__slots__, values, strict=True):
            object.__setattr__(found, name, value)
        return found

    def deviation(self, variance: float) -> float:
        """Standard deviation of the answer where the truth is that, in squared units of the row bound."""
        return math.sqrt(2 / self.rows) * (variance + self.width**2)

    def release(self, matrix: Floats, bits: BitSource) -> Sketch:
        """The sketch of a matrix; rows longer than 1 are shortened to 1."""
        entries = whole_entries(matrix)
        # Two halves of each mixing number keep every product and sum a whole number that doubles hold exactly.
        high = np.zeros((self.rows, self.columns), dtype=np.int64)
        low = np.zeros_like(high)
        for start in range(0, entries.shape[0], _CHUNK):
            part = entries[start : start + _CHUNK]
            mixing = np.floor(near_normals(self.rows * part.shape[0], bits) * 2.0**FINE_BITS + 0.5).astype(np.int64)
            mixing = mixing.reshape(self.rows, part.shape[0])
            high += ((mixing >> _SPLIT).astype(np.float64) @ part).astype(np.int64)
            low += ((mixing & ((1 << _SPLIT) - 1)).astype(np.float64) @ part).astype(np.int64)
        return self._floored(high, low, bits)

    def _floored(self, high: NDArray[np.int64], low: NDArray[np.int64], bits: BitSource) -> Sketch:
        """Add the floor to (high · 2^15 + low) units of 2^-48, rounded once to multiples of 2^-16."""
        high = high + (low >> _SPLIT)
        low = low & ((1 << _SPLIT) - 1)
        down = FINE_BITS + ENTRY_BITS - _SPLIT - _COARSE
        whole = (high >> down).ravel()
        rest = ((high & ((1 << down) - 1)) << _SPLIT | low).ravel()
        parts = rest.astype(np.float64) * 2.0 ** -(down + _SPLIT)
        noise = Fraction(self.width) * 2**_COARSE
        values = (whole + rounded_many(parts, noise, _LAW, bits)).astype(np.float64) * 2.0**-_COARSE
        return values.reshape(self.rows, self.columns).astype(np.float32)

    def answer(self, sketch: Sketch, direction: Floats, *, confidence: Number) -> Answer:
        """‖A x‖² for a direction x of length 1: estimate, and an interval of that confidence.

        Exact:  ‖Y x‖² is (‖A x‖² + w²) times a chi-square number of r degrees.
        """
        power = float(np.square(sketch.astype(np.float64) @ direction).sum())
        return turned(scale_of(power, self.rows, confidence=confidence), less=self.width**2, factor=1)


def whole_entries(matrix: Floats) -> Floats:
    """Whole multiples of 2^-18, longer rows shortened to length 1; rounding towards 0 lengthens none."""
    # In units of the largest entry, where that is above 1: the square of 1e200 is beyond all doubles.
    units = np.max(np.abs(matrix), axis=1, keepdims=True, initial=1.0)
    parts = matrix / units
    lengths = np.sqrt(np.square(parts).sum(axis=1, keepdims=True))
    short = parts / np.maximum(lengths * (1 + 2.0**-40), 1 / units)
    return np.asarray(np.trunc(short * 2.0**ENTRY_BITS), dtype=np.float64)


def _slack(width: Fraction, rows: int) -> arb:
    """As for the cut sketch: a changed row of length 2 at most moves by 2 √rows · 2^-30.9 under deviation `width`."""
    length = ball(Fraction(2, 1 << FINE_BITS)) * arb(rows).sqrt()
    return length / ball(width) * ball(Fraction(2, 5)) + arb(rows) * arb(2) ** -56
