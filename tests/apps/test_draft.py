"""`banister draft` and what follows, as somebody types it who has a file of her own."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue
from tests.release.drafting.tables import german_stays

RUN = CliRunner()
TYPED = [
    "", "", "", "",  # The encoding, the separator, the signs of decimals and of thousands, as proposed.
    "Patient", "add-remove", "3", "2",
    "", "",  # An age is an integer from 0 to 120.
    "", "Innere, Chirurgie, Kinder, Geburtshilfe",
    "", "0 to", "0 to 1000", "",  # A wrong answer is asked for again.
    "", "2019-01-01 to 2023-12-31",
    "leave out",
    "",  # Dates are written as proposed.
    "1", "1e-6",
]  # fmt: skip


@pytest.fixture
def stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return german_stays(tmp_path / "stays.csv")


def run(*words: str, typed: str = "") -> str:
    done = RUN.invoke(build(), list(words), input=typed)
    if done.exception is not None:
        raise done.exception
    return done.output


def test_two_commands_and_no_line_of_toml_lead_to_a_report(stays: Path) -> None:
    told = run("draft", "stays.csv", typed="\n".join(TYPED) + "\n")
    assert "Wrote stays.toml" in told
    assert "'0 to' is no range" in told
    assert max(len(line) for line in told.splitlines()) <= 80
    question = "SELECT Station, COUNT(*) AS stays, AVG(Kosten) AS cost FROM data GROUP BY Station"
    done = run("release", "stays.toml", question, "--epsilon", "0.5", "--report", "report.html")
    assert "Geburtshilfe" in done
    assert Path("report.html").exists()


def test_blanks_are_named_by_plan(stays: Path) -> None:
    assert "FILL IN" in run("draft", "stays.csv", "--yes")
    with pytest.raises(BadValue, match="person of \\[source\\]"):
        run("plan", "stays.toml", "SELECT COUNT(*) FROM data", "--epsilon", "0.1")


def test_answers_can_be_given_beforehand(stays: Path) -> None:
    days = ("date_format=%d.%m.%Y", "Aufnahme.range=2019-01-01 to 2023-12-31", "Aufnahme.kind=date")  # In any order.
    said = ("person=each row", "neighbours=replace", "epsilon=1", "delta=0", "Kosten.range=0 to 1000", *days)
    run("draft", "stays.csv", "--yes", "--out", "other.toml", *(word for s in said for word in ("--set", s)))
    assert "range = [0, 1000]" in Path("other.toml").read_text(encoding="utf-8")
    assert 'date_format = "%d.%m.%Y"' in Path("other.toml").read_text(encoding="utf-8")
    with pytest.raises(BadValue, match="must be a key"):
        run("draft", "stays.csv", "--yes", "--set", "person")


def test_what_the_owner_looked_up_is_marked_and_the_plan_repeats_it(stays: Path) -> None:
    said = ("person=Patient", "neighbours=replace", "epsilon=1", "delta=0", "rows=3", "groups=4")
    told = run("draft", "stays.csv", "--yes", "--owner-looks", *(word for s in said for word in ("--set", s)))
    assert "gives away its most extreme person" in " ".join(told.split())
    planned = " ".join(run("plan", "stays.toml", "SELECT COUNT(*) FROM data", "--epsilon", "0.1").split())
    assert "WARNING: taken from the data" in planned
    assert "the values of 'Station'" in planned


def test_a_schema_is_never_overwritten_and_answers_may_not_end_early(stays: Path) -> None:
    with pytest.raises(BadValue, match="answers ended"):
        run("draft", "stays.csv", typed="\n\n")
    assert not Path("stays.toml").exists()
    Path("stays.toml").write_text("mine", encoding="utf-8")
    with pytest.raises(BadValue, match="is there already"):
        run("draft", "stays.csv", "--yes")
    assert Path("stays.toml").read_text(encoding="utf-8") == "mine"


def test_from_blanks_to_a_report_by_a_private_look(stays: Path) -> None:
    german_stays(stays, people=4000)
    said = (
        "person=Patient",
        "neighbours=add-remove",
        "epsilon=3",
        "delta=1e-5",
        "Größe.kind=leave out",
        "rows=3",
        "groups=2",
    )
    run("draft", "stays.csv", "--yes", *(word for s in said for word in ("--set", s)))
    assert "histograms" in run("look", "stays.toml", "--epsilon", "1", "--plan")
    told = run(
        "look", "stays.toml", "--epsilon", "1", "--delta", "1e-6", "--page", "look.html", "--propose", "new.toml"
    )
    assert "Kosten" in told
    assert "Geburtshilfe" in told
    assert max(len(line) for line in told.splitlines() if "Wrote" not in line and ":" not in line) <= 80
    assert "FILL IN" not in Path("new.toml").read_text(encoding="utf-8").split("[source]")[1]
    done = run("release", "new.toml", "SELECT AVG(Kosten) AS cost FROM data", "--epsilon", "1")
    assert "cost" in done
    with pytest.raises(BadValue, match="is there already"):
        run("look", "stays.toml", "--epsilon", "0.1", "--propose", "new.toml")
