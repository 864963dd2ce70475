"""Laws that a user gives: checked, and brought to sum 1."""

import numpy as np
from numpy.typing import ArrayLike

from banister.core.programs.linear import Floats
from banister.errors import BadValue

SUM_SLACK = 1e-6


def law(name: str, values: ArrayLike) -> Floats:
    """A probability law of two categories or more; a sum within 1e-6 of 1 is brought to 1."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadValue(f"{name} must be a list of probabilities, one per category.") from None
    if given.ndim != 1 or given.size < 2:
        raise BadValue(f"{name} must be a list of at least two probabilities, one per category.")
    if not np.all(np.isfinite(given)):
        raise BadValue(f"{name} holds a value that is not a finite number. Each probability is from 0 to 1.")
    if given.min() < 0:
        place = int(given.argmin())
        raise BadValue(f"{name}[{place}] = {given[place]:.6g} is negative. Each probability is from 0 to 1.")
    total = float(given.sum())
    if not abs(total - 1) <= SUM_SLACK:
        raise BadValue(f"{name} sums to {total:.9g}, not 1. Divide each value by the sum.")
    return given if abs(total - 1) <= 1e-14 else given / total


def positive_law(name: str, values: ArrayLike) -> Floats:
    """A law without zeros, as the theorems on information need."""
    given = law(name, values)
    if given.min() == 0:
        place = int(given.argmin())
        raise BadValue(
            f"{name}[{place}] = 0: the optimality theorem needs every category to have a positive probability. "
            "Leave the category out of the alphabet, or give it a small probability such as 1e-6."
        )
    return given


def pair(values: tuple[ArrayLike, ArrayLike]) -> tuple[Floats, Floats]:
    """Two hypotheses over the same categories, each of which is possible under one of them."""
    if len(values) != 2:
        raise BadValue(
            f"between must hold two laws, not {len(values)}. For more hypotheses use design_between_several."
        )
    p0, p1 = same_length([law("between[0]", values[0]), law("between[1]", values[1])])
    both = np.flatnonzero((p0 == 0) & (p1 == 0))
    if both.size:
        raise BadValue(
            f"Category {int(both[0])} has probability 0 under both hypotheses, so it has no likelihood ratio, by which "
            "the theorem orders the categories. Leave it out, or give it a small probability."
        )
    return p0, p1


def same_length(laws: list[Floats]) -> list[Floats]:
    """The laws, if they are about the same number of categories."""
    sizes = {p.size for p in laws}
    if len(sizes) > 1:
        raise BadValue(f"The laws have {sorted(sizes)} categories; all must be about the same alphabet.")
    return laws
