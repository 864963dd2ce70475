"""Noise that comes again: a new process that draws the same outputs as the one before it, because its seed is fixed."""

import math
from dataclasses import replace

from banister.audit.attacks.bounds import epsilon_shown
from banister.audit.finding import Finding
from banister.audit.targets.target import Target
from banister.errors import BadValue

_LENGTH = 32
_MOST_PROCESSES = 60


def repeated_noise(target: Target, pair: tuple[object, object], nothing: Finding, *, risk: float) -> Finding | None:
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
    needed = math.ceil(-math.log(risk / 2) / math.log1p(math.exp(-min(float(nothing.epsilon), 30.0)))) + 2
    if here != again or len(set(here)) == 1 or not differ or needed > _MOST_PROCESSES:
        return None
    call = differ[0]
    hits = sum(repr(target.draw(pair[0], call + 1)[call]) == here[call] for _ in range(needed))
    others = sum(repr(target.draw(pair[1], call + 1)[call]) == here[call] for _ in range(needed))
    shown = float(epsilon_shown(hits, others, draws=needed, delta=float(nothing.delta), risk=risk))
    if not shown > nothing.epsilon:
        return None
    words = f"call {call + 1} of every new process gives {here[call][:60]}: its noise is the same each time"
    return replace(
        nothing,
        shown=shown,
        event=words,
        attack="repeats",
        hits=hits,
        others=others,
        tested=needed,
        draws=needed,
        tests=1,
    )
