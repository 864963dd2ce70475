"""`banister collect serve`: open a store and campaigns, and run until interrupted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from banister.apps.collect.analysts import AnalystKeys
from banister.apps.collect.postgres import opened
from banister.apps.collect.relaying.relay import this_day
from banister.apps.collect.relaying.rooms import Rooms
from banister.apps.collect.site import collector
from banister.apps.web.gate import Place
from banister.apps.web.serve import serve, take_port
from banister.errors import BadValue
from banister.local.collect.files import campaign_file


def run(
    where: str,
    campaigns: Sequence[Path],
    *,
    port: int,
    address: str,
    public: bool,
    relay: Path | None,
    keys: Path | None,
    browser: bool,
    say: Callable[[str], None],
) -> None:
    """Open the store, add the campaigns, and collect."""
    asked = [campaign_file(one) for one in campaigns]
    store = opened(where)
    for one in asked:
        store.add(one, shown=public)
    taken = take_port(port)
    place = reached(Place.loopback(taken.getsockname()[1]), address)
    analysts = None if keys is None else AnalystKeys(keys)
    rooms = None if relay is None else Rooms(relay, this_day)
    service = collector(place, store, address=address.rstrip("/"), rooms=rooms, analysts=analysts)
    if analysts is not None:
        say(f"Analysts with a key come in at {address or place.origins[0]}/?token=KEY: {', '.join(analysts.names())}")
    if rooms is not None:
        say(f"Parties meet here: banister relay begin PLAN --at {address or place.origins[0]}")
    for running in service.ingest.open.values():
        say(f"{running.signed.campaign.title}: people answer at {address or place.origins[0]}/a/{running.signed.name}")
    try:
        serve(service.site, taken, browser=browser, say=say)
    finally:
        service.writer.close()
        if rooms is not None:
            rooms.close()


def reached(place: Place, address: str) -> Place:
    """The place with the public address among its names; the loopback stays first, for the dashboard's owner."""
    if not address:
        return place
    parts = urlsplit(address)
    if parts.scheme != "https" or not parts.netloc or parts.path.strip("/") or parts.query:
        raise BadValue(
            f"address = '{address[:80]}' must be like https://ask.example.org: signatures and offline use need TLS."
        )
    return replace(place, hosts=(*place.hosts, parts.netloc.lower()))
