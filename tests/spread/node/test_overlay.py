"""Places, what friends tell each other about them, and what no friend can do to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.errors import BadValue
from banister.sampling.simulation import SeededBits, seeded
from banister.spread.node.messages import Link
from banister.spread.node.overlay import (
    Freed,
    FriendTold,
    Gone,
    Here,
    Matched,
    NextTurn,
    Offered,
    OverlayEvent,
    OverlaySettings,
    OverlayState,
    Told,
    Useless,
    Withdrawn,
    overlay_step,
    pairs_of,
)

SETTINGS = OverlaySettings(links=4, per_friend=2, widen=10)
LATE = 100
A, B, C, D = (bytes([k]) * 16 for k in range(4))


def after(
    state: OverlayState, *events: OverlayEvent, turn: int = LATE, seed: int = 1
) -> tuple[OverlayState, list[tuple[Link, Told]]]:
    """Several steps in a row, and all that was told."""
    bits = SeededBits(seeded(seed))
    told: list[tuple[Link, Told]] = []
    for event in events:
        state, said = overlay_step(state, event, turn=turn, bits=bits)
        told += said
    return state, told


def introducer(*contacts: Link) -> OverlayState:
    return OverlayState(SETTINGS, contacts or (1, 2, 3, 4))


def test_places_of_two_friends_become_one_link():
    state, told = after(introducer(), FriendTold(1, Offered(A)), FriendTold(2, Offered(B)))
    assert set(told) == {(1, Matched(A)), (2, Matched(B))}
    assert (state.mate_of(1, A), state.mate_of(2, B)) == ((2, B), (1, A))


def test_nobody_speaks_for_the_place_of_another():
    state, _ = after(introducer(), FriendTold(1, Offered(A)), FriendTold(2, Offered(B)))
    assert state.mate_of(3, A) is None
    assert after(state, FriendTold(3, Withdrawn(A)))[0] == state
    assert after(state, FriendTold(3, Offered(A)))[0] == state


def test_two_places_of_one_friend_never_become_a_link():
    state, told = after(introducer(), FriendTold(1, Offered(A)), FriendTold(1, Offered(B)))
    assert told == []
    assert list(pairs_of(state)) == []


def test_two_friends_have_one_link_through_a_third():
    state, _ = after(
        introducer(), *[FriendTold(link, Offered(name)) for link, name in ((1, A), (2, B), (1, C), (2, D))]
    )
    assert len(list(pairs_of(state))) == 1


def test_one_friend_has_so_many_places_and_early_on_only_one():
    _, told = after(introducer(), FriendTold(1, Offered(A)), FriendTold(1, Offered(B)), FriendTold(1, Offered(C)))
    assert told == [(1, Freed(C))]
    assert after(introducer(), FriendTold(1, Offered(A)), FriendTold(1, Offered(B)), turn=3)[1] == [(1, Freed(B))]


def test_who_waits_takes_one_of_a_pair_and_the_other_looks_elsewhere():
    paired, _ = after(introducer(), FriendTold(1, Offered(A)), FriendTold(2, Offered(B)), FriendTold(3, Offered(C)))
    waited, told = after(paired, NextTurn())
    assert not [each for each in told if not isinstance(each[1], Offered)]
    state, told = after(waited, NextTurn())
    freed = [each for each in told if isinstance(each[1], Freed)]
    assert len(freed) == 1
    assert freed[0][0] in (1, 2)
    assert state.mate_of(3, C) is not None
    assert freed[0][1].name not in state.guests


def test_pairs_are_broken_up_for_no_second_place_of_a_friend():
    paired, _ = after(introducer(), FriendTold(1, Offered(A)), FriendTold(2, Offered(B)), FriendTold(1, Offered(C)))
    _, told = after(paired, NextTurn(), NextTurn())
    assert (1, Freed(C)) in told
    assert (2, Freed(B)) not in told


def test_every_free_place_is_offered_and_no_friend_gets_more_than_she_takes():
    state, told = after(OverlayState(SETTINGS, (1, 2)), NextTurn())
    assert [type(each) for _, each in told] == [Offered] * 4
    assert sorted(link for link, _ in told) == [1, 1, 2, 2]
    assert not state.complete
    done, _ = after(state, *[FriendTold(link, Matched(each.name)) for link, each in told])
    assert done.complete


def test_a_friend_who_says_nothing_holds_no_place_for_long():
    state, told = after(OverlayState(SETTINGS, (1, 2)), *[NextTurn()] * 6)
    names = {each.name for _, each in told if isinstance(each, Offered)}
    back = {each.name for _, each in told if isinstance(each, Withdrawn)}
    assert len(back) >= 4
    assert back < names
    assert len(state.places) == 4


def test_only_the_friend_who_was_asked_answers_for_a_place():
    state, told = after(OverlayState(SETTINGS, (1, 2, 3)), NextTurn())
    link, offer = told[0]
    other = next(each for each in (1, 2, 3) if each != link)
    assert after(state, FriendTold(other, Matched(offer.name)), FriendTold(other, Freed(offer.name)))[0] == state


def test_a_useless_link_is_given_back_and_replaced():
    state, told = after(OverlayState(SETTINGS, (1, 2)), NextTurn())
    link, offer = told[0]
    state, _ = after(state, FriendTold(link, Matched(offer.name)))
    state, told = after(state, Useless(offer.name), NextTurn())
    assert (link, Withdrawn(offer.name)) in told
    assert sum(isinstance(each, Offered) for _, each in told) == 1
    assert after(state, Useless(A))[1] == []


def test_when_a_friend_goes_her_links_end_on_both_sides():
    state, _ = after(introducer(), NextTurn(), FriendTold(1, Offered(A)), FriendTold(2, Offered(B)))
    state, told = after(state, Gone(1))
    assert (2, Freed(B)) in told
    assert (state.guests, state.contacts) == ({}, (2, 3, 4))
    assert all(place.via != 1 for place in state.places.values())
    assert after(state, Here(1))[0].contacts == (2, 3, 4, 1)


def test_names_are_fresh_for_every_offer():
    state, told = after(OverlayState(SETTINGS, (1, 2)), NextTurn())
    link, offer = told[0]
    _, again = after(state, FriendTold(link, Freed(offer.name)), NextTurn(), seed=2)
    assert offer.name not in {each.name for _, each in again}


def test_settings_say_what_is_wrong():
    with pytest.raises(BadValue, match="per_friend = 5 must be a whole number from 1 to 4"):
        OverlaySettings(links=4, per_friend=5)


def test_three_friends_are_enough_for_all_links():
    for links in range(2, 40):
        made = OverlaySettings.for_links(links)
        assert 3 * made.room(1000) >= links
        _, told = after(OverlayState(made, (1, 2, 3)), NextTurn(), turn=1000)
        assert len(told) == links


LINK = st.integers(0, 4)
NAME = st.sampled_from([A, B, C, D, b"short", b""])


@st.composite
def events(draw: st.DrawFn) -> OverlayEvent | str:
    kind = draw(st.sampled_from(["told", "told", "told", "mine", "turn", "gone", "here", "useless"]))
    if kind == "told":
        name = draw(st.one_of(NAME, st.binary(min_size=16, max_size=16)))
        kinds: list[Told] = [Offered(name), Matched(name), Freed(name), Withdrawn(name)]
        return FriendTold(draw(LINK), draw(st.sampled_from(kinds)))
    if kind == "mine":
        return "answer"
    others: dict[str, OverlayEvent] = {
        "turn": NextTurn(),
        "gone": Gone(draw(LINK)),
        "here": Here(draw(LINK)),
        "useless": Useless(draw(NAME)),
    }
    return others[kind]


@given(st.lists(events(), max_size=60), st.integers(0, 40), st.integers(0, 2**16))
def test_whatever_friends_tell_tables_stay_small_and_agree(happened: list[OverlayEvent | str], turn: int, seed: int):
    bits, state = SeededBits(seeded(seed)), introducer(0, 1, 2)
    for event in happened:
        if isinstance(event, str):  # A friend answers, rightly or wrongly, for a place of mine.
            places = list(state.places.items())
            if not places:
                continue
            name, place = places[0]
            event = FriendTold(place.via, Matched(name))
        before = state
        state, told = overlay_step(state, event, turn=turn, bits=bits)
        assert all(link in {*before.contacts, *state.contacts} for link, _ in told)
        assert len(state.places) <= SETTINGS.links
        assert len(set(state.contacts)) == len(state.contacts)
        for link in range(5):
            assert sum(guest.link == link for guest in state.guests.values()) <= SETTINGS.room(turn)
            assert sum(place.via == link for place in state.places.values()) <= SETTINGS.room(turn)
        for name, guest in state.guests.items():
            assert guest.link in state.contacts
            if guest.mate is not None:
                assert state.guests[guest.mate].mate == name
                assert state.guests[guest.mate].link != guest.link
        ends = [frozenset((one, other)) for (one, _), (other, _) in pairs_of(state)]
        assert len(ends) == len(set(ends))


@given(st.integers(0, 2**16))
def test_a_step_is_a_function_of_its_bits(seed: int):
    told = [FriendTold(link, Offered(name)) for link, name in ((1, A), (2, B), (3, C))]
    happened: list[OverlayEvent] = [NextTurn(), *told, NextTurn(), NextTurn(), Gone(2), NextTurn()]
    state, said = after(introducer(), *happened, seed=seed)
    assert (state, said) == after(introducer(), *happened, seed=seed)
    assert (state, said) != after(introducer(), *happened, seed=seed + 1)
