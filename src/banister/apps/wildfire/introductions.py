"""Two friends of mine become friends of each other, if both want to.

I tell each what I call the other. Who agrees answers with a key made for this; who does not says nothing, so that
neither the other nor I learn it from a no. When both have agreed, the one who can be reached better makes an invitation
and seals it for the other's key: it passes through my node, which cannot read it while it is honest. A node that lied
could put itself between them, as anybody who carries an invitation could; the safety number is for that.

Notes carry this. They go where cover would, are told again until they were taken, and are on disk like everything.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from banister import keys
from banister.apps.wildfire.identity import is_meeting_key, meeting_key, sealed_for, unsealed
from banister.apps.wildfire.invitation import LIFE_SECONDS, Invitation
from banister.apps.wildfire.roads.socks import ONION
from banister.errors import BadValue
from banister.spread.node.codec import LONGEST_NOTE
from banister.spread.node.messages import Link, Note, Tick

if TYPE_CHECKING:
    from banister.apps.wildfire.node import Node

TAKEN, OFFER, AGREED, MEET, SEALED = range(5)
"""Notes: the one of this kind has come; you may meet somebody; I want to; make an invitation for her; here it is."""
AGAIN_TICKS = 16
"""A note that was not taken is told again after so many ticks, and an invitation that nobody answered tried again."""
MOST_OPEN = 8
"""Introductions that one friend may have open here."""
LONGEST_NAME = 60
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Introduction:
    """One introduction as it stands with one friend: with each of the two whom I introduce, or with who introduces me.

    `state` is asked and agreed of mine; offered, declined, agreed and joining of theirs.
    """

    id: bytes
    link: Link
    mine: bool
    name: str
    """What the other is called."""
    state: str
    key: bytes = b""
    """Of mine, the public key of the friend; of theirs, my private one."""
    reach: int = 0
    line: str = ""
    expires: int = 0


class Introductions:
    """All that are open at a node."""

    def __init__(self, node: "Node") -> None:
        self._node, self._store = node, node.store
        self._open: dict[tuple[bytes, Link], Introduction] = {}
        self._notes: dict[tuple[bytes, Link, int], tuple[bytes, int]] = {}
        self._told: dict[tuple[bytes, Link, int], Tick] = {}
        self._tried: dict[bytes, Tick] = {}
        self._swept: Tick = 0

    def refresh(self) -> None:
        """Take up what is on disk."""
        rows = self._store.rows("SELECT * FROM introductions ORDER BY expires, id, link")
        self._open = {(r[0], r[1]): Introduction(r[0], r[1], bool(r[2]), *r[3:]) for r in rows}
        kept = self._store.rows("SELECT id, link, what, body, expires FROM notes")
        self._notes = {(r[0], r[1], r[2]): (r[3], r[4]) for r in kept}
        self._told = {name: at for name, at in self._told.items() if name in self._notes}

    def all(self) -> tuple[Introduction, ...]:
        """Those that a person sees."""
        return tuple(each for each in self._open.values() if each.state != "declined")

    # What the person does.

    def introduce(self, one: Link, other: Link, names: tuple[str, str]) -> None:
        """Offer each to the other, under these names."""
        name, expires = bytes.fromhex(keys.nonce()), int(self._node.clock.wall()) + LIFE_SECONDS
        with self._store.writing():
            for link, told in ((one, names[1]), (other, names[0])):
                self._put(Introduction(name, link, True, told, "asked", expires=expires))
                self._say(link, Note(name, OFFER, told[:LONGEST_NAME].encode()), expires)
        self._changed()

    def agree(self, name: bytes, link: Link) -> None:
        """Answer an offer."""
        offered = self._offered(name, link)
        private, public = meeting_key()
        answer = public + bytes([self._reach()])
        with self._store.writing():
            self._put(replace(offered, state="agreed", key=private))
            self._say(link, Note(name, AGREED, answer), offered.expires)
        self._changed()

    def decline(self, name: bytes, link: Link) -> None:
        """Say nothing to an offer, or take back one that I made; nobody is told."""
        found = self._open.get((name, link))
        if found is None:
            raise BadValue("There is no such introduction any more. Look at the list of friends.")
        with self._store.writing():
            if found.mine:
                self._end(name)
            else:
                self._put(replace(found, state="declined", key=b"", line=""))
                self._store.rows("DELETE FROM notes WHERE id = ?", name)
        self._store.cut_the_log()
        self._changed()

    def _offered(self, name: bytes, link: Link) -> Introduction:
        found = self._open.get((name, link))
        if found is None or found.mine or found.state != "offered":
            raise BadValue("There is no such introduction any more. Look at the list of friends.")
        return found

    def _reach(self) -> int:
        """How well others get here: through a relay, at an address, through Tor, from this machine alone."""
        host, _ = self._node.reached
        if self._node.relay is not None:
            return 3
        return 1 if host.endswith(ONION) else 0 if host.startswith("127.") or host in ("localhost", "::1") else 2

    # What the ticks bring.

    def work(self, now: Tick) -> None:
        """Look at notes that came, tell those that wait for their friends, and try what was agreed."""
        came, self._node.exchange.notes = self._node.exchange.notes, []
        changes = [self._happened(link, note, now) for link, note in came]
        for name, (body, _) in self._notes.items():
            if name[1] in self._node.lines and now >= self._told.get(name, now) + AGAIN_TICKS * (name in self._told):
                self._told[name] = now
                self._node.exchange.tell(name[1], Note(name[0], name[2], body))
        for each in self._open.values():
            if each.line and now >= self._tried.get(each.id, now):
                self._tried[each.id] = now + AGAIN_TICKS
                self._node.joining.join_later(each)
        if now >= self._swept + AGAIN_TICKS:
            self._swept = now
            changes.append(self._forget_old())
        if any(changes):
            self._changed()

    def _forget_old(self) -> bool:
        wall = self._node.clock.wall()
        ends = [each.expires for each in self._open.values()] + [expires for _, expires in self._notes.values()]
        if all(end >= wall for end in ends):
            return False
        with self._store.writing():
            for table in ("introductions", "notes"):
                self._store.rows(f"DELETE FROM {table} WHERE expires < ?", wall)
        self._store.cut_the_log()
        return True

    def _happened(self, link: Link, note: Note, now: Tick) -> bool:
        """Whether anything changed. What comes twice does so once; every note is taken, once it is on disk."""
        if note.what == TAKEN:
            said = (note.id, link, note.body[0] if note.body else TAKEN)
            if said not in self._notes:
                return False
            with self._store.writing():
                self._store.rows("DELETE FROM notes WHERE id = ? AND link = ? AND what = ?", *said)
            return True
        found = self._open.get((note.id, link))
        changed = self._offer(link, note) if note.what == OFFER and found is None else self._answer(found, note)
        if changed:
            self.refresh()
        self._node.exchange.tell(link, Note(note.id, TAKEN, bytes([note.what])))
        return changed

    def _offer(self, link: Link, note: Note) -> bool:
        here = [each for each in self._open.values() if each.link == link and not each.mine]
        name = "".join(mark for mark in note.body.decode("utf-8", "replace") if mark.isprintable())[:LONGEST_NAME]
        if not name.strip() or len(note.id) != 16:
            return False
        with self._store.writing():
            if len(here) >= MOST_OPEN:  # The oldest that nobody answered makes room; else there is none.
                old = next((each for each in here if each.state in ("offered", "declined")), None)
                if old is None:
                    return False
                self._store.rows("DELETE FROM introductions WHERE id = ? AND link = ?", old.id, link)
            expires = int(self._node.clock.wall()) + LIFE_SECONDS
            self._put(Introduction(note.id, link, False, name.strip(), "offered", expires=expires))
        return True

    def _answer(self, found: Introduction | None, note: Note) -> bool:
        if found is None:
            return False
        match note.what, found.mine, found.state:
            case (2, True, "asked") if len(note.body) == KEY_BYTES + 1:
                self._both(replace(found, state="agreed", key=note.body[:KEY_BYTES], reach=note.body[KEY_BYTES]))
            case (3, False, "agreed") if len(note.body) == KEY_BYTES:
                return self._invite(found, note.body)
            case (4, True, "meeting") if len(note.body) <= LONGEST_NOTE - KEY_BYTES:
                other = self._other(found)
                with self._store.writing():
                    self._end(found.id)
                    if other is not None:
                        self._say(other.link, Note(found.id, SEALED, found.key + note.body), found.expires)
            case (4, False, "agreed") if len(note.body) > KEY_BYTES:
                return self._join(found, note.body)
            case _:
                return False
        return True

    def _other(self, one: Introduction) -> Introduction | None:
        same = (each for each in self._open.values() if each.id == one.id and each.link != one.link)
        return next(same, None)

    def _both(self, found: Introduction) -> None:
        """When both have agreed, ask the one who can be reached better for an invitation."""
        other = self._other(found)
        with self._store.writing():
            if other is None or other.state != "agreed":
                self._put(found)
                return
            one, two = (found, other) if found.reach > other.reach else (other, found)
            self._put(replace(one, state="meeting"))
            self._put(two)
            self._say(one.link, Note(one.id, MEET, two.key), one.expires)

    def _invite(self, found: Introduction, theirs: bytes) -> bool:
        if not is_meeting_key(theirs):
            return False
        with self._store.writing():
            wall = self._node.clock.wall()
            line = self._node.joining.invite(now=wall, seconds=LIFE_SECONDS, friend=self.called(found)).text()
            sealed = sealed_for(found.key, theirs, line.encode("ascii"), found.id)
            self._store.rows("DELETE FROM introductions WHERE id = ?", found.id)
            self._say(found.link, Note(found.id, SEALED, sealed), found.expires)
        self._store.cut_the_log()
        return True

    def _join(self, found: Introduction, data: bytes) -> bool:
        try:
            line = unsealed(found.key, data[:KEY_BYTES], data[KEY_BYTES:], found.id).decode("ascii")
            Invitation.read(line)
        except (ValueError, BadValue):
            return False
        with self._store.writing():
            self._put(replace(found, state="joining", key=b"", line=line))
        return True

    def joined(self, found: Introduction) -> None:
        """The invitation was used; she is in the list of friends."""
        with self._store.writing():
            self._store.rows("DELETE FROM introductions WHERE id = ? AND link = ?", found.id, found.link)
        self._store.cut_the_log()
        self._changed()

    def called(self, found: Introduction) -> str:
        """The name under which she comes into the list."""
        via = next((friend.name for friend in self._store.friends() if friend.link == found.link), "a friend")
        return f"{found.name}, through {via}"[:LONGEST_NAME]

    # On disk.

    def _put(self, one: Introduction) -> None:
        row = (one.id, one.link, one.mine, one.name, one.state, one.key, one.reach, one.line, one.expires)
        self._store.rows("INSERT OR REPLACE INTO introductions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def _say(self, link: Link, note: Note, expires: int) -> None:
        row = (note.id, link, note.what, note.body, expires)
        self._store.rows("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?)", *row)

    def _end(self, name: bytes) -> None:
        for table in ("introductions", "notes"):
            self._store.rows(f"DELETE FROM {table} WHERE id = ?", name)

    def _changed(self) -> None:
        self.refresh()
        self._node.changes += 1
