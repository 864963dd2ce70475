"""A meeting through a relay that can neither read, forge nor drop unnoticed.

All papers of a meeting are signed by their authors, so a relay cannot forge them. They travel in boxes sealed with a
secret that parties share and the relay does not, all of the same few sizes, so it cannot read them. And whoever takes
papers from the room leaves a signed roll of all that she saw, numbered and chained to her last one: a paper that is
given to one party and kept from another stands on a roll, and is missed.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from banister.errors import BadValue
from banister.foreign import parse_json
from banister.keys import Ed25519Verifier, SigningKey, opened_box, sealed
from banister.parties.meetings.papers import LONGEST_FILE, NAME, Json, canonical, usable_key

ROLL_FORMAT = "banister-roll/1"
LEAST_BOX = 1 << 12
MOST_PAPER = 1 << 19
_ROOM, _KEY = b"banister-room/1 name", b"banister-room/1 key"


@dataclass(frozen=True, slots=True)
class Paper:
    """A file of a meeting: its name and its text.

    >>> Paper("ann.json", "{}").hash[:8]
    '44136fa3'
    """

    name: str
    text: str

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True)
class Room:
    """A place of the relay, known by a secret that the relay does not have.

    >>> room = Room(bytes(32))
    >>> room.unseal(room.seal(Paper("ann.json", "{}")))
    Paper(name='ann.json', text='{}')
    >>> len(room.seal(Paper("a", ""))) == len(room.seal(Paper("a-longer-name.json", "x" * 3000)))
    True
    """

    secret: bytes

    @property
    def name(self) -> str:
        """What the relay knows the room by; the secret cannot be found from it."""
        return hashlib.sha256(_ROOM + self.secret).hexdigest()

    @property
    def _key(self) -> bytes:
        return hashlib.sha256(_KEY + self.secret).digest()

    def seal(self, paper: Paper) -> bytes:
        """A box of 4 kB, or of twice that, and so on: its size tells next to nothing."""
        if not NAME.match(paper.name):
            raise BadValue(f"The name of a paper {paper.name[:40]!r} must be letters, digits, dots and hyphens.")
        content = json.dumps({"name": paper.name, "text": paper.text}).encode("ascii")
        if len(content) > MOST_PAPER:
            raise BadValue(f"'{paper.name}' has {len(content)} bytes; a relay takes papers of up to {MOST_PAPER}.")
        size = LEAST_BOX
        while size < len(content) + 4:
            size *= 2
        return sealed(self._key, len(content).to_bytes(4, "big") + content.ljust(size - 4, b"\0"), self.name.encode())

    def unseal(self, box: bytes) -> Paper | None:
        """The paper in a box; nothing where it is not of this room."""
        content = opened_box(self._key, box, self.name.encode())
        if content is None or len(content) < 4:
            return None
        try:
            found = json.loads(content[4 : 4 + int.from_bytes(content[:4], "big")])
            paper = Paper(found["name"], found["text"])
        except (ValueError, KeyError, TypeError):
            return None
        able = isinstance(paper.name, str) and isinstance(paper.text, str) and NAME.match(paper.name)
        return paper if able else None


@dataclass(frozen=True, slots=True)
class RoomView:
    """What was found in a room: papers in the order of their names, what is amiss, and who has seen all of them."""

    papers: tuple[Paper, ...]
    amiss: tuple[str, ...]
    agreed: tuple[str, ...]
    silent: tuple[str, ...]
    """Parties without a roll that has all of these papers."""

    @property
    def in_words(self) -> list[str]:
        """For a person: what is amiss, then who has seen the same."""
        lines = [*self.amiss]
        if self.agreed:
            lines.append(f"Signed that they saw all papers that are here: {', '.join(self.agreed)}.")
        if self.silent:
            lines.append(f"Not yet heard of: {', '.join(self.silent)}. Wait for their rolls before you decide.")
        elif not self.amiss:
            lines.append("All have seen the same papers: nothing was dropped.")
        return lines


def members_of(papers: Sequence[Paper]) -> dict[str, str]:
    """The parties of the one plan or agenda among the papers, with their keys; its organiser signed it.

    >>> members_of([])
    {}
    """
    found: dict[str, dict[str, str]] = {}
    for paper in papers:
        body = _body(paper)
        parties, asks, signature = body.get("parties"), body.get("organiser"), body.pop("signature", None)
        if not isinstance(parties, list) or not isinstance(asks, dict) or not isinstance(signature, str):
            continue
        if not Ed25519Verifier().holds(str(asks.get("key")), canonical(body), signature):
            continue
        keys = {str(one.get("name")): str(one.get("key")) for one in parties if isinstance(one, dict)}
        if keys and all(usable_key(key) for key in keys.values()):
            found[paper.hash] = {**keys, str(asks.get("name")): str(asks.get("key"))}
    if len(found) > 1:
        raise BadValue("The room holds two plans, so it is not clear which one is asked. Begin a new meeting.")
    return next(iter(found.values()), {})


def roll(room: Room, papers: Sequence[Paper], *, party: str, key: SigningKey) -> Paper:
    """The party's next roll: all papers that are not rolls, and her last roll, signed."""
    own = [(number, paper) for who, number, _, paper in _rolls(room, papers, {party: key.public}) if who == party]
    number, last = max(own, key=lambda one: one[0], default=(0, Paper("", "")))
    body: dict[str, Json] = {
        "format": ROLL_FORMAT,
        "room": room.name,
        "party": party,
        "number": number + 1,
        "before": last.hash if last.name else "",
        "papers": [*sorted(paper.hash for paper in papers if _body(paper).get("format") != ROLL_FORMAT)],
    }
    text = json.dumps({**body, "signature": key.sign(canonical(body))}) + "\n"
    return Paper(f"roll-{party}-{number + 1}.json"[-64:].lstrip("-."), text)


def view(room: Room, papers: Sequence[Paper], *, seen: Sequence[str]) -> RoomView:
    """Compare what the relay gave with every roll, and with what was seen here before (hashes of papers)."""
    given = {paper.hash for paper in papers}
    members = members_of(papers)
    amiss = [f"The relay does not give a paper that was here before ({one[:12]})." for one in seen if one not in given]
    if not members:
        amiss.append("There is no plan here that its organiser signed.")
    plain = {paper.hash for paper in papers if _body(paper).get("format") != ROLL_FORMAT}
    rolls = _rolls(room, papers, members)
    covered = set()
    for who in sorted(members):
        own = sorted(((number, listed, paper) for name, number, listed, paper in rolls if name == who), key=_number)
        amiss += _chain(who, [(number, paper) for number, _, paper in own])
        missing = sorted({one for _, listed, _ in own for one in listed} - plain)
        amiss += [f"'{who}' saw a paper that the relay keeps from us ({one[:12]})." for one in missing]
        if own and plain <= set(own[-1][1]):
            covered.add(who)
    ordered = tuple(sorted(papers, key=lambda paper: (paper.name, paper.hash)))
    return RoomView(ordered, tuple(amiss), tuple(sorted(covered)), tuple(sorted(set(members) - covered)))


def _number(one: tuple[int, list[str], Paper]) -> int:
    return one[0]


def _chain(who: str, own: Sequence[tuple[int, Paper]]) -> list[str]:
    """Rolls are numbered from 1 on, each naming the one before: a gap is a roll that the relay dropped."""
    amiss, before = [], ""
    for place, (number, paper) in enumerate(own, start=1):
        if number != place or _body(paper).get("before") != before:
            amiss.append(f"Roll {place} of '{who}' is kept from us, or '{who}' signed two.")
            break
        before = paper.hash
    return amiss


def _rolls(room: Room, papers: Sequence[Paper], keys: Mapping[str, str]) -> list[tuple[str, int, list[str], Paper]]:
    """(party, number, papers, the paper itself) of every roll whose signature holds; others count for nothing."""
    found = []
    for paper in papers:
        body = _body(paper)
        if body.get("format") != ROLL_FORMAT or body.get("room") != room.name:
            continue
        signature, who, number, listed = (
            body.pop("signature", ""),
            body.get("party"),
            body.get("number"),
            body["papers"],
        )
        key = keys.get(who) if isinstance(who, str) else None
        if key is None or not Ed25519Verifier().holds(key, canonical(body), str(signature)):
            continue
        if isinstance(number, int) and isinstance(listed, list):
            found.append((str(who), number, [str(one) for one in listed], paper))
    return found


def _body(paper: Paper) -> dict[str, Json]:
    try:
        body = parse_json(paper.text, "it is no paper", most_bytes=LONGEST_FILE)
    except BadValue:
        return {}
    return body if isinstance(body, dict) else {}
