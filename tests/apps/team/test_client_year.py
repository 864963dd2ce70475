"""The year of three people who share a budget once more, by the Python client alone; and all that it can ask."""

import inspect
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest

import banister as bn
from banister.accounting import BudgetShare, Opening
from banister.apps.team.interface import Interface
from banister.apps.team.people import Role
from banister.apps.team.store import TeamStore
from banister.release.dataset import Dataset
from banister.release.remote import RemoteTable
from tests.apps.team.place import COUNT, PASSWORD, Team, running, settings, team
from tests.apps.team.walk import Year


def test_three_people_share_a_budget_over_a_year_by_the_client_alone(tmp_path: Path) -> None:
    year, found = Year(), settings(tmp_path)
    with mock.patch("banister.clock.now", year.now):
        room = Interface(found, bn.open(found.schema), TeamStore(found.store, make=True))
        with running(Team(room, {})) as address:

            def come(name: str, code: str = "") -> RemoteTable:
                return RemoteTable.by_password(address, name=name, password=PASSWORD, code=code)

            olga = come("olga", room.people.add("olga", Role.OWNER))
            codes = {name: olga.add_member(name, role) for name, role in (("ana", "analyst"), ("ada", "auditor"))}
            opens = Opening(start="2026-01", months=12)
            olga.share_out(
                [
                    BudgetShare(guarantee=bn.Guarantee(1, "1e-6"), opens=opens),
                    BudgetShare(guarantee=bn.Guarantee("0.5", "5e-7"), analyst="ana"),
                ]
            )
            ana = come("ana", codes["ana"])
            plan = ana.plan(COUNT, epsilon="0.05")
            assert len(ana.practice().release(plan).table) == 3
            first = ana.release(plan, key="january").table
            large = ana.plan(COUNT, epsilon="0.28")
            year.month = 3
            with pytest.raises(bn.BanisterError, match="This session ended"):
                ana.release(large, key="march")
            ana, olga = come("ana"), come("olga")
            large = ana.plan(COUNT, epsilon="0.28")
            with pytest.raises(bn.BudgetExceeded, match="of which 25% is open"):
                ana.release(large, key="march")
            waiting = [each for each in olga.requests() if each["state"] == "waiting"]
            assert [(each["account"], each["price"]) for each in waiting] == [("ana", "epsilon 0.28")]
            assert olga.decide("ana", "march", allow=True) == "answered"
            assert len(ana.release(large, key="march").table) == 3
            assert ana.release(ana.plan(COUNT, epsilon="0.05"), key="january").table == first
            year.month = 12
            nightly = bn.connect(address, key=come("ana").make_key("nightly report"))
            nightly.release(nightly.plan(COUNT, epsilon="0.02"), key="december")
            with pytest.raises(bn.BanisterError, match="This code ended"):
                come("ada", codes["ada"])
            ada = come("ada", room.people.code("ada"))  # An owner gives her another one.
            charged = [each for each in ada.charges() if each["analyst"]]
            assert [each["allowed"] for each in charged] == ["", "olga", ""]
            assert any(line["what"] == "POST /api/requests/ana/march/decision" for line in ada.log())
            with pytest.raises(bn.BanisterError, match="'ada' is an auditor"):
                ada.release(ada.plan(COUNT, epsilon="0.01"), key="mine")
        room.desk.ledger.verify()
        room.desk.ledger.close()
        room.store.close()


def test_the_client_plans_whatever_an_open_table_plans(tmp_path: Path) -> None:
    four = team(tmp_path)
    for name in ("plan", "plan_within"):
        here, there = (inspect.signature(getattr(kind, name)).parameters for kind in (Dataset, RemoteTable))
        assert list(here) == list(there)
        assert [each.default for each in here.values()] == [each.default for each in there.values()]
    both = "SELECT plan, COUNT(*) AS n FROM data GROUP BY plan; SELECT COUNT(*) AS n, MIN(visits) AS least FROM data"
    with running(four) as address:
        table = bn.connect(address, key=four.keys["ana"])
        plan = table.plan(
            both, epsilon="0.05", weights={"n": 2}, consistent=True, check_bounds=0.05, rows=4, extremes="0.02"
        )
        assert len(table.release(plan, key="all").tables) == 2
        near = table.plan_within(COUNT, within="0.2", groups=1, size=2000)
        assert near.guarantee.epsilon < Fraction(1, 10)
        assert len(table.release(near, key="near").table) == 3
    charged = [entry.epsilon for entry in four.room.desk.ledger.history() if not entry.states]
    assert [Fraction(each) for each in charged] == [Fraction(1, 20), near.guarantee.epsilon]
    kept = four.room.desk.find("ana", "all")
    assert kept is not None
    assert (kept.asked.weights, kept.asked.rows, kept.asked.consistent) == ({"n": "2"}, 4, True)
