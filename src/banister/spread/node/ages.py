"""How old a message is, by what its copy told and by the clock here: in steps of a length common to all holders."""

from dataclasses import replace

from banister.sampling.bits import BitSource
from banister.sampling.whole import uniform_below
from banister.spread.node.codec import LONGEST_BODY
from banister.spread.node.messages import PARTS, Copy, Tick
from banister.spread.node.state import OLDEST, Held, Settings

TRANSIT: Tick = 1
"""From the tick at which a frame is made ready to the one at which the other end works on it, on average: a copy tells
the age that it will have there. Without it every hop would set the common clock back."""


def dated(settings: Settings, held: Held, frame: Copy, *, now: Tick, bits: BitSource) -> Copy:
    """A copy with its age when it will have come, for whoever lets frames wait before a link takes them.

    Where there is an embargo every copy tells its age, at the moment it is sent, so that all timers start at one age of
    the post. Where there is none, rules that need no age tell none.
    """
    if not settings.embargo:
        return frame
    step = step_of(settings, held)
    parts, rest = divmod(max(now + TRANSIT - posted_at(settings, held), 0) * PARTS, step)
    parts += uniform_below(step, bits) < rest
    age, part = divmod(min(parts, OLDEST * PARTS + PARTS - 1), PARTS)
    return replace(frame, age=age, part=part)


def step_of(settings: Settings, held: Held) -> Tick:
    """The length of a step for a message, the same at every holder: what takes several frames has room in it for all of
    them twice, to somebody and then to somebody else where it was not new."""
    pieces = max(-(-len(held.body) // LONGEST_BODY), 1)
    return settings.step_ticks + (pieces - 1) * max(settings.step_ticks // 2, 1)


def posted_at(settings: Settings, held: Held) -> Tick:
    """When it was posted, by the clock here and by what the copy told."""
    return held.since - (held.age * PARTS + held.part) * step_of(settings, held) // PARTS
