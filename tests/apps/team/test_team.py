"""Three roles, one budget: who may ask, how much, who says yes; nothing is paid or answered twice."""

import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import banister as bn
from banister.apps.team.desk import Asked
from banister.apps.team.people import TeamPeople
from banister.apps.team.settings import TeamSettings
from banister.apps.team.store import TeamStore
from banister.apps.team.written import public_schema
from banister.errors import BadValue, LedgerDamaged
from banister.tables.schema import Schema
from tests.apps.team.place import COUNT, PASSWORD, Team, running, team


@pytest.fixture
def four(tmp_path: Path) -> Iterator[Team]:
    made = team(tmp_path)
    yield made
    made.room.desk.ledger.close()
    made.room.store.close()


def test_within_a_share_a_release_is_answered_once_for_its_key(four: Team) -> None:
    first = four.release("ana", "0.1", "june").json()
    assert first["state"] == "answered"
    assert [row["plan"] for row in first["tables"][0]] == ["free", "shared", "deductible"]
    assert four.release("ana", "0.1", "june").json() == first
    other = four.release("ana", "0.2", "june")
    assert (other.status_code, other.json()["message"][:39]) == (422, "Your key 'june' belongs to another requ")
    mine = four.release("ben", "0.1", "june").json()  # A key belongs to an account.
    assert mine["state"] == "answered"
    assert mine["tables"] != first["tables"]
    charged = [entry for entry in four.room.desk.ledger.history() if not entry.states]
    assert [(entry.whose and entry.whose.analyst, entry.epsilon) for entry in charged] == [
        ("ana", "1/10"),
        ("ben", "1/10"),
    ]


def test_a_request_sent_again_while_it_runs_gets_the_one_answer(four: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection was lost, and the second request had looked before the first was done."""
    desk = four.room.desk
    ana = four.room.people.known(four.keys["ana"])
    asked = Asked(question=COUNT, epsilon="0.1")
    first = desk.release(ana, asked, "june")
    running_still = [replace(first, state="running", answer=None)]
    find = desk.find
    monkeypatch.setattr(desk, "find", lambda *name: running_still.pop() if running_still else find(*name))
    assert desk.go_on("ana", "june") == first
    assert len([entry for entry in desk.ledger.history() if not entry.states]) == 1


def test_a_report_is_verified_by_its_certificate_which_owners_hand_out(four: Team, tmp_path: Path) -> None:
    assert four.release("ana", "0.1", "june").json()["state"] == "answered"
    for name, part in (("report.html", "report"), ("report.certificate", "certificate")):
        (tmp_path / name).write_bytes(four.ask("olga", "GET", f"/requests/ana/june/{part}").content)
    said = bn.audit.verify(tmp_path / "report.html", ledger=four.room.desk.ledger)
    assert "charges epsilon 1/10 for this plan" in said
    assert "report.html is as it was certified." in said
    assert "The ledger holds that line" in said
    assert "the-teams-table.parquet" in (tmp_path / "report.certificate").read_text(encoding="utf-8")
    for who in ("ana", "ben"):  # Its line says what all shares have used.
        assert four.ask(who, "GET", "/requests/ana/june/certificate").status_code == 403


def test_above_a_share_a_request_waits_costs_nothing_and_an_owner_says_yes(four: Team) -> None:
    head = four.room.desk.ledger.head
    waiting = four.release("ana", "0.5", "large").json()
    assert (waiting["state"], waiting["price"], waiting["answer"]) == ("waiting", "epsilon 0.5", None)
    assert "does not fit the share of ana" in waiting["words"]
    assert four.room.desk.ledger.head == head
    seen = next(each for each in four.ask("olga", "GET", "/requests").json() if each["state"] == "waiting")
    assert (seen["question"], seen["price"]) == (COUNT, "epsilon 0.5")
    assert "Plan at (0.5, 0)" in seen["plan"]
    assert four.ask("olga", "POST", "/requests/ana/large/decision", allow=True).json()["state"] == "answered"
    assert four.release("ana", "0.5", "large").json()["state"] == "answered"
    entry = four.room.desk.ledger.history()[-1]
    assert entry.whose is not None
    assert (entry.whose.analyst, entry.whose.allowed) == ("ana", "olga")
    late = four.ask("omar", "POST", "/requests/ana/large/decision", allow=False)
    assert (
        late.json()["message"] == "This request does not wait any more: it is answered by 'olga'. Nothing was changed."
    )


def test_what_is_refused_costs_nothing_and_stays_refused(four: Team) -> None:
    four.release("ana", "0.5", "large")
    head = four.room.desk.ledger.head
    assert four.ask("omar", "POST", "/requests/ana/large/decision", allow=False).json()["state"] == "refused"
    again = four.release("ana", "0.5", "large").json()
    assert (again["state"], again["words"]) == ("refused", "'omar' said no. Nothing was charged.")
    assert four.room.desk.ledger.head == head
    assert four.ask("olga", "POST", "/requests/ana/large/decision", allow=True).status_code == 422


def test_an_owners_yes_never_passes_the_whole(four: Team) -> None:
    four.release("ana", "0.9", "first")
    four.release("ben", "0.9", "second")
    assert four.ask("olga", "POST", "/requests/ana/first/decision", allow=True).json()["state"] == "answered"
    refused = four.ask("olga", "POST", "/requests/ben/second/decision", allow=True).json()
    assert refused["state"] == "refused"
    assert "does not fit the budget (1, 1e-06)" in refused["words"]
    four.room.desk.ledger.verify()


def test_an_analyst_who_leaves_takes_her_requests_with_her(four: Team) -> None:
    four.release("ana", "0.5", "large")
    said = four.ask("olga", "DELETE", "/accounts/ana").json()["message"]
    assert said == "'ana' has left; 1 waiting requests are withdrawn."
    gone = four.ask("ana", "GET", "/me")
    assert (gone.status_code, gone.json()["message"][:20]) == (401, "This key was revoked")
    late = four.ask("olga", "POST", "/requests/ana/large/decision", allow=True)
    assert "does not wait any more: it is withdrawn" in late.json()["message"]
    four.ask("olga", "DELETE", "/accounts/omar")
    assert "is the only owner" in four.ask("olga", "DELETE", "/accounts/olga").json()["message"]


def test_roles_see_what_is_theirs(four: Team) -> None:
    four.release("ana", "0.1", "june")
    assert four.ask("ben", "GET", "/requests/ana/june").json()["message"] == "This request is somebody else's."
    assert four.ask("ben", "GET", "/requests").json() == []
    assert [each["name"] for each in four.ask("ben", "GET", "/budget").json()["shares"]] == ["ben"]
    assert [each["name"] for each in four.ask("ada", "GET", "/budget").json()["shares"]] == ["ana", "ben"]
    assert four.ask("ada", "GET", "/requests/ana/june").json()["state"] == "answered"
    assert "<h1>" in four.ask("ada", "GET", "/requests/ana/june/report").text
    assert four.ask("ada", "GET", "/history").json()[-1]["analyst"] == "ana"
    refused = four.release("ada", "0.1", "mine")
    assert (refused.status_code, refused.json()["message"]) == (
        403,
        "This is for an analyst or owner; 'ada' is an auditor.",
    )
    for method, path, body in (
        ("GET", "/log", {}),
        ("GET", "/history", {}),
        ("GET", "/accounts", {}),
        ("PUT", "/shares", {"shares": []}),
        ("POST", "/accounts", {"name": "eve", "role": "owner"}),
        ("POST", "/accounts/olga/code", {}),
        ("DELETE", "/accounts/olga", {}),
        ("POST", "/requests/ana/june/decision", {"allow": True}),
        ("DELETE", "/keys/olga/tests", {}),
    ):
        assert four.ask("ana", method, path, **body).status_code == 403, path
    assert four.ask("", "GET", "/budget").status_code == 401


def test_no_session_after_a_changed_password(four: Team) -> None:
    four.keys["first"] = four.ask("", "POST", "/sign-in", name="ana", password=PASSWORD).json()["secret"]
    four.keys["second"] = four.ask("", "POST", "/sign-in", name="ana", password=PASSWORD).json()["secret"]
    assert four.ask("second", "GET", "/me").json() == {"name": "ana", "role": "analyst"}
    assert four.ask("first", "POST", "/password", old="wrong", new="another long one").status_code == 401
    assert four.ask("first", "POST", "/password", old=PASSWORD, new="short").status_code == 422
    assert four.ask("first", "POST", "/password", old=PASSWORD, new="another long one").status_code == 200
    for session in ("first", "second"):
        gone = four.ask(session, "GET", "/me")
        assert (gone.status_code, gone.json()["message"][:24]) == (401, "This session was revoked")
    assert four.ask("", "POST", "/sign-in", name="ana", password=PASSWORD).status_code == 401
    assert four.ask("", "POST", "/sign-in", name="nobody", password=PASSWORD).status_code == 401
    assert four.ask("", "POST", "/sign-in", name="ana", password="another long one").status_code == 200
    assert four.ask("ana", "GET", "/me").status_code == 200  # Keys of programs stay; they are revoked by themselves.


def test_sessions_end_and_codes_work_once(four: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    four.keys["s"] = four.room.people.sign_in("ana", PASSWORD)
    code = four.ask("olga", "POST", "/accounts/ana/code").json()["secret"]
    assert four.ask("", "POST", "/recover", code=code, password="a wholly new one").json()["name"] == "ana"
    assert four.ask("", "POST", "/recover", code=code, password="a wholly new one").status_code == 401
    assert four.ask("s", "GET", "/me").status_code == 401
    assert four.ask("ana", "GET", "/me").status_code == 401  # Whoever lost the password may have lost the keys.
    four.keys["t"] = four.room.people.sign_in("ana", "a wholly new one")
    monkeypatch.setattr("banister.clock.now", lambda: "2999-01-01T00:00:00.000000Z")
    ended = four.ask("t", "GET", "/me")
    assert (ended.status_code, ended.json()["message"][:18]) == (401, "This session ended")


def test_a_stolen_key_is_revoked_and_says_so(four: Team) -> None:
    assert four.ask("olga", "DELETE", "/keys/ana/tests").status_code == 200
    assert four.release("ana", "0.1", "june").status_code == 401
    assert four.ask("olga", "DELETE", "/keys/ana/tests").json()["message"].startswith("'ana' has no key 'tests'")
    assert len(four.room.desk.ledger.history()) == 1


def test_every_request_is_in_a_log_that_shows_who_changed_it(four: Team, tmp_path: Path) -> None:
    four.release("ana", "0.1", "june")
    four.ask("", "GET", "/budget")
    lines = four.ask("ada", "GET", "/log").json()
    assert [(line["who"], line["what"], line["status"]) for line in lines[-2:]] == [
        ("ana", "POST /api/release", 200),
        ("", "GET /api/budget", 401),
    ]
    assert COUNT not in json.dumps(lines)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        four.room.store._connection.execute("UPDATE line SET body = '' WHERE sequence = 1")
    four.room.store._connection.execute("DROP TRIGGER line_stays")
    four.room.store._connection.execute("UPDATE line SET body = replace(body, 'ana', 'ben')")
    damaged = four.ask("ada", "GET", "/log")
    assert (damaged.status_code, "of the team's log does not follow" in damaged.json()["message"]) == (503, True)


def test_no_secret_is_in_the_file(four: Team) -> None:
    session = four.room.people.sign_in("ana", PASSWORD)
    everything = "".join(four.room.store._connection.iterdump())
    for secret in (session, PASSWORD, *four.keys.values()):
        assert secret not in everything
    assert "$argon2id$" in everything
    assert four.room.store.path.stat().st_mode & 0o077 == 0


def test_what_was_cut_off_goes_on_and_is_paid_once(four: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server ends after the charge and before the answer is in its file."""
    desk = four.room.desk

    def cut(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(desk, "_set", cut)
    with pytest.raises(KeyboardInterrupt):
        desk.release(four.room.people.known(four.keys["ana"]), _asked("0.1"), "june")
    assert len(desk.ledger.history()) == 2
    desk.ledger.close()
    four.room.store.close()
    again = team(tmp_path)
    assert again.room.desk.resume() == 1
    found = again.room.desk.find("ana", "june")
    assert found is not None
    assert found.state == "answered"
    assert len(again.room.desk.ledger.history()) == 2
    assert again.room.desk.resume() == 0


def _asked(epsilon: str) -> Asked:
    return Asked(question=COUNT, epsilon=epsilon)


def test_a_restored_ledger_is_refused_by_its_witness(tmp_path: Path) -> None:
    made = team(tmp_path, 'witness = "elsewhere.witness"\n')
    made.release("ana", "0.1", "one")
    made.room.desk.ledger.close()
    shutil.copy(tmp_path / "health.ledger", tmp_path / "old")
    made.room.store.back_up(tmp_path / "old.db")
    made.room.store.close()
    second = team(tmp_path, 'witness = "elsewhere.witness"\n')
    second.keys = made.keys
    second.release("ana", "0.1", "two")
    second.room.desk.ledger.close()
    second.room.store.close()
    shutil.copy(tmp_path / "old", tmp_path / "health.ledger")
    with pytest.raises(LedgerDamaged, match="an older state was put in its place"):
        team(tmp_path, 'witness = "elsewhere.witness"\n')
    assert TeamStore(tmp_path / "old.db").rows("SELECT key FROM asked") == [("one",)]
    with pytest.raises(BadValue, match="a back-up overwrites nothing"):
        TeamStore(tmp_path / "old.db").back_up(tmp_path / "old.db")


def test_a_team_that_is_put_back_lets_in_nobody_and_answers_nothing_twice(tmp_path: Path) -> None:
    made = team(tmp_path)
    session = made.room.people.sign_in("ana", PASSWORD)
    made.release("ana", "0.1", "before")
    made.room.store.back_up(tmp_path / "old.db")
    assert made.release("ana", "0.1", "since").json()["state"] == "answered"
    made.room.people.change_password(made.room.people.known(session), PASSWORD, "another long password")
    made.room.desk.ledger.close()
    made.room.store.close()

    def settle(store: TeamStore) -> dict[str, str]:
        assert not made.room.store.path.exists()  # Whoever stops here leaves no file that lets anybody in.
        return TeamPeople(store, session_hours=1).begin_anew()

    with pytest.raises(BadValue, match="overwrites nothing"):
        TeamStore.put_back(tmp_path / "old.db", made.room.store.path, settle)
    with pytest.raises(BadValue, match="There is no back-up at"):
        TeamStore.put_back(tmp_path / "new.db", tmp_path / "elsewhere.db", settle)
    for file in tmp_path.glob("team.db*"):
        file.unlink()
    with pytest.raises(ZeroDivisionError):
        TeamStore.put_back(tmp_path / "old.db", made.room.store.path, lambda store: 1 / 0)
    assert not made.room.store.path.exists()
    codes = TeamStore.put_back(tmp_path / "old.db", made.room.store.path, settle)
    assert not list(tmp_path.glob("*.restoring*"))
    assert sorted(codes) == ["olga", "omar"]
    store = TeamStore(made.room.store.path)
    assert json.loads(store.lines()[-1].body)["what"] == "restored from a back-up"
    store.close()
    again = team(tmp_path)
    again.keys = {**made.keys, "session": session}
    for who in ("ana", "session", "olga"):
        assert again.ask(who, "GET", "/me").status_code == 401, who
    assert again.ask("", "POST", "/sign-in", name="ana", password=PASSWORD).status_code == 401
    again.keys["olga"] = again.room.people.make_key(again.room.people.recover(codes["olga"], PASSWORD), "new")
    code = again.ask("olga", "POST", "/accounts/ana/code").json()["secret"]
    again.keys["ana"] = again.room.people.make_key(again.room.people.recover(code, PASSWORD), "new")
    assert again.release("ana", "0.1", "before").json()["state"] == "answered"
    lost = again.release("ana", "0.1", "since")
    assert (lost.status_code, "was given, and is not kept any more" in lost.json()["message"]) == (422, True)
    assert again.room.desk.resume() == 1  # The server starts, and says what became of it.
    found = again.room.desk.find("ana", "since")
    assert found is not None
    assert (found.state, again.room.desk.resume()) == ("failed", 0)
    assert len([entry for entry in again.room.desk.ledger.history() if not entry.states]) == 2


def test_plans_and_practice_are_free(four: Team) -> None:
    head = four.room.desk.ledger.head
    plan = four.ask("ana", "POST", "/plan", question=COUNT, epsilon="0.1").json()
    assert (plan["fits"], plan["price"]) == ("yes", "epsilon 0.1")
    assert four.ask("ana", "POST", "/plan", question=COUNT, epsilon="0.5").json()["fits"] == "ask"
    assert four.ask("ana", "POST", "/plan", question=COUNT, epsilon="2").json()["fits"] == "no"
    tried = four.ask("ana", "POST", "/practice", question=COUNT, epsilon="0.1").json()
    assert tried["words"].startswith("This table was made from the schema alone: no record was read")
    assert len(tried["tables"][0]) == 3
    assert four.room.desk.ledger.head == head
    assert (
        four.ask("ana", "POST", "/plan", question="health.sql", epsilon="1").json()["message"].startswith("Write the")
    )


def test_the_client_behaves_as_an_open_table(four: Team) -> None:
    with running(four) as address:
        table, owner = (bn.connect(address, key=four.keys[name]) for name in ("ana", "olga"))
        plan = table.plan(COUNT, epsilon="0.1")
        assert len(table.practice().release(plan).table) == 3
        answers = table.release(plan, key="june")
        assert [row["plan"] for row in answers.table] == ["free", "shared", "deductible"]
        assert table.release(plan, key="june").table == answers.table
        assert answers.intervals[0]["years"][0] < answers.table[0]["years"]  # type: ignore[index, operator]
        large = table.plan(COUNT, epsilon="0.5")
        with pytest.raises(bn.BudgetExceeded, match="The request 'large' waits for an owner; ask again under that key"):
            table.release(large, key="large")
        assert owner.decide("ana", "large", allow=True) == "answered"
        assert len(table.release(large, key="large").table) == 3
        assert table.shares()[0].startswith("ana: (0.3, 3e-07)")
        assert table.remaining().charges == 3
        with pytest.raises(BadValue, match="The plan was not made by this connection"):
            owner.release(plan)
        with pytest.raises(BadValue, match="is not known"):
            bn.connect(address, key="guessed")


def test_the_schema_that_is_shown_hides_where_things_lie(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(
        '# my secret comment\n[source]\ntable = "postgresql://me:secret@host/base"\nname = "inner"\n'
        'neighbours = "replace"\n'
        '[budget]\nepsilon = 1.5\ndelta = 1e-6\nledger = "postgresql://me:secret@host/base#l"\n'
        '[columns]\n"a b" = { kind = "category", values = ["x\\"", "ü"] }\n'
        'day = { kind = "date", range = [2020-01-01, 2021-01-01] }\n',
        encoding="utf-8",
    )
    shown = public_schema(path)
    assert "secret" not in shown
    assert "inner" not in shown
    assert Schema.of_text(shown).main.columns == Schema.of_file(path).main.columns
    assert Schema.of_text(shown).budget == Schema.of_file(path).budget


def test_settings_that_would_give_secrets_away_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="passwords and answers would go in the clear"):
        TeamSettings.of_text('[team]\nschema = "a.toml"\nlisten = "0.0.0.0:80"', folder=tmp_path)
    with pytest.raises(BadValue, match="needs both certificate and key"):
        TeamSettings.of_text('[team]\nschema = "a.toml"\n[tls]\nkey = "k.pem"', folder=tmp_path)
    with pytest.raises(BadValue, match="must be an address and a port"):
        TeamSettings.of_text('[team]\nschema = "a.toml"\nlisten = "here"', folder=tmp_path)
    with pytest.raises(BadValue, match="are not there"):
        TeamSettings.of_file(tmp_path / "team.toml")
    with pytest.raises(BadValue, match="There is no team at"):
        TeamStore(tmp_path / "team.db")
    (tmp_path / "x").write_text("no database", encoding="utf-8")
    with pytest.raises(BadValue, match="is not the file of a team"):
        TeamStore(tmp_path / "x")


def test_who_asks_too_often_waits(tmp_path: Path) -> None:
    made = team(tmp_path)
    made.room._pace._most = 2
    codes = [made.ask("ana", "GET", "/me").status_code for _ in range(4)]
    assert codes[0] == 200
    assert codes[-1] == 429
    made.room._sign_ins._most = 2
    codes = [made.ask("", "POST", "/sign-in", name="ana", password="x" * 10).status_code for _ in range(4)]
    assert codes[-1] == 429


def test_shares_above_the_budget_are_refused_over_the_wire(four: Team) -> None:
    said = four.ask("olga", "PUT", "/shares", shares=[{"analyst": "ana", "epsilon": "2"}])
    assert said.status_code == 422
    assert "is stated in the ledger and is missing now" in said.json()["message"]
    both = [{"analyst": "ana", "epsilon": "2", "delta": "3e-7"}, {"analyst": "ben", "epsilon": "0.2", "delta": "2e-7"}]
    assert "is above the budget (1, 1e-06)" in four.ask("olga", "PUT", "/shares", shares=both).json()["message"]


def test_of_owners_who_decide_at_once_one_is_heard_and_it_is_paid_once(four: Team) -> None:
    four.release("ana", "0.5", "large")
    said: list[int] = []
    turn = threading.Barrier(4)

    def decide(who: str, allow: bool) -> None:
        turn.wait(20)
        said.append(four.ask(who, "POST", "/requests/ana/large/decision", allow=allow).status_code)

    words = [("olga", True), ("omar", False), ("omar", True), ("olga", False)]
    threads = [threading.Thread(target=decide, args=one) for one in words]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(said) == [200, 422, 422, 422]
    charged = [entry for entry in four.room.desk.ledger.history() if not entry.states]
    state = four.ask("ana", "GET", "/requests/ana/large").json()["state"]
    assert (state, len(charged)) in (("answered", 1), ("refused", 0))
