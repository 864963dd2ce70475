"""The ways to whoever listens at an address: straight, through Tor to an onion address, or through a relay."""

import asyncio
import ssl
from collections.abc import Callable

from banister.apps.wildfire.identity import knock
from banister.apps.wildfire.relay import DIALS, MARK, met
from banister.apps.wildfire.roads.socks import ONION, through_tor


async def opened(
    host: str,
    port: int,
    secret: bytes,
    context: ssl.SSLContext,
    *,
    keep: "Callable[[asyncio.Future[None]], None]",
    socks: tuple[str, int],
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """TLS with who is there. `keep` holds on to what moves the bytes where a relay stands between; `socks` is
    where Tor is asked."""
    said = knock(secret)
    if host.endswith(ONION):
        return await asyncio.open_connection(
            sock=await through_tor(host, port, proxy=socks), ssl=context, server_hostname=said
        )
    if not host.startswith(MARK):
        return await asyncio.open_connection(host, port, ssl=context, server_hostname=said)
    held, way = await met(host.removeprefix(MARK), port, DIALS, secret)
    keep(way)
    return await asyncio.open_connection(sock=held, ssl=context, server_hostname=said)
