"""The pages that a paired phone has: posts, and what it may and may not do. Nothing of them is kept on the phone."""

from pathlib import Path

from fastapi import Request
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import Scope

from banister.apps.web.gate import STATIC, Place, cookie_of
from banister.apps.web.site import NavLink, Site
from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.pages.posts import PostPages
from banister.apps.wildfire.phones.devices import DAYS, Devices
from banister.apps.wildfire.pictures import icon
from banister.errors import BanisterError

LINKS = (NavLink("/", "Posts"), NavLink("/phone", "This phone"))
PAIR = "/pair"
ICONS = (180, 192, 512)
MANIFEST = {
    "name": "wildfire",
    "short_name": "wildfire",
    "start_url": "/",
    "scope": "/",
    "display": "standalone",
    "icons": [
        {"src": f"/static/phone/icon-{side}.png", "sizes": f"{side}x{side}", "type": "image/png"} for side in ICONS
    ],
}


def phone_site(place: Place, messenger: Messenger, devices: Devices) -> Site:
    """All that phones may see of a node."""
    folder = Path(__file__).parents[1] / "templates"
    site = Site("wildfire", place=place, links=LINKS, templates=(folder,), admits=lambda site: PhoneDoor(site, devices))
    PostPages(site, messenger, phone=True)
    PhonePages(site, devices)
    return site


class PhoneDoor:
    """Admits paired phones, and whoever would be paired to that one page; and nobody else."""

    def __init__(self, site: Site, devices: Devices) -> None:
        self._site, self._devices = site, devices

    def __call__(self, scope: Scope, headers: Headers) -> Response | None:
        if scope["path"].startswith(STATIC) or scope["path"] == PAIR:
            return None
        if self._devices.known(cookie_of(headers, self._site.place.cookie)) is not None:
            return None
        words = "This phone is not paired with this node, or not any more. Ask for a new code on the node's own page."
        return self._site.stranger(403, words)


class PhonePages:
    """The routes that only phones have."""

    def __init__(self, site: Site, devices: Devices) -> None:
        self.site, self.devices = site, devices
        for path, shown in (
            (PAIR, self.pair),
            ("/phone", self.phone),
            ("/static/phone/manifest.webmanifest", self.manifest),
            ("/static/phone/icon-{side}.png", self.icon),
        ):
            site.app.add_api_route(path, shown, methods=["GET"], response_model=None)
        site.app.add_api_route(PAIR, self.paired, methods=["POST"], response_model=None)
        site.app.add_api_route("/forget", self.forget, methods=["POST"], response_model=None)

    def pair(self, code: str = "") -> Response:
        """Asks before it uses the code: programs that look at links for the person use up nothing."""
        return self._pair(code, "")

    def _pair(self, code: str, refusal: str) -> Response:
        status = 422 if refusal else 200
        return self.site.page(
            "pair.html", status, here="", title="Pair this phone", code=code, refusal=refusal, links=()
        )

    async def paired(self, request: Request) -> Response:
        fields = await self.site.fields(request)
        try:
            secret = self.devices.pair(fields.get("code", ""), fields.get("name", ""))
        except BanisterError as error:
            return self._pair("", str(error))
        answer = RedirectResponse("/", status_code=303)
        answer.headers["set-cookie"] = f"{self.site.place.set_cookie(secret)}; Max-Age={DAYS * 86_400}"
        return answer

    def phone(self, request: Request) -> Response:
        found = self.devices.known(cookie_of(request.headers, self.site.place.cookie))
        assert found is not None
        return self.site.page("phone.html", here="/phone", title="This phone", device=found, days=DAYS, phone=True)

    async def forget(self, request: Request) -> Response:
        """The phone's own way out."""
        await self.site.fields(request)
        found = self.devices.known(cookie_of(request.headers, self.site.place.cookie))
        assert found is not None
        self.devices.revoke(found.id)
        answer = self.site.stranger(200, "This phone is not paired any more. Nothing of its posts is left on it.")
        answer.headers["set-cookie"] = f"{self.site.place.set_cookie('')}; Max-Age=0"
        answer.headers["clear-site-data"] = '"cache", "cookies", "storage"'
        return answer

    def manifest(self) -> Response:
        """By which a phone puts the page on its home screen."""
        return JSONResponse(MANIFEST, media_type="application/manifest+json")

    def icon(self, side: int) -> Response:
        return Response(icon(side if side in ICONS else ICONS[0]), media_type="image/png")
