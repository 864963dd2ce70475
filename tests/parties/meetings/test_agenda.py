"""Agendas: several attributes, rounds, numbers, and a coin that nobody controls."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import banister as bn
from banister.errors import AlreadyAnswered, BadValue, BudgetExceeded
from banister.keys import Ed25519Verifier
from banister.parties.meetings.agenda import Agenda, bit_item, read_agenda
from banister.parties.meetings.agenda_conduct import (
    commit,
    decide_agenda,
    invite_agenda,
    open_agenda,
    open_secret,
    reply,
)
from banister.parties.meetings.commitments import HashedBits, coin_seed, fallen
from banister.parties.meetings.home import PartyHome

NAMES = ("ann", "bob", "cem")
ASKED = """
title = "A survey"
party = [{name = "ann"}, {name = "bob"}, {name = "cem"}]

[[question]]
name = "flu"
function = "majority"
epsilon = 3

[[question]]
name = "age"
low = 0
high = 120
levels = ["1", "1", "2"]

[[question]]
name = "agree"
round = 2
function = "xor"
epsilon = 0
delta = "0.4"
coin = true
"""


@pytest.fixture
def met(tmp_path: Path) -> tuple[Path, dict[str, PartyHome]]:
    homes = {name: PartyHome(tmp_path / name) for name in NAMES}
    keys = {name: bn.parties.public_key(name, home) for name, home in homes.items()}
    (tmp_path / "agenda.toml").write_text(ASKED)
    _, path = invite_agenda(tmp_path / "agenda.toml", tmp_path / "out", keys=keys, home=PartyHome(tmp_path / "org"))
    return path, homes


def _opened(path: Path, homes: dict[str, PartyHome], folder: Path) -> list[Path]:
    made = [commit(path, party=name, out=folder / f"{name}.c", home=homes[name]) for name in NAMES]
    return [open_secret(path, made, party=name, out=folder / f"{name}.o", home=homes[name]) for name in NAMES]


def test_an_agenda_from_end_to_end(met: tuple[Path, dict[str, PartyHome]], tmp_path: Path) -> None:
    path, homes = met
    openings = _opened(path, homes, tmp_path)
    replies = []
    for name, bit in zip(NAMES, (1, 0, 1), strict=True):
        first = {"flu": bit, "age": 40 + bit}
        replies.append(reply(path, party=name, values=first, out=tmp_path / f"{name}.1", home=homes[name]))
        second = reply(
            path,
            party=name,
            values={"agree": bit},
            out=tmp_path / f"{name}.2",
            round_=2,
            openings=openings,
            home=homes[name],
        )
        replies.append(second)
        # Epsilons 3 and 1 (2 for cem) by the first round, delta 0.4 by opening.
        assert homes[name].given(name).epsilon == (5 if name == "cem" else 4)
        assert homes[name].given(name).delta == Fraction(2, 5)
    found = decide_agenda(path, replies, openings=openings)
    flu, age, agree = found.results
    assert flu.decision is not None
    assert flu.decision.answer in (0, 1)
    assert age.estimate is not None
    assert 0 <= age.estimate.sum <= 360
    assert agree.decision is not None
    assert agree.openly in ((), NAMES)
    if agree.openly:
        assert (agree.decision.answer, agree.decision.expected) == (0, 1.0)
    assert not found.set_aside


def test_the_total_is_the_exact_composition(met: tuple[Path, dict[str, PartyHome]]) -> None:
    agenda = open_agenda(met[0])
    wanted = bn.compose([bn.Guarantee(3), bn.Guarantee(1), bn.Guarantee(0, "0.4")])
    total = agenda.total("ann")
    assert total.bracket(delta="0.5") == wanted.bracket(delta="0.5")
    assert total.epsilon(delta="0.4") == 4
    assert total.epsilon(delta="0.45") < 4
    assert agenda.total("cem").epsilon(delta="0.4") == 5


def test_nobody_can_choose_the_coin(met: tuple[Path, dict[str, PartyHome]], tmp_path: Path) -> None:
    path, homes = met
    commitments = [commit(path, party=name, out=tmp_path / f"{name}.c", home=homes[name]) for name in NAMES]
    with pytest.raises(BadValue, match="1 of 3 parties are missing with banister-commitment/1: cem"):
        open_secret(path, commitments[:2], party="ann", out=tmp_path / "o", home=homes["ann"])
    assert homes["ann"].given("ann").answers == 0
    first = open_secret(path, commitments, party="ann", out=tmp_path / "ann.o", home=homes["ann"])
    assert homes["ann"].given("ann").delta == Fraction(2, 5)  # Paid before anybody sees the secret.
    again = open_secret(path, commitments, party="ann", out=tmp_path / "ann.o2", home=homes["ann"])
    assert first.read_text() == again.read_text()
    assert homes["ann"].given("ann").answers == 1
    # Bob has seen ann's secret and commits anew from a copy of his folder: his list is another one.
    other = PartyHome(tmp_path / "bob-again")
    (other.folder / "keys").mkdir(parents=True)
    (other.folder / "keys" / "bob.key").write_text((homes["bob"].folder / "keys" / "bob.key").read_text())
    late = commit(path, party="bob", out=tmp_path / "bob.c2", home=other)
    with pytest.raises(BadValue, match="'bob' signed two different papers"):
        open_secret(path, [*commitments, late], party="cem", out=tmp_path / "o", home=homes["cem"])
    swapped = [commitments[0], late, commitments[2]]
    with pytest.raises(BadValue, match="opened for another list of commitments"):
        open_secret(path, swapped, party="ann", out=tmp_path / "o", home=homes["ann"])
    cheated = open_secret(path, swapped, party="bob", out=tmp_path / "bob.o", home=other)
    third = open_secret(path, commitments, party="cem", out=tmp_path / "cem.o", home=homes["cem"])
    with pytest.raises(BadValue, match="does not fit the commitments of all"):
        coin_seed(open_agenda(path), _texts([first, cheated, third]), Ed25519Verifier())
    with pytest.raises(BadValue, match="are missing with banister-opening/1: bob"):
        reply(
            path, party="cem", values={"agree": 1}, out=tmp_path / "r", round_=2, openings=[first, third],
            home=homes["cem"],
        )  # fmt: skip


def _texts(paths: list[Path]) -> list[tuple[str, str]]:
    return [(path.name, path.read_text()) for path in paths]


def test_the_coin_falls_with_the_chances_that_were_agreed() -> None:
    coin = bit_item("q", 1, "", (bn.Guarantee(0, "0.2"),) * 3, "majority", coin=True).coin
    assert coin is not None
    seen = [fallen(coin, number.to_bytes(4, "big"), "q") for number in range(4000)]
    for party in (1, 2, 3):
        # 4000 coins of chance 0.2: five deviations are 0.032.
        assert sum(party in who for who in seen) / 4000 == pytest.approx(float(coin.chance(party)), abs=0.032)
    assert fallen(coin, b"seed", "q") == fallen(coin, b"seed", "q")
    assert {fallen(coin, bytes([n]), "q") == fallen(coin, bytes([n]), "r") for n in range(60)} == {True, False}
    assert HashedBits(b"x").words(3, 16).tolist() == HashedBits(b"x").words(4, 16).tolist()[:3]


def test_a_round_is_answered_once_and_below_the_ceiling(met: tuple[Path, dict[str, PartyHome]], tmp_path: Path) -> None:
    path, homes = met
    with pytest.raises(BudgetExceeded, match="epsilon 4"):
        reply(
            path, party="ann", values={"flu": 1, "age": 4}, out=tmp_path / "a", home=homes["ann"],
            at_most=bn.Guarantee(3),
        )  # fmt: skip
    homes["ann"].ceilings.raise_to("ann", bn.Guarantee(4, 1))
    reply(path, party="ann", values={"flu": 1, "age": 4}, out=tmp_path / "a", home=homes["ann"])
    with pytest.raises(AlreadyAnswered):
        reply(path, party="ann", values={"flu": 1, "age": 4}, out=tmp_path / "b", home=homes["ann"])
    with pytest.raises(BadValue, match="Round 1 asks: flu, age"):
        reply(path, party="bob", values={"flu": 1}, out=tmp_path / "b", home=homes["bob"])
    with pytest.raises(BadValue, match="about a bit, 0 or 1"):
        reply(path, party="bob", values={"flu": 2, "age": 4}, out=tmp_path / "b", home=homes["bob"])
    with pytest.raises(BadValue, match="no round 3"):
        reply(path, party="bob", values={}, out=tmp_path / "b", home=homes["bob"], round_=3)


def test_forged_and_impossible_replies_are_set_aside(met: tuple[Path, dict[str, PartyHome]], tmp_path: Path) -> None:
    path, homes = met
    good = reply(path, party="ann", values={"flu": 1, "age": 4}, out=tmp_path / "a", home=homes["ann"])
    forged = tmp_path / "forged"
    forged.write_text(good.read_text().replace('"flu": ', '"flu": 1'))
    copy = tmp_path / "copy"
    copy.write_text(good.read_text())
    found = decide_agenda(path, [good, forged, copy])
    assert [file for file, _ in found.set_aside] == ["forged", "copy"]
    assert found.results[0].missing == ("bob", "cem")
    assert found.results[2].decision is None


def test_an_agenda_that_was_changed_is_refused(met: tuple[Path, dict[str, PartyHome]]) -> None:
    text = met[0].read_text()
    body = json.loads(text)
    body["questions"][2]["coin"]["reveals"] = [[[1, 2, 3], "1"]]
    with pytest.raises(BadValue, match=r"openly with chance 1, above its delta"):
        read_agenda(json.dumps(body), Ed25519Verifier())
    body = json.loads(text)
    weights = body["channels"]["1"]["weights"]
    weights[0] = [sum(weights[0]), *([0] * (len(weights[0]) - 1))]
    with pytest.raises(BadValue, match="above the claimed epsilon"):
        read_agenda(json.dumps(body), Ed25519Verifier())
    with pytest.raises(BadValue, match="signature is not that of the organiser"):
        read_agenda(text.replace("A survey", "B survey"), Ed25519Verifier())
    with pytest.raises(BadValue, match="no agenda of the format"):
        read_agenda("{}", Ed25519Verifier())
    agenda = open_agenda(met[0])
    with pytest.raises(BadValue, match=r"has the question 'flu' twice"):
        replace(agenda, items=(agenda.items[0], agenda.items[0]))
    assert isinstance(agenda, Agenda)
    with pytest.raises(BadValue, match="the coin could never fall"):
        bit_item("q", 1, "", (bn.Guarantee(1),) * 2, "xor", coin=True)
