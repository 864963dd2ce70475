"""The grid of doubles: which low bits occur tells the true answer when noise is added in floating point ([M12])."""

import numpy as np

from banister.audit.attacks.bounds import Floats
from banister.audit.attacks.columns import ReadNumber, columns
from banister.audit.attacks.event import Marks, Outputs, ProposedEvent, best_cut, sides

NAME = "grid"

_MANTISSA = 53
_OF_ZERO = 2000.0
"""Zero is a multiple of every power of two."""


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """For every number of an output the best power of two of which it is, or is not, a multiple."""
    found = []
    for column in columns(first, second):
        for side, here, there in sides(first, second):
            for sign in (1, -1):
                more, less = sign * lowest_bit(column.of(here)), sign * lowest_bit(column.of(there))
                places = np.unique(more[np.isfinite(more)])
                hits = [int(np.sum(more == place)) for place in places]
                others = np.diff([0, *(int(np.sum(less <= place)) for place in places)])
                cut = best_cut(np.array(hits), others, draws=len(more), delta=delta)
                if cut is not None:
                    found.append(_event(column, side, sign, float(places[cut])))
    return found


def lowest_bit(values: Floats) -> Floats:
    """The exponent of the lowest bit of a double that is 1: the largest e for which it is a multiple of 2^e.

    >>> [float(each) for each in lowest_bit(np.array([12.0, 0.5, 3 + 2.0**-40]))]
    [2.0, -1.0, -40.0]
    """
    usable = np.isfinite(values) & (values != 0)
    mantissa, exponent = np.frexp(np.where(usable, values, 1.0))
    whole = np.abs(mantissa * 2.0**_MANTISSA).astype(np.int64)
    lowest = np.log2((whole & -whole).astype(float))
    found = np.where(usable, exponent - _MANTISSA + lowest, np.nan)
    return np.asarray(np.where(values == 0, _OF_ZERO, found), dtype=float)


def _event(column: ReadNumber, side: int, sign: int, limit: float) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        return np.asarray(sign * lowest_bit(column.of(outputs)) <= limit)

    power = int(-limit) if sign < 0 else int(limit) + 1
    words = f"{column.words} is {'' if sign < 0 else 'not '}a whole multiple of 2^{power}"
    return ProposedEvent(words=words, side=side, holds=holds)
