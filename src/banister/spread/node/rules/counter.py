"""The tree protocol at a node: one counter that climbs, and copies that fall. No control messages at all."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from banister import need
from banister.spread.node.messages import Asked, Copy, Link
from banister.spread.node.rules.base import Quiet, ask_instead, tell_some
from banister.spread.node.state import Held

if TYPE_CHECKING:
    from banister.spread.node.step import Desk


@dataclass(frozen=True, slots=True)
class TreeRules(Quiet):
    """The node's side of `protocols.Tree`. With `ages` copies tell the steps since the post, which the tree itself does
    not need."""

    cap: int | None = None
    ages: bool = False

    def __post_init__(self) -> None:
        if self.cap is not None:
            need.whole("cap", self.cap, least=2)

    def posted(self, desk: "Desk", held: Held) -> None:
        """As if a climbing copy had come that is at its beginning: from here on nothing asks who wrote it."""
        own = replace(held, climbing=True)
        desk.keep(own)
        self.arrived(desk, own)

    def arrived(self, desk: "Desk", held: Held) -> None:
        if held.climbing or held.level > 0:
            desk.remind_at(held, "tell", desk.age_of(held) + 1)

    def alarm(self, desk: "Desk", held: Held, what: str) -> None:
        if held.climbing and held.level >= desk.settings.horizon:
            return
        if held.climbing:  # The climbing copy chooses first.
            self._climb(desk, held, tuple(link for link in desk.contacts if link not in held.tree_links))
        self._fall(desk, desk.held[held.id])

    def _climb(self, desk: "Desk", held: Held, free: tuple[Link, ...]) -> None:
        if free:
            link = desk.choose(held, free)
            desk.keep(replace(held, asked=(*held.asked, link)))
            desk.ask(link, self._copy(desk, held, held.level + 1, climbing=True))

    def _fall(self, desk: "Desk", held: Held) -> None:
        if held.level == 0:
            return
        cap = None if self.cap is None else self.cap - held.climbing
        tell_some(desk, held, cap, self._copy(desk, held, held.level - 1, climbing=False))

    def _copy(self, desk: "Desk", held: Held, level: int, *, climbing: bool) -> Copy:
        return Copy(held.id, held.body, climbing, level, desk.age_of(held) if self.ages else 0)

    def copy_answered(self, desk: "Desk", held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        if not isinstance(frame, Copy):
            return
        if frame.climbing and fresh and held.parent is None:
            desk.settle_as_leaf(held, link)
        elif frame.climbing and not fresh:  # That contact had it already; climb somewhere else.
            having = (*held.tree_links, *held.known, *held.asked)
            self._climb(desk, held, tuple(other for other in desk.contacts if other not in having))
        elif not frame.climbing and not fresh:
            ask_instead(desk, held, frame)
