"""The commands demo, plan, release and budget, as a newcomer types them."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.accounting.ledger import Ledger
from banister.apps.cli import build
from banister.errors import BadValue, LedgerLocked

RUN = CliRunner()
QUESTION = "SELECT plan, COUNT(*) AS n, AVG(visits) AS visits FROM data GROUP BY plan"


@pytest.fixture
def health(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert RUN.invoke(build(), ["demo", "health"]).exit_code == 0
    monkeypatch.chdir(tmp_path / "health")
    return tmp_path / "health"


def run(*words: str) -> str:
    done = RUN.invoke(build(), list(words))
    if done.exception is not None:
        raise done.exception
    return done.output


def test_the_walk_through_from_nothing_to_a_report(health: Path) -> None:
    planned = run("plan", "health.toml", QUESTION, "--epsilon", "0.3")
    assert "Laplace" in planned
    assert "There is no ledger yet" in planned
    assert "Largest epsilon that still fits: 1" in run("budget", "health.toml", "--create")
    done = run(
        "release",
        "health.toml",
        "questions.sql",
        "--epsilon",
        "0.3",
        "--out",
        "answers.parquet",
        "--report",
        "answers.html",
    )
    assert "deductible" in done
    assert "Charged: epsilon 0.3" in done
    assert (health / "answers.parquet").exists()
    assert (health / "answers.html").exists()
    assert "30.0% used" in run("budget", "health.toml")
    assert max(len(line) for line in done.splitlines()) <= 80


def test_the_first_release_needs_no_other_command(health: Path) -> None:
    done = run("release", "health.toml", QUESTION, "--epsilon", "0.3")
    assert "Made the ledger" in done
    assert "find it: a new ledger forgets" in " ".join(done.split())
    assert "Made the ledger" not in run("release", "health.toml", QUESTION, "--epsilon", "0.3")
    assert "2 charges made" in run("budget", "health.toml")


def test_intervals_are_never_broken_across_lines(health: Path) -> None:
    run("budget", "health.toml", "--create")
    wide = "SELECT plan, COUNT(*), AVG(visits), SUM(payment) FROM data GROUP BY plan"
    done = run("release", "health.toml", wide, "--epsilon", "0.3")
    table = done.split("In brackets")[0].splitlines()
    assert max(len(line) for line in table) <= 80
    assert sum(line.count("[") for line in table) == 9
    assert all(line.count("[") == line.count("]") for line in table)


def test_accuracy_first(health: Path) -> None:
    assert "Plan at epsilon" in run("plan", "health.toml", QUESTION, "--within", "10%", "--confidence", "90%")


def test_a_bad_target_costs_nothing(health: Path) -> None:
    run("budget", "health.toml", "--create")
    with pytest.raises(BadValue, match=r"must end in \.html"):
        run("release", "health.toml", QUESTION, "--epsilon", "0.1", "--report", "answers.pdf")
    with pytest.raises(BadValue, match="cannot be written"):
        run("release", "health.toml", QUESTION, "--epsilon", "0.1", "--out", "nowhere/answers.csv")
    assert "0 charges made" in run("budget", "health.toml")


def test_cost_or_accuracy_must_be_said(health: Path) -> None:
    with pytest.raises(BadValue, match="Say what the answers may cost"):
        run("plan", "health.toml", QUESTION)


def test_the_demo_overwrites_nothing(health: Path) -> None:
    with pytest.raises(BadValue, match="is there already"):
        run("demo", ".")


def _budget_line(health: Path) -> str:
    return " ".join(run("plan", "health.toml", QUESTION, "--epsilon", "0.3").split()).partition("rows in a cell. ")[2]


def test_a_plan_says_what_is_wrong_with_the_ledger(health: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema, book = health / "health.toml", health / "health.ledger"
    text = schema.read_text()
    cannot = "What is left of the budget cannot be told, and nothing can be released:"
    with monkeypatch.context() as nothing:  # Where no file of it is there, none is loaded to say so.
        nothing.setattr(Ledger, "open", lambda *words, **names: pytest.fail("a ledger was opened"))
        assert _budget_line(health) == "There is no ledger yet: the first release makes it."
    run("budget", "health.toml", "--create")
    assert _budget_line(health).startswith("The budget allows it")
    schema.write_text(text.replace("epsilon = 1", "epsilon = 2"))
    assert schema.read_text() != text
    assert f"{cannot} The ledger" in _budget_line(health)
    assert "was made for the budget (1, " in _budget_line(health)
    schema.write_text(text)
    whole = book.read_bytes()
    book.write_bytes(b"something else" * 100)
    assert _budget_line(health).startswith(f"{cannot} ")
    assert "no ledger yet" not in _budget_line(health)
    book.write_bytes(whole[: len(whole) // 3])
    assert _budget_line(health).startswith(f"{cannot} ")
    book.write_bytes(whole)

    def held(*words: object, **names: object) -> None:
        raise LedgerLocked("Somebody else holds the ledger.")

    monkeypatch.setattr(Ledger, "open", held)
    assert _budget_line(health) == f"{cannot} Somebody else holds the ledger."
    schema.write_text(text[: text.index("[budget]")] + text[text.index("[columns]") :])
    assert f"{cannot} The schema needs a [budget]" in _budget_line(health)


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        (("--out", "randhie.parquet"), "the table 'data'"),
        (("--out", "../health/./randhie.parquet"), "the table 'data'"),
        (("--out", "linked.parquet"), "the table 'data'"),
        (("--out", "hard.parquet"), "the table 'data'"),
        (("--out", "rand.parquet"), "the table 'data'"),
        (("--report", "schema.html"), "the schema"),
        (("--out", "ledger.csv"), "the ledger"),
    ],
)
def test_nothing_is_written_over_what_is_still_needed(health: Path, words: tuple[str, str], taken: str) -> None:
    """Also not through links, nor by the file of the second question; and nothing is charged for trying."""
    text = (health / "health.toml").read_text().replace("health.ledger", "ledger.csv")
    if words[1] == "rand.parquet":  # Two questions: the second goes to rand-2.parquet.
        (health / "randhie.parquet").rename(health / "rand-2.parquet")
        text = text.replace("randhie.parquet", "rand-2.parquet")
    (health / "schema.html").write_text(text)
    if words[1] == "linked.parquet":
        (health / "linked.parquet").symlink_to("randhie.parquet")
    if words[1] == "hard.parquet":
        (health / "hard.parquet").hardlink_to(health / "randhie.parquet")
    run("budget", "schema.html", "--create")
    before = {path.name: path.read_bytes() for path in health.iterdir()}
    with pytest.raises(BadValue, match=f"is {taken} itself, which would be written over"):
        run("release", "schema.html", f"{QUESTION}; {QUESTION}", "--epsilon", "0.3", *words)
    assert {path.name: path.read_bytes() for path in health.iterdir()} == before


def charges(folder: Path) -> int:
    with Ledger.open(folder / "health.ledger") as ledger:
        return ledger.remaining().charges


def test_names_that_cannot_be_written_are_refused_before_the_charge(health: Path) -> None:
    """The second question's file is called name-2, which may be too long where the first is not."""
    run("budget", "health.toml", "--create")
    two = f"{QUESTION}; SELECT COUNT(*) FROM data"
    for out in ("a" * 250 + ".csv", "nowhere/a.csv", "a.xls"):
        with pytest.raises(BadValue, match=r"cannot be written|must end in"):
            run("release", "health.toml", two, "--epsilon", "0.3", "--out", out)
    assert charges(health) == 0


def test_a_full_disk_is_seen_before_the_charge(health: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    run("budget", "health.toml", "--create")
    free = os.statvfs_result((4096, 4096, 100, 10, 10, 100, 10, 10, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda path: free)
    for option in (["--out", "a.csv"], ["--report", "a.html"], []):
        with pytest.raises(BadValue, match="its disk has 40,960 bytes left"):
            run("release", "health.toml", QUESTION, "--epsilon", "0.3", *option)
    assert charges(health) == 0


def test_answers_that_could_not_be_written_are_fetched_by_their_key(
    health: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import banister.tables.frames.write as writing

    def fail(draft: Path, columns: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(writing, "_write_csv", fail)
        with pytest.raises(BadValue, match="paid for and kept: fetch them with --key") as caught:
            run("release", "health.toml", QUESTION, "--epsilon", "0.7", "--out", "a.csv")
    key = str(caught.value).split()[-1].removesuffix(".")
    assert f"--key {key}" in " ".join(run("budget", "health.toml").split())
    run("release", "health.toml", QUESTION, "--epsilon", "0.7", "--out", "a.csv", "--key", key)
    assert (health / "a.csv").read_text().count("\n") == 4
    assert charges(health) == 1


def test_a_key_of_ones_own_fetches_as_often_as_one_likes(health: Path) -> None:
    words = ["release", "health.toml", QUESTION, "--within", "4%", "--size", "1000", "--key", "june"]
    found = {run(*words, "--out", f"{name}.csv").split("\n\n")[0] for name in "abc"}
    assert len(found) == 1
    assert (health / "a.csv").read_text() == (health / "c.csv").read_text()
    assert charges(health) == 1


def test_what_was_written_is_not_kept(health: Path) -> None:
    run("release", "health.toml", QUESTION, "--epsilon", "0.3", "--out", "a.csv")
    assert "--key" not in run("budget", "health.toml")


def test_the_head_of_the_ledger_is_in_every_report(health: Path) -> None:
    shown = run("release", "health.toml", QUESTION, "--epsilon", "0.3", "--report", "a.html")
    with Ledger.open(health / "health.ledger") as ledger:
        head = ledger.head
        assert head in shown
        assert head in run("budget", "health.toml")
        assert head in (health / "a.html").read_text()
        assert ("head", head) in ledger.summary()


def test_documents_for_programs_hold_what_people_see(health: Path) -> None:
    import json

    plan = json.loads(run("plan", "health.toml", QUESTION, "--epsilon", "0.3", "--json"))
    assert {answer["name"] for answer in plan["questions"][0]["answers"]} == {"n", "visits"}
    done = json.loads(run("release", "health.toml", QUESTION, "--epsilon", "0.3", "--json"))
    assert [row["plan"] for row in done["answers"][0]] == ["free", "shared", "deductible"]
    assert all(row["n_low"] <= row["n"] <= row["n_high"] for row in done["answers"][0])
    budget = json.loads(run("budget", "health.toml", "--json"))
    assert budget["head"] == done["head"]
    assert len(budget["charges"]) == 1
    told = run("budget", "health.toml")
    assert re.search(
        r"^1 +20\d\d-", told, re.M
    )  # The number of the charge and its time, as in the history of the ledger.
    assert "0.3" in told


def test_a_charge_of_gaussian_noise_is_shown_as_it_was_asked(health: Path) -> None:
    import json

    run("look", "health.toml", "--epsilon", "0.2", "--delta", "1e-6")
    (charge,) = json.loads(run("budget", "health.toml", "--json"))["charges"]
    assert (charge["epsilon"], charge["delta"]) == ("1/5", "1/1000000")
    with Ledger.open(health / "health.ledger") as ledger:
        assert ledger.history()[0].epsilon == "inf"  # What is charged is the Gaussian loss, which has no bound.
        ledger.verify()
    assert "used by the measure with most room (Rényi" in " ".join(run("budget", "health.toml").split())
    for shown in (run("budget", "health.toml"), run("ledger", "history", "health.ledger")):
        assert "0.2, 1e-06" in shown
        assert "no bound" not in shown


def test_the_version_is_told() -> None:
    import banister

    assert run("--version").strip() == banister.__version__ == run("version").strip()
