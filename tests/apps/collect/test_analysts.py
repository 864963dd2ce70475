"""Analysts come in by keys of their own, which can be taken back."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.apps.collect.analysts import AnalystKeys
from banister.errors import BadValue
from banister.local import RandomizedResponse
from tests.apps.collect.service import opened, visitor
from tests.local.collect.campaigns import signed

ASKED = signed(RandomizedResponse(1, categories=4))


def test_an_analyst_sees_dashboards_by_her_key_until_it_is_taken_back(tmp_path: Path) -> None:
    keys = AnalystKeys(tmp_path / "analysts.json")
    ana, ben = keys.add("ana"), keys.add("ben")
    service = opened(tmp_path, ASKED, analysts=keys)
    browser, program, stranger = visitor(service), visitor(service), visitor(service)
    assert browser.get("/", params={"token": ana}).status_code == 303
    assert "Campaigns" in browser.get("/").text
    bearer = {"authorization": f"Bearer {ana}"}
    assert program.get("/d/1", headers=bearer).status_code == 200
    assert program.get("/d/1/reports-0.csv", headers=bearer).text == "channel,report\n"
    for wrong in ({"authorization": "Bearer guessed"}, {"authorization": "Bearer "}, {}):
        assert stranger.get("/d/1", headers=wrong).status_code == 403
    AnalystKeys(keys.path).revoke("ana")  # By another process.
    assert browser.get("/").status_code == 403, "her session ended with her key"
    assert program.get("/d/1", headers=bearer).status_code == 403
    assert visitor(service).get("/", params={"token": ana}).status_code == 403
    assert program.get("/d/1", headers={"authorization": f"Bearer {ben}"}).status_code == 200
    service.writer.close()


def test_the_file_holds_no_key_and_a_second_key_replaces_the_first(tmp_path: Path) -> None:
    keys = AnalystKeys(tmp_path / "analysts.json")
    first, second = keys.add("ana"), keys.add("ana")
    assert not any(key in keys.path.read_text() for key in (first, second))
    assert (keys.named(first), keys.named(second)) == ("", "ana")
    assert keys.path.stat().st_mode & 0o077 == 0
    keys.path.write_text("{}")
    assert keys.named(second) == "", "nobody comes in while the file cannot be read"
    with pytest.raises(BadValue, match="is not a file of keys"):
        keys.names()
    with pytest.raises(BadValue, match="must be 1 to 64 letters"):
        keys.add("../ana")


def test_keys_are_given_listed_and_taken_back_by_command(tmp_path: Path) -> None:
    path, run = str(tmp_path / "analysts.json"), CliRunner()
    assert "Nobody has a key." in run.invoke(build(), ["collect", "key", path]).output
    key = run.invoke(build(), ["collect", "key", path, "ana"]).output.split()[1]
    assert AnalystKeys(Path(path)).named(key) == "ana"
    assert run.invoke(build(), ["collect", "key", path]).output == "ana\n"
    assert "opens nothing" in run.invoke(build(), ["collect", "key", path, "ana", "--revoke"]).output
    assert AnalystKeys(Path(path)).named(key) == ""
    with pytest.raises(BadValue, match="'ana' has no key"):
        AnalystKeys(Path(path)).revoke("ana")
