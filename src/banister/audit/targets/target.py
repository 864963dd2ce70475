"""What an audit asks of whatever it attacks."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from banister.audit.attacks.event import Outputs
from banister.clock import lap
from banister.sampling.simulation import seeded

Pair = tuple[object, object]
_ORDER = 18
"""The seed of the order in which two inputs have their turns."""


class Target(Protocol):
    """Something that is run on an input and gives an output."""

    @property
    def starts_afresh(self) -> bool:
        """Whether every call of `draw` starts a new process, so that noise from a fixed seed comes again."""

    def draw(self, given: object, count: int) -> Outputs:
        """So many outputs on one input, each drawn for itself."""

    def draw_both(self, pair: Pair, count: int) -> tuple[Outputs, Outputs]:
        """So many outputs on each of two inputs. Foreign code is called on them in turns (`turns`)."""


def turns(count: int) -> NDArray[np.int8]:
    """An order, by chance, in which each of two inputs has that many turns.

    Were one side drawn after the other, or in another process, then whatever drifts (a clock, a counter, a cache) and
    whatever is fixed for a process (addresses, the order of a set) would tell the sides apart, and a mechanism that
    keeps its word would be accused. The order is the same for every audit, so that one can be repeated.

    >>> order = turns(5)
    >>> len(order), int(order.sum())
    (10, 5)
    """
    order = np.repeat(np.array([0, 1], dtype=np.int8), count)
    return np.asarray(seeded(_ORDER, count).permutation(order), dtype=np.int8)


def in_turns(one: Callable[[int], object], count: int) -> tuple[list[object], list[object]]:
    """So many outputs on each of two inputs, called in turns; `one` is told which input it is."""
    drawn: tuple[list[object], list[object]] = ([], [])
    for side in turns(count).tolist():
        drawn[side].append(one(side))
    return drawn


def timed(call: Callable[[], object]) -> float:
    """How many seconds a call took, whatever it gave.

    >>> timed(lambda: 1) >= 0
    True
    """
    begin = lap()
    call()
    return lap() - begin
