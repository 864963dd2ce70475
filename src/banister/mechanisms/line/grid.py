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

        Exact:  dividing by a power of two is, and so is taking away the nearest whole number. Only what is below
                `smallest_split` loses bits in the division.
        """
        exponent = self.power_of_two()
        with np.errstate(over="ignore", under="ignore"):
            steps = np.ldexp(answers.astype(np.float64), -exponent)
        if not np.all(np.abs(steps) <= RANGE):
            raise self._too_far()
        whole = np.rint(steps)
        return whole.astype(np.int64), steps - whole

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
        return float(units * self.step)

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


def finite_answers(answers: NDArray[np.generic]) -> NDArray[np.generic]:
    """The answers, refused where one is not a finite number; the message tells the place, never the value."""
    if not (np.issubdtype(answers.dtype, np.floating) or np.issubdtype(answers.dtype, np.integer)):
        raise BadValue(f"The answers are of type {answers.dtype}. Give numbers.")
    bad = np.flatnonzero(~np.isfinite(answers.ravel()))
    if bad.size:
        raise BadValue(
            f"The answer at position {bad[0]} is not a finite number. Decide what a missing or infinite answer "
            "stands for before releasing; nothing was drawn."
        )
    return answers
