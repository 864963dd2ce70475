"""A client that behaves as a browser's requests do, for tests of pages without a browser."""

from starlette.testclient import TestClient

from banister.apps.web.gate import Place
from banister.apps.web.site import NavLink, Site

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
OURS = {"sec-fetch-site": "same-origin"}


def small_site(most_bytes: int = 10_000) -> Site:
    """A site with nothing but the foundation."""
    place = Place.loopback(PORT, most_bytes=most_bytes)
    return Site("Small", place=place, links=(NavLink("/", "Start"),))


def client(site: Site) -> TestClient:
    """Somebody who has no cookie yet, and does not follow redirects."""
    return TestClient(site.asgi, base_url=f"http://{HOST}", follow_redirects=False, raise_server_exceptions=False)


def owner(site: Site) -> TestClient:
    """Somebody who has traded the token."""
    found = client(site)
    assert found.get("/", params={"token": site.visitors.token}).status_code == 303
    return found
