"""What an attack proposes: a set of outputs that one of two neighbours is thought to give more often."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from banister.audit.attacks.bounds import epsilon_shown

Marks = NDArray[np.bool_]
Column = NDArray[Any]
Outputs = Sequence[object] | NDArray[Any]

_RISK = 1e-4
"""What candidates are compared at; the test that follows has its own."""
_CUTS = 400
"""At most so many places are tried at which an order is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEvent:
    """A set of outputs, in words, and the side (0 or 1) that gives it more often."""

    words: str
    side: int
    holds: Callable[[Outputs], Marks]


class Attack(Protocol):
    """What every file on the shelf has: a name, and events proposed from outputs on two neighbours."""

    NAME: str

    def propose(self, first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]: ...


def of_numbers(outputs: Outputs, *, parts: bool) -> bool:
    """Whether it is an array of numbers: with one number an output, or with a row of parts each."""
    right = isinstance(outputs, np.ndarray) and outputs.dtype.kind in "iuf"
    return right and outputs.ndim == 1 + parts  # type: ignore[union-attr]


def best_cut(more: Column, less: Column, *, draws: int, delta: float) -> int | None:
    """After which of the bins, in their order, to cut so that those before show most; None when none shows anything."""
    if len(more) == 0:
        return None
    hits, others = np.cumsum(more), np.cumsum(less)
    tried = np.unique(np.linspace(0, len(hits) - 1, min(len(hits), _CUTS)).astype(int))
    shown = epsilon_shown(hits[tried], others[tried], draws=draws, delta=delta, risk=_RISK)
    best = int(np.argmax(shown))
    return int(tried[best]) if shown[best] > 0 else None


def sides(first: Outputs, second: Outputs) -> tuple[tuple[int, Outputs, Outputs], tuple[int, Outputs, Outputs]]:
    """Both directions: which side is to give more, its outputs, and those of the other."""
    return (0, first, second), (1, second, first)
