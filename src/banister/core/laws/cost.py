"""What an error costs: even in the error, and never falling as the error grows."""

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.core.exact.numbers import Number, brief
from banister.core.laws.pieces import CostPiece, Pieces
from banister.errors import BadValue

Floats = NDArray[np.float64]
CostFunction = Callable[[Floats], Floats]

WORDS = ("absolute", "squared", "zero-one")
"""What people write for |error|, error², and 1 for every error; a number is an exponent."""
LARGEST_EXPONENT = 10**6
"""Of a cost: beyond it every error above 1 costs more than a double holds."""
OLD_WORDS = {"magnitude": "absolute", "power": "squared"}
"""Words of earlier versions. They are understood, with a notice."""

_PROBES = np.concatenate([np.linspace(0, 20, 161), np.geomspace(20, 1e6, 200)])


# Costs are values and not closures, so that whatever carries one can be compared, and sent to another process.


@dataclass(frozen=True, slots=True)
class _Power:
    degree: float

    def __call__(self, x: Floats) -> Floats:
        return x**self.degree


@dataclass(frozen=True, slots=True)
class _Scaled:
    size: CostFunction
    factor: float

    def __call__(self, x: Floats) -> Floats:
        return self.size(x * self.factor)


@dataclass(frozen=True, slots=True)
class _Vector:
    function: CostFunction

    def __call__(self, x: Floats) -> Floats:
        return np.asarray(self.function(x), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _OneByOne:
    function: Callable[[float], float]

    def __call__(self, x: Floats) -> Floats:
        return np.asarray(np.vectorize(self.function, otypes=[np.float64])(x), dtype=np.float64)


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
    pieces: Pieces | None = field(default=None, repr=False)
    """The cost written exactly. What is said about such a cost is certified; about any other it is numerical."""

    @classmethod
    def power(cls, exponent: Number) -> "Cost":
        """|error|^exponent."""
        exact = need.positive("cost exponent", exponent)
        if not exact <= LARGEST_EXPONENT:
            raise BadValue(f"exponent = {str(exponent)[:40]} must be at most {LARGEST_EXPONENT}.")
        return _power(exact)

    @classmethod
    def beyond(cls, limit: Number) -> "Cost":
        """1 where the error is larger than the limit, and nothing else."""
        edge = need.non_negative("limit", limit)
        return cls._written(f"1 if |error| > {brief(edge)}", Pieces.beyond(edge))

    @classmethod
    def steps(cls, levels: Mapping[Number, Number]) -> "Cost":
        """Nothing at first, and beyond each edge the level that stands for it: {"1/2": 1, 2: 5}.

        >>> float(Cost.steps({"1/2": 1, 2: 5}).of_errors(np.array([3.0]))[0])
        5.0
        """
        edges = sorted((need.non_negative("edge", edge), need.non_negative("level", x)) for edge, x in levels.items())
        low = () if edges and edges[0][0] == 0 else (CostPiece(Fraction(0), Fraction(0)),)
        words = ", ".join(f"{brief(x)} if |error| > {brief(edge)}" for edge, x in edges)
        return cls._written(words, Pieces(Fraction(0), (*low, *(CostPiece(*each) for each in edges))))

    @classmethod
    def capped(cls, exponent: Number, *, at: Number) -> "Cost":
        """|error|^exponent up to an error of a size, with a whole exponent; a larger error costs no more than that."""
        degree, edge = need.whole("cost exponent", exponent, least=1), need.positive("at", at)
        pieces = (*Pieces.power(Fraction(degree)).pieces, CostPiece(edge, edge**degree))
        return cls._written(f"|error|^{degree} up to {brief(edge)}", Pieces(Fraction(0), pieces))

    @classmethod
    def _written(cls, name: str, pieces: Pieces) -> "Cost":
        return cls(name, pieces, None, pieces)

    @classmethod
    def zero_one(cls) -> "Cost":
        """1 for every error, large or small."""
        return cls._written("zero-one", Pieces.beyond(Fraction(0)))

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
        if self.pieces is not None:
            written = self.pieces.in_units(unit)
            return Cost(self.name, written, None, written)
        return Cost(self.name, _Scaled(self.size, float(unit)))

    @property
    def certified(self) -> bool:
        """Whether the cost is written exactly, so that expected costs and bounds are proven; else "numerical"."""
        return self.pieces is not None


@lru_cache(maxsize=256)
def _power(exponent: Fraction) -> Cost:
    """One value for each exponent, so that equal costs are equal."""
    degree = float(exponent)
    names = {Fraction(1): "absolute", Fraction(2): "squared"}
    name = names.get(exponent, f"|error|^{brief(exponent)}")
    return Cost(name, _Power(degree), exponent, Pieces.power(exponent))


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
            return _Vector(cast(CostFunction, function))
    except (TypeError, ValueError):
        pass  # It compares or branches on one number, so it is called for each.
    return _OneByOne(cast(Callable[[float], float], function))
