"""Outputs that come again: those with the largest ratio of counts, as many as show most."""

import numpy as np

from banister.audit.attacks.event import Column, Marks, Outputs, ProposedEvent, best_cut, of_numbers, sides

NAME = "counts"

_LEAST = 5
"""A value that came less often is left out: what it did in one half says nothing of the other."""


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """The best set of values, in both directions."""
    found = []
    for side, here, there in sides(first, second):
        chosen = likeliest(keys(here), keys(there), delta)
        if len(chosen):
            found.append(_event(chosen, side, here, there))
    return found


def keys(outputs: Outputs) -> Column:
    """What tells two outputs apart: numbers as they are, all else as Python writes it; of rows of an array a mix of 64
    bits, under which two rows that differ hardly ever meet, and where they do an event has both."""
    if of_numbers(outputs, parts=False):
        return np.asarray(outputs)
    if of_numbers(outputs, parts=True):
        return _mixed(np.asarray(outputs))
    return np.array([repr(each) for each in outputs])


def _mixed(rows: Column) -> Column:
    wide = rows.astype(np.float64 if rows.dtype.kind == "f" else np.int64).view(np.uint64)
    found = np.zeros(len(wide), dtype=np.uint64)
    for place in range(wide.shape[1]):
        found = (found ^ wide[:, place]) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found


def likeliest(more: Column, less: Column, delta: float) -> Column:
    """The values that one side gives more often, as many as show most; none when nothing comes again."""
    names, places = np.unique(np.concatenate([more, less]), return_inverse=True)
    hits = np.bincount(places[: len(more)], minlength=len(names))
    others = np.bincount(places[len(more) :], minlength=len(names))
    often = np.flatnonzero(hits + others >= _LEAST)
    order = often[np.argsort(-(hits[often] + 0.5) / (others[often] + 0.5), kind="stable")]
    cut = best_cut(hits[order], others[order], draws=len(more), delta=delta)
    return names[:0] if cut is None else names[order[: cut + 1]]


def listed(chosen: Column) -> str:
    """A few values in words."""
    shown = ", ".join(str(each)[:60] for each in chosen[:4])
    return shown if len(chosen) <= 4 else f"{shown} and {len(chosen) - 4} more"


def _event(chosen: Column, side: int, *seen: Outputs) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        return np.isin(keys(outputs), chosen)

    named = listed(chosen if not of_numbers(seen[0], parts=True) else _rows_of(chosen, *seen))
    words = f"the answer is {named}" if len(chosen) == 1 else f"the answer is one of {named}"
    return ProposedEvent(words=words, side=side, holds=holds)


def _rows_of(chosen: Column, *seen: Outputs) -> Column:
    """The outputs behind the first of some keys, and the keys of all others."""
    found = chosen.astype(object)
    for place, key in enumerate(chosen[:4]):
        rows = next(each[np.flatnonzero(keys(each) == key)] for each in map(np.asarray, seen) if key in keys(each))
        found[place] = rows[0].tolist()
    return found
