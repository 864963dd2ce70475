"""A party's folder: keys that stay, records that outlive a crash."""

import stat
from fractions import Fraction
from pathlib import Path

import pytest

from banister.engines.party_home import PartyHome
from banister.engines.signatures import Ed25519Verifier, SigningKey
from banister.errors import AlreadyAnswered, BadValue


def test_a_key_is_made_once_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    home = PartyHome(tmp_path / "home")
    first = home.make_key("a")
    assert home.make_key("a").public == home.key("a").public == first.public
    assert stat.S_IMODE((tmp_path / "home/keys/a.key").stat().st_mode) == 0o600
    assert Ed25519Verifier().holds(first.public, b"x", first.sign(b"x"))
    assert not Ed25519Verifier().holds(first.public, b"y", first.sign(b"x"))
    assert not Ed25519Verifier().holds(SigningKey.generate().public, b"x", first.sign(b"x"))
    assert not Ed25519Verifier().holds("ed25519:%%", b"x", "%%")


def test_missing_and_broken_keys_are_told(tmp_path: Path) -> None:
    home = PartyHome(tmp_path)
    with pytest.raises(BadValue, match="There is no key of 'a'"):
        home.key("a")
    home.make_key("a")
    (tmp_path / "keys/a.key").write_text("not hex")
    with pytest.raises(BadValue, match="cannot be read"):
        home.key("a")


def test_a_plan_is_begun_once(tmp_path: Path) -> None:
    home = PartyHome(tmp_path)
    home.begin("a", "f" * 64, epsilon=Fraction(1), delta=Fraction(0))
    with pytest.raises(AlreadyAnswered, match="was interrupted"):
        home.begin("a", "f" * 64, epsilon=Fraction(1), delta=Fraction(0))
    home.finish("a", "f" * 64, "{}")
    with pytest.raises(AlreadyAnswered, match="has answered this plan already"):
        home.begin("a", "f" * 64, epsilon=Fraction(1), delta=Fraction(0))
    home.begin("a", "e" * 64, epsilon=Fraction(1, 2), delta=Fraction(1, 10))
    home.begin("b", "f" * 64, epsilon=Fraction(1), delta=Fraction(0))
    assert home.spent("a") == (2, Fraction(3, 2), Fraction(1, 10))


def test_a_folder_that_cannot_be_written_stops_before_the_draw(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(BadValue, match="Nothing was drawn"):
        PartyHome(tmp_path / "home").begin("a", "f" * 64, epsilon=Fraction(1), delta=Fraction(0))


def test_the_default_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANISTER_HOME", str(tmp_path))
    assert PartyHome.default().folder == tmp_path
    monkeypatch.delenv("BANISTER_HOME")
    assert PartyHome.default().folder == Path.home() / ".banister"
