"""What an answer is worth, and the best thing to say.

Every rule for the average case needs a few sums over the inputs that are still possible, one for each *feature* of the
true answer: for a finite set of guesses, what each guess would earn; for squared error, the first two moments.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from banister.core.exact.numbers import Number, brief
from banister.core.laws.cost import WORDS, Cost
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue

TIE = 1e-12
"""Guesses whose worth differs by less are equally good; the first of them is said, so that all say the same."""

CostLike = str | ArrayLike


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """What each guess earns for each true answer: 1 for right and 0 for wrong, or minus the cost of the error.

    >>> Score.of("zero-one", np.array([0.0, 1.0])).worth.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    name: str
    truth: Floats
    guesses: Floats
    worth: Floats
    """One row per true answer, one column per guess."""
    free: bool
    """Whether any number may be guessed on average (squared error), not only the listed ones."""

    @classmethod
    def of(cls, cost: CostLike, truth: Floats) -> "Score":
        """From a word ("zero-one", "absolute", "squared"), an exponent, or a matrix of costs: a row an answer."""
        if isinstance(cost, str | int | float | Fraction):
            named = Cost.of(cost)
            error = np.abs(np.subtract.outer(truth, truth)) if truth.size <= 4096 else np.zeros((0, 0))
            if named.exponent is None:
                return cls(named.name, truth, truth, 1 - named.size(error), False)
            name = named.name if named.name in WORDS else brief(named.exponent)
            return cls(name, truth, truth, -named.size(error), named.exponent == 2)
        matrix = np.asarray(cost, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != truth.size or matrix.shape[1] == 0 or not np.isfinite(matrix).all():
            raise BadValue(
                f"A cost matrix needs one row for each of the {truth.size} answers, one column for each guess, and "
                f"finite numbers; this one has the shape {matrix.shape}."
            )
        return cls("matrix", truth, np.arange(matrix.shape[1], dtype=np.float64), -matrix, False)

    def among(self, answers: Ints) -> "Score":
        """The same for some of the answers; guesses that are answers themselves are cut to those too."""
        if self.name == "matrix":
            return Score(self.name, self.truth[answers], self.guesses, self.worth[answers], self.free)
        return Score.of(self.name, self.truth[answers])

    def features(self) -> Floats:
        """One row a feature, one column a true answer."""
        if self.free:
            centred = self.truth - self._centre()
            return np.stack((np.ones_like(centred), centred, centred**2))
        return self.worth.T

    def best(self, sums: Floats) -> tuple[Floats, Floats]:
        """From the sums of the features (first axis), what the best guess earns in all, and that guess."""
        if self.free:
            mass = np.maximum(sums[0], 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                middle = np.where(mass > 0, sums[1] / mass, 0.0)
            return -np.maximum(sums[2] - middle * sums[1], 0), middle + self._centre()
        top = sums.max(axis=0)
        first = (sums >= top - TIE * np.abs(self.worth).max(initial=1.0)).argmax(axis=0)
        return top, self.guesses[first]

    def _centre(self) -> float:
        return float(self.truth[self.truth.size // 2])


def accuracy_words(name: str) -> str:
    """What an accuracy of that score is, for people."""
    return {
        "zero-one": "chance of the right answer",
        "absolute": "minus the mean absolute error",
        "squared": "minus the mean squared error",
    }.get(name, "minus the mean cost")


def guess_exact(answers: tuple[Fraction, ...], guess: float) -> Number:
    """The guess as the exact answer that it is, or as the double that it is."""
    for answer in answers:
        if float(answer) == guess:
            return answer
    return guess
