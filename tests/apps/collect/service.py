"""The service for tests: a store in a folder, and campaigns in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from banister.apps.collect.site import Service, collector
from banister.apps.collect.store import ReportStore
from banister.apps.web.gate import Place
from banister.local.collect.campaign import SignedCampaign
from tests.apps.web.running import running
from tests.apps.web.visit import PORT

KEY = "0123456789abcdef" * 2


def opened(folder: Path, *campaigns: SignedCampaign, place: Place | None = None, **more: object) -> Service:
    """The service over a store with these campaigns."""
    store = ReportStore(folder / "reports.db")
    for one in campaigns:
        store.add(one, shown=True)
    return collector(place or Place.loopback(PORT), store, **more)  # type: ignore[arg-type]


def visitor(service: Service) -> TestClient:
    """Anybody."""
    return TestClient(service.site.asgi, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)


@contextmanager
def served(folder: Path, *campaigns: SignedCampaign, **more: object) -> Iterator[Service]:
    """The service on a real port."""
    made: list[Service] = []

    def make(place: Place) -> object:
        made.append(opened(folder, *campaigns, place=place, **more))
        return made[0].site

    with running(make):  # type: ignore[arg-type]
        try:
            yield made[0]
        finally:
            made[0].writer.close()
