"""The messenger's pages: what is here, who your friends are, and what your node makes of both."""

from pathlib import Path

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from banister.apps.web.gate import Place
from banister.apps.web.site import NavLink, Site
from banister.apps.wildfire.figures import traffic_gb
from banister.apps.wildfire.limit import minutes_an_hour
from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.pages.drawn import link_map
from banister.apps.wildfire.pages.posts import PostPages
from banister.apps.wildfire.pages.qr import qr_code
from banister.apps.wildfire.phones.devices import Devices
from banister.apps.wildfire.phones.listener import Phones
from banister.apps.wildfire.terminal import STRANGE, proposal_words
from banister.errors import BadValue, BanisterError
from banister.spread.node.wildfire import LIFE_DAYS, PACE, PAUSE, QUIET, STEP_TICKS, SWITCH

LINKS = (NavLink("/", "Posts"), NavLink("/friends", "Friends"), NavLink("/node", "Your node"))
TICKS = (1, 5, 15, 60)
CROWDS = (4, 8, 16)
LIMITS = (0.5, 1, 2, 5)
"""GB a month, for mobile links."""


def wildfire(place: Place, messenger: Messenger, phones: Phones | None = None) -> Site:
    """All pages over a running node; `phones` is the door for phones, where one is open."""
    site = Site("wildfire", place=place, links=LINKS, templates=(Path(__file__).parent / "templates",))
    Pages(site, messenger, phones)
    return site


class Pages:
    """The routes."""

    def __init__(self, site: Site, messenger: Messenger, phones: Phones | None) -> None:
        self.site, self.messenger, self.phones = site, messenger, phones
        PostPages(site, messenger)
        for path, shown in (("/friends", self.friends), ("/node", self.node)):
            site.app.add_api_route(path, shown, methods=["GET"], response_model=None)
        done = (
            ("/invite", self.invite),
            ("/join", self.join),
            ("/friend", self.change),
            ("/limit", self.limit),
            ("/discover", self.discover),
            ("/phones/pair", self.pair),
            ("/phones/revoke", self.revoke),
            ("/introduce", self.introduce),
            ("/introduction", self.introduction),
        )
        for path, work in done:
            site.app.add_api_route(path, work, methods=["POST"], response_model=None)

    def friends(self) -> Response:
        return self._friends("", "")

    def _friends(self, invitation: str, refusal: str) -> Response:
        return self.site.page(
            "friends.html",
            422 if refusal else 200,
            here="/friends",
            title="Friends",
            friends=self.messenger.friends(),
            introductions=[(each, proposal_words(each)) for each in self.messenger.introductions()],
            strange=STRANGE,
            invitation=invitation,
            code=qr_code(invitation) if invitation else "",
            refusal=refusal,
        )

    async def invite(self, request: Request) -> Response:
        fields = await self.site.fields(request)
        return self._friends(self.messenger.invite(friend=fields.get("name", "")), "")

    async def join(self, request: Request) -> Response:
        fields = await self.site.fields(request)
        try:
            line, name = fields.get("line", ""), fields.get("name", "")
            await run_in_threadpool(self.messenger.join, line, friend=name)
        except BanisterError as error:
            return self._friends("", str(error))
        return RedirectResponse("/friends", status_code=303)

    async def change(self, request: Request) -> Response:
        """Accept, decline, remove or block a friend."""
        fields = await self.site.fields(request)
        verbs = {"accept": self.messenger.accept, "remove": self.messenger.remove, "block": self.messenger.block}
        verb = verbs.get(fields.get("verb", ""))
        if verb is None:
            raise BadValue("The form is not complete. Load the page again; nothing was done.")
        verb(_link(fields.get("link", "")))
        return RedirectResponse("/friends", status_code=303)

    async def introduce(self, request: Request) -> Response:
        """Offer two friends to each other."""
        fields = await self.site.fields(request)
        one, other = fields.get("one", ""), fields.get("other", "")
        try:
            self.messenger.introduce(_link(one), _link(other))
        except BadValue as error:
            return self._friends("", str(error))
        return RedirectResponse("/friends", status_code=303)

    async def introduction(self, request: Request) -> Response:
        """Agree to be introduced, or not."""
        fields = await self.site.fields(request)
        verbs = {"agree": self.messenger.agree, "decline": self.messenger.decline}
        verb = verbs.get(fields.get("verb", ""))
        if verb is None:
            raise BadValue("The form is not complete. Load the page again; nothing was done.")
        verb(fields.get("name", ""), _link(fields.get("link", "")))
        return RedirectResponse("/friends", status_code=303)

    async def limit(self, request: Request) -> Response:
        """Bound the node's traffic."""
        try:
            self.messenger.set_limit((await self.site.fields(request)).get("limit", "").strip() or 0)
        except BanisterError as error:
            return self._node(str(error))
        return RedirectResponse("/node", status_code=303)

    async def discover(self, request: Request) -> Response:
        """Look for friends on the local network, or no more."""
        wanted = (await self.site.fields(request)).get("wanted") == "yes"
        await run_in_threadpool(self.messenger.discover, wanted=wanted)
        return RedirectResponse("/node", status_code=303)

    def _made(self) -> str:
        """The traffic so far, in words."""
        sent, came, seconds = self.messenger.traffic()
        return f"{sent / 1e6:,.1f} MB sent and {came / 1e6:,.1f} MB received in {_span(seconds)} since it was started"

    async def pair(self, request: Request) -> Response:
        """A link for a phone, as a QR code."""
        await self.site.fields(request)
        if self.phones is None:
            raise BadValue("Phones cannot come in: start the node with --phones.")
        try:
            return self._node("", link=self.phones.link())
        except BadValue as error:
            return self._node(str(error))

    async def revoke(self, request: Request) -> Response:
        """Take back a phone's right to come in."""
        name = (await self.site.fields(request)).get("device", "")
        try:
            self._devices().revoke(name)
        except BadValue as error:
            return self._node(str(error))
        return RedirectResponse("/node#phones", status_code=303)

    def _devices(self) -> Devices:
        """Who is paired; those who cannot come in just now are shown, too."""
        return (
            self.phones.devices if self.phones else Devices(self.messenger.store, wall=self.messenger.node.clock.wall)
        )

    def node(self) -> Response:
        return self._node("")

    def _node(self, refusal: str, *, link: str = "") -> Response:
        """What the node is set to, what it knows, and what traffic it makes."""
        limit, friends = self.messenger.node.limit.gigabytes, self.messenger.friends()
        tick = self.messenger.node.tick_seconds
        count = max(self.messenger.confirmed(), 1)
        rows = [(each, [traffic_gb(each, friends) for friends in CROWDS], _minutes(each)) for each in TICKS]
        return self.site.page(
            "node.html",
            422 if refusal else 200,
            refusal=refusal,
            trouble=self.messenger.trouble(),
            limit=limit,
            up=minutes_an_hour(limit, tick, count),
            limits=[(gb, [minutes_an_hour(gb, tick, friends) for friends in CROWDS]) for gb in LIMITS],
            here="/node",
            title="Your node",
            tick=tick,
            friends=friends,
            held=len(self.messenger.feed()),
            links_map=link_map(friends, self.messenger.came()),
            made=self._made(),
            traffic=traffic_gb(tick, count),
            count=count,
            address=self.messenger.reached(),
            phones=self.phones,
            devices=self._devices().all(),
            link=link,
            code=qr_code(link) if link else "",
            discovers=self.messenger.discovers(),
            nearby=self.messenger.nearby(),
            rows=rows,
            crowds=CROWDS,
            days=LIFE_DAYS,
            pace=PACE * tick,
            day=int(86_400 / tick / PACE),
            frames=int(86_400 / tick),
            picture=104 * tick / 60,
        )


def _link(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadValue("The form is not complete. Load the page again; nothing was done.")
    return int(text)


def _span(seconds: float) -> str:
    """A time in words."""
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def _minutes(tick: float) -> float:
    """Minutes until some 10 000 have a post: the deadline, and then four ticks of gossip."""
    return ((SWITCH + QUIET + 1) * STEP_TICKS + 4 * PAUSE) * tick / 60
