"""Flooding, diffusion and Dandelion at a node."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from banister import need
from banister.core.exact.written import Number
from banister.spread.node.messages import Asked, Copy, Link
from banister.spread.node.rules.base import Quiet, tell_by_chance, tossed
from banister.spread.node.state import Held

if TYPE_CHECKING:
    from banister.spread.node.step import Desk


@dataclass(frozen=True, slots=True, init=False)
class GossipRules(Quiet):
    """The node's side of `protocols.Diffusion`, and of `protocols.Flooding` with rate 1."""

    rate: Fraction

    def __init__(self, rate: Number) -> None:
        object.__setattr__(self, "rate", need.between("rate", need.positive("rate", rate), 0, 1))

    def posted(self, desk: "Desk", held: Held) -> None:
        self.arrived(desk, held)

    def arrived(self, desk: "Desk", held: Held) -> None:
        others = tuple(link for link in desk.contacts if link != held.parent and link not in held.asked)
        desk.keep(replace(held, untried=others))
        desk.remind(held, "gossip", 1)

    def alarm(self, desk: "Desk", held: Held, what: str) -> None:
        if tell_by_chance(desk, held, self.rate, Copy(held.id, held.body)):
            desk.remind(held, "gossip", 1)

    def copy_answered(self, desk: "Desk", held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        return


@dataclass(frozen=True, slots=True, init=False)
class StemRules(Quiet):
    """The node's side of `protocols.Dandelion`: a climbing copy is on its secret walk."""

    fluff: Fraction
    gossip: GossipRules

    def __init__(self, fluff: Number, rate: Number) -> None:
        object.__setattr__(self, "fluff", need.between("fluff", need.positive("fluff", fluff), 0, 1))
        object.__setattr__(self, "gossip", GossipRules(rate))

    def posted(self, desk: "Desk", held: Held) -> None:
        desk.keep(replace(held, climbing=True))
        desk.remind(held, "walk", 1)

    def arrived(self, desk: "Desk", held: Held) -> None:
        if held.climbing and not tossed(self.fluff, desk):
            desk.remind(held, "walk", 1)
        else:
            self.gossip.arrived(desk, held)

    def repeated(self, desk: "Desk", held: Held, frame: Copy) -> None:
        """Who was on the walk diffuses too, once the diffusion comes by."""
        if held.climbing and not frame.climbing:
            self.gossip.arrived(desk, replace(held, climbing=False))

    def alarm(self, desk: "Desk", held: Held, what: str) -> None:
        if what == "gossip":
            self.gossip.alarm(desk, held, what)
            return
        onward = tuple(link for link in desk.contacts if link != held.parent) or desk.contacts
        desk.ask(desk.pick(onward), Copy(held.id, held.body, climbing=True))

    def copy_answered(self, desk: "Desk", held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        """A walk that comes to somebody who has been on it ends here: from here on it diffuses, once."""
        if not fresh and isinstance(frame, Copy) and frame.climbing and held.climbing:
            self.gossip.arrived(desk, replace(held, climbing=False))
