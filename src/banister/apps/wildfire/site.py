"""The messenger's pages: what is here, who your friends are, and what your node makes of both."""

from pathlib import Path

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import RedirectResponse, Response

from banister.apps.web.gate import Place
from banister.apps.web.site import NavLink, Site
from banister.apps.wildfire.figures import LEAST_FRIENDS, figures, graph_words, traffic_gb
from banister.apps.wildfire.limit import minutes_an_hour
from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.pictures import LARGEST_FILE
from banister.apps.wildfire.qr import qr_code
from banister.apps.wildfire.terminal import proposal_words
from banister.errors import BadValue, BanisterError
from banister.spread.node.wildfire import LIFE_DAYS, PACE, PAUSE, QUIET, STEP_TICKS, SWITCH

LINKS = (NavLink("/", "Posts"), NavLink("/friends", "Friends"), NavLink("/node", "Your node"))
TICKS = (1, 5, 15, 60)
CROWDS = (4, 8, 16)
LIMITS = (0.5, 1, 2, 5)
"""GB a month, for mobile links."""


def wildfire(place: Place, messenger: Messenger) -> Site:
    """All pages over a running node."""
    site = Site("wildfire", place=place, links=LINKS, templates=(Path(__file__).parent / "templates",))
    Pages(site, messenger)
    return site


class Pages:
    """The routes."""

    def __init__(self, site: Site, messenger: Messenger) -> None:
        self.site, self.messenger = site, messenger
        for path, shown in (
            ("/", self.posts),
            ("/feed", self.feed),
            ("/friends", self.friends),
            ("/node", self.node),
            ("/picture/{name}", self.picture),
        ):
            site.app.add_api_route(path, shown, methods=["GET"], response_model=None)
        done = (
            ("/post", self.post),
            ("/approve", self.approve),
            ("/mute", self.mute),
            ("/invite", self.invite),
            ("/join", self.join),
            ("/friend", self.change),
            ("/limit", self.limit),
            ("/discover", self.discover),
            ("/introduce", self.introduce),
            ("/introduction", self.introduction),
        )
        for path, work in done:
            site.app.add_api_route(path, work, methods=["POST"], response_model=None)

    def posts(self, reply: str = "") -> Response:
        """Feed and a place to write."""
        return self._posts(reply, "", "")

    def _posts(self, reply: str, words: str, refusal: str) -> Response:
        count, seen = self.messenger.here(), str(self.messenger.node.changes)
        feed = self.messenger.feed()
        return self.site.page(
            "posts.html",
            422 if refusal else 200,
            here="/",
            title="Posts",
            seen=seen,
            feed=[post for post in feed if not post.muted],
            trouble=self.messenger.trouble(),
            replied=next((post for post in feed if post.name == reply), None),
            words=words,
            refusal=refusal,
            figures=figures(count),
            graph=graph_words(),
            count=count,
            confirmed=self.messenger.confirmed(),
            least=LEAST_FRIENDS,
            picture=104 * self.messenger.node.tick_seconds / 60,
        )

    def feed(self, seen: str = "") -> Response:
        """The posts alone, if anything is new since; the page asks for them now and then."""
        now = str(self.messenger.node.changes)
        if seen == now:
            return Response(status_code=204)
        shown = [post for post in self.messenger.feed() if not post.muted]
        answer = self.site.page("feed.html", feed=shown, trouble=self.messenger.trouble())
        answer.headers["x-seen"] = now
        return answer

    async def post(self, request: Request) -> Response:
        form = await _in_memory(request)
        try:
            self.site.forms.checked(str(form.get("key", "")))
            fields = {name: value for name, value in form.items() if isinstance(value, str)}
            given = form.get("picture")
            file = await given.read(LARGEST_FILE + 1) if isinstance(given, UploadFile) else b""
        finally:
            await form.close()
        words, reply, few = fields.get("words", ""), fields.get("reply", ""), fields.get("few") == "yes"
        try:
            await run_in_threadpool(self.messenger.post, words, reply_to=reply, although_few=few, file=file)
        except BanisterError as error:
            return self._posts(reply, words, str(error))
        return RedirectResponse("/", status_code=303)

    def picture(self, name: str) -> Response:
        """The picture of a post; nothing keeps it but the node's own store."""
        return Response(self.messenger.picture(name), media_type="image/jpeg", headers={"cache-control": "no-store"})

    async def approve(self, request: Request) -> Response:
        self.messenger.approve((await self.site.fields(request)).get("name", ""))
        return RedirectResponse("/", status_code=303)

    async def mute(self, request: Request) -> Response:
        self.messenger.mute((await self.site.fields(request)).get("name", ""))
        return RedirectResponse("/", status_code=303)

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

    def node(self) -> Response:
        return self._node("")

    def _node(self, refusal: str) -> Response:
        """What the node is set to, what it knows, and what traffic it makes."""
        limit = self.messenger.node.limit.gigabytes
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
            friends=self.messenger.friends(),
            held=len(self.messenger.feed()),
            traffic=traffic_gb(tick, count),
            count=count,
            address=self.messenger.reached(),
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


async def _in_memory(request: Request) -> FormData:
    """The fields of a form with a file, which is never laid down on a disk on its way."""
    parser = MultiPartParser(request.headers, request.stream(), max_files=1, max_fields=10)
    parser.spool_max_size = 2 * LARGEST_FILE
    try:
        return await parser.parse()
    except MultiPartException:
        raise BadValue("The form is not complete. Load the page again; nothing was done.") from None


def _link(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadValue("The form is not complete. Load the page again; nothing was done.")
    return int(text)


def _minutes(tick: float) -> float:
    """Minutes until some 10 000 have a post: the deadline, and then four ticks of gossip."""
    return ((SWITCH + QUIET + 1) * STEP_TICKS + 4 * PAUSE) * tick / 60
