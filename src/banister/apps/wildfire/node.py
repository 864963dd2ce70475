"""The node that runs: links by TLS, one frame for each at every tick, and everything on disk before it is answered.

At a tick the frames that were made ready before go out, and nothing else is done. Half a tick later what came since is
worked on and written to disk; the frames that follow from it wait for the next tick. So neither reading, checking nor
the disk moves a tick, and nothing is acknowledged that a crash could lose.
"""

import asyncio
import contextlib
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from banister.apps.wildfire.identity import knocks, link_context, server_context
from banister.apps.wildfire.introductions import Introductions
from banister.apps.wildfire.joining import Joining
from banister.apps.wildfire.limit import TrafficLimit
from banister.apps.wildfire.relay import LISTENS, address_of, met, without_delay
from banister.apps.wildfire.roads.nearby import Nearby
from banister.apps.wildfire.roads.onion import OnionService
from banister.apps.wildfire.roads.ways import opened
from banister.apps.wildfire.store import Friend, Invited, PostStore
from banister.apps.wildfire.ticks import Clock
from banister.errors import BadValue
from banister.sampling.bits import SYSTEM
from banister.spread.node.codec import FRAME_BYTES
from banister.spread.node.exchange import COVER, Exchange
from banister.spread.node.state import NodeState
from banister.spread.node.wildfire import wildfire_settings

HANDSHAKE_SECONDS = 30
WAITING_FRAMES = 4
"""Frames of one link that wait to be worked on; whoever sends faster fills its own line."""
A_TICK = 2
"""Frames of one link that are worked on at a tick."""
SILENT_TICKS, SILENT_SECONDS = 12, 20
"""A link without a frame for both is down."""
STUCK_BYTES = 64 * FRAME_BYTES
STRANGERS = 32
"""Connections that may be in their handshake at once."""


@dataclass(slots=True)
class LinkLine:
    """A link that is up."""

    writer: asyncio.StreamWriter
    frames: "asyncio.Queue[bytes]" = field(default_factory=lambda: asyncio.Queue(WAITING_FRAMES))
    quiet: int = 0


class Node:
    """One person's node. Everything here runs in one event loop."""

    def __init__(
        self, store: PostStore, *, tick_seconds: float, host: str = "127.0.0.1", port: int = 0, relay: str = ""
    ) -> None:
        self.store = store
        self.clock = Clock(tick_seconds, before=store.clock())
        self.tick_seconds = tick_seconds
        self.exchange = Exchange(store.load(wildfire_settings(tick_seconds=tick_seconds)), SYSTEM)
        self.lines: dict[int, LinkLine] = {}
        self.host, self.port = host, port
        self.announced = host  # The address that invitations name.
        self.relay = address_of(relay) if relay else None
        """Where friends who cannot reach this machine are met."""
        self.failure: BaseException | None = None
        """Why the last tick was not worked on or written down; pages and terminal say it."""
        self.changes = 0
        """Counted up whenever somebody who looks would see something new."""
        self.strange: set[int] = set()
        """Links at whose other end another key answered, the last time that anybody did."""
        self._friends: dict[int, Friend] = {}
        self._invited: tuple[Invited, ...] = ()
        self._contexts: dict[int, ssl.SSLContext] = {}
        self._ready: dict[int, bytes] = {}
        self._tasks: dict[object, asyncio.Task[None]] = {}
        self._ways: set[asyncio.Future[None]] = set()
        self._server: asyncio.Server | None = None
        self._met_strangers = server_context()
        self._met_strangers.sni_callback = self._answer_knock
        self._strangers = asyncio.Semaphore(STRANGERS)
        self._preparing: asyncio.Task[None] | None = None
        self._disk = asyncio.Lock()
        self._on_disk: NodeState | None = None
        self.introductions = Introductions(self)
        kept = partial(store.put, "traffic")
        wanted = float(store.get("limit_gb", "0"))
        self.limit = TrafficLimit(wanted, wall=lambda: self.clock.wall(), keep=kept, kept=store.get("traffic"))
        self._frames, self._knocks = 0, 0
        self.sent, self.received = 0, 0
        """Frames since the start."""
        self._first = self.clock.now()
        self.nearby = Nearby(self)
        self.joining = Joining(self)
        self.onion = OnionService(self)

    async def start(self) -> None:
        """Listen, dial, and tick until `stop`."""
        self.refresh()
        await self._listen()
        self._tasks["ticks"] = asyncio.create_task(self._tick())

    async def _listen(self) -> None:
        try:
            self._server = await asyncio.start_server(
                self._accept, self.host, self.port, ssl=self._met_strangers, ssl_handshake_timeout=HANDSHAKE_SECONDS
            )
        except OSError:
            raise BadValue(
                f"{self.host}:{self.port} cannot be listened on: another program has it, or it is not an address of "
                "this machine. Choose another with --listen."
            ) from None
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        ending = [*self._tasks.values(), *self._ways]
        ending += [*self.nearby.stop(), *self.joining.tasks.values(), *self.onion.stop()]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        if self._server is not None:
            self._server.close()
        for line in self.lines.values():
            line.writer.transport.abort()
        await self.saved()

    def up_seconds(self) -> float:
        """Since the start."""
        return (self.clock.now() - self._first) * self.tick_seconds

    @property
    def reached(self) -> tuple[str, int]:
        """The address and port that invitations name."""
        return self.onion.place or (self.announced, self.port)

    def linked(self) -> tuple[Friend, ...]:
        """Friends with whom a link may be up."""
        return tuple(self._friends.values())

    def refresh(self) -> None:
        """Take up what changed in the list of friends and invitations; the contexts of the removed are gone."""
        self._friends = {friend.link: friend for friend in self.store.friends() if friend.state == "friend"}
        self._invited = self.store.invitations()
        self._contexts.clear()
        self.introductions.refresh()
        known = set(self.exchange.state.contacts)
        for link in known - set(self._friends):
            self._drop(link)
            self.exchange.remove(link, now=self.clock.now())
        for link in set(self._friends) - known:
            self.exchange.back(link, now=self.clock.now())
            self.exchange.away(link, now=self.clock.now())
        for link, friend in self._friends.items():
            if friend.dials and ("dial", link) not in self._tasks:
                self._tasks["dial", link] = asyncio.get_running_loop().create_task(self._dial(link))
        if self.relay is not None:
            expected = {friend.secret for friend in self._friends.values() if not friend.dials}
            expected |= self._awaited()
            for secret in expected:
                if ("meet", secret) not in self._tasks:
                    self._tasks["meet", secret] = asyncio.get_running_loop().create_task(self._meet(secret))
        self.changes += 1

    # Ticks.

    async def _tick(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + self.tick_seconds, loop.time() - self.tick_seconds)  # After sleep no burst makes up for it.
            await asyncio.sleep(due - loop.time())
            for link, line in list(self.lines.items()):
                if line.writer.transport.get_write_buffer_size() > STUCK_BYTES:
                    self._drop(link)
                else:
                    line.writer.write(self._ready.pop(link, COVER))
                    self._frames += 1
                    self.sent += 1
            if self._preparing is None or self._preparing.done():
                if self._preparing is not None and not self._preparing.cancelled():
                    self._failed(self._preparing.exception())
                self._preparing = self._tasks["prepare"] = asyncio.create_task(self._prepare())

    def _failed(self, failure: BaseException | None) -> None:
        if failure is not None and str(failure) != str(self.failure):
            self.failure = failure
            self.changes += 1

    async def _prepare(self) -> None:
        """Work on what came, write it down, and only then make ready what follows from it."""
        await asyncio.sleep(self.tick_seconds / 2)
        await self._keep_the_limit()
        now = self.clock.now()
        for link, line in list(self.lines.items()):
            line.quiet += 1
            for _ in range(min(A_TICK, line.frames.qsize())):
                line.quiet = 0
                self.exchange.received(link, line.frames.get_nowait(), now=now)
            if line.quiet > max(SILENT_TICKS, SILENT_SECONDS / self.tick_seconds):
                self._drop(link)
        self.introductions.work(now)
        ready = self.exchange.tick(now=now)
        await self.saved()
        self._ready = ready

    async def _keep_the_limit(self) -> None:
        """Count what went and came; close everything when the hour's share is used up, and open it again after."""
        frames, knocks, self._frames, self._knocks = self._frames, self._knocks, 0, 0
        self.limit.count(frames, knocks)
        if self.limit.is_open():
            if self._server is None:
                await self._listen()
                self.changes += 1
        elif self._server is not None:
            self._server.close()
            self._server = None
            for link in list(self.lines):
                self._drop(link)
            self.changes += 1

    async def post(self, body: bytes) -> bytes:
        """Take a post of the person's own; when its name comes back it is on disk, and it waits for the ticks."""
        name = self.exchange.post(body, now=self.clock.now())
        await self.saved()
        return name

    async def saved(self) -> None:
        """Wait until the state of this moment is on disk, in a thread beside: states are written in their order."""
        async with self._disk:
            if self.exchange.state is self._on_disk:
                return
            now, wall = self.clock.now(), self.clock.wall()
            state = self.exchange.state
            changed = await asyncio.to_thread(self.store.save, state, now=now, wall=wall)
            self.changes += changed or self.failure is not None
            self._on_disk, self.failure = state, None
            self.exchange.shown.clear()

    # Links.

    def _answer_knock(self, tls: ssl.SSLObject, said: str | None, _: ssl.SSLContext) -> int | None:
        """Hand who knocks rightly to the keys of that link; a stranger hears one alert and sees no key of ours."""
        for friend in self._friends.values():
            if said and knocks(said, friend.secret):
                if friend.link not in self._contexts:
                    self._contexts[friend.link] = link_context(friend.own, friend.theirs, server=True)
                tls.context = self._contexts[friend.link]
                return None
        for invited in self._invited:
            if said and invited.own.private and knocks(said, invited.secret):
                tls.context = link_context(invited.own, None, server=True)
                return None
        return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._knocks += 1
        theirs = writer.get_extra_info("ssl_object").getpeercert(True)
        if not self.limit.is_open():
            writer.transport.abort()
            return
        link = next((each.link for each in self._friends.values() if theirs and each.theirs == theirs), None)
        if link is not None:
            await self._serve(link, reader, writer)
        elif theirs is None and not self._strangers.locked():
            async with self._strangers:
                with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError, BadValue):
                    await asyncio.wait_for(self.joining.answer(reader, writer), HANDSHAKE_SECONDS)
        writer.transport.abort()

    async def _serve(self, link: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read frames of a link until it ends; a new connection takes the place of an old one."""
        self._drop(link)
        without_delay(writer)
        line = self.lines[link] = LinkLine(writer)
        if not self._friends[link].met:
            try:
                self.store.met(link)
            except BadValue as full:  # A full disk ends no link; that they met is written down the next time.
                self._failed(full)
            self._friends = {friend.link: friend for friend in self.store.friends() if friend.state == "friend"}
        self.exchange.back(link, now=self.clock.now())
        self.changes += 1
        try:
            while True:
                await line.frames.put(await reader.readexactly(FRAME_BYTES))
                self._frames += 1
                self.received += 1
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            if self.lines.get(link) is line:
                self._drop(link)

    def _drop(self, link: int) -> None:
        line = self.lines.pop(link, None)
        if line is not None:
            line.writer.transport.abort()
            self._ready.pop(link, None)
            if link in self.exchange.state.contacts:
                self.exchange.away(link, now=self.clock.now())
            self.changes += 1

    async def _dial(self, link: int) -> None:
        """Knock at a friend's until she opens, ever less often, or at once where a beacon says that she is near."""
        pause = 0.2
        while link in self._friends:
            friend = self._friends[link]
            if link not in self.lines and self.limit.is_open():
                for host, port in self.nearby.places(friend):
                    reached = await self.nearby.unless_heard(link, self._knock_at(friend, host, port))
                    if reached is not None:
                        pause = 0.2
                        await self._serve(link, *reached)
                        break
            await self.nearby.pause(link, pause)
            pause = min(pause * 2, 30.0)
        self._tasks.pop(("dial", link), None)

    async def _knock_at(
        self, friend: Friend, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """A connection with her, if it is she who answers at an address."""
        self._knocks += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError), self._strangers_told(friend):
            context = link_context(friend.own, friend.theirs, server=False)
            way = opened(host, port, friend.secret, context, keep=self.keep, socks=self.onion.socks)
            reader, writer = await asyncio.wait_for(way, HANDSHAKE_SECONDS)
            if writer.get_extra_info("ssl_object").getpeercert(True) == friend.theirs:
                return reader, writer
            writer.transport.abort()
        return None

    @contextlib.contextmanager
    def _strangers_told(self, friend: Friend) -> Iterator[None]:
        """Remember where somebody knew the secret of a link and had another key, until it is she again."""
        try:
            yield
            self.strange.discard(friend.link)
        except ssl.SSLCertVerificationError:
            self.changes += friend.link not in self.strange
            self.strange.add(friend.link)
            raise

    def _awaited(self) -> set[bytes]:
        """Secrets of invitations that somebody may still use."""
        now = self.clock.wall()
        return {invited.secret for invited in self._invited if invited.own.private and invited.expires >= now}

    async def _meet(self, secret: bytes) -> None:
        """Wait at the relay for one friend, or for who uses an invitation, again and again while she is expected."""
        assert self.relay is not None
        pause, loop = 0.2, asyncio.get_running_loop()
        while secret in {f.secret for f in self._friends.values()} | self._awaited():
            while not self.limit.is_open():
                await asyncio.sleep(pause)
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                held, way = await met(*self.relay, LISTENS, secret)
                self.keep(way)
                protocol = asyncio.StreamReaderProtocol(asyncio.StreamReader(), self._accept)
                await loop.connect_accepted_socket(
                    partial(_same, protocol), held, ssl=self._met_strangers, ssl_handshake_timeout=HANDSHAKE_SECONDS
                )
                pause = 0.2
            await asyncio.sleep(pause)
            pause = min(pause * 2, 10.0)
        self._tasks.pop(("meet", secret), None)

    def keep(self, way: "asyncio.Future[None]") -> None:
        self._ways.add(way)
        way.add_done_callback(self._ways.discard)


def _same(protocol: asyncio.StreamReaderProtocol) -> asyncio.StreamReaderProtocol:
    return protocol
