"""What a contact may bring: so many frames of new posts a day, evenly, and some of them at once.

A quota that may be used up at once lets one who floods fill every queue of a crowd, and what honest contacts give on of
it uses up their quotas, too. Evenly means that a flood comes as slowly as its quota allows. What comes too fast is not
answered: the contact tries again, so that it comes later and is not lost. A long post counts by its frames, and is
taken whole as soon as a short one would be: the rest is a debt.

**What a second contact offers, too, needs no quota.** A post that spreads in a crowd is soon offered by several
contacts, whoever brings it first; one of a flood is at first with its author alone. So a quota holds what only one
contact has, and the crowd's own posts are never refused because a relay spent hers on a flood. Whoever floods over m
links has at most m quotas of posts in a crowd, however long her reach, unless two who flood share a contact: these are
witnesses for each other (docs/math/spread-protocols.md).

A contact whose posts are approved may bring up to four times as much; each that came and was not approved takes an
eighth of a doubling back, so that only one whose posts go on being approved keeps it. Two numbers are kept for each
contact: until when it has used up what it may bring, in parts of a tick of which a frame takes a whole number however
often it was approved; and its standing, in eighths of a doubling.
"""

from collections.abc import Mapping

from banister.spread.node.messages import Link, MessageId, Tick
from banister.spread.node.pieces import pieces_of
from banister.spread.node.state import DOUBLINGS, Settings

Numbers = Mapping[Link, int]
Offers = Mapping[MessageId, Link]
APPROVAL = 8
"""So many posts that nobody approved take back what one approval gave."""


def admitted(settings: Settings, taken: Numbers, standing: Numbers, link: Link, now: Tick) -> bool:
    """Whether a contact may bring one more now; always where there is no quota."""
    used = _used(settings, taken, link, now) + _frame(settings, standing, link)
    return not settings.quota or used <= _at_once(settings)


def charged(
    settings: Settings, taken: Numbers, standing: Numbers, link: Link, body: bytes, now: Tick
) -> tuple[Numbers, Numbers]:
    """Both accounts after a post that came from a contact, or is kept as if it had come: as full as one that was
    admitted can make them, and no fuller."""
    frame = _frame(settings, standing, link)
    used = min(_used(settings, taken, link, now), max(_at_once(settings) - frame, 0))
    left = max(standing.get(link, 0) - 1, 0)
    return {**taken, link: _parts(settings, now) + used + frame * pieces_of(body)}, {**standing, link: left}


def noted(settings: Settings, offered: Offers, name: MessageId, link: Link) -> Offers:
    """With what a contact offered who may bring no more now; of more than memory has room for, her oldest is out."""
    kept = {**offered, name: link}
    mine = [other for other, whose in kept.items() if whose == link]
    if len(mine) > settings.memory:
        del kept[mine[0]]
    return kept


def without(offered: Offers, name: MessageId) -> Offers:
    """Once it was taken."""
    return {other: link for other, link in offered.items() if other != name} if name in offered else offered


def raised(standing: Numbers, link: Link) -> Numbers:
    """After an approval."""
    return {**standing, link: min(standing.get(link, 0) + APPROVAL, DOUBLINGS * APPROVAL)}


def in_use(settings: Settings, taken: Numbers, *, now: Tick) -> Numbers:
    """Without the accounts that time has evened out."""
    return {link: until for link, until in taken.items() if until > _parts(settings, now)}


def _parts(settings: Settings, now: Tick) -> int:
    return now * (settings.quota << DOUBLINGS)


def _used(settings: Settings, taken: Numbers, link: Link, now: Tick) -> int:
    return max(taken.get(link, 0) - _parts(settings, now), 0)


def _frame(settings: Settings, standing: Numbers, link: Link) -> int:
    """What one frame takes: its share of an epoch, and half as much with each doubling."""
    return settings.epoch << (DOUBLINGS + -standing.get(link, 0) // APPROVAL)


def _at_once(settings: Settings) -> int:
    return settings.burst * (settings.epoch << DOUBLINGS)
