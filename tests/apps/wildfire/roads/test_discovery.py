"""Friends on a local network are found by beacons that tell nobody else anything; whatever else comes is harmless."""

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from banister.apps.wildfire.messenger import Messenger
from banister.apps.wildfire.roads import discovery
from banister.apps.wildfire.roads.beacon import BEACON_BYTES, SLOTS, beacon, recognised
from banister.apps.wildfire.roads.discovery import A_SECOND, Discovery, LocalNetwork, Surroundings
from tests.apps.wildfire.people import TICK, WORDS, befriend, here, people, until
from tests.drills.wildfire_lan import lan, possible

HERE, PORT, MINUTE = "10.0.0.7", 4100, 29_000_000
SECRETS = {link: bytes([link]) * 32 for link in range(1, 6)}


def told(count: int = 5, *, address: str = HERE, minute: int = MINUTE) -> bytes:
    return beacon([SECRETS[link] for link in range(1, count + 1)], address=address, port=PORT, epoch=minute)


def test_each_friend_recognises_her_slot_and_no_other() -> None:
    data = told(3)
    for link, secret in SECRETS.items():
        assert recognised(data, {link: secret}, address=HERE, epoch=MINUTE) == ({link: PORT} if link < 4 else {})


def test_a_beacon_has_one_size_whatever_the_number_of_friends_and_repeats_nothing() -> None:
    beacons = [told(count) for count in range(6) for _ in range(4)]
    assert {len(data) for data in beacons} == {BEACON_BYTES} == {784}
    parts = Counter(data[at : at + 8] for data in beacons for at in range(0, BEACON_BYTES, 8))
    assert parts.most_common(1)[0][1] == 1


def test_bytes_of_a_beacon_are_as_even_with_all_friends_as_with_none() -> None:
    full = [bytes([k, 1]) * 16 for k in range(SLOTS)]
    for secrets in (full, []):
        counts = Counter(b"".join(beacon(secrets, address=HERE, port=PORT, epoch=MINUTE) for _ in range(100)))
        total = 100 * BEACON_BYTES
        away = sum((counts[value] - total / 256) ** 2 / (total / 256) for value in range(256))
        assert away < 400  # Chi-square with 255 degrees of freedom: above with probability 1e-8.


def test_the_place_of_a_slot_tells_nothing() -> None:
    """A friend who sees always the same place would learn that there are others, and how they are ordered."""
    places = set()
    for _ in range(200):
        data = told(5)
        one = next(
            at for at in range(SLOTS) if recognised(_only(data, at), {1: SECRETS[1]}, address=HERE, epoch=MINUTE)
        )
        places.add(one)
    assert len(places) > SLOTS / 2


def _only(data: bytes, place: int) -> bytes:
    """A beacon with nothing but one slot of another."""
    start = 16 + 24 * place
    return data[:16] + bytes(start - 16) + data[start : start + 24] + bytes(BEACON_BYTES - start - 24)


def test_more_friends_than_slots_take_turns() -> None:
    many = {link: bytes([link, 7]) * 16 for link in range(3 * SLOTS)}
    seen: set[int] = set()
    for _ in range(40):
        found = recognised(
            beacon(many.values(), address=HERE, port=PORT, epoch=MINUTE), many, address=HERE, epoch=MINUTE
        )
        assert len(found) == SLOTS
        seen |= set(found)
    assert seen == set(many)


@pytest.mark.parametrize(
    ("minutes", "holds"), [(0, True), (1, True), (-1, True), (2, False), (-2, False), (1440, False)]
)
def test_a_beacon_is_worth_something_for_its_minute_and_its_neighbours(minutes: int, holds: bool) -> None:
    assert bool(recognised(told(), SECRETS, address=HERE, epoch=MINUTE + minutes)) == holds


def test_a_beacon_that_is_sent_again_from_another_address_is_nobodys() -> None:
    assert recognised(told(), SECRETS, address=HERE, epoch=MINUTE)
    assert not recognised(told(), SECRETS, address="10.0.0.8", epoch=MINUTE)


def test_a_changed_bit_of_a_slot_ends_it() -> None:
    data = _only(told(1), 0)
    found = (
        next(at for at in range(SLOTS) if recognised(_only(told_once, at), SECRETS, address=HERE, epoch=MINUTE))
        if (told_once := told(1))
        else 0
    )
    data = _only(told_once, found)
    for bit in range(8 * (16 + 24 * found), 8 * (16 + 24 * (found + 1))):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        assert not recognised(bytes(changed), SECRETS, address=HERE, epoch=MINUTE)


class Around:
    """A node's surroundings, in a test's hands."""

    def __init__(self, secrets: Mapping[int, bytes] = SECRETS) -> None:
        self.secrets, self.minute, self.found = secrets, MINUTE, list[tuple[int, str, int]]()

    def discovery(self, *networks: LocalNetwork, host: str = "0.0.0.0") -> Discovery:
        around = Surroundings(
            expected=lambda: list(self.secrets.values()),
            sought=lambda: self.secrets,
            place=lambda: (host, PORT),
            awake=lambda: True,
            wall=lambda: self.minute * 60.0,
            found=lambda link, host, port: self.found.append((link, host, port)),
        )
        return Discovery(around, networks=lambda: networks)


def test_forged_replayed_oversized_and_foreign_beacons_are_harmless() -> None:
    """Anything at all from anywhere: nothing is raised, nothing found that no friend said, and memory has a bound."""
    around, chance = Around(), random.Random(5)
    one = around.discovery()
    for turn in range(3000):
        around.minute = MINUTE + turn // 10
        kind = turn % 5
        data = (
            chance.randbytes(chance.choice((0, 1, 783, 784, 785, 9000))),
            bytearray(told(minute=around.minute)),
            beacon([b"another"], address=HERE, port=PORT, epoch=around.minute),
            told(minute=MINUTE - 5),
            told(address="10.0.0.99", minute=around.minute),
        )[kind]
        if isinstance(data, bytearray):  # All slots are changed somewhere.
            for at in range(16, BEACON_BYTES, 24):
                data[at + chance.randrange(24)] ^= 1 << chance.randrange(8)
        source = chance.choice((HERE, "10.0.0.8", "127.0.0.1", "8.8.8.8", "::1", "", "239.1.1.1", 7))
        one.datagram_received(bytes(data), (source, chance.randrange(65_536)))
    assert around.found == []
    assert len(one._seen) == 0


def test_a_beacon_counts_once_and_only_from_a_local_address() -> None:
    around = Around()
    one, data = around.discovery(), told(1)
    for _ in range(3):
        one.datagram_received(data, (HERE, 9))
    assert around.found == [(1, HERE, PORT)]
    for address in ("8.8.8.8", "127.0.0.1"):
        one.datagram_received(told(1, address=address), (address, 9))
    assert len(around.found) == 1


def test_who_sends_many_beacons_costs_no_more_than_some() -> None:
    around = Around()
    one = around.discovery()
    for _ in range(A_SECOND + 5):
        one.datagram_received(told(1), (HERE, 9))
    assert len(around.found) == A_SECOND
    around.minute += 1
    one.datagram_received(told(1, minute=around.minute), (HERE, 9))
    assert len(around.found) == A_SECOND + 1


@pytest.mark.parametrize(
    ("host", "sends"), [("0.0.0.0", True), (HERE, True), ("127.0.0.1", False), ("10.0.0.8", False)]
)
def test_a_beacon_is_sent_where_the_node_can_be_reached(host: str, sends: bool) -> None:
    assert Around().discovery(LocalNetwork(1, HERE), host=host).sends() is sends


def test_the_networks_of_this_machine_leave_the_loopback_out() -> None:
    assert all(not each.address.startswith("127.") for each in discovery.interfaces())


def test_it_is_off_unless_asked_for_and_the_answer_is_kept(tmp_path: Path) -> None:
    one = Messenger(tmp_path, WORDS, tick_seconds=TICK)
    try:
        assert one.node.nearby.discovery is None
        assert "nobody there is told of this node" in one.nearby()
        one.discover(wanted=True)
        assert "They cannot find you" in one.nearby()
    finally:
        one.close()
    again = Messenger(tmp_path, WORDS, tick_seconds=TICK)
    try:
        assert again.node.nearby.discovery is not None
        again.discover(wanted=False)
        assert again.node.nearby.discovery is None
    finally:
        again.close()
    last = Messenger(tmp_path, WORDS, tick_seconds=TICK)
    last.close()
    assert not last.node.nearby.discovery


def test_where_a_friend_is_heard_is_knocked_at_and_the_pinned_key_decides(tmp_path: Path) -> None:
    with people(tmp_path, 3) as (ann, ben, eve):
        befriend(ann, ben)
        (link,) = here(ben)
        with ben.store.writing():
            ben.store.rows("UPDATE friends SET port = 9 WHERE link = ?", link)
        ben._do(ben.node.refresh)
        ann._do(lambda: ann.node._drop(1))
        until(lambda: not here(ben))
        ben._do(lambda: ben.node.nearby._found(link, "127.0.0.1", eve.node.port))  # Somebody else answers there.
        until(lambda: not ben.node.nearby._near)
        ben._do(lambda: ben.node.nearby._found(link, "127.0.0.1", ann.node.port))
        until(lambda: here(ben) and here(ann))
        assert not eve.friends()


@pytest.mark.skipif(not possible(), reason="needs root and ip, to make network namespaces")
def test_a_friend_whose_address_changed_is_found_on_the_local_network() -> None:
    assert lan(0.2)
