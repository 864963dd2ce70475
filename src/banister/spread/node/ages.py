"""How old a message is, by what its copy told and by the clock here: in steps of a length common to all holders."""

from dataclasses import replace

from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below
from banister.spread.node.codec import LONGEST_BODY
from banister.spread.node.messages import PARTS, Copy, Tick
from banister.spread.node.state import OLDEST, Held, Settings


def dated(settings: Settings, held: Held, frame: Copy, *, now: Tick, bits: BitSource) -> Copy:
    """A copy with its age at this moment, for whoever lets frames wait before a link takes them.

    Where there is an embargo every copy tells its age, at the moment it is sent, so that all timers start at one age of
    the post. Where there is none, rules that need no age tell none.
    """
    if not settings.embargo:
        return frame
    step = step_of(settings, held)
    parts, rest = divmod(max(now - posted_at(settings, held), 0) * PARTS, step)
    parts += uniform_below(step, bits) < rest
    age, part = divmod(min(parts, OLDEST * PARTS + PARTS - 1), PARTS)
    return replace(frame, age=age, part=part)


def step_of(settings: Settings, held: Held) -> Tick:
    """The length of a step for a message: what takes several frames takes so many times as long, at every holder."""
    return settings.step_ticks * max(-(-len(held.body) // LONGEST_BODY), 1)


def posted_at(settings: Settings, held: Held) -> Tick:
    """When it was posted, by the clock here and by what the copy told."""
    return held.since - (held.age * PARTS + held.part) * step_of(settings, held) // PARTS
