"""What a person does with a node, whichever way she looks at it: pages and terminal call the same few verbs.

The node runs in a thread of its own, with its own loop, so that no page can hold up a tick.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from banister import need
from banister.apps.wildfire.content import Text, read_body, write_body
from banister.apps.wildfire.figures import A_FRAME, LEAST_FRIENDS
from banister.apps.wildfire.identity import safety_number
from banister.apps.wildfire.invitation import LIFE_SECONDS, Invitation
from banister.apps.wildfire.limit import limit_of
from banister.apps.wildfire.node import Node
from banister.apps.wildfire.relay import address_of
from banister.apps.wildfire.roads.onion import FRIENDS, ONION_PORT
from banister.apps.wildfire.store import PostStore
from banister.core.exact.written import Number
from banister.errors import BadValue, BanisterError

T = TypeVar("T")
ONION_PHONES = "onion_phones"
"""By what the key of the onion service for phones is kept: friends know nothing of that address."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A post in the feed. One's own is no different."""

    name: str
    words: str
    reply_to: str
    approved: bool
    muted: bool
    picture: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """A friend as the person sees her."""

    link: int
    name: str
    state: str
    """asked, waiting, here, away, strange (another key answers) or blocked."""
    safety: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """An introduction as the person sees it."""

    name: str
    link: int
    mine: bool
    who: str
    """The friend who introduces, or of mine the first of the two."""
    whom: str
    state: str
    """asked of mine; offered, agreed or joining of theirs."""


@dataclass(frozen=True, slots=True)
class AtTor:
    """Where the Tor is controlled through which an onion service is to be published, and its password if it has one."""

    control: str = ""
    password: str = ""
    phones: int = 0
    """The port on this machine to which an onion service for phones leads, where there is to be one."""


class Messenger:
    """A running node and its store.

    `tick_seconds` is chosen when the store is made and kept: all nodes of a crowd need the same. `limit_gb` and
    `discover` are kept, too, until they are given anew. With `tor` the node has an onion address; `socks` is where
    Tor is asked for onion addresses of others.
    """

    def __init__(
        self,
        folder: Path,
        passphrase: str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tick_seconds: float = 5,
        announced: str = "",
        relay: str = "",
        limit_gb: Number | None = None,
        discover: bool | None = None,
        tor: AtTor | None = None,
        socks: str = "",
    ) -> None:
        if limit_gb is not None:
            limit_gb = limit_of(limit_gb)
        asked = address_of(socks) if socks else None
        self.store = PostStore(folder, passphrase)
        kept = self.store.get("tick_seconds")
        tick = float(kept) if kept else float(need.positive("tick_seconds", tick_seconds))
        self.store.put("tick_seconds", repr(tick))
        if limit_gb is not None:
            self.store.put("limit_gb", repr(limit_gb))
        port = port or int(self.store.get("port", "0"))
        self.node = Node(self.store, tick_seconds=tick, host=host, port=port, relay=relay)
        self.node.announced = announced or host
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="node")
        self._thread.start()
        if asked is not None:
            self.node.onion.socks = asked
        if discover is not None:
            self.store.put("discover", "yes" if discover else "")
        try:
            self._wait(self.node.start())
            if tor is not None:
                self._wait(self._publish(tor))
            if self.discovers():
                self._do(lambda: self.node.nearby.switch(wanted=True))
        except BaseException:  # Nothing is swallowed: the loop ends with whatever ended it.
            self.close()
            raise
        self.store.put("port", str(self.node.port))

    async def _publish(self, tor: AtTor) -> None:
        self.node.onion.add(FRIENDS, ONION_PORT, (self.node.host, self.node.port))
        if tor.phones:
            self.node.onion.add(ONION_PHONES, 80, ("127.0.0.1", tor.phones))
        await self.node.onion.start(tor.control, tor.password)

    def discovers(self) -> bool:
        """Whether friends on the local network are looked for."""
        return self.store.get("discover") == "yes"

    def discover(self, *, wanted: bool) -> None:
        """Look for friends on the local network from now on, or no more."""
        self.store.put("discover", "yes" if wanted else "")
        self._do(lambda: self.node.nearby.switch(wanted=wanted))

    def _wait(self, work: Coroutine[object, object, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _do(self, work: Callable[[], T]) -> T:
        async def done() -> T:
            return work()

        return self._wait(done())

    def close(self) -> None:
        """End links and ticks; everything is on disk."""
        try:
            self._wait(self.node.stop())
        finally:
            self._end()

    def reached(self) -> str:
        """The address that invitations name."""
        host, port = self.node.reached
        return f"{host}:{port}"

    def published(self) -> bool:
        """Whether friends can find the onion service: some of Tor's directories have it."""
        return bool(self.node.onion.services) and all(each.published for each in self.node.onion.services.values())

    def nearby(self) -> str:
        """What looking for friends on the local network comes to, in a sentence."""
        discovery = self.node.nearby.discovery
        if discovery is None:
            return "Friends on the local network are not looked for, and nobody there is told of this node."
        if discovery.problem:
            return discovery.problem
        if not discovery.sends():
            return (
                "Friends on the local network are looked for. They cannot find you: your node listens at this machine "
                "alone, or at an address that no network here has (--listen)."
            )
        return "Friends on the local network are looked for, and find you: a beacon every 30 seconds."

    def _end(self) -> None:
        self._wait(_let_go())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self.store.close()

    def trouble(self) -> str:
        """What keeps the node from its work, in a sentence; empty when nothing does."""
        failure = self.node.failure
        if failure is None:
            return self._rest() or self.node.onion.problem
        if isinstance(failure, BanisterError):
            return str(failure)
        return (
            f"The node has a fault ({type(failure).__name__}); posts wait until it is started anew. Please report it."
        )

    def _rest(self) -> str:
        limit = self.node.limit
        if limit.is_open():
            return ""
        minutes = -(-limit.again_seconds() // 60)
        return (
            f"All links rest for {minutes} {'minute' if minutes == 1 else 'minutes'}: this hour's share of your limit "
            f"of {limit.gigabytes:g} GB a month is used up."
        )

    def set_limit(self, gigabytes: Number) -> None:
        """Bound what the node sends and receives, in GB a month; 0 for no bound. It holds from now on."""
        bound = limit_of(gigabytes)
        self.store.put("limit_gb", repr(bound))
        self._do(lambda: setattr(self.node.limit, "gigabytes", bound))

    # Posts.

    def confirmed(self) -> int:
        """Friends with whom a link was up: both have agreed."""
        return sum(friend.met and friend.state == "friend" for friend in self.store.friends())

    def here(self) -> int:
        """Friends whose link is up: those among whom a post written now begins."""
        return self._do(lambda: len(self.node.lines))

    def post(self, words: str, *, reply_to: str = "", although_few: bool = False, file: bytes = b"") -> str:
        """Write a post, with the picture of a file where one is given; its name. With few friends only by who says that
        she knows what that means."""
        if not although_few:
            _enough(self.confirmed(), self.here())
        body = write_body(Text(words, _name(reply_to), _picture_of(file) if file else b""))
        return self._wait(self.node.post(body)).hex()

    def feed(self) -> tuple[Shown, ...]:
        """What is here and can be read, the newest first."""
        words = self.store.words()
        held = self._do(lambda: list(self.node.exchange.state.held.values()))
        shown = []
        for each in reversed(held):
            text = read_body(each.body)
            if text is not None:
                word = words.get(each.id, "")
                said = word == "approved", word == "muted"
                shown.append(Shown(each.id.hex(), text.words, text.reply_to.hex(), *said, bool(text.picture)))
        return tuple(shown)

    def came(self) -> Counter[int]:
        """How many of the posts that are here came first over each link; one's own, once taken, are among them."""
        held = self._do(lambda: list(self.node.exchange.state.held.values()))
        return Counter(each.parent for each in held if each.parent is not None)

    def traffic(self) -> tuple[int, int, float]:
        """Bytes of frames that were sent and that came, with what TLS, TCP and IP put around them, and in how many
        seconds. It is counted since the start, and written down nowhere."""
        node = self.node
        return node.sent * A_FRAME, node.received * A_FRAME, node.up_seconds()

    def picture(self, name: str) -> bytes:
        """The picture of a post, once it was looked at and is one."""
        from banister.apps.wildfire.pictures import is_picture

        held = self._do(lambda: self.node.exchange.state.held.get(_name(name)))
        text = None if held is None else read_body(held.body)
        if text is None or not is_picture(text.picture):
            raise BadValue("There is no picture that can be shown.")
        return text.picture

    def approve(self, name: str) -> None:
        """Found worth reading: whoever brought it may bring more. It stays here."""
        self._say(name, "approved")
        self._do(lambda: self.node.exchange.approve(_name(name), now=self.node.clock.now()))

    def mute(self, name: str) -> None:
        """Not shown any more. It is relayed all the same: whoever did not could be told apart."""
        self._say(name, "muted")

    def _say(self, name: str, word: str) -> None:
        """A post can be read a moment before it is on disk: what is said about it waits for that, not to be lost."""
        self._wait(self.node.saved())
        self.store.say(_name(name), word)

    # Friends.

    def friends(self) -> tuple[Seen, ...]:
        up = self._do(lambda: set(self.node.lines))
        seen = []
        for friend in self.store.friends():
            state = friend.state
            if state == "friend":
                strange = friend.link in self.node.strange
                state = "here" if friend.link in up else "strange" if strange else "away" if friend.met else "waiting"
            number = safety_number(friend.own.certificate, friend.theirs)
            seen.append(Seen(friend.link, friend.name, state, number))
        return tuple(seen)

    def invite(self, *, friend: str = "", seconds: int = LIFE_SECONDS) -> str:
        """A line for one person; what she is called here, nobody else learns."""
        return self._do(
            lambda: self.node.joining.invite(now=time.time(), seconds=seconds, friend=friend.strip()[:60])
        ).text()

    def join(self, line: str, *, friend: str = "") -> None:
        """Use an invitation that somebody gave."""
        invitation = Invitation.read(line)
        if invitation.expires < time.time():
            raise BadValue("This invitation has expired. Ask for a new one.")
        if any(known.secret == invitation.secret for known in self.store.friends()):
            raise BadValue("You have used this invitation already. Ask for a new one if the link is gone.")
        self._wait(self.node.joining.use(invitation, friend=friend.strip()[:60]))

    def accept(self, link: int) -> None:
        """Who used an invitation becomes a friend. Compare the safety number first."""
        self._friend(link)
        self.store.change_friend(link, state="friend")
        self._do(self.node.refresh)

    def remove(self, link: int) -> None:
        """End a friendship, or decline one: the link is closed and its keys are forgotten."""
        self._friend(link)
        self.store.forget_friend(link)
        self._do(self.node.refresh)

    def block(self, link: int) -> None:
        """Close the link and keep it closed; `accept` opens it again."""
        self._friend(link)
        self.store.change_friend(link, state="blocked")
        self._do(self.node.refresh)

    # Introductions.

    def introduce(self, one: int, other: int) -> None:
        """Offer two friends to each other. Each learns what the other is called here, and no more until both agree."""
        names = {friend.link: friend.name for friend in self.friends() if friend.state in ("here", "away")}
        if one == other or one not in names or other not in names:
            raise BadValue("Give the numbers of two confirmed friends. Look at the list of friends.")
        self._do(lambda: self.node.introductions.introduce(one, other, (names[one], names[other])))

    def introductions(self) -> tuple[Proposed, ...]:
        """Those that wait for somebody."""
        called, shown = {friend.link: friend.name for friend in self.store.friends()}, dict[tuple[str, int], Proposed]()
        for each in self._do(self.node.introductions.all):
            name = each.id.hex()
            state, key = ("asked", (name, -1)) if each.mine else (each.state, (name, each.link))
            if each.link in called:
                shown.setdefault(key, Proposed(name, each.link, each.mine, called[each.link], each.name, state))
        return tuple(shown.values())

    def agree(self, name: str, link: int) -> None:
        """Become a friend of who was offered, if she agrees too."""
        self._do(lambda: self.node.introductions.agree(_name(name), link))

    def decline(self, name: str, link: int) -> None:
        """Say nothing to an offer, or take back one's own."""
        self._do(lambda: self.node.introductions.decline(_name(name), link))

    def _friend(self, link: int) -> None:
        if all(friend.link != link for friend in self.store.friends()):
            raise BadValue(f"There is no friend number {link}. Look at the list of friends.")


def _enough(count: int, here: int) -> None:
    """Refuse to post where too few friends could have been the first; those who are away hide nobody."""
    friends = "1 confirmed friend" if count == 1 else f"{count} confirmed friends"
    if count < LEAST_FRIENDS:
        raise BadValue(
            f"You have {friends}; with fewer than {LEAST_FRIENDS} whoever gets your post knows that it is yours. "
            "Invite more, or say that they may know."
        )
    if here < LEAST_FRIENDS:
        raise BadValue(
            f"Of your {friends} {here} {'is' if here == 1 else 'are'} here now; with fewer than {LEAST_FRIENDS} "
            "whoever gets your post knows that it is yours. Wait for more, or say that they may know."
        )


def _picture_of(file: bytes) -> bytes:
    from banister.apps.wildfire.pictures import picture_of  # Only who posts a picture pays for the library.

    return picture_of(file)


def _name(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadValue("There is no such post.") from None


async def _let_go() -> None:
    """End what still waits, such as a connection that was coming in while the node stopped."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=5)
