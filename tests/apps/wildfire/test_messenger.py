"""Real nodes on the loopback: friends, posts, strangers, crashes, and what lies on the disk."""

import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from banister.apps.wildfire.identity import LinkKey, knock, link_context
from banister.apps.wildfire.invitation import Invitation
from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.store import PostStore, wipe
from banister.apps.wildfire.terminal import Talk
from banister.apps.wildfire.ticks import Clock
from banister.errors import BadValue
from banister.spread.node.ages import end_of_life
from banister.spread.node.codec import FRAME_BYTES
from tests.apps.wildfire.people import TICK, WORDS, befriend, heard, here, people, until
from tests.spread.node.test_own import accounts


def test_friends_post_reply_and_part(tmp_path: Path) -> None:
    with people(tmp_path, 2) as (ann, ben):
        befriend(ann, ben)
        with pytest.raises(BadValue, match="You have 1 confirmed friend; with fewer than 3"):
            ann.post("hello")
        ann.post("hello", although_few=True)
        until(lambda: heard(ben) == {"hello"})
        assert heard(ann) == {"hello"}  # One's own stands among the others.
        ben.approve(ben.feed()[0].name)
        assert ben.feed()[0].approved
        ben.post("hello back", reply_to=ben.feed()[0].name, although_few=True)
        until(lambda: len(heard(ann)) == 2)
        reply = next(post for post in ann.feed() if post.words == "hello back")
        assert reply.reply_to == next(post.name for post in ann.feed() if post.words == "hello")
        ann.remove(ann.friends()[0].link)
        until(lambda: not here(ben))
        assert ann.friends() == ()
        assert ann.node.failure is ben.node.failure is None


def test_a_post_reaches_all_of_a_small_crowd_and_who_comes_later(tmp_path: Path) -> None:
    with people(tmp_path, 5) as crowd:
        for one, other in ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3)):
            befriend(crowd[one], crowd[other])
        crowd[0].post("to all")
        until(lambda: all("to all" in heard(each) for each in crowd[:4]))
        befriend(crowd[4], crowd[1])
        until(lambda: "to all" in heard(crowd[4]))
        crowd[0].block(crowd[0].friends()[0].link)
        crowd[0].store.change_friend(crowd[0].friends()[0].link, state="friend")  # Confirmed, and not here.
        with pytest.raises(BadValue, match="Of your 3 confirmed friends 2 are here now; with fewer than 3"):
            crowd[0].post("too few")


def test_an_invitation_works_once_and_not_for_ever(tmp_path: Path) -> None:
    with people(tmp_path, 3) as (ann, ben, eve):
        line = ann.invite()
        ben.join(line)
        with pytest.raises(BadValue, match="she is not there now, or the invitation was used or has expired"):
            eve.join(line)
        with pytest.raises(BadValue, match="You have used this invitation already"):
            ben.join(line)
        with pytest.raises(BadValue, match="This invitation has expired"):
            eve.join(ann.invite(seconds=-1))
        with pytest.raises(BadValue, match="This is no invitation: one begins with wildfire:1:"):
            eve.join("wildfire:1:" + "A" * 40)
        other = Invitation.read(ann.invite())
        forged = Invitation(other.id, other.secret, b"x" * 32, other.expires, other.host, other.port)
        with pytest.raises(BadValue, match="Somebody else answered than the one who invited"):
            eve.join(forged.text())
        ann.remove(ann.friends()[0].link)  # Declined.
        assert ann.friends() == ()


def test_a_stranger_gets_nothing_and_a_changed_key_no_link(tmp_path: Path) -> None:
    with people(tmp_path, 2) as (ann, ben):
        befriend(ann, ben)
        secret = ann.store.friends()[0].secret
        stranger = link_context(LinkKey.generate(), None, server=False)
        for name in (None, "", "example.org", knock(b"x" * 32)):
            with socket.create_connection(("127.0.0.1", ann.node.port)) as raw, pytest.raises(ssl.SSLError):
                stranger.wrap_socket(raw, server_hostname=name or None)
        # Who learnt the secret but has another key sees the handshake end, and no frame.
        own, theirs = LinkKey.generate(), ben.store.friends()[0].theirs
        context = link_context(own, theirs, server=False)
        with socket.create_connection(("127.0.0.1", ann.node.port)) as raw:
            assert not frames_of(context, raw, knock(secret))
        assert here(ann)


def frames_of(context: ssl.SSLContext, raw: socket.socket, name: str) -> bytes:
    try:
        with context.wrap_socket(raw, server_hostname=name) as tls:
            return tls.recv(FRAME_BYTES)
    except OSError:  # The end that refuses says so at the first read.
        return b""


def test_every_record_of_a_link_has_one_size(tmp_path: Path) -> None:
    """A relay of bytes stands between two nodes, idle and busy; after the handshake all records are alike."""
    with people(tmp_path, 2) as (ann, ben):
        tap = Tap(ann.node.port)
        invitation = Invitation.read(ann.invite())
        ben.join(
            Invitation(
                invitation.id, invitation.secret, invitation.fingerprint, invitation.expires, "127.0.0.1", tap.port
            ).text()
        )
        ann.accept(ann.friends()[0].link)
        until(lambda: here(ann) and here(ben))
        seen = len(tap.records())
        until(lambda: len(tap.records()) > seen + 20)
        ann.post("busy " * 500, although_few=True)
        until(lambda: heard(ben))
        until(lambda: len(tap.records()) > seen + 80)
        sizes = {size for kind, size in tap.records()[seen:]}
        assert sizes == {FRAME_BYTES + 17}
        tap.close()


class Tap:
    """A plain relay that writes down the records of the last connection through it."""

    def __init__(self, target: int) -> None:
        self._target, self._data = target, [bytearray(), bytearray()]
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                return
            self._data = [bytearray(), bytearray()]
            for way, (source, sink) in enumerate(((near, far), (far, near))):
                threading.Thread(target=self._pipe, args=(source, sink, self._data[way]), daemon=True).start()

    def _pipe(self, source: socket.socket, sink: socket.socket, kept: bytearray) -> None:
        try:
            while data := source.recv(65536):
                kept += data
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def records(self) -> list[tuple[int, int]]:
        """Type and size of each whole record of application data, both ways, in the order of each."""
        found = []
        for data in (bytes(kept) for kept in self._data):
            at = 0
            while at + 5 <= len(data) and at + 5 + int.from_bytes(data[at + 3 : at + 5], "big") <= len(data):
                size = int.from_bytes(data[at + 3 : at + 5], "big")
                found.append((data[at], size))
                at += 5 + size
        # The handshake ends with small records; frames are all that comes after.
        return [record for record in found if record[0] == 23 and record[1] > 900]

    def close(self) -> None:
        self._server.close()


RUN = """
import sys, time
from pathlib import Path
from banister.apps.wildfire.messenger import Messenger
one = Messenger(Path(sys.argv[1]), sys.argv[2], tick_seconds=float(sys.argv[3]))
for k in range(10**6):
    one.post(f"post {sys.argv[4]} {k}", although_few=True)
    print(k, flush=True)
"""


def test_what_was_taken_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    taken: set[str] = set()
    for turn in range(3):
        words = [sys.executable, "-c", RUN, str(tmp_path / "ann"), WORDS, str(TICK), str(turn)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        for _ in range(1 + 3 * turn):
            taken.add(f"post {turn} {process.stdout.readline().strip()}")
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read()
        taken |= {f"post {turn} {line}" for line in rest.split("\n")[:-1]}
        process.wait()
        process.stdout.close()
    ann = Messenger(tmp_path / "ann", WORDS)
    assert taken <= heard(ann)
    ann.close()


def test_the_disk_holds_no_words_and_a_wrong_passphrase_opens_nothing(tmp_path: Path) -> None:
    ann = Messenger(tmp_path / "ann", WORDS, tick_seconds=TICK)
    ann.post("an unmistakable sentence", although_few=True)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "ann").iterdir())
    assert b"unmistakable" not in kept
    assert b"SQLite format" not in kept
    ann.store.back_up(tmp_path / "copy")
    ann.close()
    with pytest.raises(BadValue, match="The passphrase does not open this store"):
        Messenger(tmp_path / "ann", WORDS + "!")
    with pytest.raises(BadValue, match="The passphrase has 5 characters; take 8 or more"):
        Messenger(tmp_path / "new", "short")
    moved = Messenger(tmp_path / "copy", WORDS)
    assert heard(moved) == {"an unmistakable sentence"}
    with pytest.raises(BadValue, match="cannot be listened on"):
        Messenger(tmp_path / "third", WORDS, port=moved.node.port)
    moved.close()
    wipe(tmp_path / "ann")
    assert not list((tmp_path / "ann").iterdir())
    with pytest.raises(BadValue, match="There is no messenger in"):
        wipe(tmp_path / "ann")


def test_a_seized_store_does_not_say_which_post_is_ones_own(tmp_path: Path) -> None:
    """With the passphrase and everything on the disk: no row, place, gap, moment, count or old page of the log."""
    with people(tmp_path, 3) as (ann, ben, cid):
        befriend(ann, ben)
        befriend(ann, cid)
        for number in range(3):
            ben.post(f"came {number}", although_few=True)
            ann.post(f"own {number}", although_few=True)
        until(lambda: len(heard(ann)) == len(heard(ben)) == len(heard(cid)) == 6)
        until(lambda: all(held.parent is not None for held in ann.node.exchange.state.held.values()))
        ann._wait(ann.node.saved())
        settings = ann.node.exchange.state.settings
        assert (tmp_path / "0" / "store.db-wal").stat().st_size == 0
        ann.store.back_up(tmp_path / "seized")
    seized = PostStore(tmp_path / "seized", WORDS)
    state = seized.load(settings)
    places = seized._db.execute("SELECT place, epoch, word FROM posts ORDER BY place").fetchall()
    assert places == [(place, places[0][1], "") for place in range(1, 7)]
    moments = [held.since for held in state.held.values()]
    assert moments == sorted(moments)
    ends = {alarm.id: alarm.at for alarm in state.alarms if alarm.what == "forget"}
    assert all(ends[held.id] == end_of_life(settings, held) for held in state.held.values())
    assert (dict(state.taken), dict(state.approved)) == accounts(state)
    assert set(state.forgotten) == set()
    seized.close()


def test_the_key_of_an_epoch_goes_with_its_last_post(tmp_path: Path) -> None:
    ann = Messenger(tmp_path / "ann", WORDS, tick_seconds=TICK)
    ann.post("old", although_few=True)
    settings = ann.node.exchange.state.settings
    ann.close()
    store = PostStore(tmp_path / "ann", WORDS)
    state = store.load(settings)
    assert store._db.execute("SELECT count(*) FROM epochs").fetchone() == (1,)
    store.save(replace(state, held={}, alarms=(), waiting={}), now=settings.epoch * 5, wall=time.time())
    assert store._db.execute("SELECT count(*) FROM epochs").fetchone() == (0,)
    assert (tmp_path / "ann" / "store.db-wal").stat().st_size == 0
    store.close()


def test_a_clock_that_jumps_ends_no_more_than_three_days() -> None:
    now = time.time()
    assert Clock(5, before=(100, now + 4e7)).now() == 100
    assert Clock(5, before=(100, now - 4e7)).now() == 100 + 3 * 86_400 // 5
    assert 100 <= Clock(5, before=(100, now)).now() <= 101


def test_a_full_disk_is_said_in_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    with people(tmp_path, 2) as (ann, ben):
        befriend(ann, ben)
        pages = ann.store._db.execute("PRAGMA page_count").fetchone()[0]
        ann.store._db.execute(f"PRAGMA max_page_count = {pages}").fetchall()
        ben.post("while her disk is full " * 170, although_few=True)
        until(ann.trouble)
        said: list[str] = []
        Talk(ann, said.append).run(["feed"])
        assert said[-1].startswith("The store cannot be written (")
        assert said[-1].endswith("). Nothing was lost; free some space.")
        ann.store._db.execute("PRAGMA max_page_count = 1000000").fetchall()
        until(lambda: not ann.trouble() and heard(ann) == heard(ben))
        ann._wait(ann.node.saved())
        kept = ann.node.exchange.state.held
        assert {row[0] for row in ann.store._db.execute("SELECT id FROM posts")} == set(kept)
        assert len(kept) == 1


def test_two_people_talk_in_terminals(tmp_path: Path) -> None:
    with people(tmp_path, 2) as (ann, ben):
        said: list[str] = []
        Talk(ann, said.append).run(["invite Ben", "quit", "feed"])
        (line,) = said
        Talk(ben, said.append).run([f"join {line} ann"])
        Talk(ann, said.append).run(["accept 1"])
        until(lambda: here(ann) and here(ben))
        Talk(ben, said.append).run(["post hello", "post! hello", "feed", "figure"])
        until(lambda: heard(ann) == {"hello"})
        Talk(ann, said.append).run(
            ["feed", "reply 1 too few", "reply! 1 and hello", "approve 1", "friends", "hide 9", "nonsense", "block x"]
        )
        until(lambda: len(heard(ben)) == 2)
        assert heard(ben) == {"hello", "and hello"}  # With few friends a reply is refused like any post.
        told = "\n".join(said)
        assert "with fewer than 3" in told
        assert "  1 hello" in told
        assert "There is no post 9" in told
        assert "'nonsense' is no command" in told
        assert "  1 Ben: here; safety number" in told
        assert "'x' must be a whole number" in told


def test_a_node_loads_neither_arrays_nor_certified_arithmetic() -> None:
    """A third of its memory would be theirs."""
    asks = "import banister.apps.wildfire.messenger, sys; print(sorted({'numpy', 'flint'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", asks], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
