"""One's own post at rest and after silence: neither what is kept nor what is sent tells it from one that came."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from banister.spread.node import codec
from banister.spread.node.ages import end_of_life, posted_at, step_of
from banister.spread.node.exchange import Exchange, name_of
from banister.spread.node.messages import Ack, Copy, FrameKind
from banister.spread.node.pieces import piece_of
from banister.spread.node.quotas import admitted, charged
from banister.spread.node.rules import HybridRules
from banister.spread.node.state import Held, NodeState, Settings
from banister.spread.node.stored import read_held, read_state, write_held, write_rest
from banister.spread.node.wildfire import STEP_TICKS, SWITCH, wildfire_settings
from tests.spread.node.test_exchange import BODY, LINKS, NAME, answered, copy, node

REAL = wildfire_settings(tick_seconds=5)
LONG = bytes(range(256)) * 80
"""Twenty-one frames: steps that sixteenths do not divide."""


def moments(exchange: Exchange, name: bytes) -> dict[str, int]:
    return {alarm.what: alarm.at for alarm in exchange.state.alarms if alarm.id == name}


def as_a_leaf_would(settings: Settings, held: Held) -> dict[str, int]:
    """The moments that follow from what is kept of a copy that came in the tree phase."""
    rules = settings.rules
    assert isinstance(rules, HybridRules)
    deadline = posted_at(settings, held) + (rules.switch + rules.quiet + 1) * step_of(settings, held)
    return {"switch": deadline, "forget": end_of_life(settings, held)}


def accounts(state: NodeState) -> tuple[dict[int, int], dict[int, int]]:
    """What the friends' accounts are if all that is kept came as it says that it came: what was beyond the quota of the
    friend who brought it had been offered by another."""
    taken: Mapping[int, int] = {}
    standing: Mapping[int, int] = {}
    for held in state.held.values():
        assert held.parent is not None
        if admitted(state.settings, taken, standing, held.parent, held.since):
            taken, standing = charged(state.settings, taken, standing, held.parent, held.body, held.since)
        else:
            assert [link for link in held.known if link != held.parent]
    return dict(taken), dict(standing)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("body", [BODY, LONG[:1500], LONG])
def test_all_that_is_kept_of_an_own_post_is_what_a_leaf_keeps(seed: int, body: bytes) -> None:
    """Not only its row: its place among the others, every alarm, and the count of what the friend brought."""
    author, name = node(settings=REAL, seed=seed), name_of(body)
    author.post(body, now=0)
    author.received(2, copy(b"came later, and before the answer", level=0), now=1)
    for now in range(1, 200):
        for link, data in author.tick(now=now).items():
            frame = codec.read(data)
            if isinstance(frame, Copy) and frame.piece == frame.pieces - 1:
                author.received(link, codec.write(Ack(name, FrameKind.COPY, 0, True)), now=now + 1)
        if author.state.held[name].parent is not None:
            break
    kept = author.state.held[name]
    assert kept.since >= author.state.held[name_of(b"came later, and before the answer")].since
    assert list(author.state.held)[-1] == name
    found = moments(author, name)
    assert {what: found[what] for what in ("switch", "forget")} == as_a_leaf_would(REAL, kept)
    assert set(found) == {"switch", "forget", "embargo"}
    assert found["embargo"] > posted_at(REAL, kept) + REAL.horizon * step_of(REAL, kept)
    assert (dict(author.state.taken), dict(author.state.approved)) == accounts(author.state)


@pytest.mark.parametrize("seed", range(5))
def test_own_posts_beyond_a_friends_quota_are_kept_as_those_that_two_offered(seed: int) -> None:
    """Nine at once, of which one friend could have brought four."""
    author = node(settings=REAL, seed=seed)
    names = [name_of(b"own %d" % k) for k in range(9)]
    for k in range(9):
        author.post(b"own %d" % k, now=k)
    for now in range(9, 400):
        for link, data in author.tick(now=now).items():
            frame = codec.read(data)
            if isinstance(frame, Copy):
                author.received(link, codec.write(Ack(frame.id, FrameKind.COPY, 0, True)), now=now + 1)
    state = author.state
    assert set(state.held) == set(names)
    assert (dict(state.taken), dict(state.approved)) == accounts(state)
    assert [held for held in state.held.values() if held.known]
    for held in state.held.values():
        assert not {*held.known} & {*held.children}
        assert held.parent not in (*held.known, *held.children)
        assert {held.parent, *held.known, *held.children} == set(LINKS)


def test_a_post_that_nobody_could_take_begins_when_somebody_is_there() -> None:
    """Told at the deadline by who alone has it, it would name its author to all friends at once."""
    author, fresh = node(seed=3), node(seed=3)
    for link in LINKS:
        author.away(link, now=0)
    author.post(BODY, now=0)
    for now in range(1, 500):
        author.tick(now=now)
    for link in LINKS:
        author.back(link, now=500)
    fresh.post(BODY, now=500)
    ours = [(at, codec.read(data)) for at, _, data in answered(author, 500, 60) if data[1]]
    theirs = [(at, codec.read(data)) for at, _, data in answered(fresh, 500, 60) if data[1]]
    assert ours == theirs
    assert isinstance(ours[0][1], Copy)
    assert (ours[0][1].climbing, ours[0][1].level, ours[0][1].age) == (True, 1, 1)


def test_a_machine_that_slept_after_the_post_does_not_tell_it_at_its_old_age() -> None:
    """The links look up when it wakes, and every moment of the post has passed: it begins again, once."""
    author = node()
    author.post(BODY, now=0)
    frames = [(at, codec.read(data)) for at, _, data in answered(author, 4000, 60) if data[1]]
    copies = [(at, frame) for at, frame in frames if isinstance(frame, Copy)]
    assert copies[0][0] == STEP_TICKS
    assert [frame.age for _, frame in copies if frame.climbing] == [1]
    assert all(at > SWITCH * STEP_TICKS for at, frame in copies if not frame.climbing)
    assert moments(author, NAME)["forget"] > 4000


def test_a_friend_who_comes_and_goes_does_not_put_it_off() -> None:
    author = node()
    author.post(BODY, now=0)
    for now in range(1, STEP_TICKS):
        author.away(4, now=now)
        author.back(4, now=now)
    assert moments(author, NAME)["tell"] == STEP_TICKS


def test_an_own_post_that_comes_back_at_last_is_kept_as_one_that_came() -> None:
    """Its first friend took it and went away before the answer; it is told by others after the deadline."""
    author = node((1, 2))
    author.post(BODY, now=0)
    author.away(2, now=1)
    carried = [author.tick(now=now) for now in range(1, STEP_TICKS + 2)]
    assert isinstance(codec.read(carried[STEP_TICKS - 1][1]), Copy)
    author.away(1, now=STEP_TICKS + 2)
    author.state = replace(author.state, away=frozenset((1,)))
    author.received(2, copy(age=SWITCH + 3), now=60)
    kept = author.state.held[NAME]
    assert (kept.parent, kept.known, kept.climbing) == (2, (), False)


@pytest.mark.parametrize("pieces", [1, 3, 104])
def test_every_post_is_forgotten_after_three_days_however_long_it_is(pieces: int) -> None:
    body = bytes(pieces * codec.LONGEST_BODY)
    relay = node(settings=REAL)
    whole = Copy(name_of(body), body)
    for piece in range(pieces):
        relay.received(1, codec.write(piece_of(whole, piece)), now=0)
    assert moments(relay, name_of(body))["forget"] == 3 * REAL.epoch
    relay.tick(now=3 * REAL.epoch)
    assert not relay.state.held


def test_a_post_ends_at_one_age_everywhere_and_a_lie_about_it_ends_it_no_sooner_than_a_day() -> None:
    life = REAL.lifetime * REAL.step_ticks
    late = node(settings=REAL)
    late.received(1, copy(age=REAL.lifetime // 3), now=50)
    assert moments(late, NAME)["forget"] == 50 + life - REAL.lifetime // 3 * REAL.step_ticks
    lied = node(settings=REAL)
    lied.received(1, copy(age=codec.HIGHEST), now=50)
    assert moments(lied, NAME)["forget"] == 50 + life // 3
    lied.away(2, now=60)
    for now in range(60, 70):
        lied.tick(now=now)
    lied.back(2, now=70)  # Too old to be offered to who was away: no post goes round for ever.
    assert all(codec.read(lied.tick(now=now)[2]).__class__ is not Copy for now in range(70, 75))


def test_a_restart_before_anybody_took_it_begins_it_again() -> None:
    before = node(seed=2)
    before.post(BODY, now=0)
    held = {name: read_held(write_held(each), each.body) for name, each in before.state.held.items()}
    after = Exchange(read_state(write_rest(before.state), before.state.settings, held), before._bits)
    assert isinstance(after.state, NodeState)
    for now in range(900, 950):
        after.tick(now=now)
    for link in LINKS:
        after.back(link, now=950)
    copies = [codec.read(data) for _, _, data in answered(after, 950, 12) if data[1]]
    assert [(frame.climbing, frame.age) for frame in copies if isinstance(frame, Copy)] == [(True, 1)]
