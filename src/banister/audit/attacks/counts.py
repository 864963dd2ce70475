"""Outputs that come again: those with the largest ratio of counts, as many as show most."""

import numpy as np

from banister.audit.attacks.event import Column, Marks, Outputs, ProposedEvent, best_cut, sides

NAME = "counts"

_LEAST = 5
"""A value that came less often is left out: what it did in one half says nothing of the other."""


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """The best set of values, in both directions."""
    found = []
    for side, here, there in sides(first, second):
        chosen = likeliest(keys(here), keys(there), delta)
        if len(chosen):
            found.append(_event(chosen, side))
    return found


def keys(outputs: Outputs) -> Column:
    """What tells two outputs apart: numbers as they are, all else as Python writes it."""
    if isinstance(outputs, np.ndarray) and outputs.ndim == 1 and outputs.dtype.kind in "iuf":
        return outputs
    return np.array([repr(each) for each in outputs])


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


def _event(chosen: Column, side: int) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        return np.isin(keys(outputs), chosen)

    words = f"the answer is {listed(chosen)}" if len(chosen) == 1 else f"the answer is one of {listed(chosen)}"
    return ProposedEvent(words=words, side=side, holds=holds)
