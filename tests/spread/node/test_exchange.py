"""Nodes between their links, tick by tick: what an author sends is what a relay sends, and nobody can stall anybody."""

import ast
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

import banister
from banister.errors import BadValue
from banister.sampling.simulation import SeededBits, seeded
from banister.spread.node import codec
from banister.spread.node.ages import PIECE_TICKS
from banister.spread.node.exchange import COVER, Exchange, Outbox, name_of
from banister.spread.node.messages import Ack, Copy, Cover, FrameKind, Token, Wave
from banister.spread.node.own import turn_of
from banister.spread.node.pieces import AT_ONCE, LONGEST_POST, Gathering, piece_of, pieces_of
from banister.spread.node.rules import GossipRules
from banister.spread.node.state import NodeState, Settings
from banister.spread.node.stored import read_held, read_state, write_held, write_rest
from banister.spread.node.wildfire import EMBARGO, STEP_TICKS, wildfire_settings

BODY = b"nonce: the bridge is open again"
NAME = name_of(BODY)
DRAWN = replace(wildfire_settings(tick_seconds=5), epoch=0, quota=0)
"""As the messenger, with choices drawn from the bits, so that two nodes with equal bits choose alike."""
LINKS = (1, 2, 3, 4)
FAR = 9
LAST = (DRAWN.horizon + EMBARGO + 4) * STEP_TICKS


def node(links: Iterable[int] = LINKS, *, settings: Settings = DRAWN, seed: int = 1) -> Exchange:
    return Exchange(NodeState(settings, tuple(links)), SeededBits(seeded(seed)))


def copy(body: bytes = BODY, **told: int) -> bytes:
    return codec.write(Copy(name_of(body), body, told.pop("climbing", 0) == 1, **told))


def said(data: bytes) -> object:
    return codec.read(data)


def answered(exchange: Exchange, begin: int, ticks: int, *, fresh: bool = True) -> list[tuple[int, int, bytes]]:
    """All that the near links carry, each copy being answered at the next tick."""
    carried: list[tuple[int, int, bytes]] = []
    answers: list[tuple[int, bytes]] = []
    for now in range(begin, begin + ticks):
        for link, data in answers:
            exchange.received(link, data, now=now)
        answers = []
        for link, data in exchange.tick(now=now).items():
            frame = codec.read(data)
            if link != FAR:
                carried.append((now - begin, link, data))
            if isinstance(frame, Copy):
                answers.append((link, codec.write(Ack(frame.id, FrameKind.COPY, 0, fresh))))
    return carried


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("fresh", [True, False])
def test_an_author_sends_the_bytes_of_a_relay_at_the_ticks_of_a_relay(seed: int, fresh: bool) -> None:
    """The relay got the climbing copy at its beginning from somebody else; nothing else is different."""
    author, relay = node(seed=seed), node((*LINKS, FAR), seed=seed)
    author.post(BODY, now=0)
    relay.received(FAR, copy(climbing=1), now=0)
    ours, theirs = answered(author, 0, LAST, fresh=fresh), answered(relay, 0, LAST, fresh=fresh)
    assert ours == theirs
    assert {link for _, link, data in ours if isinstance(said(data), Copy)} == set(LINKS)


def test_2016_no_decoy_tells_friends_who_wrote() -> None:
    """There the author sent every other friend a decoy with hop -1; here exactly one friend hears anything before the
    deadline, and no counter that a relay could not have sent."""
    author = node()
    author.post(BODY, now=0)
    frames = [(link, codec.read(data)) for _, link, data in answered(author, 0, 8 * STEP_TICKS)]
    copies = [(link, frame) for link, frame in frames if not isinstance(frame, Cover)]
    assert len(copies) == 1
    assert isinstance(copies[0][1], Copy)
    assert copies[0][1].level == 1


def test_2016_nothing_tells_the_time_of_birth() -> None:
    """There the expiry told when a post was written; here the same post a year later makes the same bytes."""
    early, late = node(), node()
    early.post(BODY, now=0)
    late.post(BODY, now=6_307_200)
    assert answered(early, 0, LAST) == answered(late, 6_307_200, LAST)


@pytest.mark.parametrize("age", [0, 7, 8, 20, codec.HIGHEST])
def test_2016_no_delay_overflows_to_none(age: int) -> None:
    """There delays became 0 for large numbers; here whatever age is told, every moment lies ahead."""
    relay = node((*LINKS, FAR))
    relay.received(FAR, copy(age=age, part=15), now=5)
    assert relay.state.alarms
    assert min(alarm.at for alarm in relay.state.alarms) > 5


def test_2016_nothing_is_logged() -> None:
    """There every send was written to a log with the friend's key; here nothing of the node can write a line."""
    folder = Path(banister.__file__).parent
    for path in [*(folder / "spread" / "node").rglob("*.py"), *(folder / "apps" / "wildfire").rglob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {alias.name for found in ast.walk(tree) if isinstance(found, ast.Import) for alias in found.names}
        calls = {
            found.func.id
            for found in ast.walk(tree)
            if isinstance(found, ast.Call) and isinstance(found.func, ast.Name)
        }
        assert not names & {"logging", "syslog"}, path
        assert "print" not in calls, path


def test_2016_the_authors_copy_is_kept_as_a_received_one() -> None:
    """There own posts were marked in the database; here, once a friend has it, the author's is that of a leaf which got
    it from that friend, to the last byte that is kept."""
    author = node(seed=3)
    author.post(BODY, now=0)
    answered(author, 0, STEP_TICKS + 3)
    kept = author.state.held[NAME]
    assert kept.parent in LINKS
    leaf = node(seed=4)
    leaf.received(kept.parent, copy(age=kept.age, part=kept.part), now=kept.since)
    assert write_held(leaf.state.held[NAME]) == write_held(kept)
    assert [alarm.what for alarm in leaf.state.alarms] == [alarm.what for alarm in author.state.alarms]


def test_a_post_that_nobody_took_yet_goes_to_the_next_friend() -> None:
    author = node()
    author.post(BODY, now=0)
    first = next(link for _, link, data in _unanswered(author, 0, STEP_TICKS + 2) if said(data) != Cover())
    author.away(first, now=STEP_TICKS + 2)
    second = next(link for _, link, data in _unanswered(author, STEP_TICKS + 2, 4) if said(data) != Cover())
    assert second != first


def _unanswered(exchange: Exchange, begin: int, ticks: int) -> list[tuple[int, int, bytes]]:
    return [(now, link, data) for now in range(begin, begin + ticks) for link, data in exchange.tick(now=now).items()]


def test_every_tick_has_one_frame_of_one_length_for_each_link() -> None:
    busy = node()
    for k in range(20):
        busy.received(1, copy(b"%d" % k, level=2), now=0)
    for now in range(40):
        frames = busy.tick(now=now)
        assert set(frames) == set(LINKS)
        assert {len(data) for data in frames.values()} == {codec.FRAME_BYTES}
    assert set(node().tick(now=0).values()) == {COVER}


def test_posts_of_an_epoch_take_the_same_way_whoever_wrote_them() -> None:
    """One's own posts obey the rule of the epoch like all others; a new epoch draws anew."""
    settings = wildfire_settings(tick_seconds=5)
    ways: dict[int, set[tuple[int, ...]]] = {}
    for came in (0, FAR):
        exchange, firsts = node((*LINKS, FAR) if came else LINKS, settings=settings, seed=5), []
        for day in range(12):
            for k in range(3):
                body, now = b"%d %d" % (day, k), day * settings.epoch + 40 * k
                if came:
                    exchange.received(came, copy(body, climbing=1), now=now)
                else:
                    exchange.post(body, now=now)
                carried = [(link, said(data)) for _, link, data in answered(exchange, now, 12)]
                copies = [link for link, frame in carried if isinstance(frame, Copy) and frame.id == name_of(body)]
                firsts.append(copies[0])
        days = [set(firsts[3 * day : 3 * day + 3]) for day in range(12)]
        assert all(len(day) == 1 for day in days)
        ways[came] = {tuple(day) for day in days}
    assert all(len(way) > 1 for way in ways.values())


def crowd(count: int, settings: Settings = DRAWN) -> list[Exchange]:
    """A ring in which each also knows the one three further on."""
    near = (1, 3, count - 1, count - 3)
    return [node(sorted((k + d) % count for d in near), settings=settings, seed=k) for k in range(count)]


def run(nodes: list[Exchange], begin: int, end: int) -> None:
    for now in range(begin, end):
        carried = [(k, link, data) for k, each in enumerate(nodes) for link, data in each.tick(now=now).items()]
        for k, link, data in carried:
            nodes[link].received(k, data, now=now + 1)


def test_a_crowd_hears_every_post_within_horizon_and_embargo() -> None:
    nodes = crowd(24)
    names = [nodes[k].post(b"post %d" % k, now=0) for k in range(0, 24, 3)]
    run(nodes, 0, LAST)
    assert all(set(each.shown) == set(names) for each in nodes)
    assert all(len(each.shown) == len(names) for each in nodes)


def test_a_long_post_goes_in_pieces_and_has_its_own_pace() -> None:
    nodes, body = crowd(9), bytes(range(256)) * 12  # Four frames.
    name = nodes[0].post(body, now=0)
    run(nodes, 0, 8 * STEP_TICKS)
    assert sum(name in each.shown for each in nodes) < 9  # Its steps are longer.
    run(nodes, 8 * STEP_TICKS, 4 * LAST)
    assert all(each.state.held[name].body == body for each in nodes)
    alone = node()
    alone.post(body, now=0)
    begun = next(now for now, _, data in _unanswered(alone, 0, 40) if data != COVER)
    assert begun == STEP_TICKS + 3 * PIECE_TICKS


def test_a_friend_who_was_away_hears_what_still_lives() -> None:
    nodes = crowd(8)
    for k in (1, 3, 5, 7):
        nodes[k].away(0, now=0)
    name = nodes[1].post(BODY, now=0)
    nodes[0].state = replace(nodes[0].state, away=frozenset(nodes[0].state.contacts))
    run(nodes, 0, LAST)
    assert name not in nodes[0].shown
    nodes[0].back(3, now=LAST)
    nodes[3].back(0, now=LAST)
    run(nodes, LAST, LAST + 4)
    assert nodes[0].shown == [name]


def test_a_restart_keeps_the_embargo_and_what_was_not_answered() -> None:
    before = node(seed=2)
    before.post(BODY, now=0)
    before.received(2, copy(b"another", level=2, age=3), now=1)
    _unanswered(before, 1, 3)
    held = {name: read_held(write_held(each), each.body) for name, each in before.state.held.items()}
    state = read_state(write_rest(before.state), DRAWN, held)
    assert state == replace(before.state, away=frozenset(LINKS), waiting=state.waiting)
    assert list(state.waiting) == list(before.state.waiting)
    assert {alarm.at for alarm in state.alarms if alarm.what == "embargo"} == {
        alarm.at for alarm in before.state.alarms if alarm.what == "embargo"
    }
    with pytest.raises(BadValue, match="state is of version 2; this program reads version 1"):
        read_state(write_rest(before.state).replace('"version": 1', '"version": 2'), DRAWN, held)


def test_a_name_that_is_not_the_bodys_hash_is_dropped() -> None:
    relay = node()
    assert not relay.received(1, codec.write(Copy(b"x" * 32, BODY, level=1)), now=0)
    assert not relay.received(1, b"\xff" * codec.FRAME_BYTES, now=0)
    assert not relay.state.held
    assert _unanswered(relay, 0, 1)[0][2] == COVER


def test_a_flood_is_held_to_its_quota_and_approval_doubles_it() -> None:
    settings = replace(wildfire_settings(tick_seconds=5), quota=17280 // 4, burst=4)
    relay, number = node(settings=replace(settings, memory=10_000)), count()

    def came(begin: int, *, approving: bool) -> int:
        """New posts of a friend who sends eight a tick, in twenty ticks."""
        before = len(relay.state.held)
        for now in range(begin, begin + 20):
            for body in (b"flood %d" % next(number) for _ in range(8)):
                relay.received(1, copy(body, level=1), now=now)
                if approving:
                    relay.approve(name_of(body), now=now)
        return len(relay.state.held) - before

    assert came(0, approving=False) == 4 + 4  # Some at once, and one in four ticks.
    relay.received(2, copy(level=1), now=20)  # Another friend is not touched by it.
    assert NAME in relay.state.held
    assert came(20, approving=False) == 5
    assert 15 < came(40, approving=True) <= 20  # Up to four times as many, and never more.
    assert came(60, approving=False) in range(8, 18)  # One approval does not carry it for long.
    assert came(80, approving=False) in range(5, 8)


def test_what_comes_too_fast_is_not_answered_and_comes_later() -> None:
    relay = node(settings=replace(wildfire_settings(tick_seconds=5), quota=17280 // 4, burst=1))
    relay.received(1, copy(b"first", level=1), now=0)
    relay.received(1, copy(b"second", level=1), now=1)
    answers = [codec.read(relay.tick(now=now)[1]) for now in range(1, 3)]
    assert answers == [Ack(name_of(b"first"), FrameKind.COPY, 0, True), Cover()]
    relay.received(1, copy(b"second", level=1), now=5)
    assert codec.read(relay.tick(now=6)[1]) == Ack(name_of(b"second"), FrameKind.COPY, 0, True)


def test_a_second_friend_who_has_it_is_its_quota() -> None:
    """What two friends offer is taken however much either of them brought; the same friend twice is one friend."""
    relay = node(settings=replace(wildfire_settings(tick_seconds=5), quota=17280 // 4, burst=1))
    for link in (1, 2):
        relay.received(link, copy(b"first of %d" % link, level=1), now=0)
    for link, here in ((1, False), (1, False), (2, True)):
        relay.received(link, copy(level=1), now=1)
        assert (NAME in relay.state.held) is here
    assert relay.state.held[NAME].known == (1,)  # She needs not be told.
    assert not relay.state.offered
    for k in range(600):
        relay.received(1, copy(b"flood %d" % k, level=1), now=1)
    assert len(relay.state.offered) == relay.state.settings.memory
    relay.remove(1, now=2)
    assert not relay.state.offered


def test_who_brought_it_is_not_told_it() -> None:
    """Copies that cross on a link are an answer to each other, and one that still waits is not sent."""
    relay = node(settings=replace(DRAWN, rules=GossipRules(1)))
    relay.received(1, copy(level=1), now=0)
    crossed = STEP_TICKS + 1
    assert {link for _, link, data in _unanswered(relay, 0, crossed) if isinstance(said(data), Copy)} == {2, 3, 4}
    relay.received(2, copy(), now=crossed)
    assert {waiting.link for waiting in relay.state.waiting.values()} == {3, 4}
    later = node(settings=replace(DRAWN, rules=GossipRules(1)))
    later.received(1, copy(level=1), now=0)
    for k in range(3):
        later._queue(2, Ack(b"%d" % k, FrameKind.WAVE, k, True))  # Answers go first: the copy waits.
    _unanswered(later, 0, STEP_TICKS + 1)
    later._outboxes[2].add(Copy(NAME, BODY))
    later.received(2, copy(), now=crossed)
    assert not [data for _, link, data in _unanswered(later, crossed, 4) if link == 2 and isinstance(said(data), Copy)]


def test_a_long_post_counts_by_its_frames() -> None:
    relay, body = node(settings=replace(wildfire_settings(tick_seconds=5), quota=17280 // 4, burst=1)), bytes(9000)
    pieces = pieces_of(body)
    for number in range(pieces):
        relay.received(1, codec.write(piece_of(Copy(name_of(body), body, level=1), number)), now=0)
    assert name_of(body) in relay.state.held
    for now, here in ((4 * pieces - 1, False), (4 * pieces, True)):
        relay.received(1, copy(b"next", level=1), now=now)
        assert (name_of(b"next") in relay.state.held) is here


def test_the_newest_goes_first_and_long_posts_take_every_other_turn() -> None:
    box = Outbox()
    for name, body in ((b"old", b""), (b"long", bytes(3000)), (b"new", b"")):
        box.add(Copy(name, body))
    carried = [(copy.id, copy.piece) for _ in range(6) if (copy := box.next_copy()) is not None]
    assert carried == [(b"new", 0), (b"long", 0), (b"old", 0), (b"long", 1), (b"long", 2), (b"long", 3)]
    assert box.next_copy() is None


def test_links_take_turns_and_what_was_sent_goes_when_nothing_else_does() -> None:
    """Whoever brings most delays her own: the others' posts go at every other tick."""
    box = Outbox()
    for k in range(6):
        box.add(Copy(b"flood %d" % k, b""), 1)
    box.add(Copy(b"ours", b""), 2)
    box.add(Copy(b"theirs", b""), 3)
    carried = [copy.id for _ in range(5) if (copy := box.next_copy()) is not None]
    assert carried == [b"flood 5", b"ours", b"theirs", b"flood 4", b"flood 3"]
    box.add(Copy(b"ours", b""), 2)
    rest = [copy.id for _ in range(5) if (copy := box.next_copy()) is not None]
    assert rest == [b"flood 2", b"flood 1", b"flood 0", b"ours"]


@pytest.mark.parametrize("seed", range(4))
def test_ones_own_post_waits_in_a_friends_turn(seed: int) -> None:
    """Where every friend brings much, a turn of its own would be short, and tell who wrote it. It waits as one does
    that came from the friend who is asked last, who is never the first to get it."""
    author, relay = node(seed=seed), node(seed=seed)
    author.post(BODY, now=0)
    turn = turn_of(author.state, author.state.held[NAME])
    assert turn in LINKS
    relay.received(turn, copy(climbing=1), now=0)
    assert turn_of(relay.state, relay.state.held[NAME]) == turn
    settings = wildfire_settings(tick_seconds=5)
    fixed = node(settings=settings, seed=seed)
    fixed.post(BODY, now=0)
    first = next(link for _, link, data in answered(fixed, 0, 12) if isinstance(said(data), Copy))
    other = b"another"
    fixed.post(other, now=12)
    assert turn_of(fixed.state, fixed.state.held[name_of(other)]) not in (None, first)


def test_what_is_forgotten_does_not_fill_a_queue() -> None:
    relay = node((1,), settings=replace(DRAWN, rules=GossipRules(1), memory=8))
    for k in range(100):
        relay.post(b"post %d" % k, now=0)
        relay.back(1, now=0)
        relay._queue(1, Copy(name_of(b"post %d" % k), b"post"))
    assert len(relay._outboxes[1].short) <= 8


def test_no_friend_evicts_what_others_brought() -> None:
    relay = node(settings=replace(DRAWN, memory=20))
    mine = [copy(b"mine %d" % k, level=1) for k in range(4)]
    for data in mine:
        relay.received(2, data, now=0)
    for k in range(200):
        relay.received(1, copy(b"flood %d" % k, level=1), now=1)
    assert all(name_of(b"mine %d" % k) in relay.state.held for k in range(4))
    assert len(relay.state.held) == 20
    answers = sum(isinstance(said(data), Ack) for _, link, data in _unanswered(relay, 1, 300) if link == 1)
    assert answers <= 64


def test_a_removed_friend_is_forgotten_and_heard_no_more() -> None:
    relay = node()
    relay.post(BODY, now=0)
    _unanswered(relay, 0, 4)
    relay.remove(1, now=4)
    assert 1 not in relay.state.contacts
    assert 1 not in relay.tick(now=5)
    relay.received(1, copy(b"late", level=1), now=6)
    assert name_of(b"late") not in relay.state.held
    assert not any(key[0] == 1 for key in relay.state.waiting)


def test_pieces_out_of_order_and_too_many_bodies_take_no_memory() -> None:
    gathering, body = Gathering(), bytes(5000)
    whole = Copy(NAME, body)
    assert gathering.add(piece_of(whole, 2)) is None
    assert gathering.size == 0
    for k in range(5):
        assert gathering.add(piece_of(whole, k)) is None
    assert gathering.add(piece_of(whole, 5)) == whole
    for k in range(50):
        gathering.add(piece_of(Copy(b"%d" % k, body), 0))
    assert gathering.size == AT_ONCE * codec.LONGEST_BODY
    with pytest.raises(BadValue, match="The post has 125,313 bytes; 125,312 is the most"):
        node().post(bytes(LONGEST_POST + 1), now=0)


def test_fuzzed_frames_raise_nothing_and_take_no_more_than_their_share() -> None:
    """The drill does this ten million times (`python -m tests.drills.wildfire frames`)."""
    chance, relay = seeded(11), node((*LINKS, FAR), settings=wildfire_settings(tick_seconds=5))
    bodies = [b"body %d" % k for k in range(30)]
    for now in range(1500):
        body = bodies[int(chance.integers(30))]
        number = int(chance.integers(40))
        frame = (
            Copy(name_of(body), body, number % 2 == 0, number, number, number % 16, 0, 1 + number % 3),
            Token(name_of(body), number, number),
            Wave(name_of(body), number),
            Ack(name_of(body), FrameKind(1 + number % 3), number % 3, number % 2 == 0),
        )[int(chance.integers(4))]
        data = bytearray(codec.write(frame))
        for _ in range(int(chance.integers(3))):
            data[int(chance.integers(120))] = int(chance.integers(256))
        relay.received(int(chance.integers(1, 6)), bytes(data), now=now // 3)
        if now % 3 == 0:
            relay.tick(now=now // 3)
    assert len(relay.state.held) <= 256
