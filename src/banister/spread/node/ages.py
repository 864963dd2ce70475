"""How old a message is, by what its copy told and by the clock here: in steps of a length common to all holders."""

from dataclasses import replace

from banister.sampling.bits import BitSource
from banister.sampling.whole import uniform_below
from banister.spread.node.codec import LONGEST_BODY
from banister.spread.node.messages import PARTS, Copy, Tick
from banister.spread.node.state import OLDEST, Held, Settings

PIECE_TICKS: Tick = 2
"""By so many ticks each further frame of a body makes its steps longer."""
LEAST_LIFE = 3
"""Whatever age a copy tells, it stays a third of a life: who lies about it cannot make a post vanish at once."""

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
    toss = uniform_below(step_of(settings, held), bits)
    age, part = told_age(settings, held, now=now + TRANSIT, toss=toss)
    return replace(frame, age=age, part=part)


def told_age(settings: Settings, held: Held, *, now: Tick, toss: Tick) -> tuple[int, int]:
    """The age at a moment as frames tell it: whole steps, and sixteenths, rounded by a toss below a step's length."""
    step = step_of(settings, held)
    parts, rest = divmod(max(now - posted_at(settings, held), 0) * PARTS, step)
    parts += toss < rest
    return divmod(min(parts, OLDEST * PARTS + PARTS - 1), PARTS)


def step_of(settings: Settings, held: Held) -> Tick:
    """The length of a step for a message, the same at every holder: what takes several frames has room in it for all
    but the first twice, since pieces take turns with what else a link carries."""
    pieces = max(-(-len(held.body) // LONGEST_BODY), 1)
    return settings.step_ticks + (pieces - 1) * PIECE_TICKS


def posted_at(settings: Settings, held: Held) -> Tick:
    """When it was posted, by the clock here and by what the copy told."""
    return held.since - (held.age * PARTS + held.part) * step_of(settings, held) // PARTS


def end_of_embargo(settings: Settings, held: Held, *, now: Tick, bits: BitSource) -> Tick:
    """A random time after the horizon, counted from the post and not from the arrival, which is earliest at home.

    Frames take time, so the clocks of those farther away are a little late. A sum of three uniform numbers is seldom
    small: the first of many to end is hundreds of ticks after the horizon, where a few make no difference; with one
    uniform number it would be a few ticks after it, and those nearest to the author would be first.
    """
    step = step_of(settings, held)
    third = (settings.embargo * step + 2) // 3
    ticks = sum(uniform_below(third, bits) for _ in range(3))
    return max(posted_at(settings, held) + settings.horizon * step + 1 + ticks, now + 1)


def end_of_life(settings: Settings, held: Held) -> Tick:
    """When a message is forgotten: everywhere at one age, where ages are told. However long its own steps are."""
    life = settings.lifetime * settings.step_ticks
    if not settings.embargo:
        return held.since + life
    return max(posted_at(settings, held) + life, held.since + life // LEAST_LIFE)


def outlived(settings: Settings, held: Held, *, now: Tick) -> bool:
    """Whether it is too old to be given to anybody who was away."""
    return settings.embargo > 0 and now - posted_at(settings, held) >= settings.lifetime * settings.step_ticks
