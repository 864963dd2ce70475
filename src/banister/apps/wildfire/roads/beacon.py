"""A beacon: by what friends who know each other already find each other again on a local network.

It has one size and looks like chance. Each link whose other end would knock here has a slot, under the link's secret,
which only that friend can tell from the noise in the other slots: so neither who is here nor how many friends there are
can be seen. A slot is worth something for its minute and from its sender's address alone; whoever repeats it later, or
from an address of her own, is not recognised.

    16 bytes    a salt
    32 slots    12 bytes that name the link, the port, masked, and 10 bytes that seal minute, address and port
"""

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable, Mapping

from banister import keys
from banister.spread.node.messages import Link

SALT_BYTES = 16
NAME_BYTES, PORT_BYTES, SEAL_BYTES = 12, 2, 10
SLOT_BYTES = NAME_BYTES + PORT_BYTES + SEAL_BYTES
SLOTS = 32
"""With more friends than that each beacon is for some of them, chosen anew."""
BEACON_BYTES = SALT_BYTES + SLOTS * SLOT_BYTES
EPOCH_SECONDS = 60


def epoch_of(wall: float) -> int:
    """The minute that a beacon is sealed for."""
    return int(wall // EPOCH_SECONDS)


def beacon(secrets: Iterable[bytes], *, address: str, port: int, epoch: int) -> bytes:
    """A beacon from an address (IPv4) for who knows one of these secrets.

    >>> one = beacon([b"secret"], address="10.0.0.7", port=4100, epoch=5)
    >>> recognised(one, {3: b"secret", 4: b"another"}, address="10.0.0.7", epoch=5)
    {3: 4100}
    """
    salt = _noise(SALT_BYTES)
    chosen = sorted(secrets, key=lambda _: keys.nonce())[:SLOTS]
    slots = [_slot(secret, salt, address, port, epoch) for secret in chosen]
    slots += [_noise(SLOT_BYTES) for _ in range(SLOTS - len(slots))]
    return salt + b"".join(sorted(slots, key=lambda _: keys.nonce()))


def recognised(data: bytes, secrets: Mapping[Link, bytes], *, address: str, epoch: int) -> dict[Link, int]:
    """Which links a beacon that came from an address is for, and at which port they are waited for."""
    if len(data) != BEACON_BYTES:
        return {}
    salt = data[:SALT_BYTES]
    starts = range(SALT_BYTES, BEACON_BYTES, SLOT_BYTES)
    slots = {data[at : at + NAME_BYTES]: data[at + NAME_BYTES : at + SLOT_BYTES] for at in starts}
    found = {}
    for link, secret in secrets.items():
        for minute in (epoch, epoch - 1, epoch + 1):  # Clocks differ by seconds, and so do minutes at their turn.
            name, mask = _name(secret, salt, minute)
            rest = slots.get(name)
            if rest is None:
                continue
            port = int.from_bytes(rest[:PORT_BYTES], "big") ^ mask
            if port and hmac.compare_digest(rest[PORT_BYTES:], _seal(secret, salt, minute, address, port)):
                found[link] = port
    return found


def _slot(secret: bytes, salt: bytes, address: str, port: int, epoch: int) -> bytes:
    name, mask = _name(secret, salt, epoch)
    return name + (port ^ mask).to_bytes(PORT_BYTES, "big") + _seal(secret, salt, epoch, address, port)


def _name(secret: bytes, salt: bytes, epoch: int) -> tuple[bytes, int]:
    digest = hmac.new(secret, b"beacon" + salt + epoch.to_bytes(8, "big"), hashlib.sha256).digest()
    return digest[:NAME_BYTES], int.from_bytes(digest[NAME_BYTES : NAME_BYTES + PORT_BYTES], "big")


def _seal(secret: bytes, salt: bytes, epoch: int, address: str, port: int) -> bytes:
    place = ipaddress.IPv4Address(address).packed + port.to_bytes(2, "big")
    said = b"beacon from" + salt + epoch.to_bytes(8, "big") + place
    return hmac.new(secret, said, hashlib.sha256).digest()[:SEAL_BYTES]


def _noise(count: int) -> bytes:
    return bytes.fromhex("".join(keys.nonce() for _ in range(-(-count // 16))))[:count]
