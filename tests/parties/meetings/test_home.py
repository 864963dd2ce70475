"""A party's folder: keys that stay, records that outlive a crash."""

import os
import stat
from fractions import Fraction
from pathlib import Path

import pytest

from banister.consent import Given
from banister.errors import AlreadyAnswered, BadValue
from banister.keys import Ed25519Verifier, SigningKey
from banister.parties.meetings.home import PartyHome


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
    assert home.given("a") == Given(2, Fraction(3, 2), Fraction(1, 10))


def test_records_keys_and_answers_are_on_disk_before_anything_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file itself is synced, and after it the folder that names it."""
    synced: list[tuple[int, tuple[str, ...]]] = []
    sync = os.fsync

    def recorded(handle: int) -> None:
        found = os.fstat(handle)
        listed = os.listdir(handle) if stat.S_ISDIR(found.st_mode) else []
        names = tuple(sorted(name for name in listed if not name.startswith(".draft-")))
        synced.append((found.st_ino, names))
        sync(handle)

    monkeypatch.setattr(os, "fsync", recorded)
    home = PartyHome(tmp_path)
    home.make_key("a")
    key = tmp_path / "keys/a.key"
    assert synced == [(key.stat().st_ino, ()), (key.parent.stat().st_ino, ("a.key",))]
    synced.clear()
    home.begin("a", "f" * 64, epsilon=Fraction(1), delta=Fraction(0))
    record = tmp_path / "answered/a" / f"{'f' * 64}.begun"
    assert synced == [(record.stat().st_ino, ()), (record.parent.stat().st_ino, (record.name,))]
    synced.clear()
    answer = home.finish("a", "f" * 64, "{}")
    both = tuple(sorted((answer.name, record.name)))
    assert synced == [(answer.stat().st_ino, ()), (answer.parent.stat().st_ino, both)]


def test_a_folder_that_cannot_be_written_stops_before_the_draw(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(BadValue, match="Nothing was drawn"):
        PartyHome(tmp_path / "home").begin("a", "f" * 64, epsilon=Fraction(1), delta=Fraction(0))


def test_the_default_folder_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANISTER_HOME", str(tmp_path))
    assert PartyHome.default().folder == tmp_path
    monkeypatch.delenv("BANISTER_HOME")
    assert PartyHome.default().folder == Path.home() / ".banister"
