"""What an error costs: even in the error, and never falling as the error grows."""

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number, brief
from banister.errors import BadValue

Floats = NDArray[np.float64]
CostFunction = Callable[[Floats], Floats]

WORDS = ("absolute", "squared", "zero-one")
"""What people write for |error|, error², and 1 for every error; a number is an exponent."""
OLD_WORDS = {"magnitude": "absolute", "power": "squared"}
"""Words of earlier versions. They are understood, with a notice."""

_PROBES = np.concatenate([np.linspace(0, 20, 161), np.geomspace(20, 1e6, 200)])


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an error: `size` takes |error| and gives its cost.

    >>> float(Cost.of("squared").of_errors(np.array([-3.0]))[0])
    9.0
    """

    name: str
    size: CostFunction = field(repr=False)
    exponent: Fraction | None = None
    """Where the cost is |error|^exponent."""

    @classmethod
    def power(cls, exponent: Number) -> "Cost":
        """|error|^exponent."""
        exact = need.positive("cost exponent", exponent)
        degree = float(exact)
        names = {Fraction(1): "absolute", Fraction(2): "squared"}
        return cls(names.get(exact, f"|error|^{brief(exact)}"), lambda x: x**degree, exact)

    @classmethod
    def beyond(cls, limit: Number) -> "Cost":
        """1 where the error is larger than the limit, and nothing else."""
        edge = float(need.non_negative("limit", limit))
        return cls(f"1 if |error| > {edge:g}", lambda x: (x > edge).astype(np.float64))

    @classmethod
    def zero_one(cls) -> "Cost":
        """1 for every error, large or small."""
        return cls("zero-one", lambda x: (x > 0).astype(np.float64))

    @classmethod
    def of_function(cls, function: Callable[[float], float] | CostFunction) -> "Cost":
        """Any cost that a user writes, after a look at a few hundred points.

        A function that is not even or that falls anywhere on those points is refused; a finite look cannot prove more.
        """
        vector = _vectorised(function)
        right, left = vector(_PROBES), vector(-_PROBES)
        if np.isnan(right).any():
            raise BadValue("The cost is not a number (NaN) for some errors. A cost must be finite for every error.")
        off = np.flatnonzero(~np.isclose(right, left, rtol=1e-9, atol=1e-12, equal_nan=False) & ~np.isinf(right))
        if off.size:
            x = _PROBES[off[0]]
            raise BadValue(
                f"The cost is not symmetric: it is {right[off[0]]:.6g} for an error of {x:g} and {left[off[0]]:.6g} "
                f"for -{x:g}. Give a cost of the size of the error, such as lambda x: abs(x) ** 1.5."
            )
        with np.errstate(invalid="ignore"):
            falls = np.flatnonzero(np.diff(right) < -1e-12 * np.abs(right[:-1]))
        if falls.size:
            raise BadValue(
                f"The cost falls from {right[falls[0]]:.6g} to {right[falls[0] + 1]:.6g} between errors of "
                f"{_PROBES[falls[0]]:g} and {_PROBES[falls[0] + 1]:g}. A larger error must never cost less."
            )
        return cls(getattr(function, "__name__", "user's cost").replace("<lambda>", "user's cost"), vector)

    @classmethod
    def of(cls, cost: "CostLike") -> "Cost":
        """A cost from what people write: "absolute", "squared", "zero-one", an exponent, a function, or a Cost."""
        if isinstance(cost, Cost):
            return cost
        if isinstance(cost, str) and cost in OLD_WORDS:
            warnings.warn(
                f"cost = {cost!r} is now called {OLD_WORDS[cost]!r}.", DeprecationWarning, stacklevel=_frames_inside()
            )
            cost = OLD_WORDS[cost]
        if isinstance(cost, str) and cost in WORDS:
            return cls.zero_one() if cost == "zero-one" else cls.power(1 if cost == "absolute" else 2)
        if callable(cost):
            return cls.of_function(cost)
        try:
            return cls.power(cost)
        except BadValue:
            raise BadValue(
                f"cost = {cost!r} must be one of: 'absolute' (|error|), 'squared' (error²), 'zero-one' (1 for every "
                "error), or an exponent above 0."
            ) from None

    @property
    def in_words(self) -> str:
        """The cost as it stands in a sentence: "expected absolute error"."""
        return f"{self.name} error" if self.name in WORDS else self.name

    def of_errors(self, errors: Floats) -> Floats:
        """The cost of each error."""
        return self.size(np.abs(errors))

    def in_units(self, unit: Fraction) -> "Cost":
        """The same cost for errors counted in that unit."""
        if unit == 1:
            return self
        size, factor = self.size, float(unit)
        return Cost(self.name, lambda x: size(x * factor))


CostLike = Cost | str | int | float | Fraction | Callable[[float], float] | CostFunction


def _frames_inside() -> int:
    """How many calls up the first line outside the package is, so that a notice names the user's own line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("banister"):
        frame, level = frame.f_back, level + 1
    return level


def _vectorised(function: Callable[[float], float] | CostFunction) -> CostFunction:
    """The function on arrays; functions that only know one number at a time are looped over."""
    sample = np.array([0.0, 1.0, 2.0])
    try:
        answer = np.asarray(cast(CostFunction, function)(sample), dtype=np.float64)
        if answer.shape == sample.shape:
            return lambda x: np.asarray(cast(CostFunction, function)(x), dtype=np.float64)
    except (TypeError, ValueError):
        pass  # It compares or branches on one number, so it is called for each.
    return np.vectorize(function, otypes=[np.float64])
