"""Friends who are on the same local network: where beacons say that they are, and who waits to hear it."""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, TypeVar

from banister.apps.wildfire.roads.discovery import Discovery, Surroundings
from banister.apps.wildfire.store import Friend
from banister.spread.node.messages import Link

if TYPE_CHECKING:
    from banister.apps.wildfire.node import Node


T = TypeVar("T")


class Nearby:
    """What a node knows of its surroundings; in memory alone, never on disk."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self.discovery: Discovery | None = None
        """There while beacons are sent and heard."""
        self._task: asyncio.Task[None] | None = None
        self._near: dict[Link, tuple[str, int]] = {}
        self._bells: dict[Link, asyncio.Event] = {}

    def switch(self, *, wanted: bool) -> None:
        """Send and hear beacons from now on, or no more."""
        self.stop()
        if wanted:
            node = self._node
            around = Surroundings(
                expected=lambda: [friend.secret for friend in node.linked() if not friend.dials],
                sought=lambda: {f.link: f.secret for f in node.linked() if f.dials},
                place=lambda: (node.host, node.port),
                awake=node.limit.is_open,
                wall=node.clock.wall,
                found=self._found,
            )
            self.discovery = Discovery(around)
            self._task = asyncio.get_running_loop().create_task(self.discovery.run())
        self._node.changes += 1

    def stop(self) -> tuple[asyncio.Task[None], ...]:
        """Forget who was near; what is ending."""
        ending = () if self._task is None else (self._task,)
        for task in ending:
            task.cancel()
        self._task = self.discovery = None
        self._near.clear()
        return ending

    def places(self, friend: Friend) -> tuple[tuple[str, int], ...]:
        """Where to knock at a friend's: where she was heard last (once, unless she is heard again), and at home."""
        near = self._near.pop(friend.link, None)
        self._bell(friend.link).clear()
        home = friend.host, friend.port
        return (home,) if near in (None, home) else (near, home)

    async def pause(self, link: Link, seconds: float) -> None:
        """Wait, but not when she is heard."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._bell(link).wait(), seconds)

    async def unless_heard(self, link: Link, way: Coroutine[object, object, T]) -> T | None:
        """What a way leads to; nothing when she is heard before that, since an old address may take long to fail."""
        going = asyncio.ensure_future(way)
        heard = asyncio.ensure_future(self._bell(link).wait())
        try:
            await asyncio.wait((going, heard), return_when=asyncio.FIRST_COMPLETED)
            return going.result() if going.done() else None
        finally:
            for task in (going, heard):
                task.cancel()

    def _bell(self, link: Link) -> asyncio.Event:
        return self._bells.setdefault(link, asyncio.Event())

    def _found(self, link: Link, host: str, port: int) -> None:
        self._near[link] = host, port
        self._bell(link).set()
