"""The state machine of one node, event by event."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from banister.errors import BadValue
from banister.sampling.simulation import SeededBits, seeded
from banister.spread.node.messages import (
    Ack,
    Action,
    Copy,
    Event,
    FrameKind,
    Post,
    Received,
    Send,
    Show,
    Token,
    Wake,
    WakeAt,
    Wave,
)
from banister.spread.node.rules import ByDegree, GossipRules, HybridRules, LineRules, StemRules, TokenRules, TreeRules
from banister.spread.node.state import Held, NodeState, Settings
from banister.spread.node.step import step
from tests.tape import Tape, exact_mass

ID = b"m"
STEP = 1000


def node(rules: object = None, contacts: int = 3, **settings: int) -> NodeState:
    chosen = TokenRules() if rules is None else rules
    return NodeState(Settings(rules=chosen, **settings), tuple(range(contacts)))  # type: ignore[arg-type]


def play(state: NodeState, *events: tuple[int, Event]) -> tuple[NodeState, tuple[Action, ...]]:
    """All events in turn; the actions of the last."""
    bits = SeededBits(seeded(1))
    actions: tuple[Action, ...] = ()
    for now, event in events:
        state, actions = step(state, event, now=now, bits=bits)
    return state, actions


def sent(actions: tuple[Action, ...]) -> list[Send]:
    return [action for action in actions if isinstance(action, Send) and not isinstance(action.frame, Ack)]


def got(link: int, frame: object) -> Received:
    return Received(link, frame)  # type: ignore[arg-type]


def test_a_copy_is_shown_stored_and_answered_once() -> None:
    state, actions = play(node(), (5, got(1, Copy(ID, b"text"))))
    assert Show(ID) in actions
    assert Send(1, Ack(ID, FrameKind.COPY, 0, True)) in actions
    assert state.held[ID].parent == 1
    again, more = play(state, (6, got(1, Copy(ID, b"text"))))
    assert more[0] == Send(1, Ack(ID, FrameKind.COPY, 0, True))  # The answer to the first may have been lost.
    other, late = play(again, (7, got(2, Copy(ID, b"text"))))
    assert late[0] == Send(2, Ack(ID, FrameKind.COPY, 0, False))
    assert other.held == {ID: replace(state.held[ID], known=(2,))}


def test_the_author_tells_one_and_hands_over_the_token_when_it_is_taken() -> None:
    state, actions = play(node(), (0, Post(ID, b"text")), (STEP, Wake()))
    (only,) = sent(actions)
    assert isinstance(only.frame, Copy)
    state, actions = play(state, (STEP + 2, got(only.link, Ack(ID, FrameKind.COPY, 0, True))))
    assert sent(actions) == [Send(only.link, Token(ID, 0, 0))]
    assert not state.held[ID].has_token


def test_an_author_looks_like_a_leaf_that_received_its_copy() -> None:
    author, _ = play(node(), (0, Post(ID, b"text")), (STEP, Wake()))
    link = author.held[ID].asked[0]
    author, _ = play(author, (STEP + 2, got(link, Ack(ID, FrameKind.COPY, 0, True))))
    relay, _ = play(node(), (STEP, got(link, Copy(ID, b"text"))))
    assert author.held[ID].tree_links == relay.held[ID].tree_links
    fields = set(Held.__slots__) - {"parent", "children", "since", "untried", "quota"}
    assert {name: getattr(author.held[ID], name) for name in fields} == {
        name: getattr(relay.held[ID], name) for name in fields
    }


def test_unanswered_frames_are_repeated_and_then_given_up() -> None:
    state, first = play(node(retry=10, tries=2), (0, Post(ID, b"text")), (STEP, Wake()))
    assert WakeAt(STEP + 10) in first
    state, again = play(state, (STEP + 10, Wake()))
    assert sent(again) == sent(first)
    state, other = play(state, (STEP + 20, Wake()))
    assert sent(other)[0].link != sent(first)[0].link  # Somebody else is asked instead.


def token_holder(rules: object = None) -> NodeState:
    """A node with the token at time 2 that has told two contacts."""
    state, _ = play(node(rules), (0, got(0, Copy(ID, b"text"))), (1, got(0, Token(ID, 0, 0))), (1 + STEP, Wake()))
    return play(
        state,
        (STEP + 5, got(1, Ack(ID, FrameKind.COPY, 0, True))),
        (STEP + 5, got(2, Ack(ID, FrameKind.COPY, 0, True))),
    )[0]


def test_the_first_holder_tells_all_others_and_passes_away_from_the_author() -> None:
    state = token_holder()
    assert state.held[ID].children == (1, 2)
    state, actions = play(state, (1 + 2 * STEP, Wake()))
    (only,) = sent(actions)
    assert only.frame == Token(ID, 2, 1)
    assert only.link in (1, 2)
    assert state.held[ID].has_token  # Until the answer is here the old holder stays responsible.
    state, _ = play(state, (2 + 2 * STEP, got(only.link, Ack(ID, FrameKind.TOKEN, 2, True))))
    assert not state.held[ID].has_token


def test_the_next_holder_can_be_drawn_by_degree() -> None:
    """Contacts 1 and 2 have 4 and 2 contacts: weights 3 and 1, exactly."""
    state = replace(token_holder(TokenRules(choice=ByDegree())), contact_degrees=(9, 4, 2))

    def chosen(bits: Tape) -> int:
        _, actions = step(state, Wake(), now=1 + 2 * STEP, bits=bits)
        return sent(actions)[0].link

    mass, undecided = exact_mass(chosen, depth=4)
    assert mass == {1: Fraction(3, 4), 2: Fraction(1, 4)}
    assert undecided == 0


def test_keep_and_pass_have_their_exact_chances() -> None:
    """At time 2, one hop from the author, made for degree 3: kept with 1/3, passed to each of two with 1/3."""
    state = token_holder(TokenRules(degree=3))

    def done(bits: Tape) -> tuple[int, ...]:
        _, actions = step(state, Wake(), now=1 + 2 * STEP, bits=bits)
        return tuple(sorted(action.link for action in sent(actions)))

    bits = [SeededBits(seeded(seed)) for seed in range(900)]
    seen = Counter(done(each) for each in bits)  # type: ignore[arg-type]
    assert set(seen) == {(0, 1, 2), (1,), (2,)}
    assert all(abs(count - 300) < 4 * (900 * 2 / 9) ** 0.5 for count in seen.values())


def test_a_repeated_token_counts_once() -> None:
    state = token_holder()
    before = state.held[ID]
    state, actions = play(state, (STEP + 9, got(0, Token(ID, 0, 0))))
    assert state.held[ID] == before
    assert sent(actions) == []


def test_impossible_tokens_and_strangers_waves_are_ignored() -> None:
    state, _ = play(node(), (0, got(0, Copy(ID, b"text"))))
    for frame in (Token(ID, 2, 7), Token(b"other", 0, 0)):
        after, actions = play(state, (1, got(0, frame)))
        assert after.held == state.held
        assert sent(actions) == []
    after, actions = play(state, (1, got(2, Wave(ID, 3))))
    assert actions[0] == Send(2, Ack(ID, FrameKind.WAVE, 3, False))
    assert sent(actions) == []


def test_a_leaf_tells_on_a_wave_and_a_relay_passes_it_on_once() -> None:
    leaf, _ = play(node(), (0, got(0, Copy(ID, b"text"))))
    state, actions = play(leaf, (1, got(0, Wave(ID, 3))))
    assert sorted(action.link for action in sent(actions)) == [1, 2]
    assert sent(play(state, (2, got(0, Wave(ID, 3))))[1]) == []
    relay = token_holder()
    relay = replace(relay, held={ID: replace(relay.held[ID], has_token=False)})
    assert sent(play(relay, (STEP + 9, got(0, Wave(ID, 5))))[1]) == [Send(1, Wave(ID, 5)), Send(2, Wave(ID, 5))]


def test_a_cap_is_filled_with_others_when_a_contact_has_it_already() -> None:
    leaf, _ = play(node(TokenRules(cap=2), contacts=5), (0, got(0, Copy(ID, b"text"))))
    state, actions = play(leaf, (1, got(0, Wave(ID, 3))))
    first = {action.link for action in sent(actions)}
    assert len(first) == 2
    state, actions = play(state, (2, got(min(first), Ack(ID, FrameKind.COPY, 0, False))))
    (third,) = sent(actions)
    assert third.link not in first


def test_keeping_sends_a_wave_to_the_whole_tree() -> None:
    found = 0
    for seed in range(40):
        state, bits = token_holder(TokenRules(degree=2)), SeededBits(seeded(seed))
        _, actions = step(state, Wake(), now=1 + 2 * STEP, bits=bits)
        waves = [action.link for action in sent(actions) if isinstance(action.frame, Wave)]
        found += sorted(waves) == [0, 1, 2]
    assert 8 < found < 32  # A half each: the chance to keep at time 2 on a line is 1/2.


def test_memory_is_bounded_and_forgotten_messages_stay_old() -> None:
    state = node(memory=3)
    for k in range(6):
        state, _ = play(state, (k, got(0, Copy(bytes([k]), b"text"))))
    assert sorted(state.held) == [bytes([3]), bytes([4]), bytes([5])]
    _, actions = play(state, (9, got(1, Copy(bytes([0]), b"text"))))
    assert actions[0] == Send(1, Ack(bytes([0]), FrameKind.COPY, 0, False))
    short, _ = play(node(lifetime=2), (0, Post(ID, b"text")), (2 * STEP, Wake()))
    assert not short.held
    assert not short.alarms


def test_the_embargo_is_drawn_once_and_ends_silence() -> None:
    state, actions = play(node(horizon=4, embargo=3), (0, got(0, Copy(ID, b"text"))))
    (alarm,) = (alarm for alarm in state.alarms if alarm.what == "embargo")
    assert 4 * STEP < alarm.at <= 7 * STEP
    _, actions = play(state, (100, Wake()), (alarm.at, Wake()))
    assert sorted(action.link for action in sent(actions)) == [1, 2]


def test_two_messages_do_not_touch_each_other() -> None:
    one, _ = play(node(), (0, Post(b"a", b"text")))
    both, _ = play(one, (3, got(2, Copy(b"b", b"text"))))
    assert both.held[b"a"] == one.held[b"a"]
    assert both.held[b"b"].parent == 2


def test_a_climbing_copy_chooses_first_and_others_fall() -> None:
    """All in one step, as on arrays; where the contact above had it already, another is asked to be above."""
    state, _ = play(node(TreeRules(cap=2), contacts=5), (0, got(0, Copy(ID, b"text", climbing=True, level=2))))
    state, actions = play(state, (STEP, Wake()))
    up, down = sent(actions)
    assert up.frame == Copy(ID, b"text", climbing=True, level=3)
    assert down.frame == Copy(ID, b"text", level=1)
    assert len({0, up.link, down.link}) == 3
    _, actions = play(state, (STEP + 1, got(up.link, Ack(ID, FrameKind.COPY, 0, True))))
    assert not sent(actions)
    _, actions = play(state, (STEP + 1, got(up.link, Ack(ID, FrameKind.COPY, 0, False))))
    (second,) = sent(actions)
    assert second.frame == up.frame
    assert second.link not in (0, up.link, down.link)


def test_a_falling_copy_at_level_0_rests() -> None:
    state, _ = play(node(TreeRules()), (0, got(0, Copy(ID, b"text"))))
    assert [alarm.what for alarm in state.alarms] == ["forget"]


def test_an_end_of_the_line_moves_on_with_its_exact_chance() -> None:
    """Two hops from the author at step 4: (2 + 1)/(4 + 1) on each link, and both counters go along."""
    state, _ = play(node(LineRules(), contacts=2), (3 * STEP, got(0, Copy(ID, b"text", level=2, age=3))))

    def moved(bits: Tape) -> bool:
        _, actions = step(state, Wake(), now=4 * STEP, bits=bits)
        frames = sent(actions)
        assert frames in ([], [Send(1, Copy(ID, b"text", level=3, age=4))])
        return bool(frames)

    mass, undecided = exact_mass(moved, depth=14)
    assert abs(mass[True] - Fraction(3, 5)) <= undecided


def test_an_end_that_did_not_move_tries_again_at_the_next_step() -> None:
    state, _ = play(node(LineRules(), contacts=2), (0, Post(ID, b"text")))
    bits, told = SeededBits(seeded(2)), set()
    for now in range(1, 20):
        state, actions = step(state, Wake(), now=now * STEP, bits=bits)
        told |= {action.link for action in sent(actions) if action.frame == Copy(ID, b"text", level=1, age=now)}
        assert (len(told) < 2) == any(alarm.what == "extend" for alarm in state.alarms)
    assert len(told) > 0


def test_the_hybrid_changes_to_gossip_one_step_after_the_deadline() -> None:
    """It came at step 2 and the deadline is step 4: a falling copy at level 1 tells at step 3, gossip begins at 5."""
    rules = HybridRules(4, 1, cap=2)
    state, _ = play(node(rules, contacts=5), (7, got(0, Copy(ID, b"text", level=1, age=2))))
    state, actions = play(state, (7 + STEP, Wake()))
    falling = sent(actions)
    assert [action.frame for action in falling] == [Copy(ID, b"text", level=0, age=3)] * 2
    answers = [(8 + STEP, got(action.link, Ack(ID, FrameKind.COPY, 0, True))) for action in falling]
    state, _ = play(state, *answers)
    state, actions = play(state, (7 + 2 * STEP, Wake()))
    assert sent(actions) == []
    state, actions = play(state, (7 + 3 * STEP, Wake()))
    others = {1, 2, 3, 4} - {action.link for action in falling}
    assert {(action.link, action.frame) for action in sent(actions)} == {
        (link, Copy(ID, b"text", age=5)) for link in others
    }


def test_a_copy_after_the_deadline_is_gossip_whatever_its_level_says() -> None:
    late = got(0, Copy(ID, b"text", climbing=True, level=3, age=9))
    state, actions = play(node(HybridRules(4, 1)), (7, late), (7 + STEP, Wake()))
    assert {action.frame for action in sent(actions)} == {Copy(ID, b"text", age=10)}
    # Nobody is asked instead of a contact that had it already: each was asked, or will be, anyway.
    assert sent(play(state, (9 + STEP, got(1, Ack(ID, FrameKind.COPY, 0, False))))[1]) == []


def test_gossip_after_the_deadline_waits_for_no_step() -> None:
    """With a pause a late copy is told on after so many ticks; one that came before the deadline waits for it."""
    rules = HybridRules(4, 1, quiet=1, pause=3)
    for age, told in ((9, 7 + 3), (6, 7 + 3), (5, 7 + STEP), (3, 7 + 3 * STEP)):
        state, _ = play(node(rules), (7, got(0, Copy(ID, b"text", age=age))))
        (alarm,) = (alarm for alarm in state.alarms if alarm.what == "switch")
        assert alarm.at == told
        _, actions = play(state, (told, Wake()))
        assert {action.link for action in sent(actions)} == {1, 2}


def test_counters_beyond_the_horizon_are_ignored() -> None:
    """They would make a wave's record, or a falling copy's branch, as large as a liar wants."""
    fresh = node(TreeRules(), horizon=4)
    assert not play(fresh, (0, got(0, Copy(ID, b"text", level=99))))[0].held
    state, _ = play(node(horizon=4), (0, got(0, Copy(ID, b"text"))))
    for frame in (Wave(ID, 10**9), Token(ID, 6, 0)):
        after, actions = play(state, (1, got(0, frame)))
        assert after.held == state.held
        assert sent(actions) == []


def test_gossip_tells_each_contact_once() -> None:
    state, actions = play(node(GossipRules(1)), (0, got(0, Copy(ID, b"text"))), (STEP, Wake()))
    assert sorted(action.link for action in sent(actions)) == [1, 2]
    assert not state.held[ID].untried


def test_a_walk_goes_to_one_and_diffuses_when_the_diffusion_comes_by() -> None:
    rules = StemRules("1/1000000", 1)
    state, actions = play(node(rules), (0, Post(ID, b"text")), (STEP, Wake()))
    (only,) = sent(actions)
    assert only.frame == Copy(ID, b"text", climbing=True)
    state, _ = play(state, (STEP + 1, got((only.link + 1) % 3, Copy(ID, b"text"))))
    assert "gossip" in [alarm.what for alarm in state.alarms]


def test_impossible_settings_are_refused() -> None:
    with pytest.raises(BadValue, match="tries = 0 must be a whole number, 1 or above"):
        Settings(rules=TreeRules(), tries=0)
    with pytest.raises(BadValue, match="embargo = -1 must be"):
        Settings(rules=TreeRules(), embargo=-1)
    with pytest.raises(BadValue, match="degree = 1 must be"):
        TokenRules(degree=1)
    with pytest.raises(BadValue, match="cap = 0 must be"):
        TokenRules(cap=0)
    with pytest.raises(BadValue, match="cap = 1 must be"):
        TreeRules(cap=1)
    with pytest.raises(BadValue, match="rate = 0 must be"):
        GossipRules(0)
    with pytest.raises(BadValue, match="switch = 0 must be"):
        HybridRules(0, 1)
    with pytest.raises(BadValue, match="pause = -1 must be"):
        HybridRules(3, 1, pause=-1)
    with pytest.raises(BadValue, match="rate = 2 must be"):
        HybridRules(3, 2)
    with pytest.raises(BadValue, match="fluff = 2 must be"):
        StemRules(2, 1)
