"""The support: stretches of the line where one side gives nothing at all and the other does."""

import numpy as np

from banister.audit.attacks.bounds import Floats
from banister.audit.attacks.columns import ReadNumber, columns
from banister.audit.attacks.event import Marks, Outputs, ProposedEvent, sides

NAME = "gaps"

_GAPS = 8


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """For every number of an output the gaps of one side into which the other falls most often."""
    found = []
    for column in columns(first, second):
        for side, here, there in sides(first, second):
            gaps = _gaps(column.of(here), column.of(there))
            if len(gaps):
                found.append(_event(column, side, gaps))
    return found


def _gaps(more: Floats, less: Floats) -> Floats:
    """Open gaps between values of the one side that hold at least a two-hundredth of the other's, in their order."""
    more, less = more[np.isfinite(more)], np.unique(less[np.isfinite(less)])
    if less.size == 0 or more.size == 0:
        return np.empty((0, 2))
    ends = np.concatenate([[-np.inf], less, [np.inf]])
    inside = np.searchsorted(less, more, side="left")
    free = ~np.isin(more, less)
    held = np.bincount(inside[free], minlength=len(less) + 1)
    best = np.argsort(-held, kind="stable")[:_GAPS]
    best = np.sort(best[held[best] >= max(10, more.size // 200)])
    return np.stack([ends[best], ends[best + 1]], axis=1)


def _event(column: ReadNumber, side: int, gaps: Floats) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        values = column.of(outputs)
        return np.asarray(np.any([(values > low) & (values < high) for low, high in gaps], axis=0))

    shown = " or ".join(_between(low, high) for low, high in gaps[:3])
    more = f" or in one of {len(gaps) - 3} more gaps" if len(gaps) > 3 else ""
    return ProposedEvent(words=f"{column.words} lies {shown}{more}", side=side, holds=holds)


def _between(low: float, high: float) -> str:
    """A gap in words.

    >>> _between(1.0, 2.5), _between(-np.inf, 2.5)
    ('strictly between 1 and 2.5', 'strictly below 2.5')
    """
    if np.isinf(low):
        return f"strictly below {high:.9g}"
    return f"strictly above {low:.9g}" if np.isinf(high) else f"strictly between {low:.9g} and {high:.9g}"
