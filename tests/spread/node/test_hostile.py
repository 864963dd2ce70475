"""Frames that no honest node sends: whatever a codec can carry raises nothing, and takes no more than its share."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.sampling.simulation import SeededBits, seeded
from banister.spread.node import codec
from banister.spread.node.messages import Ack, Copy, Event, Frame, FrameKind, Post, Received, Send, Token, Wake, Wave
from banister.spread.node.rules import (
    ByDegree,
    GossipRules,
    HybridRules,
    LineRules,
    Rules,
    StemRules,
    TokenRules,
    TreeRules,
)
from banister.spread.node.state import NodeState, Settings
from banister.spread.node.step import step

RULES: dict[str, Rules] = {
    "token": TokenRules(),
    "token, degree 4": TokenRules(degree=4, cap=2),
    "token by degree": TokenRules(choice=ByDegree()),
    "tree": TreeRules(),
    "tree with ages": TreeRules(cap=2, ages=True),
    "gossip": GossipRules("1/2"),
    "walk": StemRules("1/3", "1/2"),
    "hybrid": HybridRules(3, "1/2"),
    "line": LineRules(),
}
MEMORY, HORIZON, CONTACTS = 6, 6, 4
NAMES = st.sampled_from([bytes([k]) for k in range(9)])
COUNTERS = st.integers(0, HORIZON + 4) | st.integers(0, codec.HIGHEST) | st.just(codec.HIGHEST)
FRAMES: st.SearchStrategy[Frame] = st.one_of(
    st.builds(Copy, NAMES, st.just(b"x"), st.booleans(), COUNTERS, COUNTERS, st.integers(0, 15)),
    st.builds(Token, NAMES, COUNTERS, COUNTERS),
    st.builds(Wave, NAMES, COUNTERS),
    st.builds(Ack, NAMES, st.sampled_from(FrameKind), COUNTERS, st.booleans()),
)
EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(Received, st.integers(0, CONTACTS), FRAMES),
    st.builds(Received, st.integers(0, CONTACTS), FRAMES),
    st.builds(Post, NAMES, st.just(b"y")),
    st.just(Wake()),
)


def _node(rules: Rules, *, embargo: int = 0, memory: int = MEMORY) -> NodeState:
    chosen = Settings(rules=rules, horizon=HORIZON, embargo=embargo, memory=memory, lifetime=30, tries=3)
    return NodeState(chosen, tuple(range(CONTACTS)), contact_degrees=(5, 1, 3, 2))


def _bounded(state: NodeState) -> None:
    assert len(state.held) <= state.settings.memory
    assert len(state.forgotten) <= 4 * state.settings.memory
    most = len(state.held) * (HORIZON + 6)
    assert len(state.alarms) <= most
    assert len(state.waiting) <= most * CONTACTS
    for held in state.held.values():
        assert held.waves.bit_length() <= HORIZON + 4
        for links in (held.children, held.asked, held.untried):
            assert len(links) <= CONTACTS
            assert set(links) <= set(state.contacts)


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=60, deadline=None)
@given(
    data=st.lists(st.tuples(EVENTS, st.integers(0, 1500)), max_size=60),
    embargo=st.integers(0, 3),
    seed=st.integers(0, 50),
    answers=st.booleans(),
)
def test_no_sequence_of_frames_raises_or_grows_a_node(
    name: str, data: list[tuple[Event, int]], embargo: int, seed: int, answers: bool
) -> None:
    state, bits, now = _node(RULES[name], embargo=embargo), SeededBits(seeded(seed)), 0
    for event, later in data:
        now += later
        if isinstance(event, Received):
            assert codec.read(codec.write(event.frame)) == event.frame
        state, actions = step(state, event, now=now, bits=bits)
        _bounded(state)
        for action in actions:
            if isinstance(action, Send):
                codec.write(action.frame)
                if answers and not isinstance(action.frame, Ack):
                    told = Ack(action.frame.id, action.frame.kind, action.frame.number, later % 2 == 0)
                    state, _ = step(state, Received(action.link, told), now=now, bits=bits)
    for _ in range(40):  # Whatever was begun also ends without a word.
        now += 1000
        state, actions = step(state, Wake(), now=now, bits=bits)
        _bounded(state)
        for action in actions:
            if isinstance(action, Send):
                codec.write(action.frame)


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("token, degree 4", [Copy(b"m", b"x"), Token(b"m", 3, 1)]),
        ("hybrid", [Copy(b"m", b"x", False, 0, codec.HIGHEST)]),
        ("line", [Copy(b"m", b"x", False, 0, codec.HIGHEST)]),
        ("token by degree", [Copy(b"m", b"x"), Token(b"m", 2, 1)]),
    ],
)
@pytest.mark.parametrize("link", [0, 9])
def test_the_frames_that_once_raised_are_harmless(name: str, frames: list[Frame], link: int) -> None:
    state, bits = _node(RULES[name]), SeededBits(seeded(1))
    for frame in frames:
        state, _ = step(state, Received(link, frame), now=1, bits=bits)
    for turn in range(1, 20):
        state, actions = step(state, Wake(), now=1 + 1000 * turn, bits=bits)
        for action in actions:
            if isinstance(action, Send):
                codec.write(action.frame)
    assert link == 0 or not (state.held or state.forgotten)


def _flooded(state: NodeState, *, count: int, start: int = 0) -> NodeState:
    bits = SeededBits(seeded(2))
    for k in range(start, start + count):
        state, _ = step(state, Received(3, Copy(b"flood%d" % k, b"x")), now=10 + k, bits=bits)
    return state


@pytest.mark.parametrize("name", RULES)
def test_one_friends_flood_evicts_nothing_of_others_and_is_evicted_by_them(name: str) -> None:
    bits = SeededBits(seeded(3))
    honest = [Received(link, Copy(b"%d of %d" % (k, link), b"x")) for link in range(3) for k in range(4)]
    early, late = honest[::2], honest[1::2]
    state, _ = step(_node(RULES[name], memory=20), Post(b"mine", b"y"), now=0, bits=bits)
    for event in early:
        state, _ = step(state, event, now=1, bits=bits)
    state = _flooded(state, count=100)
    for event in late:
        state, _ = step(state, event, now=500, bits=bits)
    state = _flooded(state, count=100, start=600)
    kept = {b"mine", *(event.frame.id for event in honest)}
    assert kept <= set(state.held)
    assert len(state.held) == 20


def test_a_flood_does_not_make_forgotten_messages_new_again() -> None:
    bits = SeededBits(seeded(4))
    state, _ = step(_node(RULES["token"]), Received(0, Copy(b"old", b"x")), now=0, bits=bits)
    state, _ = step(state, Wake(), now=40_000, bits=bits)
    assert not state.held
    state = _flooded(state, count=200)
    state, actions = step(state, Received(1, Copy(b"old", b"x")), now=50_000, bits=bits)
    assert Send(1, Ack(b"old", FrameKind.COPY, 0, False)) in actions


def test_counters_of_the_longest_horizon_still_fit_a_frame() -> None:
    longest = Settings(rules=TreeRules(), horizon=2**15)
    assert longest.horizon + 3 <= codec.HIGHEST
    with pytest.raises(ValueError, match="horizon = 32769 must be a whole number from 1 to 32768"):
        Settings(rules=TreeRules(), horizon=2**15 + 1)
