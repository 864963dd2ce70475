"""Meetings through the relay: it cannot read, forge or drop unnoticed."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.apps.collect.relaying.carrying import RoomLink, open_room, visit
from banister.apps.collect.relaying.rooms import KEPT_DAYS, MOST_BOX, RoomFull, Rooms
from banister.errors import BadValue
from banister.keys import SigningKey, secret
from banister.local import RandomizedResponse
from banister.parties.meetings.agenda_conduct import commit, decide_agenda, invite_agenda, open_secret, reply
from banister.parties.meetings.conduct import answer_plan, decide_meeting, invite, public_key, write_plan
from banister.parties.meetings.home import PartyHome
from banister.parties.meetings.room import Paper, Room, roll, view
from banister.parties.request import MeetingRequest
from tests.apps.collect.service import opened, served, visitor
from tests.local.collect.campaigns import signed

NAMES = ("party-1", "party-2", "party-3")
ASKED = signed(RandomizedResponse(1, categories=4))


@dataclass
class Meeting:
    """A meeting of three and its organiser, each with a folder of their own."""

    here: Path
    plan: Path

    def home(self, who: str) -> PartyHome:
        return PartyHome(self.here / "homes" / who)

    def folder(self, who: str) -> Path:
        return self.here / "papers" / who

    def answered(self, who: str, bit: int) -> Path:
        out = self.here / f"{who}.json"
        answer_plan(self.folder(who) / "plan.json", party=who, bit=bit, out=out, home=self.home(who))
        return out


@pytest.fixture
def meeting(tmp_path: Path) -> Meeting:
    homes = tmp_path / "homes"
    write_plan(tmp_path / "plan.toml", MeetingRequest.of("majority", [2, 2, 2]))
    keys = {name: public_key(name, PartyHome(homes / name)) for name in NAMES}
    _, path = invite(tmp_path / "plan.toml", tmp_path / "made", keys=keys, home=PartyHome(homes / "organiser"))
    (tmp_path / "papers").mkdir()
    return Meeting(tmp_path, path)


@contextmanager
def relay(folder: Path) -> Iterator[tuple[str, Rooms]]:
    rooms = Rooms(folder / "rooms.db", lambda: 1)
    with served(folder, ASKED, rooms=rooms) as service:
        yield service.site.place.origins[0], rooms
    rooms.close()


def test_three_parties_decide_through_a_relay_that_reads_nothing(meeting: Meeting, tmp_path: Path) -> None:
    with relay(tmp_path) as (address, rooms):
        link = open_room(meeting.plan, address)
        again = RoomLink.of(link.text)
        assert again.room == link.room
        for who in NAMES:
            visit(link, meeting.folder(who), party=who, home=meeting.home(who))
            answer = meeting.answered(who, 1)
            found = visit(link, meeting.folder(who), party=who, home=meeting.home(who), send=[answer])
            assert found.amiss == ()
            assert who in found.agreed
        assert "Not yet heard of: organiser, party-1, party-2." in " ".join(found.in_words)
        for who in (*NAMES, "organiser"):
            found = visit(link, meeting.folder(who), party=who, home=meeting.home(who))
        assert found.in_words[-1] == "All have seen the same papers: nothing was dropped."
        boxes = rooms.boxes(link.room.name, 0)
        assert {len(box) for _, box in boxes} == {4096 + 12 + 16}
        assert not any(word in box for _, box in boxes for word in (b"party", b"symbol", b"majority"))
    papers = meeting.folder("organiser")
    said = decide_meeting(papers / "plan.json", [papers / f"{who}.json" for who in NAMES])
    assert said.hearing.missing == ()


def test_an_answer_that_the_relay_keeps_from_some_is_missed(
    meeting: Meeting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with relay(tmp_path) as (address, _):
        link = open_room(meeting.plan, address)
        for who in NAMES:
            visit(link, meeting.folder(who), party=who, home=meeting.home(who))
            visit(link, meeting.folder(who), party=who, home=meeting.home(who), send=[meeting.answered(who, 0)])
        whole = Rooms.boxes

        def without(self: Rooms, room: str, after: int) -> list[tuple[int, bytes]]:
            return [one for one in whole(self, room, after) if not dropped(link.room.unseal(one[1]))]

        def dropped(paper: Paper | None) -> bool:
            return paper is not None and paper.name == hidden

        monkeypatch.setattr(Rooms, "boxes", without)
        for hidden, words in (
            ("party-3.json", "'party-3' saw a paper that the relay keeps from us"),
            ("party-1.json", "'party-1' saw a paper that the relay keeps from us"),
            ("roll-party-2-1.json", "Roll 1 of 'party-2' is kept from us"),
        ):
            new = tmp_path / "papers" / f"new-{hidden}"
            found = visit(link, new, party="organiser", home=meeting.home("organiser"))
            assert any(words in line for line in found.amiss), found.amiss
        hidden = "party-3.json"  # Who left it herself misses it, too, whatever the others were given.
        own = visit(link, meeting.folder("party-3"), party="party-3", home=meeting.home("party-3"))
        assert any("a paper that was here before" in line for line in own.amiss)


def test_what_the_relay_forges_counts_for_nothing(meeting: Meeting, tmp_path: Path) -> None:
    with relay(tmp_path) as (address, rooms):
        link = open_room(meeting.plan, address)
        rooms.put(link.room.name, b"x" * 5000)
        rooms.put(link.room.name, Room(secret()).seal(Paper("plan.json", "{}")))
        box = bytearray(rooms.boxes(link.room.name, 0)[0][1])
        box[100] ^= 1
        rooms.put(link.room.name, bytes(box))
        found = visit(link, meeting.folder("party-1"), party="party-1", home=meeting.home("party-1"))
        assert [paper.name for paper in found.papers] == ["plan.json", "roll-party-1-1.json"]
        # Somebody with the link but without a key of the plan: her roll is nobody's.
        stranger = roll(link.room, found.papers, party="party-2", key=SigningKey.generate())
        assert view(link.room, [*found.papers, stranger], seen=()).agreed == ("party-1",)


def test_commands_hold_a_meeting(meeting: Meeting, tmp_path: Path) -> None:
    def ran(*words: object) -> tuple[int, str]:
        done = CliRunner().invoke(build(), [str(word) for word in words])
        return done.exit_code, done.output

    with relay(tmp_path) as (address, _):
        code, link = ran("relay", "begin", meeting.plan, "--at", address)
        assert code == 0
        for who in (*NAMES, "organiser"):
            code, said = ran(
                "relay",
                "visit",
                link.strip(),
                "--into",
                meeting.folder(who),
                "--party",
                who,
                "--home",
                meeting.home(who).folder,
            )
            assert code == 0
        assert "All have seen the same papers" in said
        (meeting.folder("organiser") / ".seen.json").write_text(json.dumps(["0" * 64]))
        code, said = ran(
            "relay", "visit", link.strip(), "--into", meeting.folder("organiser"), "--party", "organiser", "--home",
            meeting.home("organiser").folder,
        )  # fmt: skip
        assert code == 3
        assert "does not give a paper that was here before (000000000000)" in said


@pytest.mark.parametrize(
    ("method", "path", "content", "status", "words"),
    [
        ("POST", "/m/" + "0" * 64, b"", 422, "no sealed box"),
        ("POST", "/m/" + "0" * 64, b"x" * (MOST_BOX + 1), 413, "at most"),
        ("GET", "/m/" + "0" * 64 + "?after=-1", b"", 422, "whole number"),
        ("PUT", "/m/" + "0" * 64, b"", 405, "by POST"),
        ("GET", "/m/short", b"", 403, ""),
    ],
)
def test_bad_requests_get_one_sentence(
    tmp_path: Path, method: str, path: str, content: bytes, status: int, words: str
) -> None:
    service = opened(tmp_path, ASKED, rooms=Rooms(tmp_path / "rooms.db", lambda: 1))
    found = visitor(service).request(method, path, content=content)
    assert found.status_code == status
    assert words in found.text


def test_rooms_end_and_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [1]
    rooms = Rooms(tmp_path / "rooms.db", lambda: days[0])
    rooms.put("a" * 64, b"1" * 100)
    rooms.put("a" * 64, b"1" * 100)
    assert len(rooms.boxes("a" * 64, 0)) == 1
    monkeypatch.setattr("banister.apps.collect.relaying.rooms.MOST_BYTES", 150)
    with pytest.raises(RoomFull, match="A room holds at most 150"):
        rooms.put("a" * 64, b"2" * 100)
    monkeypatch.setattr("banister.apps.collect.relaying.rooms.MOST_ROOMS", 1)
    with pytest.raises(RoomFull, match="as many rooms"):
        rooms.put("b" * 64, b"2" * 100)
    days[0] += KEPT_DAYS + 1
    rooms.put("b" * 64, b"2" * 100)
    assert rooms.boxes("a" * 64, 0) == []
    (tmp_path / "other.db").write_text("no database at all, only some words that are long enough to be read" * 20)
    with pytest.raises(BadValue, match="cannot be used for the relay"):
        Rooms(tmp_path / "other.db", lambda: 1)


def test_links_that_are_none_are_refused(tmp_path: Path, meeting: Meeting) -> None:
    good = RoomLink(address="https://ask.example.org", room=Room(bytes(32))).text
    assert RoomLink.of(good).room == Room(bytes(32))
    for bad in ("", "https://ask.example.org/m/0#0", good[:-3] + "abc", good.replace("/m/", "/x/")):
        with pytest.raises(BadValue, match="no link to a room"):
            RoomLink.of(bad)
    with pytest.raises(BadValue, match="must begin with https"):
        RoomLink.of(good.replace("https", "http"))
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(BadValue, match="its organiser signed"):
        open_room(tmp_path / "other.json", "https://ask.example.org")
    with pytest.raises(BadValue, match="cannot be reached"):
        open_room(meeting.plan, "http://127.0.0.1:1")
    with pytest.raises(BadValue, match="up to"):
        Room(bytes(32)).seal(Paper("a", "x" * (1 << 20)))
    with pytest.raises(BadValue, match="name of a paper"):
        Room(bytes(32)).seal(Paper("../a", "x"))


def test_an_agenda_with_a_number_a_coin_and_two_rounds_goes_through_the_relay(meeting: Meeting, tmp_path: Path) -> None:
    asked = tmp_path / "agenda.toml"
    lines = [f'[[party]]\nname = "{name}"' for name in NAMES]
    lines += ['[[question]]\nname = "age"\nlow = 0\nhigh = 120\nepsilon = 1']
    lines += ['[[question]]\nname = "flu"\nround = 2\nfunction = "majority"\nepsilon = 1\ndelta = "0.1"\ncoin = true']
    asked.write_text("\n".join(lines))
    keys = {name: public_key(name, meeting.home(name)) for name in NAMES}
    _, agenda = invite_agenda(asked, tmp_path / "agenda", keys=keys, home=meeting.home("organiser"))
    with relay(tmp_path) as (address, _):
        link = open_room(agenda, address)

        def step(send: Callable[[str, Path, Path], Path]) -> None:
            for who in NAMES:
                visit(link, meeting.folder(who), party=who, home=meeting.home(who))
            for who in NAMES:
                made = send(who, meeting.folder(who), tmp_path)
                assert visit(link, meeting.folder(who), party=who, home=meeting.home(who), send=[made]).amiss == ()

        def papers(place: Path, kind: str) -> list[Path]:
            return [place / f"{name}-{kind}.json" for name in NAMES]

        def answered(who: str, place: Path, out: Path, round_: int) -> Path:
            values = {"age": 40} if round_ == 1 else {"flu": 1}
            openings = papers(place, "open") if round_ == 2 else []
            path = out / f"{who}-round-{round_}.json"
            return reply(
                place / "agenda.json",
                party=who,
                values=values,
                out=path,
                round_=round_,
                openings=openings,
                home=meeting.home(who),
            )

        def committed(who: str, place: Path, out: Path) -> Path:
            return commit(place / "agenda.json", party=who, out=out / f"{who}-commit.json", home=meeting.home(who))

        def uncovered(who: str, place: Path, out: Path) -> Path:
            path, listed = out / f"{who}-open.json", papers(place, "commit")
            return open_secret(place / "agenda.json", listed, party=who, out=path, home=meeting.home(who))

        step(committed)
        step(uncovered)
        step(lambda who, place, out: answered(who, place, out, 1))
        step(lambda who, place, out: answered(who, place, out, 2))
        found = visit(link, meeting.folder("organiser"), party="organiser", home=meeting.home("organiser"))
        assert found.amiss == ()
    place = meeting.folder("organiser")
    replies = [path for number in (1, 2) for path in papers(place, f"round-{number}")]
    results = decide_agenda(place / "agenda.json", replies, openings=papers(place, "open"))
    assert results.set_aside == ()
    assert [one.missing for one in results.results] == [(), ()]
    assert results.results[0].estimate is not None


def test_boxes_come_in_few_sizes_whatever_is_in_them() -> None:
    room = Room(bytes(32))
    sizes = {len(room.seal(Paper("a.json", "x" * length))) - 28 for length in range(0, 20_000, 500)}
    assert sizes == {4096, 8192, 16384, 32768}
