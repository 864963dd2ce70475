"""A party's side of the relay: open a room, leave papers in it, take the others', and compare the rolls."""

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from banister.errors import BadValue
from banister.files import Access, folder, new_text, whole_text
from banister.foreign import read_text
from banister.keys import secret
from banister.parties.meetings.home import PartyHome
from banister.parties.meetings.room import MOST_PAPER, Paper, Room, RoomView, members_of, roll, view

SEEN = ".seen.json"
_SECONDS = 30
_AGENT = {"User-Agent": "", "Content-Type": "application/octet-stream"}


@dataclass(frozen=True, slots=True)
class RoomLink:
    """Where a room is, and its secret: ADDRESS/m/NAME#SECRET. The part behind # never leaves the machine."""

    address: str
    room: Room

    @classmethod
    def new(cls, address: str) -> "RoomLink":
        """A new room at a relay."""
        return cls(_checked(address), Room(secret()))

    @classmethod
    def of(cls, text: str) -> "RoomLink":
        """The room that a link names."""
        where, _, hidden = text.strip().partition("#")
        try:
            found = Room(base64.urlsafe_b64decode(hidden + "="))
        except ValueError:
            found = Room(b"")
        address, _, name = where.rpartition("/m/")
        if len(found.secret) != 32 or name != found.name:
            raise BadValue("This is no link to a room: it has /m/ and the room's name, then # and its secret.")
        return cls(_checked(address), found)

    @property
    def text(self) -> str:
        """The link for all parties, and for nobody else."""
        hidden = base64.urlsafe_b64encode(self.room.secret).decode("ascii").rstrip("=")
        return f"{self.address}/m/{self.room.name}#{hidden}"

    def leave(self, papers: Sequence[Paper]) -> None:
        """Leave papers in the room; whatever goes wrong, sending again does no harm."""
        for paper in papers:
            _asked(f"{self.address}/m/{self.room.name}", self.room.seal(paper))

    def take(self) -> list[Paper]:
        """All papers of the room, each once; boxes that were not sealed with its secret are passed over."""
        found: dict[tuple[str, str], Paper] = {}
        after, more = 0, True
        while more:
            answer = json.loads(_asked(f"{self.address}/m/{self.room.name}?after={after}", None))
            for box in answer["boxes"]:
                paper = self.room.unseal(base64.b64decode(box))
                if paper is not None:
                    found.setdefault((paper.name, paper.hash), paper)
            more, after = int(answer["after"]) > after, int(answer["after"])
        return list(found.values())


def read_papers(paths: Sequence[Path]) -> list[Paper]:
    """Files as papers."""
    return [Paper(path.name, read_text(path, "a file of a meeting", most_bytes=MOST_PAPER)) for path in paths]


def open_room(plan: Path, address: str) -> RoomLink:
    """A new room with the plan or agenda in it."""
    papers = read_papers([plan])
    if not members_of(papers):
        raise BadValue(
            f"'{plan}' is no plan or agenda that its organiser signed. Make it with `banister parties invite`."
        )
    link = RoomLink.new(address)
    link.leave(papers)
    return link


def visit(link: RoomLink, out: Path, *, party: str, home: PartyHome, send: Sequence[Path] = ()) -> RoomView:
    """Leave papers, take all there are into a folder, and sign a roll of what was seen.

    Files that are there are never written over. What was seen is remembered in the folder, so that a paper that the
    relay no longer gives is missed.
    """
    folder(out)
    key, mine = home.key(party), read_papers(send)
    seen = _seen(out)
    link.leave(mine)
    papers = link.take()
    before = view(link.room, papers, seen=[*seen, *(paper.hash for paper in mine)])
    for paper in papers:
        _write(out, paper)
    next_roll = roll(link.room, papers, party=party, key=key)
    if before.papers and party not in before.agreed and party in members_of(papers):
        link.leave([next_roll])
        papers = [*papers, next_roll]
    found = view(link.room, papers, seen=[*seen, *(paper.hash for paper in mine)])
    known = {*seen, *(paper.hash for paper in papers), *(paper.hash for paper in mine)}
    whole_text(out / SEEN, json.dumps(sorted(known)) + "\n", access=Access.OWNER)
    return found


def _seen(out: Path) -> list[str]:
    path = out / SEEN
    if not path.exists():
        return []
    try:
        found = json.loads(read_text(path, "the list of papers seen", most_bytes=1 << 24))
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise BadValue(f"'{path}' is not the list of papers seen as banister writes it. Restore it.")
    return [str(one) for one in found]


def _write(out: Path, paper: Paper) -> None:
    path = out / paper.name
    if path.exists():
        if path.read_text(encoding="utf-8") == paper.text:
            return
        path = out / f"{paper.hash[:12]}-{paper.name}"[:64]
    if not path.exists():
        new_text(path, paper.text)


def _checked(address: str) -> str:
    parts = urlsplit(address)
    local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if not parts.netloc or (parts.scheme != "https" and not local):
        raise BadValue(f"'{address[:80]}' must begin with https: the network would see who meets whom.")
    return f"{parts.scheme}://{parts.netloc}"


def _asked(address: str, body: bytes | None) -> bytes:
    request = urllib.request.Request(address, data=body, headers=_AGENT)
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
            return bytes(answer.read(1 << 27))
    except urllib.error.HTTPError as error:
        try:
            words = str(json.loads(error.read(10_000))["refused"])
        except (ValueError, KeyError, TypeError):
            words = f"The relay answered {error.code}."
        raise BadValue(words) from None
    except (OSError, ValueError):
        raise BadValue("The relay cannot be reached. Your papers are where they were; run the command again.") from None
