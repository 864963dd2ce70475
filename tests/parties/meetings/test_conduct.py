"""Meetings from Python: random rules, totals, and the front door."""

from pathlib import Path

import banister as bn
from banister.parties.meetings import conduct as room
from banister.parties.meetings.home import PartyHome
from banister.parties.request import MeetingRequest
from banister.sampling.bits import SYSTEM


def held(tmp_path: Path, *, function: str, measure: str, levels: list[bn.Guarantee], nonce: str = "plan") -> Path:
    names = [f"p{n}" for n in range(len(levels))]
    plan = tmp_path / f"{nonce}.toml"
    asked = MeetingRequest(
        function=function, levels=tuple(levels), names=tuple(names), measure=measure, cost="absolute", prior="0.4"
    )
    room.write_plan(plan, asked)
    keys = {name: bn.parties.public_key(name, PartyHome(tmp_path / name)) for name in names}
    return bn.parties.invite(plan, tmp_path / nonce, keys=keys, home=PartyHome(tmp_path / "organiser"))[1]


def test_a_random_rule_is_drawn_from_its_chances(tmp_path: Path) -> None:
    path = held(tmp_path, function="and", measure="worst", levels=[bn.Guarantee(1), bn.Guarantee(1, "0.1")])
    files = []
    for name, bit in (("p0", 1), ("p1", 0)):
        out = tmp_path / f"{name}.json"
        done = bn.parties.answer_plan(path, party=name, bit=bit, out=out, home=PartyHome(tmp_path / name))
        assert done.answered == 1
        files.append(out)
    verdict = bn.parties.decide_meeting(path, files)
    assert verdict.accuracy == verdict.planned
    assert verdict.hearing.missing == ()
    assert verdict.answer in (0, 1)
    assert {room._say(bn.parties.Decision(0, 0.5, ((0, 0.5), (1, 0.5)), ()), SYSTEM) for _ in range(64)} == {0, 1}


def test_a_party_is_told_what_all_its_answers_add_up_to(tmp_path: Path) -> None:
    home = PartyHome(tmp_path / "p0")
    for number in range(3):
        levels = [bn.Guarantee("1/2", "0.4")] * 2
        path = held(tmp_path, function="xor", measure="average", levels=levels, nonce=f"m{number}")
        done = bn.parties.answer_plan(path, party="p0", bit=1, out=tmp_path / f"a{number}", home=home)
    assert done.answered == 3
    assert done.total == bn.Guarantee("3/2", 1)


def test_the_plan_carries_its_cost_and_its_prior(tmp_path: Path) -> None:
    path = held(tmp_path, function="sum", measure="average", levels=[bn.Guarantee(1)] * 2)
    meeting = bn.parties.open_meeting(path)
    assert (meeting.cost, meeting.prior) == ("absolute", bn.parties.open_meeting(path).prior)
    out = tmp_path / "a.json"
    bn.parties.answer_plan(path, party="p0", bit=1, out=out, home=PartyHome(tmp_path / "p0"))
    verdict = bn.parties.decide_meeting(path, [out])
    game = bn.parties.Game(bn.parties.total(2), [1, 1], cost="absolute", prior="0.4")
    assert verdict.planned == game.accuracy()
    assert verdict.accuracy == game.without(2).accuracy()
