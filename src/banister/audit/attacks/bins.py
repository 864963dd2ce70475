"""Ranges of a number, of about equal weight: those with the largest ratio of counts, as many as show most."""

import numpy as np

from banister.audit.attacks.bounds import Floats
from banister.audit.attacks.columns import ReadNumber, columns
from banister.audit.attacks.event import Marks, Outputs, ProposedEvent, best_cut, sides

NAME = "bins"

_BINS = 64


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """For every number of an output the best union of ranges, in both directions."""
    found = []
    for column in columns(first, second):
        both = np.concatenate([column.of(first), column.of(second)])
        known = both[np.isfinite(both)]
        if known.size == 0:
            continue
        edges = np.unique(np.quantile(known, np.linspace(0, 1, _BINS + 1)[1:-1]))
        for side, here, there in sides(first, second):
            hits, others = _counts(column.of(here), edges), _counts(column.of(there), edges)
            order = np.argsort(-(hits + 0.5) / (others + 0.5), kind="stable")
            cut = best_cut(hits[order], others[order], draws=len(here), delta=delta)
            if cut is not None:
                found.append(_event(column, side, edges, np.sort(order[: cut + 1])))
    return found


def _counts(values: Floats, edges: Floats) -> Floats:
    places = np.searchsorted(edges, values[np.isfinite(values)], side="right")
    return np.bincount(places, minlength=len(edges) + 1).astype(float)


def _event(column: ReadNumber, side: int, edges: Floats, chosen: Floats) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        values = column.of(outputs)
        return np.isfinite(values) & np.isin(np.searchsorted(edges, values, side="right"), chosen)

    ends = [float("-inf"), *edges, float("inf")]
    ranges: list[list[float]] = []
    for place in chosen.astype(int):
        if ranges and ranges[-1][1] == ends[place]:
            ranges[-1][1] = ends[place + 1]
        else:
            ranges.append([ends[place], ends[place + 1]])
    shown = " or ".join(f"[{low:.6g}, {high:.6g})" for low, high in ranges[:4])
    more = f" or one of {len(ranges) - 4} more ranges" if len(ranges) > 4 else ""
    return ProposedEvent(words=f"{column.words} lies in {shown}{more}", side=side, holds=holds)
