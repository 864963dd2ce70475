"""What becomes of one's own post: it begins when somebody can take it, and is then kept like one that came."""

import hashlib

from banister.sampling.bits import BitSource
from banister.sampling.whole import uniform_below
from banister.spread.node.ages import end_of_life, posted_at, step_of, told_age
from banister.spread.node.messages import PARTS, Link, Tick
from banister.spread.node.state import Alarm, Held, NodeState, Settings


def is_alone(held: Held) -> bool:
    """Whether it was written here and no contact has it or is being asked."""
    return held.parent is None and not (held.children or held.asked or held.known)


def place_of(secret: bytes, parent: Link | None, link: Link) -> bytes:
    """Where a contact stands in the order of an epoch, for what came over a link: without the epoch's secret all orders
    are equally likely."""
    came = -1 if parent is None else parent
    return hashlib.blake2b(b"%d %d" % (came, link), key=secret, digest_size=16).digest()


def turn_of(state: NodeState, held: Held) -> Link | None:
    """In whose turn a message is given on: of the contact that brought it, and one's own in that of the contact who is
    asked last, so that it waits behind others as one does that came from there. A turn of its own would be short
    whenever all contacts bring much, and tell who wrote it."""
    if held.parent is not None or not state.contacts:
        return held.parent
    return max(state.contacts, key=lambda link: place_of(state.secret, None, link))


def leaf_from(settings: Settings, held: Held, link: Link, *, room: bool, now: Tick, bits: BitSource) -> Held | None:
    """The author's copy as that of a leaf which got it at this moment from a contact that told its age, rounded as
    ages are told. Where none are told nothing is rounded. What comes when the contact's account has no `room` is kept
    only where another offered it, too: so it is that of such a leaf, and nothing until another has it."""
    others = tuple(other for other in (*held.known, *held.children) if other != link)
    if not (room or others):
        return None
    step, since = step_of(settings, held), now
    if settings.embargo:
        age, part = told_age(settings, held, now=now, toss=uniform_below(step, bits) if PARTS % step else 0)
    else:
        age, part = told_age(settings, held, now=now, toss=step)
        since = posted_at(settings, held) + (age * PARTS + part) * step // PARTS
    witnesses = () if room else others[:1]
    known = (*witnesses, *(other for other in held.known if other not in (link, *witnesses)))
    children = tuple(other for other in held.children if other not in (link, *witnesses))
    return Held(
        held.id,
        held.body,
        link,
        since,
        age=age,
        part=part,
        children=children,
        asked=held.asked,
        untried=held.untried,
        quota=held.quota,
        known=known,
    )


def moved(alarms: list[Alarm], settings: Settings, held: Held, leaf: Held, *, now: Tick) -> list[Alarm]:
    """All alarms, with those of a copy as a leaf has them: counted from its age as the leaf knows it, none of a climb,
    and the embargo that was drawn."""
    later = posted_at(settings, leaf) - posted_at(settings, held)
    made = [alarm for alarm in alarms if alarm.id != held.id]
    for alarm in alarms:
        if alarm.id == held.id and alarm.what == "forget":
            made.append(Alarm(end_of_life(settings, leaf), held.id, alarm.what))
        elif alarm.id == held.id and alarm.what != "tell":
            made.append(Alarm(max(alarm.at + later, now + 1), held.id, alarm.what))
    return sorted(made)
