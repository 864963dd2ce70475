"""`banister collect serve`: open a store and campaigns, and run until interrupted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from banister.apps.collect.site import collector
from banister.apps.collect.store import ReportStore
from banister.apps.web.gate import Place
from banister.apps.web.serve import serve, take_port
from banister.errors import BadValue
from banister.local.collect.files import campaign_file


def run(
    path: Path,
    campaigns: Sequence[Path],
    *,
    port: int,
    address: str,
    public: bool,
    browser: bool,
    say: Callable[[str], None],
) -> None:
    """Open the store, add the campaigns, and collect."""
    asked = [campaign_file(one) for one in campaigns]
    store = ReportStore(path)
    for one in asked:
        store.add(one, shown=public)
    taken = take_port(port)
    place = reached(Place.loopback(taken.getsockname()[1]), address)
    service = collector(place, store, address=address.rstrip("/"))
    for running in service.ingest.open.values():
        say(f"{running.signed.campaign.title}: people answer at {address or place.origins[0]}/a/{running.signed.name}")
    try:
        serve(service.site, taken, browser=browser, say=say)
    finally:
        service.writer.close()


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
