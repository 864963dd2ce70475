"""Exactly as many links for everybody, agreed on among friends: each introduces places of two of hers to each other.

Somebody has so many *places*, and offers each to a friend drawn at random. The friend matches it with a place that
another friend of hers offers; the two places are then one link, which goes through her. Who waits in vain takes the
mate of a matched pair, and the place that this sets free looks elsewhere: so the last few find each other too. A friend
learns which two of her friends have a link through her, and the two learn nothing of each other but what they say
through it. Names of places are fresh for each offer, so that they tell nothing when they are offered again.

Pure, like `step`: what happened and random bits in, a new state and what to tell whom out. What is said through a link,
and sealing it against the friend who carries it, is not decided here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from banister import need
from banister.sampling.bits import BitSource
from banister.sampling.whole import uniform_below
from banister.spread.node.messages import Link

PlaceName = bytes
NAME_BITS = 128


@dataclass(frozen=True, slots=True)
class OverlaySettings:
    """`links` that everybody shall have, at first one through each friend, one more in every `widen` turns, and
    `per_friend` at most. Who took a place has it wait for `patience` turns before she breaks up a pair for it."""

    links: int
    per_friend: int
    widen: int = 10
    patience: int = 1

    def __post_init__(self) -> None:
        need.whole("links", self.links, least=2)
        need.whole("per_friend", self.per_friend, least=1, most=self.links)
        need.whole("widen", self.widen, least=1)
        need.whole("patience", self.patience, least=0)

    @classmethod
    def for_links(cls, links: int) -> "OverlaySettings":
        """So many through one friend that three friends are enough: with fewer nobody may write anyhow."""
        return cls(links=links, per_friend=-(-need.whole("links", links, least=2) // 3))

    def room(self, turn: int) -> int:
        """How many places one friend may have with another by then."""
        return min(self.per_friend, 1 + turn // self.widen)


@dataclass(frozen=True, slots=True)
class Offered:
    """Find a mate for this place of mine."""

    name: PlaceName


@dataclass(frozen=True, slots=True)
class Matched:
    """It has one: what you say for this place goes there."""

    name: PlaceName


@dataclass(frozen=True, slots=True)
class Freed:
    """It has none, or none any more: offer it elsewhere."""

    name: PlaceName


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """I take it back."""

    name: PlaceName


Told = Offered | Matched | Freed | Withdrawn
"""What friends tell each other about places."""


@dataclass(frozen=True, slots=True)
class FriendTold:
    """A friend told something."""

    link: Link
    told: Told


@dataclass(frozen=True, slots=True)
class NextTurn:
    """Another turn begins: free places are offered, and whoever has waited long enough is served."""


@dataclass(frozen=True, slots=True)
class Here:
    """A friend is there, for the first time or again."""

    link: Link


@dataclass(frozen=True, slots=True)
class Gone:
    """A friend is away, or none any more."""

    link: Link


@dataclass(frozen=True, slots=True)
class Useless:
    """A link of mine leads to where another does, or to myself: look for a better one."""

    name: PlaceName


OverlayEvent = FriendTold | NextTurn | Here | Gone | Useless


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A place of mine, with the friend to whom it was offered, and whether it has a mate, or for how many turns not."""

    via: Link
    matched: bool = False
    waited: int = 0


@dataclass(frozen=True, slots=True)
class Guest:
    """A friend's place that I hold: its mate (another guest), or for how many turns it has waited."""

    link: Link
    mate: PlaceName | None = None
    waited: int = 0
    first: bool = True
    """Whether it was the only one of that friend here when it came; pairs are broken up for no other."""


@dataclass(frozen=True, slots=True)
class OverlayState:
    """What a node knows of places: its own by name, so many of them as were offered, and its friends'."""

    settings: OverlaySettings
    contacts: tuple[Link, ...]
    places: Mapping[PlaceName, OwnPlace] = field(default_factory=dict)
    guests: Mapping[PlaceName, Guest] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether all my places have mates: who may write."""
        return sum(place.matched for place in self.places.values()) == self.settings.links

    def mate_of(self, link: Link, name: PlaceName) -> tuple[Link, PlaceName] | None:
        """Where what a friend says for her place goes; nowhere if it is not hers or has no mate."""
        guest = self.guests.get(name)
        if guest is None or guest.link != link or guest.mate is None:
            return None
        return self.guests[guest.mate].link, guest.mate


def overlay_step(
    state: OverlayState, event: OverlayEvent, *, turn: int, bits: BitSource
) -> tuple[OverlayState, tuple[tuple[Link, Told], ...]]:
    """What the node knows then, and what it tells to whom, in this order. `turn` is how many have begun, by its clock.

    >>> from banister.sampling.bits import SYSTEM
    >>> node = OverlayState(OverlaySettings(links=4, per_friend=2), contacts=(1, 2, 3))
    >>> after, told = overlay_step(node, NextTurn(), turn=12, bits=SYSTEM)
    >>> len(told), after.complete
    (4, False)
    """
    desk = _Desk(state, turn, bits)
    if isinstance(event, FriendTold):
        desk.hear(event.link, event.told)
    elif isinstance(event, NextTurn):
        desk.serve_waiting()
        desk.give_up()
        desk.offer_free()
    elif isinstance(event, Here):
        desk.contacts = (*(link for link in desk.contacts if link != event.link), event.link)
    elif isinstance(event, Gone):
        desk.lose(event.link)
    elif event.name in desk.places:
        desk.tell(desk.places.pop(event.name).via, Withdrawn(event.name))
    made = OverlayState(state.settings, desk.contacts, desk.places, desk.guests)
    return made, tuple(desk.told)


class _Desk:
    """One step under way."""

    def __init__(self, state: OverlayState, turn: int, bits: BitSource) -> None:
        self.settings, self.contacts, self.bits = state.settings, state.contacts, bits
        self.room = state.settings.room(turn)
        self.places, self.guests = dict(state.places), dict(state.guests)
        self.told: list[tuple[Link, Told]] = []

    def tell(self, link: Link, told: Told) -> None:
        self.told.append((link, told))

    def hear(self, link: Link, told: Told) -> None:
        """Whatever does not fit what I know of that friend is passed over."""
        if link not in self.contacts:
            return
        guest, place = self.guests.get(told.name), self.places.get(told.name)
        if isinstance(told, Offered):
            if guest is None and len(told.name) * 8 == NAME_BITS:
                self._take(link, told.name)
        elif isinstance(told, Withdrawn):
            if guest is not None and guest.link == link:
                self._drop(told.name)
        elif place is not None and place.via == link:
            if isinstance(told, Freed):
                del self.places[told.name]
            else:
                self.places[told.name] = replace(place, matched=True)

    def _take(self, link: Link, name: PlaceName) -> None:
        here = sum(guest.link == link for guest in self.guests.values())
        if here >= self.room:
            self.tell(link, Freed(name))
            return
        near = self._introduced(link)
        waiting = [k for k, guest in self.guests.items() if guest.mate is None and guest.link not in near]
        self.guests[name] = Guest(link, first=here == 0)
        if waiting:
            self._match(name, self._drawn(waiting))

    def _introduced(self, link: Link) -> set[Link]:
        """The friend, and those who have a link with her through me already."""
        own = [guest.mate for guest in self.guests.values() if guest.link == link and guest.mate is not None]
        return {link, *(self.guests[mate].link for mate in own)}

    def _match(self, one: PlaceName, other: PlaceName) -> None:
        for name, mate in ((one, other), (other, one)):
            self.guests[name] = replace(self.guests[name], mate=mate)
            self.tell(self.guests[name].link, Matched(name))

    def _drop(self, name: PlaceName) -> None:
        """Without this guest; its mate looks elsewhere."""
        mate = self.guests.pop(name).mate
        if mate is not None:
            self.tell(self.guests.pop(mate).link, Freed(mate))

    def serve_waiting(self) -> None:
        """Who has waited long enough gets one of a pair, whose other looks elsewhere; or looks elsewhere herself."""
        for name in [name for name, guest in self.guests.items() if guest.mate is None]:
            guest = self.guests.get(name)
            if guest is None or guest.mate is not None:
                continue
            if guest.waited < self.settings.patience:
                self.guests[name] = replace(guest, waited=guest.waited + 1)
                continue
            near = self._introduced(guest.link)
            pairs = [k for k, other in self.guests.items() if other.mate is not None and other.link not in near]
            if not (guest.first and pairs):
                del self.guests[name]
                self.tell(guest.link, Freed(name))
                continue
            taken = self._drawn(pairs)
            left = self.guests[taken].mate
            assert left is not None
            self.tell(self.guests.pop(left).link, Freed(left))
            self._match(name, taken)

    def give_up(self) -> None:
        """Take back what a friend neither matches nor returns in the time in which an honest one does."""
        for name, place in list(self.places.items()):
            if not place.matched:
                if place.waited > self.settings.patience + 1:
                    del self.places[name]
                    self.tell(place.via, Withdrawn(name))
                else:
                    self.places[name] = replace(place, waited=place.waited + 1)

    def offer_free(self) -> None:
        """Each free place to a friend drawn among those with room for it."""
        for _ in range(self.settings.links - len(self.places)):
            used = [place.via for place in self.places.values()]
            open_to = [link for link in self.contacts if used.count(link) < self.room]
            if not open_to:
                return
            name = self.bits.take(NAME_BITS).to_bytes(NAME_BITS // 8, "big")
            self.places[name] = OwnPlace(open_to[uniform_below(len(open_to), self.bits)])
            self.tell(self.places[name].via, Offered(name))

    def lose(self, link: Link) -> None:
        """Nothing goes through her, and nothing of hers goes through me."""
        self.contacts = tuple(each for each in self.contacts if each != link)
        self.places = {name: place for name, place in self.places.items() if place.via != link}
        for name in [name for name, guest in self.guests.items() if guest.link == link]:
            if name in self.guests:
                self._drop(name)

    def _drawn(self, names: list[PlaceName]) -> PlaceName:
        return names[uniform_below(len(names), self.bits)]


def pairs_of(state: OverlayState) -> Iterator[tuple[tuple[Link, PlaceName], tuple[Link, PlaceName]]]:
    """The links that go through a node, each once."""
    for name, guest in state.guests.items():
        if guest.mate is not None and name < guest.mate:
            yield (guest.link, name), (state.guests[guest.mate].link, guest.mate)
