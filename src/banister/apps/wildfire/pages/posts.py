"""The pages of posts: what is here, and a place to write. The owner's browser and her phones have the same."""

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import RedirectResponse, Response

from banister.apps.web.site import Site
from banister.apps.wildfire.figures import LEAST_FRIENDS, figures, graph_words
from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.pictures import LARGEST_FILE
from banister.errors import BadValue, BanisterError

MOST_BYTES = LARGEST_FILE + 100_000
"""Of a request: the largest picture that is taken, and a post."""


class PostPages:
    """The routes. `more` are facts for every page."""

    def __init__(self, site: Site, messenger: Messenger, **more: bool) -> None:
        self.site, self.messenger, self._more = site, messenger, more
        for path, shown in (("/", self.posts), ("/feed", self.feed), ("/picture/{name}", self.picture)):
            site.app.add_api_route(path, shown, methods=["GET"], response_model=None)
        for path, work in (("/post", self.post), ("/approve", self.approve), ("/mute", self.mute)):
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
            **self._more,
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


async def _in_memory(request: Request) -> FormData:
    """The fields of a form with a file, which is never laid down on a disk on its way."""
    parser = MultiPartParser(request.headers, request.stream(), max_files=1, max_fields=10)
    parser.spool_max_size = 2 * LARGEST_FILE
    try:
        return await parser.parse()
    except MultiPartException:
        raise BadValue("The form is not complete. Load the page again; nothing was done.") from None
