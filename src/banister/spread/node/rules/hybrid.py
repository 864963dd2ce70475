"""The recommended hybrid at a node: the tree's counter up to a common deadline, and gossip from then on."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from banister import need
from banister.core.exact.written import Number
from banister.spread.node.messages import Asked, Copy, Link
from banister.spread.node.rules.base import Quiet, tell_by_chance
from banister.spread.node.rules.counter import TreeRules
from banister.spread.node.state import Held

if TYPE_CHECKING:
    from banister.spread.node.step import Desk


@dataclass(frozen=True, slots=True, init=False)
class HybridRules(Quiet):
    """The node's side of `protocols.Hybrid`.

    Copies tell their age in steps, so that all holders change to gossip one step after step `switch`, each by its own
    clock. Where frames take a good part of a step those clocks differ a little: `quiet` steps without a word lie
    between the tree and the gossip, so that the earliest to gossip does not cut into the tree. An embargo in the
    settings stays what it is for every protocol, a failsafe: where copies got lost it lets a holder tell everybody in
    the end. With `pause` above 0 a copy that comes when everybody is told is told on after so many ticks, and not at
    the next step: hiding ended with the deadline, and every holder is one of many.
    """

    begins_again: ClassVar[bool] = True

    tree: TreeRules
    switch: int
    rate: Fraction
    quiet: int
    pause: int

    def __init__(self, switch: int, rate: Number, cap: int | None = None, *, quiet: int = 0, pause: int = 0) -> None:
        object.__setattr__(self, "tree", TreeRules(cap, ages=True))
        object.__setattr__(self, "switch", need.whole("switch", switch, least=1))
        object.__setattr__(self, "rate", need.between("rate", need.positive("rate", rate), 0, 1))
        object.__setattr__(self, "quiet", need.whole("quiet", quiet, least=0))
        object.__setattr__(self, "pause", need.whole("pause", pause, least=0))

    def posted(self, desk: "Desk", held: Held) -> None:
        self.tree.posted(desk, held)
        self._await_the_deadline(desk, held)

    def arrived(self, desk: "Desk", held: Held) -> None:
        if held.age < self.switch:
            self.tree.arrived(desk, held)
        self._await_the_deadline(desk, held)

    def _await_the_deadline(self, desk: "Desk", held: Held) -> None:
        first, age = self.switch + self.quiet + 1, desk.age_of(held)
        if self.pause and age >= first:
            desk.remind_after(held, "switch", self.pause)
        else:
            desk.remind_at(held, "switch", max(first, age + 1))

    def alarm(self, desk: "Desk", held: Held, what: str) -> None:
        if what == "tell":
            if desk.age_of(held) <= self.switch:
                self.tree.alarm(desk, held, what)
            return
        if what == "switch":  # From here on everybody who is not known to have it is asked.
            having = {*held.tree_links, *held.asked, *held.known}
            rest = tuple(link for link in desk.contacts if link not in having)
            held = replace(held, untried=rest, quota=0)
        if tell_by_chance(desk, held, self.rate, Copy(held.id, held.body, age=desk.age_of(held))):
            desk.remind(held, "gossip", 1)

    def tells_everybody(self, desk: "Desk", held: Held) -> bool:
        return desk.age_of(held) > self.switch + self.quiet

    def copy_answered(self, desk: "Desk", held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        if desk.age_of(held) <= self.switch:
            self.tree.copy_answered(desk, held, link, frame, fresh)
        elif held.parent is None and link in (*held.children, *held.known):
            desk.settle_as_leaf(held, link)

    def repeated(self, desk: "Desk", held: Held, frame: Copy) -> None:
        """One's own that comes back when everybody is told: whoever brought it may have been the first."""
        if held.parent is None and held.known and desk.age_of(held) > self.switch:
            desk.settle_as_leaf(held, held.known[-1])
