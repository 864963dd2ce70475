"""`banister collect` on a terminal: make, show, answer, send, look at the own ledger; bad input gets one sentence."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.apps.collect.board import board
from banister.apps.collect.days import DayRows
from banister.apps.collect.running import reached
from banister.apps.web.gate import Place
from banister.errors import BadValue, BanisterError
from banister.local.collect.files import campaign_file, own_key
from tests.apps.collect.service import served

SETTINGS = """title = "Smoking"
asked_by = "A clinic"
until = "2999-12-31"
people = 1000
epsilon = 1
[[question]]
text = "Do you smoke?"
answers = { yes = 0.2, no = 0.8 }
"""


def ran(*words: object) -> str:
    found = CliRunner().invoke(build(), [str(word) for word in words])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.output


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "smoking.toml").write_text(SETTINGS)
    out = tmp_path / "smoking.campaign"
    ran("collect", "new", tmp_path / "smoking.toml", "--out", out, "--key", tmp_path / "own.key")
    return out


def test_a_campaign_is_made_shown_answered_and_counted(tmp_path: Path, campaign: Path) -> None:
    shown = ran("collect", "show", campaign)
    assert "Do you smoke?" in shown
    assert "73.2 %" in shown
    assert "Asked again" in shown
    signed = campaign_file(campaign)
    agreed = ("--home", tmp_path / "home", "--at-most", "1", "--yes")
    with served(tmp_path, signed) as service:
        address = f"{service.site.place.origins[0]}/a/{signed.name}"
        said = ran("collect", "answer", address, "yes", *agreed)
        assert "Sent and counted" in said
        assert service.writer.store.stored(1) == 1
        with pytest.raises(BanisterError, match="beyond the 1 rounds"):
            ran("collect", "answer", address, "yes", *agreed)
    assert "Smoking, asked by A clinic: epsilon 1" in ran("collect", "given", "--home", tmp_path / "home")


def test_what_would_be_sent_can_be_written_into_a_file(tmp_path: Path, campaign: Path) -> None:
    agreed = ("--home", tmp_path / "home", "--at-most", "1", "--yes")
    ran("collect", "answer", campaign, "no", "--out", tmp_path / "report.json", *agreed)
    found = json.loads((tmp_path / "report.json").read_text())
    assert set(found) == {"key", "reports"}
    ran("collect", "answer", campaign, "no", "--out", tmp_path / "again.json", *agreed)
    assert json.loads((tmp_path / "again.json").read_text()) == found


def test_the_page_as_one_file_has_the_hash_that_is_printed(tmp_path: Path, campaign: Path) -> None:
    import hashlib

    out = tmp_path / "answer.html"
    said = ran("collect", "page", campaign, "--address", "https://ask.example.org", "--out", out)
    assert said.split()[0] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert b"connect-src https://ask.example.org" in out.read_bytes()


@pytest.mark.parametrize("name", ["patients", "meters"])
def test_worked_campaigns_run_from_end_to_end(tmp_path: Path, name: str) -> None:
    said = ran("collect", "example", name, "--out", tmp_path / name, "--people", "2000")
    assert "open answers" in said
    assert campaign_file(tmp_path / name / f"{name}.campaign").campaign.people == 2000
    if name == "meters":
        told = [line.split() for line in said.splitlines() if "error of the mean day" in line]
        error = {" ".join(words[: words.index("error")]): float(words[words.index("kW,") - 1]) for words in told}
        error = {name.rstrip(":"): value for name, value in error.items()}
        assert error["one shape a day"] < error["one reading a day, picked by chance"] < error["48 readings a day"]
        assert "fresh answers: epsilon 120.0000" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("answer", "nowhere.campaign", "yes"), "does not exist"),
        (("answer", "http://ask.example.org/a/" + "0" * 64, "yes"), "must begin with https"),
        (("answer", "https://ask.example.org/survey", "yes"), "no address to answer at"),
        (("answer", "http://127.0.0.1:1/a/" + "0" * 64, "yes"), "cannot be loaded"),
        (("example", "birds", "--out", "birds"), "no worked campaign"),
    ],
)
def test_bad_input_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BANISTER_HOME", str(tmp_path / "home"))
    with pytest.raises(BadValue, match=message):
        ran("collect", *words)


def test_answers_that_are_none_draw_nothing(tmp_path: Path, campaign: Path) -> None:
    agreed = ("--home", tmp_path / "home", "--at-most", "1", "--yes")
    for more, message in (
        (("perhaps", "--to", "http://127.0.0.1:1"), "none of the answers"),
        (("--to", "http://127.0.0.1:1"), "give an answer to each"),
        (("yes",), "Say where to send it"),
        (("yes", "--to", "http://ask.example.org"), "must begin with https"),
        (("yes", "--to", "file:///etc"), "no collector's address"),
        (("yes", "--to", "https://ask.example.org/survey"), "no collector's address"),
    ):
        with pytest.raises(BadValue, match=message):
            ran("collect", "answer", campaign, *more, *agreed)
    assert "nothing" in ran("collect", "given", "--home", tmp_path / "home")
    with pytest.raises(BadValue, match="cannot be reached"):
        ran("collect", "answer", campaign, "yes", "--to", "http://127.0.0.1:1", *agreed)
    assert "1 not sent yet" in ran("collect", "given", "--home", tmp_path / "home")


def test_a_page_instead_of_a_collector_has_counted_nothing(tmp_path: Path, campaign: Path) -> None:
    """A network that leads everybody to its own page answers 200: the report stays kept."""

    class Portal(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *words: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Portal) as portal:
        threading.Thread(target=portal.handle_request, daemon=True).start()
        agreed = ("--home", tmp_path / "home", "--at-most", "1", "--yes")
        with pytest.raises(BadValue, match=r"but a page \(200\)"):
            ran("collect", "answer", campaign, "yes", "--to", f"http://127.0.0.1:{portal.server_port}", *agreed)
    assert "1 not sent yet" in ran("collect", "given", "--home", tmp_path / "home")


@pytest.mark.parametrize(
    "bad", ["http://ask.example.org", "https://a;script-src *", "ask", "https://a/b", "https://[::"]
)
def test_a_saved_page_sends_to_nobody_on_the_way(tmp_path: Path, campaign: Path, bad: str) -> None:
    with pytest.raises(BadValue, match=r"https"):
        ran("collect", "page", campaign, "--address", bad, "--out", tmp_path / "answer.html")
    assert not (tmp_path / "answer.html").exists()


def test_a_public_address_needs_tls() -> None:
    assert reached(Place.loopback(1), "https://ask.example.org").hosts[-1] == "ask.example.org"
    for bad in ("http://ask.example.org", "ask.example.org", "https://ask.example.org/survey"):
        with pytest.raises(BadValue, match="need TLS"):
            reached(Place.loopback(1), bad)


def test_a_key_is_kept_for_its_owner(tmp_path: Path) -> None:
    first = own_key(tmp_path / "own.key")
    assert own_key(tmp_path / "own.key").public == first.public
    assert (tmp_path / "own.key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "own.key").write_text("short")
    with pytest.raises(BadValue, match="not a key"):
        own_key(tmp_path / "own.key")


def test_a_second_wave_is_made_from_the_store_of_the_first_and_refuses_its_people(tmp_path: Path) -> None:
    (tmp_path / "first.toml").write_text(SETTINGS.replace("{ yes = 0.2, no = 0.8 }", '["yes", "no"]'))
    first, second, key = tmp_path / "first.campaign", tmp_path / "second.campaign", tmp_path / "own.key"
    ran("collect", "new", tmp_path / "first.toml", "--out", first, "--key", key)
    signed, agreed = campaign_file(first), ("--home", tmp_path / "home", "--at-most", "3", "--yes")
    wanted = (first, tmp_path / "reports.db", "--people", "900", "--until", "2999-12-31", "--key", key)
    with pytest.raises(BanisterError, match="does not hold the campaign"):
        ran("collect", "second", *wanted, "--out", second)
    with served(tmp_path, signed) as service:
        ran("collect", "answer", f"{service.site.place.origins[0]}/a/{signed.name}", "yes", *agreed)
    said = " ".join(ran("collect", "second", *wanted, "--out", second).split())
    assert "a person of the second wave is worth 1.00 of the first" in said
    wave = campaign_file(second)
    with served(tmp_path, wave) as service:
        address = f"{service.site.place.origins[0]}/a/{wave.name}"
        with pytest.raises(BanisterError, match="for other people"):
            ran("collect", "answer", address, "yes", *agreed)
        ran("collect", "answer", address, "no", "--home", tmp_path / "other", "--at-most", "3", "--yes")
        running = next(one for one in service.ingest.open.values() if one.signed.name == wave.name)
        (shown,) = board(service.writer.store, running, 0, DayRows()).questions
        assert shown.waves.startswith("With the first wave, 2 reports")
