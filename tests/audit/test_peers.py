"""The page of peers: who is audited anew has a new line, and all others keep theirs."""

from pathlib import Path

import pytest

from tests.audit import peers


def test_lines_that_were_not_made_anew_stay_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PAGE", tmp_path / "page.md")
    old = [f"| {package} 1.0 | {mechanism} | 1 |" for package, mechanism in peers.ORDER[:4]]
    silent = [f"{peers.FAILED}{package} 1.0, {mechanism}: no" for package, mechanism in peers.ORDER[4:6]]
    peers.PAGE.write_text(peers.page(8000, list(reversed(old)), [one.removeprefix(peers.FAILED) for one in silent]))
    assert [line for line in peers.PAGE.read_text().splitlines() if line in (*old, *silent)] == [*old, *silent]
    package, mechanism = peers.ORDER[4]
    new = [old[1].replace("1.0", "2.0"), f"| {package} 2.0 | {mechanism} | 1 |"]
    text = peers.page(8000, new, [])
    lines = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert lines == [old[0], new[0], *old[2:], new[1]]
    assert silent[1] in text
    assert silent[0] not in text


def test_the_page_has_every_peer_once() -> None:
    """What could not be audited is said below the table."""
    page = (Path(__file__).parents[2] / "docs" / "guide" / "audit-peers.md").read_text(encoding="utf-8")
    for package, mechanism in peers.ORDER:
        told = [line for line in page.splitlines() if line.startswith((f"| {package} ", f"{peers.FAILED}{package} "))]
        assert sum(f"| {mechanism} |" in line or f", {mechanism}:" in line for line in told) == 1, mechanism
