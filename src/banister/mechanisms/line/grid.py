"""The lattice on which real answers are released, and exact rounding to it.

Rounding is ⌊x/step + 1/2⌋, never half to even: half-even would turn a shift by one step into two.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number, brief
from banister.errors import BadValue
from banister.mechanisms.arrays import plain_array
from banister.mechanisms.integers.integer_noise import RANGE, Integers

Floats = NDArray[np.float64]
RealAnswers = float | int | Fraction | Floats | Integers


@dataclass(frozen=True, slots=True, init=False)
class Grid:
    """All whole multiples of a step.

    >>> Grid(Fraction(1, 4)).units(np.array([0.3, -0.125])).tolist()
    [1, 0]
    """

    step: Fraction
    exponent: int | None = field(repr=False, compare=False)
    """Where the step is a power of two, its exponent."""

    def __init__(self, step: Number) -> None:
        exact = need.positive("grid", step)
        p, q = exact.numerator, exact.denominator
        power = p & (p - 1) == 0 and q & (q - 1) == 0
        object.__setattr__(self, "step", exact)
        object.__setattr__(self, "exponent", p.bit_length() - q.bit_length() if power else None)

    @classmethod
    def fine_for(cls, scale: Fraction) -> "Grid":
        """The power of two just below scale / 2^20, so fine that its effect on the error is invisible."""
        exponent = scale.numerator.bit_length() - scale.denominator.bit_length() - 21
        return cls(Fraction(2) ** exponent)

    def units_of_sensitivity(self, sensitivity: Fraction) -> int:
        """How far a neighbour can move the rounded answer: ⌈sensitivity / step⌉ steps.

        Exact:  |⌊x⌋ - ⌊y⌋| ≤ ⌈|x - y|⌉ for all reals, because shifting by a whole number commutes with ⌊·⌋.
        """
        return math.ceil(sensitivity / self.step)

    def unit(self, answer: Number) -> int:
        """The nearest multiple of the step to one answer, counted in steps."""
        if isinstance(answer, float) and self.exponent is not None and abs(math.frexp(answer)[1] - self.exponent) < 61:
            steps = math.ldexp(answer, -self.exponent)
            nearest = round(steps)
            return nearest + (steps - nearest >= 0.5)  # The difference to the nearest whole number is exact.
        if isinstance(answer, float) and math.isfinite(answer):
            over, under = answer.as_integer_ratio()
            cut = under * self.step.numerator
            found = (2 * over * self.step.denominator + cut) // (2 * cut)  # ⌊answer/step + 1/2⌋ in whole numbers.
            if not abs(found) <= RANGE:
                raise self._too_far()
            return found
        whole, part = self.split_one(answer)
        return whole + (2 * part.numerator >= part.denominator)

    def split_one(self, answer: Number) -> tuple[int, Fraction]:
        """answer/step as whole steps and a part from -1/2 to 1/2, both exact."""
        exponent = self.exponent
        if exponent is not None and isinstance(answer, float) and abs(math.frexp(answer)[1] - exponent) < 1000:
            steps = Fraction(math.ldexp(answer, -exponent))
        else:
            steps = need.exact("answer", answer) / self.step
        if not abs(steps) <= RANGE:
            raise self._too_far()
        whole = round(steps)
        return whole, steps - whole

    def split_double(self, answer: float) -> tuple[int, float] | None:
        """The same for a double, the part being one too and exact; nothing where that is not certain."""
        exponent = self.exponent
        if exponent is None or not abs(math.frexp(answer)[1] - exponent) < 1000:
            return None
        steps = math.ldexp(answer, -exponent)
        if not abs(steps) <= RANGE:
            raise self._too_far()
        whole = round(steps)
        return whole, steps - whole

    def units(self, answers: NDArray[np.generic]) -> Integers:
        """The nearest multiples of the step to many answers, counted in steps."""
        if self.exponent is None or np.issubdtype(answers.dtype, np.integer):
            return self._units_of_fractions(answers)
        whole, part = self.split(answers)
        return whole + (part >= 0.5)

    def _units_of_fractions(self, answers: NDArray[np.generic]) -> Integers:
        """Doubles decide where they are far from a half; answers close to one are rounded as exact fractions."""
        steps = answers.astype(np.float64) * float(self.step.denominator) / float(self.step.numerator)
        if not np.all(np.abs(steps) <= RANGE):
            raise self._too_far()
        # Four roundings of 2^-53 each: converting the answer, the two parts of the step, and the operations.
        margin = (np.abs(steps) + 1) * 2.0**-49
        near = np.abs(steps + 0.5 - np.rint(steps + 0.5)) <= margin
        units = np.floor(steps + 0.5).astype(np.int64)
        for place in np.flatnonzero(near):
            units.flat[place] = self.unit(answers.flat[place].item())
        return units

    def split(self, answers: NDArray[np.generic]) -> tuple[Integers, Floats]:
        """answer/step as whole steps and a part from -1/2 to 1/2; needs a step that is a power of two.

        Exact:  dividing by a power of two is, and so is taking away the nearest whole number. Only at the places
                that `inexactly_split` names is the part rounded to a double.
        """
        exponent = self.power_of_two()
        if answers.dtype.kind in "iu":
            return self._split_whole(answers, exponent)
        with np.errstate(over="ignore", under="ignore"):
            steps = np.ldexp(answers.astype(np.float64), -exponent)
        if not np.all(np.abs(steps) <= RANGE):
            raise self._too_far()
        whole = np.rint(steps)
        return whole.astype(np.int64), steps - whole

    def _split_whole(self, answers: NDArray[np.generic], exponent: int) -> tuple[Integers, Floats]:
        """The same for whole answers, by shifts: no integer passes through a double before it was divided."""
        most = math.floor(RANGE * self.step)
        if answers.size and not (int(answers.min()) >= -most and int(answers.max()) <= most):
            raise self._too_far()
        if exponent <= 0:
            # Where the step is so fine that only 0 fits, the shift would be beyond 64 bits.
            return answers.astype(np.int64) << min(-exponent, 62), np.zeros(answers.shape)
        whole, rest = _whole_steps(answers, exponent)
        return whole, np.ldexp(rest.astype(np.float64), -exponent)

    def inexactly_split(self, answers: NDArray[np.generic]) -> NDArray[np.bool_]:
        """Where `split` rounds the part: doubles too small to divide, whole numbers of more than 53 bits."""
        if answers.dtype.kind == "f":
            return np.asarray((np.abs(answers.astype(np.float64)) < self.smallest_split()) & (answers != 0))
        exponent = self.power_of_two()
        if exponent <= 54:  # The rest is at most half a step, which doubles hold to the last bit.
            return np.zeros(answers.shape, dtype=np.bool_)
        rest = _whole_steps(answers, exponent)[1]
        # The double of the rest less its upper half is exact, and is the lower half unless bits were lost.
        below = rest.astype(np.float64) - np.ldexp((rest >> 32).astype(np.float64), 32)
        return np.asarray(below != (rest & 0xFFFFFFFF).astype(np.float64))

    def smallest_split(self) -> float:
        """Sizes from here on are split without losing a bit."""
        return math.ldexp(1.0, max(self.power_of_two(), 0) - 960)

    def power_of_two(self) -> int:
        """The exponent of the step, for mechanisms that must split answers exactly."""
        if self.exponent is None:
            raise BadValue(f"grid = {brief(self.step)} must be a power of two for this noise, such as 2**-20.")
        return self.exponent

    def place(self, units: int) -> float:
        """The answer that so many steps stand for."""
        return float(units * self.step) if self.exponent is None else math.ldexp(units, self.exponent)

    def place_many(self, units: Integers) -> Floats:
        """The answers that so many steps stand for."""
        if self.exponent is not None:
            return np.ldexp(units.astype(np.float64), self.exponent)
        return np.asarray(units * float(self.step.numerator) / float(self.step.denominator), dtype=np.float64)

    def _too_far(self) -> BadValue:
        return BadValue(
            f"An answer is beyond ±{float(RANGE * self.step):.3g}, the range that a grid of {brief(self.step)} can "
            "release exactly. Take a coarser grid, or clamp the answer to its declared range first."
        )


def _whole_steps(answers: NDArray[np.generic], exponent: int) -> tuple[Integers, NDArray[np.int64 | np.uint64]]:
    """The nearest whole steps of 2^exponent, and what is left: from minus half a step to below half a step."""
    wide: NDArray[np.int64 | np.uint64] = answers.astype(np.uint64 if answers.dtype.kind == "u" else np.int64)
    if exponent > 64:
        return np.zeros(wide.shape, dtype=np.int64), wide
    halves = (wide >> (exponent - 1)).astype(np.int64)
    whole = (halves >> 1) + (halves & 1)
    # Modulo 2^64 the difference is right, whatever overflows on the way: it is at most half a step.
    rest = wide.view(np.uint64) - (whole.view(np.uint64) << np.uint64(exponent))
    return whole, rest.view(np.int64)


def finite_answers(answer: object) -> NDArray[np.generic]:
    """The answers, refused where one is not a finite number; the message tells the place, never the value."""
    answers = plain_array(answer)
    bad = np.flatnonzero(~np.isfinite(answers.ravel()))
    if bad.size:
        raise BadValue(
            f"The answer at position {bad[0]} is not a finite number. Decide what a missing or infinite answer "
            "stands for before releasing; nothing was drawn."
        )
    return answers
