"""Adaptive diffusion at a node: the token, its waves, and the leaves that give the message on."""

from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Protocol

from banister import need
from banister.sampling.whole import uniform_below
from banister.spread.node.messages import Asked, Copy, Link, Token, Wave
from banister.spread.node.rules.base import ask_instead, past_embargo, tell_some, tossed
from banister.spread.node.state import Held
from banister.spread.schedule import keep_probability

if TYPE_CHECKING:
    from banister.spread.node.step import Desk


class NextHolder(Protocol):
    """How the next holder of the token is chosen."""

    def choose(self, desk: "Desk", links: tuple[Link, ...]) -> Link:
        """One of the links."""
        ...


@dataclass(frozen=True, slots=True)
class Equally:
    """All links alike."""

    def choose(self, desk: "Desk", links: tuple[Link, ...]) -> Link:
        return desk.pick(links)


@dataclass(frozen=True, slots=True)
class ByDegree:
    """A contact of degree g with weight g - 1, at least 1: the node's side of `protocols.Preferential`."""

    def choose(self, desk: "Desk", links: tuple[Link, ...]) -> Link:
        known = dict(zip(desk.contacts, desk.contact_degrees, strict=False))  # Who does not tell counts as one.
        weights = [max(known.get(link, 2) - 1, 1) for link in links]
        draw = uniform_below(sum(weights), desk.bits)
        return next(link for link, top in zip(links, accumulate(weights), strict=True) if draw < top)


@dataclass(frozen=True, slots=True)
class TokenRules:
    """The node's side of `protocols.Adaptive`; `degree` None always passes the token."""

    begins_again: ClassVar[bool] = False

    degree: int | None = None
    cap: int | None = None
    choice: NextHolder = Equally()

    def __post_init__(self) -> None:
        if self.degree is not None:
            need.whole("degree", self.degree, least=2)
        if self.cap is not None:
            need.whole("cap", self.cap, least=1)

    def posted(self, desk: "Desk", held: Held) -> None:
        desk.remind(held, "begin", 1)

    def arrived(self, desk: "Desk", held: Held) -> None:
        return

    def repeated(self, desk: "Desk", held: Held, frame: Copy) -> None:
        return

    def alarm(self, desk: "Desk", held: Held, what: str) -> None:
        if what == "begin":
            tell_some(desk, held, 1, Copy(held.id, held.body))
        elif what == "second" and held.has_token:
            self._send_wave(desk, held, held.time, except_link=held.came_from)
            desk.remind(held, "decide", 1)
        elif what == "decide" and held.has_token and held.time < desk.settings.horizon:
            self._decide(desk, held)

    def token_came(self, desk: "Desk", held: Held, link: Link, token: Token) -> None:
        """One wave at once, one after a step, then the next decision. The first holder sends the second only."""
        desk.keep(replace(held, has_token=True, came_from=link, time=token.time + 2, hops=token.hops + 1))
        if token.time > 0:
            self._send_wave(desk, desk.held[held.id], token.time + 1, except_link=link)
        desk.remind(held, "second", 1)

    def token_answered(self, desk: "Desk", held: Held, link: Link, taken: bool) -> None:
        """Whoever may have taken it is the holder now; if the frame was lost for good, the embargo ends the silence."""
        desk.keep(replace(held, has_token=False))

    def wave_came(self, desk: "Desk", held: Held, link: Link, wave: Wave) -> None:
        onward = [other for other in held.tree_links if other != link]
        for other in onward:
            desk.ask(other, wave)
        if not onward and not held.asked:
            tell_some(desk, held, self.cap, Copy(held.id, held.body))

    def copy_answered(self, desk: "Desk", held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        first = held.parent is None and not held.has_token and held.waves == 0
        if fresh and first and held.children == (link,):
            desk.ask(link, Token(held.id, 0, 0))  # The author hands over the token with the first copy.
        elif not fresh and isinstance(frame, Copy):
            ask_instead(desk, held, frame)

    def tells_everybody(self, desk: "Desk", held: Held) -> bool:
        return past_embargo(desk, held)

    def _decide(self, desk: "Desk", held: Held) -> None:
        """One step after an even time, when all answers of that time are in."""
        kin = tuple(link for link in held.tree_links if link != held.came_from)
        if not kin or self._keeps(desk, held):
            self._send_wave(desk, replace(held, time=held.time + 2), held.time + 1, except_link=None)
            desk.remind(held, "decide", 2)
        else:
            desk.ask(self.choice.choose(desk, kin), Token(held.id, held.time, held.hops))

    def _keeps(self, desk: "Desk", held: Held) -> bool:
        if self.degree is None:
            return False
        return tossed(keep_probability(degree=self.degree, time=held.time, hops=held.hops), desk)

    def _send_wave(self, desk: "Desk", held: Held, number: int, *, except_link: Link | None) -> None:
        wave = Wave(held.id, number)
        desk.keep(replace(held, waves=held.waves | 1 << number))
        onward = [link for link in held.tree_links if link != except_link]
        for link in onward:
            desk.ask(link, wave)
        if not onward or (onward == [held.came_from] and not held.asked):
            tell_some(desk, desk.held[held.id], self.cap, Copy(held.id, held.body))
