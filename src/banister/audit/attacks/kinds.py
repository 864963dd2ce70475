"""What kind of output it is: its type, length and keys, no number, infinite, minus zero, or an exception's text."""

import math

import numpy as np

from banister.audit.attacks.counts import likeliest, listed
from banister.audit.attacks.event import Column, Marks, Outputs, ProposedEvent, of_numbers
from banister.audit.targets.raised import RaisedError

NAME = "kinds"


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """The best set of kinds, in both directions; none when all outputs are of one kind."""
    if _of_one_kind(first) and _of_one_kind(second):
        return []
    here, there = kinds(first), kinds(second)
    if len(np.unique(np.concatenate([here, there]))) < 2:
        return []
    found = []
    for side, more, less in ((0, here, there), (1, there, here)):
        chosen = likeliest(more, less, delta)
        if len(chosen):
            found.append(_event(chosen, side))
    return found


def _of_one_kind(outputs: Outputs) -> bool:
    """Whether an array has nothing odd in it, told without a look at each: ten million take a moment."""
    if of_numbers(outputs, parts=True):
        return True
    if not isinstance(outputs, np.ndarray):
        return False
    zero_below = (outputs == 0) & np.signbit(outputs) if outputs.dtype.kind == "f" else np.array([False])
    return outputs.dtype.kind in "iu" or bool(np.isfinite(outputs).all() and not zero_below.any())


def kinds(outputs: Outputs) -> Column:
    """The kind of every output, in words."""
    if isinstance(outputs, np.ndarray):
        outputs = outputs.tolist()
    return np.array([kind(each) for each in outputs])


def kind(value: object) -> str:
    """The kind of one output.

    >>> kind(-0.0), kind(3), kind([1, 2]), kind({"b": 1})
    ('minus zero', 'a whole number', 'a list of 2', 'a table of b')
    """
    if isinstance(value, RaisedError):
        return f"an error: {value}"
    if isinstance(value, float):
        return _kind_of_double(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a table of {', '.join(str(key) for key in value)}"
    names = {bool: "true or false", int: "a whole number", str: "a text", type(None): "nothing"}
    return names.get(type(value), type(value).__name__)


def _kind_of_double(value: float) -> str:
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinity"
    return "minus zero" if value == 0 and math.copysign(1, value) < 0 else "a double"


def _event(chosen: Column, side: int) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        return np.isin(kinds(outputs), chosen)

    return ProposedEvent(words=f"the answer is {listed(chosen)}", side=side, holds=holds)
