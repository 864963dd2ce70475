"""What a protocol decides at a node."""

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Protocol

from banister.spread.node.messages import Asked, Copy, Link, Token, Wave
from banister.spread.node.state import Held

if TYPE_CHECKING:
    from banister.spread.node.step import Desk


class Rules(Protocol):
    """The decisions of one protocol; each is told through the desk, which carries them out."""

    begins_again: ClassVar[bool]
    """Whether one's own post that nobody could take begins anew when somebody can, as if it was written then."""

    def posted(self, desk: "Desk", held: Held) -> None:
        """The person here wrote it."""
        ...

    def arrived(self, desk: "Desk", held: Held) -> None:
        """It came, and is new here."""
        ...

    def repeated(self, desk: "Desk", held: Held, frame: Copy) -> None:
        """It came again, from another contact."""
        ...

    def token_came(self, desk: "Desk", held: Held, link: Link, token: Token) -> None:
        """A tree neighbour hands over the token."""
        ...

    def token_answered(self, desk: "Desk", held: Held, link: Link, taken: bool) -> None:
        """The token was taken, or nobody answered."""
        ...

    def wave_came(self, desk: "Desk", held: Held, link: Link, wave: Wave) -> None:
        """A wave came through a tree link."""
        ...

    def copy_answered(self, desk: "Desk", held: Held, link: Link, frame: Asked, fresh: bool) -> None:
        """A contact answered a copy, or never did."""
        ...

    def alarm(self, desk: "Desk", held: Held, what: str) -> None:
        """A moment that the rules asked for."""
        ...

    def tells_everybody(self, desk: "Desk", held: Held) -> bool:
        """Whether it is told to every contact by now, so that one who comes back is told, too."""
        ...


class Quiet:
    """Rules without token and waves; what they do not use does nothing."""

    __slots__ = ()

    begins_again: ClassVar[bool] = False

    def repeated(self, desk: "Desk", held: Held, frame: Copy) -> None:
        return

    def token_came(self, desk: "Desk", held: Held, link: Link, token: Token) -> None:
        return

    def token_answered(self, desk: "Desk", held: Held, link: Link, taken: bool) -> None:
        return

    def wave_came(self, desk: "Desk", held: Held, link: Link, wave: Wave) -> None:
        return

    def tells_everybody(self, desk: "Desk", held: Held) -> bool:
        return past_embargo(desk, held)


def past_embargo(desk: "Desk", held: Held) -> bool:
    """Whether the longest embargo of a message is over, wherever it is."""
    settings = desk.settings
    return settings.embargo > 0 and desk.age_of(held) > settings.horizon + settings.embargo


def tossed(chance: Fraction, desk: "Desk") -> bool:
    """One exact toss; certified arithmetic is loaded by rules that toss, and by no others."""
    from banister.sampling.bernoulli import bernoulli

    return bernoulli(chance, desk.bits)


def tell_by_chance(desk: "Desk", held: Held, rate: Fraction, copy: Copy) -> bool:
    """Give each contact that was not asked yet a copy with chance `rate`; whether any is left for the next step."""
    told = held.untried if rate == 1 else tuple(link for link in held.untried if tossed(rate, desk))
    rest = tuple(link for link in held.untried if link not in told)
    desk.keep(replace(held, untried=rest, asked=held.asked + told))
    for link in told:
        desk.ask(link, copy)
    return len(rest) > 0


def tell_some(desk: "Desk", held: Held, cap: int | None, copy: Copy) -> None:
    """Give copies to contacts outside the tree, to `cap` of them drawn at random where there is a cap."""
    free = tuple(link for link in desk.contacts if link not in held.tree_links and link not in held.asked)
    quota = len(free) if cap is None else min(cap, len(free))
    desk.keep(replace(held, untried=free, quota=quota))
    for _ in range(quota):
        tell_another(desk, desk.held[held.id], copy)


def tell_another(desk: "Desk", held: Held, copy: Copy) -> None:
    """Ask one more contact that was not asked yet."""
    if held.quota == 0 or not held.untried:
        return
    link = desk.choose(held, held.untried)
    untried = tuple(other for other in held.untried if other != link)
    desk.keep(replace(held, untried=untried, quota=held.quota - 1, asked=(*held.asked, link)))
    desk.ask(link, copy)


def ask_instead(desk: "Desk", held: Held, copy: Copy) -> None:
    """Somebody had it already: the place in the quota is free again."""
    desk.keep(replace(held, quota=held.quota + 1))
    tell_another(desk, desk.held[held.id], copy)
