"""The relay: parties of a meeting leave sealed boxes in a room, and take what others left. It reads none of them.

POST /m/ROOM with a box, GET /m/ROOM?after=N for the boxes behind the N-th. A room's name is a hash of its secret, which
the relay never sees. A browser that opens the link gets a page that answers there; /m is where it makes its key.
"""

import base64
import json
import re
import time
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from banister.apps.collect.ingest import ANYBODY, TAKEN, Bucket, RequestRefused, read_body, refuse
from banister.apps.collect.public import open_answer
from banister.apps.collect.relaying.rooms import MOST_BOX, RoomFull, Rooms
from banister.apps.collect.saved import module_text

_ROOM = re.compile(r"/m/([0-9a-f]{64})")
_PAGE, _MODULE = ("/m", "/m/"), "/m/meeting.mjs"


def this_day() -> int:
    """The day of now since 1970."""
    return int(time.time() // 86_400)


class Relay:
    """In front of the rest of the service."""

    def __init__(self, rest: ASGIApp, rooms: Rooms, *, bucket: Bucket) -> None:
        self.rest = rest
        self.rooms = rooms
        self.bucket = bucket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _ROOM.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            if scope["path"] in _PAGE or (found is not None and _by_a_person(scope)):
                await open_answer(module_text("meeting.html").encode(), "text/html")(scope, receive, send)
                return
            if scope["path"] == _MODULE:
                await open_answer(module_text("meeting.mjs").encode(), "text/javascript")(scope, receive, send)
                return
        if found is None:
            await self.rest(scope, receive, send)
            return
        try:
            if not self.bucket.take():
                raise RequestRefused(429, "Too many boxes come at the moment. Nothing was kept; try again in a minute.")
            if scope["method"] == "POST":
                await self._put(found.group(1), receive)
                await send({"type": "http.response.start", "status": 204, "headers": TAKEN})
                await send({"type": "http.response.body", "body": b""})
            elif scope["method"] in ("GET", "HEAD"):
                await self._give(found.group(1), scope, send)
            else:
                raise RequestRefused(405, "A room takes boxes by POST and gives them by GET. Nothing was kept.")
        except RequestRefused as refused:
            await refuse(send, refused.status, refused.words)

    async def _put(self, room: str, receive: Receive) -> None:
        content = await read_body(receive, MOST_BOX, "Nothing was kept.")
        if len(content) < 64:
            raise RequestRefused(422, "This is no sealed box. Nothing was kept.")
        try:
            self.rooms.put(room, content)
        except RoomFull as full:
            raise RequestRefused(507, str(full)) from None

    async def _give(self, room: str, scope: Scope, send: Send) -> None:
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("after", ["0"])[0]
        if not (asked.isascii() and asked.isdecimal() and len(asked) <= 9):
            raise RequestRefused(422, "after is a whole number from 0 on.")
        some = self.rooms.boxes(room, int(asked))
        last = some[-1][0] if some else int(asked)
        boxes = [base64.b64encode(content).decode("ascii") for _, content in some]
        body = json.dumps({"boxes": boxes, "after": last}).encode()
        head = [*ANYBODY, (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _by_a_person(scope: Scope) -> bool:
    """Whether a browser opens the link itself, and no program asks for boxes."""
    return not scope["query_string"] and b"text/html" in dict(scope["headers"]).get(b"accept", b"")
