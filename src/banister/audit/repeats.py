"""Noise that comes again: in every new process, because its seed is fixed, or in every fork of one that is running."""

import math
from collections.abc import Callable
from dataclasses import replace

from banister.audit.attacks.bounds import epsilon_shown
from banister.audit.finding import Finding
from banister.audit.targets.target import Pair, Target
from banister.errors import BadValue

_LENGTH = 32
_MOST_PROCESSES = 60
_LOOK = 3
"""So many pairs of forks are looked at before more are made to be counted."""


def repeated_noise(target: Target, pair: Pair, nothing: Finding, *, risk: float) -> Finding | None:
    """The call after the start of a process whose output is always the same and tells the two inputs apart, tested on
    further processes; None when outputs do not come again, or as many processes as it needs are too many."""
    here, again = ([repr(each) for each in target.draw(pair[0], _LENGTH)] for _ in range(2))
    there = [repr(each) for each in target.draw(pair[1], _LENGTH)]
    if len(set(here)) == 1 == len(set(again)) and here != again:
        raise BadValue(
            f"{nothing.target} gives one output again and again within a process and another in the next: its calls "
            "are not drawn for themselves, and an audit cannot count them. Have every call draw its noise."
        )
    differ = [place for place in range(_LENGTH) if here[place] != there[place]]
    needed = _needed(float(nothing.epsilon), risk)
    if here != again or len(set(here)) == 1 or not differ or needed > _MOST_PROCESSES:
        return None
    call = differ[0]
    hits = sum(repr(target.draw(pair[0], call + 1)[call]) == here[call] for _ in range(needed))
    others = sum(repr(target.draw(pair[1], call + 1)[call]) == here[call] for _ in range(needed))
    words = f"call {call + 1} of every new process gives {here[call][:60]}: its noise is the same each time"
    return _counted(nothing, hits, others, needed, words=words, risk=risk)


def forked_noise(target: Target, pair: Pair, nothing: Finding, *, risk: float) -> Finding | None:
    """Two forks of one process that give the same output when they have the same input, and another when they do not.

    What the second fork gives is about an input that everybody knows, so with noise of its own it tells nothing about
    what the first was given. Where both have the noise that was in the process before it forked, the two outputs are
    the same just when the inputs are. None where that does not happen, or where the target does not fork.
    """
    fork: Callable[[Pair, str], list[object]] | None = getattr(target, "draw_forked", None)
    needed = _needed(float(nothing.epsilon), risk)
    if fork is None or needed > _MOST_PROCESSES:
        return None
    if _same(fork(pair, "00" * _LOOK)) < _LOOK or _same(fork(pair, "01" * _LOOK)) == _LOOK:
        return None
    hits, others = (_same(fork(pair, each * needed)) for each in ("00", "10"))
    words = "two forks of a process give the same answer to the same input: they go on with the same noise"
    return _counted(nothing, hits, others, needed, words=words, risk=risk)


def _same(outputs: list[object]) -> int:
    """How many times two forks gave the same; what is missing at the end counts as another."""
    told = [repr(each) for each in outputs]
    return sum(one == other for one, other in zip(told[::2], told[1::2], strict=False))


def _needed(epsilon: float, risk: float) -> int:
    """How many times something must happen without exception, and never on the other side, to show more than that."""
    return math.ceil(-math.log(risk / 2) / math.log1p(math.exp(-min(epsilon, 30.0)))) + 2


def _counted(nothing: Finding, hits: int, others: int, tested: int, *, words: str, risk: float) -> Finding | None:
    shown = float(epsilon_shown(hits, others, draws=tested, delta=float(nothing.delta), risk=risk))
    if not shown > nothing.epsilon:
        return None
    return replace(
        nothing,
        shown=shown,
        event=words,
        attack="repeats",
        hits=hits,
        others=others,
        tested=tested,
        draws=tested,
        tests=1,
    )
