"""Protocol 1 at a node: two counters travel with the message, the hops to the author and the steps since the post."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from banister.spread.node.messages import Asked, Copy, Link
from banister.spread.node.rules.base import Quiet, tell_by_chance
from banister.spread.node.state import Held

if TYPE_CHECKING:
    from banister.spread.node.step import Desk


@dataclass(frozen=True, slots=True)
class LineRules(Quiet):
    """The node's side of `protocols.Line`. Every receiver learns how far the author is: the price of this protocol."""

    def posted(self, desk: "Desk", held: Held) -> None:
        self.arrived(desk, held)

    def arrived(self, desk: "Desk", held: Held) -> None:
        desk.keep(replace(held, untried=tuple(link for link in desk.contacts if link != held.parent)))
        desk.remind(held, "extend", 1)

    def alarm(self, desk: "Desk", held: Held, what: str) -> None:
        now = desk.age_of(held)
        if now > desk.settings.horizon:
            return
        copy = Copy(held.id, held.body, level=held.level + 1, age=now)
        # A counter ahead of its time, which only a liar sends, is not a chance above 1.
        if tell_by_chance(desk, held, min(Fraction(held.level + 1, now + 1), Fraction(1)), copy):
            desk.remind(held, "extend", 1)

    def copy_answered(self, desk: "Desk", held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        return
