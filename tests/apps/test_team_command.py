"""`banister team`: accounts, the log and the back-up from a terminal."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.apps.team.people import Role, TeamPeople
from banister.apps.team.store import TeamStore
from banister.errors import BadValue
from tests.apps.team.place import settings


def say(*words: str) -> str:
    done = CliRunner().invoke(build(), list(words))
    assert done.exit_code == 0, done.output
    return done.output


def test_a_team_is_made_recovered_looked_at_and_copied(tmp_path: Path) -> None:
    found = settings(tmp_path)
    path = str(tmp_path / "team.toml")
    first = re.search(r"code: (\w{64})", say("team", "add", path, "olga", "--role", "owner"))
    second = re.search(r"code: (\w{64})", say("team", "code", path, "olga"))
    assert first is not None
    assert second is not None
    store = TeamStore(found.store)
    people = TeamPeople(store, session_hours=1)
    assert people.recover(second.group(1), "four words in a row").role is Role.OWNER
    store.note('{"at": "2026-01-01T00:00:00Z", "who": "olga", "what": "GET /api/me", "status": 200, "why": ""}')
    assert "olga         200 GET /api/me\nClean: 1 lines" in say("team", "log", path)
    say("team", "backup", path, str(tmp_path / "copy.db"))
    copied = TeamStore(tmp_path / "copy.db")
    assert copied.rows("SELECT name FROM account") == [("olga",)]
    copied.close()
    store.close()
    for file in tmp_path.glob("team.db*"):
        file.unlink()
    said = say("team", "restore", path, str(tmp_path / "copy.db"))
    assert re.search(r"olga sets a password within a day by this code: \w{64}\nEverybody else gets a code", said)


def test_a_code_that_was_replaced_is_refused(tmp_path: Path) -> None:
    found = settings(tmp_path)
    store = TeamStore(found.store, make=True)
    people = TeamPeople(store, session_hours=1)
    old = people.add("olga", Role.OWNER)
    people.code("olga")
    with pytest.raises(BadValue, match="This code was revoked"):
        people.recover(old, "four words in a row")
    store.close()
