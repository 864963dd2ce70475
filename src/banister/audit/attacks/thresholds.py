"""Numbers above or below a threshold."""

import numpy as np

from banister.audit.attacks.bounds import Floats
from banister.audit.attacks.columns import ReadNumber, columns
from banister.audit.attacks.event import Marks, Outputs, ProposedEvent, best_cut, sides

NAME = "thresholds"


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """For every number of an output the best threshold, from above and from below, in both directions."""
    found = []
    for column in columns(first, second):
        for side, here, there in sides(first, second):
            for sign in (1.0, -1.0):
                limit = _limit(sign * column.of(here), sign * column.of(there), delta)
                if limit is not None:
                    found.append(_event(column, side, sign, limit))
    return found


def _limit(more: Floats, less: Floats, delta: float) -> float | None:
    """The t for which being at most t shows most."""
    known = more[np.isfinite(more)]
    if known.size == 0:
        return None
    places = np.unique(known)
    last = np.searchsorted(places, known)
    other = less[np.isfinite(less)]
    bins = np.searchsorted(places, other)
    cut = best_cut(
        np.bincount(last, minlength=len(places) + 1),
        np.bincount(bins, minlength=len(places) + 1),
        draws=len(more),
        delta=delta,
    )
    return None if cut is None or cut >= len(places) else float(places[cut])


def _event(column: ReadNumber, side: int, sign: float, limit: float) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        return np.asarray(sign * column.of(outputs) <= limit)

    words = f"{column.words} is {'at most' if sign > 0 else 'at least'} {sign * limit:.9g}"
    return ProposedEvent(words=words, side=side, holds=holds)
