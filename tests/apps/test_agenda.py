"""`banister agenda`, from the file of questions to the results."""

from pathlib import Path

import pytest

from banister.apps.cli import build
from banister.errors import AlreadyAnswered, BadValue

ASKED = """
title = "Two winters"
party = [{name = "ann"}, {name = "bob"}]
[[question]]
name = "flu"
function = "and"
epsilon = 1
[[question]]
name = "beds"
low = 0
high = 400
epsilon = 2
[[question]]
name = "agree"
round = 2
function = "xor"
levels = ["1:0.01", "1:0.01"]
coin = true
"""


class Told:
    """Runs a command in this process and gives what it said; an error of ours is raised."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys, self._commands = capsys, build()

    def __call__(self, *words: str) -> str:
        self._commands([*words], standalone_mode=False)
        return self._capsys.readouterr().out


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Told:
    monkeypatch.chdir(tmp_path)
    return Told(capsys)


def test_an_agenda_by_the_command_line(run: Told) -> None:
    Path("agenda.toml").write_text(ASKED)
    Path("keys.txt").write_text(
        "".join(run("parties", "key", "--party", name, "--home", name) for name in ("ann", "bob"))
    )
    made = run("agenda", "invite", "agenda.toml", "--keys", "keys.txt", "--out", "meeting", "--home", "org")
    assert "numbers from 0 to 400" in made
    assert "xor, with a coin" in made
    # Epsilons 1, 2 and 1; the exact composition at 0.02 is below their sum.
    assert "ann gives away in all: epsilon 4, delta 0.01" in run("agenda", "show", "meeting/agenda.json")
    plan, agreed = "meeting/agenda.json", ("--yes", "--at-most", "4:0.01")
    for name in ("ann", "bob"):
        run("agenda", "commit", plan, "--party", name, "--out", f"{name}.c", "--home", name)
    for name in ("ann", "bob"):
        mine = ("--party", name, "--home", name, *agreed)
        run("agenda", "open", plan, "ann.c", "bob.c", "--out", f"{name}.o", *mine)
        run("agenda", "reply", plan, "--value", "flu=1", "--value", "beds=212", "--out", f"{name}.1", *mine)
    for name in ("ann", "bob"):
        mine = ("--party", name, "--home", name, *agreed)
        opened = ("--opening", "ann.o", "--opening", "bob.o")
        run("agenda", "reply", plan, "--round", "2", "--value", "agree=1", *opened, "--out", f"{name}.2", *mine)
    found = run(
        "agenda", "decide", plan, "ann.1", "bob.1", "ann.2", "bob.2", "--opening", "ann.o", "--opening", "bob.o"
    )
    assert "flu: " in found
    assert "beds: sum " in found
    assert "agree: " in found
    assert "set aside" not in found
    assert "no answers yet" in run("agenda", "decide", plan, "ann.1")
    with pytest.raises(BadValue, match="The value of 'flu' is no number") as refused:
        run("agenda", "reply", plan, "--value", "flu=7x", "--out", "z", "--party", "ann", "--home", "ann", *agreed)
    assert "7x" not in str(refused.value)


def test_a_party_that_has_answered_is_refused(run: Told) -> None:
    Path("agenda.toml").write_text('party = [{name = "ann"}]\nquestion = [{name = "x", function = "xor", epsilon = 1}]')
    Path("keys.txt").write_text(run("parties", "key", "--party", "ann", "--home", "ann"))
    run("agenda", "invite", "agenda.toml", "--keys", "keys.txt", "--out", "m", "--home", "org")
    mine = ("--party", "ann", "--home", "ann", "--yes", "--at-most", "5", "--value", "x=1")
    run("agenda", "reply", "m/agenda.json", "--out", "1", *mine)
    with pytest.raises(AlreadyAnswered, match="'ann' has answered this plan already"):
        run("agenda", "reply", "m/agenda.json", "--out", "2", *mine)
    assert not Path("2").exists()
