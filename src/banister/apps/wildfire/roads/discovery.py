"""Beacons on the local network, sent now and then and listened for, while a person wants it. Off unless she says so.

What is recognised is an address to try, and no more: the link's pinned keys decide who answers there.
"""

import asyncio
import contextlib
import fcntl
import ipaddress
import socket
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from banister.apps.wildfire.roads.beacon import BEACON_BYTES, SALT_BYTES, beacon, epoch_of, recognised
from banister.spread.node.messages import Link, Tick

GROUP, PORT = "239.255.83.31", 48_331
"""An address for the local network alone, which no router passes on."""
EVERY_SECONDS, LOOK_SECONDS = 30.0, 3.0
"""Between beacons, and between looks at this machine's networks: on a new one a beacon is sent at once."""
A_SECOND = 16
"""Beacons that are looked at in a second, whoever sends more."""
REMEMBERED = 1024
"""Salts of the last beacons that were recognised; what comes again is not looked at again."""
_GET_ADDRESS = 0x8915
"""SIOCGIFADDR."""


@dataclass(frozen=True, slots=True)
class LocalNetwork:
    """One way onto a network: its number, and this machine's address there."""

    number: int
    address: str


def interfaces() -> tuple[LocalNetwork, ...]:
    """This machine's networks with an address of IPv4, the loopback left out."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for number, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # One without an address.
                asked = struct.pack("256s", name.encode()[:15])
                address = socket.inet_ntoa(fcntl.ioctl(asking.fileno(), _GET_ADDRESS, asked)[20:24])
                if not ipaddress.ip_address(address).is_loopback:
                    found.append(LocalNetwork(number, address))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What discovery asks the node for, and tells it."""

    expected: Callable[[], Iterable[bytes]]
    """Secrets of the links whose other end knocks here."""
    sought: Callable[[], Mapping[Link, bytes]]
    """Secrets of the links on which this end knocks, those that are up as well: one may be about to break."""
    place: Callable[[], tuple[str, int]]
    """Where this node listens."""
    awake: Callable[[], bool]
    """Whether whoever knocked now would be answered."""
    wall: Callable[[], float]
    found: Callable[[Link, str, int], None]


class Discovery(asyncio.DatagramProtocol):
    """Sends and hears beacons while `run` runs."""

    def __init__(self, around: Surroundings, *, networks: Callable[[], tuple[LocalNetwork, ...]] = interfaces) -> None:
        self._around, self._networks = around, networks
        self._seen: dict[bytes, None] = {}
        self._looked: tuple[Tick, int] = (0, 0)
        self.problem = ""
        """Why beacons cannot be heard or sent, in a sentence."""

    async def run(self) -> None:
        """Until it is cancelled."""
        ear, open_ear, before, quiet = None, None, tuple[LocalNetwork, ...](), 0.0
        try:
            while True:
                if ear is None and (ear := _ear()) is not None:
                    made = asyncio.get_running_loop().create_datagram_endpoint(lambda: self, sock=ear)
                    open_ear, _ = await made
                self.problem = "" if ear else f"Port {PORT} is taken by another program: no beacons are heard."
                now = self._networks()
                for each in now:
                    if ear is not None:
                        _join(ear, each)
                    if now != before or quiet >= EVERY_SECONDS:
                        with contextlib.suppress(OSError):  # It is just gone.
                            self._tell(each)
                quiet = 0.0 if now != before or quiet >= EVERY_SECONDS else quiet + LOOK_SECONDS
                before = now
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            if open_ear is not None:
                open_ear.close()

    def sends_from(self, each: LocalNetwork) -> bool:
        """Whether whoever is on that network could knock at this node; one that cannot be reached there is silent."""
        host, port = self._around.place()
        return bool(port) and host in ("0.0.0.0", each.address)

    def sends(self) -> bool:
        """Whether there is a network on which friends can find this node."""
        return any(self.sends_from(each) for each in self._networks())

    def _tell(self, each: LocalNetwork) -> None:
        if not (self.sends_from(each) and self._around.awake()):
            return
        epoch = epoch_of(self._around.wall())
        data = beacon(self._around.expected(), address=each.address, port=self._around.place()[1], epoch=epoch)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as mouth:
            mouth.bind((each.address, 0))
            mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
            mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, _at(each))
            mouth.sendto(data, (GROUP, PORT))

    def datagram_received(self, data: bytes, source: "tuple[str | object, int]") -> None:
        """Something came. It is looked at if it has the size, from a local address, and not too much came before."""
        if len(data) != BEACON_BYTES or data[:SALT_BYTES] in self._seen or not _is_local(source[0]):
            return
        second, count = self._looked
        now = int(self._around.wall())
        self._looked = (now, count + 1 if now == second else 1)
        if self._looked[1] > A_SECOND:
            return
        address = str(source[0])
        found = recognised(data, self._around.sought(), address=address, epoch=epoch_of(now))
        if found:
            self._seen[data[:SALT_BYTES]] = None
            if len(self._seen) > REMEMBERED:
                del self._seen[next(iter(self._seen))]
        for link, port in found.items():
            self._around.found(link, address, port)

    def error_received(self, _: Exception) -> None:
        """A network is gone; the next turn finds what there is."""


def _ear() -> socket.socket | None:
    """Hears what is sent to the group, beside other nodes of this machine."""
    heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        heard.setblocking(False)
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.bind((GROUP, PORT))
    except OSError:
        heard.close()
        return None
    return heard


def _join(heard: socket.socket, each: LocalNetwork) -> None:
    with contextlib.suppress(OSError):  # Joined before, or just gone.
        heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + _at(each)[4:])


def _at(each: LocalNetwork) -> bytes:
    """The kernel's words for an interface."""
    return struct.pack("4s4si", bytes(4), socket.inet_aton(each.address), each.number)


def _is_local(address: object) -> bool:
    try:
        found = ipaddress.IPv4Address(str(address))
    except ValueError:
        return False
    return not (found.is_global or found.is_loopback or found.is_multicast)
