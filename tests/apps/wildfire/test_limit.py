"""A bound on traffic: an hour's share, links that rest when it is used up, and no second share by a restart."""

import socket
import time
from pathlib import Path

import pytest

from banister.apps.wildfire.limit import FRAME_COST, HOUR, KNOCK_COST, TrafficLimit, limit_of, minutes_an_hour
from banister.apps.wildfire.terminal import Talk
from banister.errors import BadValue
from tests.apps.wildfire.people import befriend, here, people, until


def test_an_hour_has_its_share_and_a_month_720() -> None:
    now, kept = [50.0 * HOUR], [""]

    def one(gigabytes: float) -> TrafficLimit:
        return TrafficLimit(gigabytes, wall=lambda: now[0], keep=lambda text: kept.__setitem__(0, text), kept=kept[0])

    limit, frames = one(1), 0
    while limit.is_open():
        limit.count(3, 0)
        frames += 3
    assert 0 <= frames * FRAME_COST - limit.share < 3 * FRAME_COST
    assert 720 * limit.share <= 1e9
    assert limit.again_seconds() == HOUR
    assert not one(1).is_open()  # A restart gives nothing anew.
    now[0] += HOUR
    assert limit.is_open()
    assert one(1).is_open()
    limit.count(0, limit.share // KNOCK_COST + 1)  # Who only knocks uses it up too.
    assert not limit.is_open()
    now[0] -= 5 * HOUR  # A clock set back is another hour, and no end.
    assert limit.is_open()
    free = one(0)
    free.count(10**9, 10**9)
    assert free.is_open()


def test_a_kill_at_any_moment_gives_at_most_what_is_on_disk() -> None:
    kept = [""]
    limit = TrafficLimit(1, wall=lambda: 0.0, keep=lambda text: kept.__setitem__(0, text))
    for frames in range(1, 400):
        limit.count(1, 0)
        assert int(kept[0].split()[1]) >= frames * FRAME_COST


def test_minutes_are_those_that_the_share_lasts() -> None:
    assert minutes_an_hour(0, 5, 4) == minutes_an_hour(100, 5, 4) == 60
    limit, tick, seconds = TrafficLimit(1, wall=lambda: 0.0, keep=lambda _: None), 5, 0
    limit.count(0, 4)
    while limit.is_open():
        limit.count(2 * 4, 0)
        seconds += tick
    assert minutes_an_hour(1, tick, 4) == pytest.approx(seconds / 60, abs=tick / 60)


@pytest.mark.parametrize("wrong", [-1, 0.01, 10**6, "much", "nan"])
def test_a_limit_that_is_none_is_refused(wrong: float | str) -> None:
    with pytest.raises(BadValue, match=r"^limit = "):
        limit_of(wrong)


def test_links_rest_when_the_share_is_used_up_and_come_back(tmp_path: Path) -> None:
    with people(tmp_path, 2) as (ann, ben):
        befriend(ann, ben)
        said: list[str] = []
        Talk(ann, said.append).run(["limit much", "limit 0.06"])
        assert said[0].startswith("limit = 'much' must be a ")
        assert said[1].endswith("minutes in each hour.")
        wall = [(time.time() // HOUR + 1) * HOUR + 60]
        ann.node.clock.wall = lambda: wall[0]  # type: ignore[method-assign]
        ann._do(lambda: ann.node.limit.count(ann.node.limit.share // FRAME_COST - 12, 0))  # All but some ticks of it.
        until(lambda: not here(ann) and not here(ben))
        assert ann.trouble() == (
            "All links rest for 59 minutes: this hour's share of your limit of 0.06 GB a month is used up."
        )
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", ann.node.port))
        port = ann.node.port
        wall[0] += HOUR
        until(lambda: here(ann) and here(ben))
        assert ann.node.port == port
        assert ann.trouble() == ""
        ann.set_limit(0)
        assert ann.store.get("limit_gb") == "0.0"
        assert ann.node.failure is None
