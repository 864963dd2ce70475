"""An onion service of the node's own, for as long as the node runs, through a Tor that the person runs.

Its key is kept in the encrypted store, so that the address stays; Tor forgets it with the connection over which it was
told. Where that ends, it is made again, ever less often.
"""

import asyncio
import contextlib
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from banister import keys
from banister.apps.wildfire.identity import onion_key, onion_name
from banister.apps.wildfire.roads.socks import ONION, PROXY
from banister.apps.wildfire.roads.tor import TorControl
from banister.errors import BadValue

if TYPE_CHECKING:
    from banister.apps.wildfire.node import Node

ONION_PORT = 4100
"""The same for all, whatever the node's own port is."""
FRIENDS = "onion"
"""By what the key of the service for friends is kept."""


@dataclass(slots=True)
class OnionAddress:
    """One onion address, and where what comes to it goes."""

    name: str
    key: bytes
    outer: int
    inner: tuple[str, int]
    published: bool = False


class OnionService:
    """What a node has to do with Tor: where it is asked for connections, and what is published through it."""

    def __init__(self, node: "Node") -> None:
        self._node = node
        self.socks: tuple[str, int] = PROXY
        self.problem = ""
        """Why nobody can come by the onion address just now, in a sentence."""
        self.services: dict[str, OnionAddress] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def place(self) -> tuple[str, int] | None:
        """The onion address that friends come to, where there is one."""
        found = self.services.get(FRIENDS)
        return (found.name, found.outer) if found else None

    def add(self, kept: str, outer: int, inner: tuple[str, int]) -> OnionAddress:
        """A service under the key that is kept under this name, made once."""
        seed = bytes.fromhex(self._node.store.get(kept))
        if not seed:
            seed = bytes.fromhex(keys.nonce() + keys.nonce())
            self._node.store.put(kept, seed.hex())
        made = OnionAddress(onion_name(seed) + ONION, onion_key(seed), outer, (_from_here(inner[0]), inner[1]))
        self.services[kept] = made
        return made

    async def start(self, control: str, password: str) -> None:
        """Publish what was added, and keep it so; refused where Tor cannot be controlled."""
        tor = await self._published(control, password)
        self._task = asyncio.get_running_loop().create_task(self._keep(tor, control, password))

    def stop(self) -> tuple[asyncio.Task[None], ...]:
        """End it; what is ending."""
        ending = () if self._task is None else (self._task,)
        for task in ending:
            task.cancel()
        return ending

    async def _published(self, control: str, password: str) -> TorControl:
        tor = await TorControl.open(control, password=password)
        try:
            await tor.follow()
            self.socks = await tor.socks() or self.socks
            for service in self.services.values():
                service.published = False
                if await tor.add_onion(service.key, {service.outer: service.inner}) + ONION != service.name:
                    raise BadValue("What answers there made another onion address than the key's own: it is no Tor.")
        except (OSError, TimeoutError):
            tor.close()
            raise BadValue(
                "Tor ended the connection before the onion service was made. Look whether it runs."
            ) from None
        except BaseException:  # Nothing is swallowed: the connection ends with whatever ended it.
            tor.close()
            raise
        return tor

    async def _keep(self, tor: TorControl, control: str, password: str) -> None:
        pause = 1.0
        try:
            while True:
                with contextlib.suppress(OSError, ValueError):
                    while True:
                        self._heard(await tor.told())
                        pause = 1.0
                tor.close()
                self._says("The connection to Tor ended, and the onion service with it. It is tried again.")
                await asyncio.sleep(pause)
                pause = min(pause * 2, 60.0)
                with contextlib.suppress(BadValue):
                    tor = await self._published(control, password)
                    self._says("")
        finally:
            tor.close()

    def _heard(self, line: str) -> None:
        words = line.split()
        if words[1:3] == ["HS_DESC", "UPLOADED"] and len(words) > 3:
            for service in self.services.values():
                if service.name == words[3] + ONION and not service.published:
                    service.published = True
                    self._node.changes += 1

    def _says(self, problem: str) -> None:
        self.problem = problem
        self._node.changes += 1


def _from_here(host: str) -> str:
    """Where Tor finds who listens at an address."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host
    return "127.0.0.1" if found.is_unspecified else f"[{host}]" if found.version == 6 else host
