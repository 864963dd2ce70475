"""The whole meeting by commands, between separate processes with separate folders."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from banister.apps.cli import build
from banister.errors import BanisterError

RUN = "from banister.apps.cli import main; main()"


def banister(*words: str, home: Path | None = None, cwd: Path, code: str = RUN) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "80"} | ({} if home is None else {"BANISTER_HOME": str(home)})
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


def inside(*words: str) -> None:
    """The same in this process, which is quicker; an error of ours is raised."""
    agreed = ("--yes", "--at-most", "9") if words[0] == "respond" else ()
    build()(["parties", *words, *agreed], standalone_mode=False)


@pytest.fixture
def meeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    names = "clinic-1,clinic-2,clinic-3"
    inside(
        "plan", "--function", "majority", "--parties", "3", "--epsilon", "1", "--names", names, "--save", "plan.toml"
    )
    told = capsys.readouterr().out
    assert "0.685630" in told
    assert "0.640201" in told
    for name in names.split(","):
        inside("key", "--party", name, "--home", str(tmp_path / name))
    (tmp_path / "keys.txt").write_text(capsys.readouterr().out)
    inside("invite", "plan.toml", "--keys", "keys.txt", "--out", "meeting/", "--home", str(tmp_path / "organiser"))
    assert "Plan for 3 parties in meeting/plan.json" in capsys.readouterr().out
    (tmp_path / "answers").mkdir()
    return tmp_path


def test_the_guide_shows_what_the_program_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The block of the guide, word for word; one number of it was that of another game."""
    monkeypatch.chdir(tmp_path)
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "parties.md").read_text(encoding="utf-8")
    block = guide.split("$ banister parties plan", 1)[1].split("```", 1)[0]
    command, _, shown = block.replace("\\\n", " ").partition("\n")
    inside("plan", *shlex.split(command))
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    for line in shown.strip().splitlines():
        assert line.split() in told, line


def respond(place: Path, name: str, out: str, code: str = RUN) -> subprocess.CompletedProcess[str]:
    words = ("parties", "respond", "meeting/plan.json", "--party", name, "--bit", "1", "--out", out)
    return banister(*words, "--yes", "--at-most", "1", home=place / name, cwd=place, code=code)


def test_a_meeting_with_a_forged_a_duplicated_and_a_missing_answer(meeting: Path) -> None:
    for name in ("clinic-1", "clinic-2"):
        done = respond(meeting, name, f"answers/{name}.json")
        assert done.returncode == 0, done.stderr
        assert "(1, 0)" in done.stdout
    good = (meeting / "answers/clinic-1.json").read_text()
    (meeting / "answers/copy.json").write_text(good)
    (meeting / "answers/forged.json").write_text(good.replace("clinic-1", "clinic-3"))
    files = sorted(str(path.relative_to(meeting)) for path in (meeting / "answers").iterdir())
    decided = banister("parties", "decide", "meeting/plan.json", *files, cwd=meeting)
    assert decided.returncode == 0, decided.stderr
    assert "2 of 3 answers count; chance of the right answer: 0.6155" in decided.stdout
    assert "with all answers it would have been 0.685630" in decided.stdout
    assert "missing: clinic-3" in decided.stdout
    assert "copy.json: a copy of the answer of 'clinic-1'" in decided.stdout
    assert "forged.json: its signature is not that of 'clinic-3'" in decided.stdout
    assert all(len(line) <= 100 for line in decided.stdout.splitlines())


def test_a_second_answer_is_refused_and_the_first_is_kept(meeting: Path) -> None:
    assert respond(meeting, "clinic-1", "one.json").returncode == 0
    again = respond(meeting, "clinic-1", "two.json")
    assert again.returncode == 3
    assert "has answered this plan already" in again.stderr
    assert "Traceback" not in again.stderr
    assert not (meeting / "two.json").exists()
    kept = next((meeting / "clinic-1/answered/clinic-1").glob("*.answer.json"))
    assert json.loads(kept.read_text()) == json.loads((meeting / "one.json").read_text())


@pytest.mark.parametrize(
    "moment",
    [
        "banister.parties.meetings.conduct.respond",  # Recorded, nothing drawn yet.
        "banister.parties.meetings.home.PartyHome.finish",  # Drawn and signed, not kept.
    ],
)
def test_after_a_crash_nothing_is_drawn_again(meeting: Path, moment: str) -> None:
    module, _, name = moment.rpartition(".")
    target = f"{module}.{name}"
    crash = (
        "import os, unittest.mock as m, banister.parties.meetings.conduct, banister.parties.meetings.home\n"
        f"m.patch('{target}', side_effect=lambda *a, **k: os._exit(9)).start()\n" + RUN
    )
    assert respond(meeting, "clinic-1", "one.json", code=crash).returncode == 9
    assert not (meeting / "one.json").exists()
    again = respond(meeting, "clinic-1", "one.json")
    assert again.returncode == 3
    assert "was interrupted" in again.stderr
    assert not (meeting / "one.json").exists()


def test_what_a_newcomer_gets_wrong(meeting: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANISTER_HOME", str(meeting / "clinic-1"))
    for words, message in (
        (("plan", "--function", "majority"), "Give --parties and --epsilon"),
        (("plan", "--function", "nope", "--parties", "3", "--epsilon", "1"), "is none of: xor"),
        (("plan", "--function", "xor", "--levels", "1,x"), "epsilon = 'x' must be"),
        (("plan", "--function", "xor", "--levels", "1,1", "--epsilon", "1"), "not both"),
        (("plan", "--function", "xor", "--levels", "1,1", "--parties", "3"), "Give one level per party"),
        (("plan", "--function", "xor", "--parties", "0", "--epsilon", "1"), "parties = 0"),
        (("plan", "--function", "xor", "--parties", "2", "--epsilon", "1", "--names", "a", "--save", "p"), "1 names"),
        (("plan", "--function", "xor", "--parties", "2", "--epsilon", "1", "--save", "plan.toml"), "is there already"),
        (("plan", "--function", "xor", "--parties", "2", "--epsilon", "1", "--names", "a,", "--save", "p"), "name ''"),
        (("invite", "plan.toml", "--out", "other/"), "has no usable key"),
        (("invite", "nothing.toml", "--out", "other/"), "does not exist"),
        (("invite", "keys.txt", "--out", "other/"), "is no plan"),
        (("invite", "plan.toml", "--keys", "plan.toml", "--out", "other/"), "Line 1 of 'plan.toml'"),
        (("key", "--party", "../x"), "The party name"),
        (("respond", "keys.txt", "--party", "a", "--bit", "1", "--out", "x"), "cannot be used: it is no plan"),
        (("respond", "meeting/plan.json", "--party", "zed", "--bit", "1", "--out", "x"), "no party 'zed'"),
        (("respond", "meeting/plan.json", "--party", "clinic-1", "--bit", "5", "--out", "x"), "must be 0 or 1"),
        (("respond", "meeting/plan.json", "--party", "clinic-1", "--bit", "1", "--out", "no/x"), "no folder 'no'"),
        (("respond", "meeting/plan.json", "--party", "clinic-1", "--bit", "1", "--out", "keys.txt"), "already"),
        (("respond", "meeting/plan.json", "--party", "clinic-2", "--bit", "1", "--out", "x"), "no key of 'clinic-2'"),
        (("decide", "meeting/plan.json", "keys.txt", "gone.json"), "No answer counts"),
        (("view", "--levels", "1,1", "--party", "2", "--coalition", "2"), "is in the coalition itself"),
    ):
        with pytest.raises(BanisterError) as caught:
            inside(*words)
        assert message in str(caught.value)


def test_another_partys_key_cannot_answer(meeting: Path) -> None:
    inside("key", "--party", "clinic-2", "--home", "clinic-1")
    words = ("respond", "meeting/plan.json", "--party", "clinic-2", "--bit", "1", "--out", "x.json")
    with pytest.raises(BanisterError, match="The plan has another key for 'clinic-2'"):
        inside(*words, "--home", "clinic-1")


def test_the_view_of_a_coalition_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    inside("view", "--levels", "1,1,0.5", "--party", "3", "--coalition", "1,2")
    assert "0.377541          0.377541" in capsys.readouterr().out


def test_the_figure_is_drawn(tmp_path: Path) -> None:
    inside("figure", "--out", str(tmp_path / "two.svg"), "--points", "4")
    assert (tmp_path / "two.svg").stat().st_size > 1000
    with pytest.raises(BanisterError, match="must end in one of"):
        inside("figure", "--out", str(tmp_path / "two.txt"), "--points", "2")


@pytest.mark.slow
def test_the_commands_of_the_readme_hold_a_meeting(tmp_path: Path) -> None:
    """Every command of the README, as it is written, by one person in an empty folder."""
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (banister parties .*)$", text, flags=re.MULTILINE)
    verbs = [shlex.split(line)[2] for line in commands]
    assert verbs == ["plan", "plan", *["key"] * 3, "invite", *["respond"] * 3, "decide"]
    lines = "\n".join(commands)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", lines],
        cwd=tmp_path,
        env=os.environ | {"BANISTER_HOME": str(tmp_path / "home"), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "3 of 3 answers count; chance of the right answer: 0.615529" in done.stdout
