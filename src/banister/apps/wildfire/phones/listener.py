"""The door by which paired phones come: an address on the local network, with a certificate of its own, or an onion
address, whose name is its key. It is open while the node runs with it, and shut unless it was asked for.
"""

import socket
from datetime import UTC, datetime, timedelta

from banister.apps.web.gate import Place
from banister.apps.web.serve import Beside
from banister.apps.wildfire.identity import page_certificate, page_fingerprint
from banister.apps.wildfire.messenger import ONION_PHONES, Messenger
from banister.apps.wildfire.pages.phones import phone_site
from banister.apps.wildfire.pages.posts import MOST_BYTES
from banister.apps.wildfire.phones.devices import Devices
from banister.apps.wildfire.relay import address_of
from banister.errors import BadValue

CERTIFICATE_DAYS = 800
"""Some phones take none that is good for longer."""


class Phones:
    """What the owner's page shows of it: the address, the fingerprint to compare, and who is paired."""

    def __init__(self, messenger: Messenger, taken: socket.socket, *, host: str = "") -> None:
        """At an address of the local network, or, without a host, behind the onion service for phones."""
        self.devices = Devices(messenger.store, wall=messenger.node.clock.wall)
        self.fingerprint, pem = "", ""
        port = int(taken.getsockname()[1])
        if host:
            pem = _certificate(messenger, host)
            self.fingerprint = page_fingerprint(pem)
            name, scheme = origin_host(host, port), "https"
        else:
            name, scheme = messenger.node.onion.services[ONION_PHONES].name, "http"
        place = Place(scheme=scheme, hosts=(name,), cookie=f"wildfire-phone-{port}", most_bytes=MOST_BYTES)
        self.origin = place.origins[0]
        self._served = Beside(phone_site(place, messenger, self.devices).asgi, taken, pem=pem)

    def link(self) -> str:
        """A link for one phone, with a new code in it."""
        return f"{self.origin}/pair?code={self.devices.code()}"

    def close(self) -> None:
        """Shut it; who is paired stays so."""
        self._served.stop()


def origin_host(host: str, port: int) -> str:
    """How browsers name it: without the port that is https's own.

    >>> origin_host("192.168.1.20", 4300), origin_host("192.168.1.20", 443), origin_host("fd00::1", 4300)
    ('192.168.1.20:4300', '192.168.1.20', '[fd00::1]:4300')
    """
    named = f"[{host}]" if ":" in host else host.lower()
    return named if port == 443 else f"{named}:{port}"


def listen(address: str) -> tuple[socket.socket, str]:
    """A socket at an address for phones, and its host."""
    host, port = address_of(address)
    if host in ("0.0.0.0", "::"):
        raise BadValue(f"--phones {address[:60]} must be the one address that phones go to, such as 192.168.1.20:4300.")
    try:
        kind = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=kind), host
    except OSError:
        raise BadValue(
            f"{host}:{port} cannot be listened on: another program has it, or it is not an address of this machine. "
            "Choose another with --phones."
        ) from None


def _certificate(messenger: Messenger, host: str) -> str:
    """The one that was made for this address before, unless it ends soon: a new one has to be compared anew."""
    kept, store = messenger.store.get("phones_certificate"), messenger.store
    today = datetime.fromtimestamp(messenger.node.clock.wall(), UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    if kept:
        before, first, pem = kept.split("\n", 2)
        age = today - datetime.fromisoformat(first)
        if before == host and timedelta(0) <= age < timedelta(CERTIFICATE_DAYS - 60):
            return pem
    first_day = today - timedelta(1)  # A phone whose clock is behind takes it, too.
    pem = page_certificate(host, first=first_day, days=CERTIFICATE_DAYS)
    store.put("phones_certificate", f"{host}\n{first_day.isoformat()}\n{pem}")
    return pem
