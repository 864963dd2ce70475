"""Phones are paired by a code that works once and for ten minutes, and known by a secret until they are taken back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from banister.apps.wildfire.phones.devices import CODE_SECONDS, DAYS, MOST, Devices
from banister.apps.wildfire.store import PostStore
from banister.errors import BadValue
from tests.apps.wildfire.people import WORDS

NOON = 1_800_000_000.0


class Home:
    """A store, and a clock in the test's hands."""

    def __init__(self, store: PostStore) -> None:
        self.store, self.now = store, NOON
        self.devices = self.again()

    def again(self) -> Devices:
        """As after a restart."""
        return Devices(self.store, wall=lambda: self.now)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    store = PostStore(tmp_path / "node", WORDS)
    yield Home(store)
    store.close()


def test_a_code_pairs_one_phone_once(home: Home) -> None:
    code = home.devices.code()
    secret = home.devices.pair(code, "  my   phone ")
    found = home.devices.known(secret)
    assert found is not None
    assert (found.name, found.since.isoformat()) == ("my phone", "2027-01-15")
    for wrong in (code, "", "x" * 32, "\udc80"):
        with pytest.raises(BadValue, match="used before, or is older than ten minutes"):
            home.devices.pair(wrong, "another")
    assert len(home.devices.all()) == 1


def test_without_a_code_that_was_asked_for_nobody_is_paired(home: Home) -> None:
    with pytest.raises(BadValue, match="used before"):
        home.devices.pair("", "")


def test_a_code_ends_after_ten_minutes_with_the_next_code_and_with_a_restart(home: Home) -> None:
    late = home.devices.code()
    home.now += CODE_SECONDS
    with pytest.raises(BadValue, match="older than ten minutes"):
        home.devices.pair(late, "")
    before = home.devices.code()
    home.devices.code()
    with pytest.raises(BadValue, match="used before"):
        home.devices.pair(before, "")
    code = home.devices.code()
    with pytest.raises(BadValue, match="used before"):
        home.again().pair(code, "")


def test_a_phone_is_known_after_a_restart_until_it_is_taken_back(home: Home) -> None:
    one, two = (home.devices.pair(home.devices.code(), name) for name in ("one", "two"))
    again = home.again()
    assert [each.name for each in again.all()] == ["one", "two"]
    again.revoke(again.all()[0].id)
    assert again.known(one) is None
    assert again.known(two) is not None
    with pytest.raises(BadValue, match="There is no such phone any more"):
        again.revoke("nobody")


def test_a_phone_is_paired_anew_after_half_a_year(home: Home) -> None:
    secret = home.devices.pair(home.devices.code(), "")
    home.now += (DAYS - 1) * 86_400
    assert home.devices.known(secret) is not None
    home.now += 86_400
    assert home.devices.known(secret) is None
    assert home.devices.all() == ()
    home.now = NOON  # The clock had jumped.
    assert home.devices.known(secret) is not None


def test_there_are_not_many_phones(home: Home) -> None:
    for _ in range(MOST):
        home.devices.pair(home.devices.code(), "")
    with pytest.raises(BadValue, match="8 phones are paired, the most there may be"):
        home.devices.code()


def test_the_store_has_no_secret_by_which_a_phone_comes_in(home: Home) -> None:
    secret = home.devices.pair(home.devices.code(), "mine")
    assert secret not in repr(home.store.rows("SELECT * FROM devices"))
    assert home.devices.known(home.store.rows("SELECT proof FROM devices")[0][0]) is None
