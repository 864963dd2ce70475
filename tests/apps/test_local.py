import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue
from banister.local.channels import ALL, makers

RUN = CliRunner(env={"COLUMNS": "80"})


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*words: str | Path) -> str:
    agreed = ("--yes", "--at-most", "10:0.1", "--home", "home") if words[0] == "respond" else ()
    done = RUN.invoke(build(), ["local", *map(str, words), *agreed])
    if done.exception is not None:
        raise done.exception
    assert max(len(line) for line in done.output.splitlines()) <= 80
    return done.output


def test_a_survey_from_end_to_end() -> None:
    channel, reports = Path("c.json"), Path("r.csv")
    assert "20190 people" in run("example", "patients", "--out", ".").replace("\n", " ")
    shown = run(
        *("design", "--epsilon", "1", "--prior", "prior.csv", "--utility", "mutual-information"),
        *("--out", channel, "--figure", "c.svg"),
    )
    assert "no channel keeps" in shown
    assert "hash" in run("show", channel)
    assert "20190 reports" in run("respond", channel, "answers.csv", "--out", reports)
    shown = run("estimate", channel, reports, "--figure", "e.svg")
    assert "excellent" in shown
    assert "open answers" in shown
    assert Path("c.svg").stat().st_size > 1000
    assert Path("e.svg").stat().st_size > 1000


def test_a_test_from_end_to_end() -> None:
    laws, answers = Path("laws.csv"), Path("answers.csv")
    laws.write_text("category,p0,p1\na,0.6,0.2\nb,0.2,0.2\nc,0.2,0.6\n")
    answers.write_text("answer\n" + "a\n" * 300)
    shown = run("design", "--epsilon", "1", "--between", laws, "--utility", "kl", "--out", "c.json")
    assert "cannot be estimated from it" in " ".join(shown.split())
    run("respond", "c.json", answers, "--out", "r.csv")
    shown = run("test", "c.json", "r.csv", "--between", laws)
    assert "keep hypothesis 0" in shown
    with Path("r.csv").open("a") as file:
        file.write("not a report\n")
    shown = run("test", "c.json", "r.csv", "r.csv", "--between", laws)
    assert "2 lines that are no reports of this channel are set aside" in " ".join(shown.split())
    assert "people for power 0.9" in shown


def test_every_kind_of_channel_can_be_made() -> None:
    assert all(kind.makers() for kind in ALL)


@pytest.mark.parametrize("kind", [*makers()])
def test_every_channel_of_the_library_is_made_by_name(kind: str) -> None:
    Path("k.csv").write_text("answer\nyes\nno\n" + ("" if kind == "quaternary" else "perhaps\n"))
    Path("a.csv").write_text("answer\n" + "yes\n" * 400)
    delta = ("--delta", "0.01") if kind == "quaternary" else ()
    run("make", kind, "--epsilon", "2", *delta, "--categories", "k.csv", "--out", "c.json")
    run("respond", "c.json", "a.csv", "--out", "r.csv")
    assert "open answers" in run("estimate", "c.json", "r.csv")


def test_channels_are_not_made_of_what_they_cannot_be() -> None:
    Path("k.csv").write_text("answer\nyes\nno\nperhaps\n")
    for words, message in (
        (
            ("hadamard", "--epsilon", "1"),
            "kind = 'hadamard' must be one of: every-set, geometric, hadamard-response, quat",
        ),
        (("geometric", "--epsilon", "1", "--delta", "0.1"), "must be 0: this channel is private at a pure level"),
        (("quaternary", "--epsilon", "1", "--delta", "0.1"), "categories = 3 must be 2"),
    ):
        with pytest.raises(BadValue, match=message):
            run("make", *words, "--categories", "k.csv", "--out", "c.json")
    Path("k.csv").write_text("answer\nyes\nno\n")
    with pytest.raises(BadValue, match="delta = 0 must be above 0 for the quaternary channel"):
        run("make", "quaternary", "--epsilon", "1", "--categories", "k.csv", "--out", "c.json")
    Path("k.csv").write_text("answer\nyes\nyes\n")
    with pytest.raises(BadValue, match="at least two categories, each once"):
        run("make", "geometric", "--epsilon", "1", "--categories", "k.csv", "--out", "c.json")


def test_a_wide_gap_is_said() -> None:
    Path("p.csv").write_text("category,probability\na,0.8\n" + "".join(f"c{i},0.01\n" for i in range(20)))
    shown = run("design", "--epsilon", "2", "--prior", "p.csv", "--utility", "estimation", "--out", "c.json")
    assert "not made for this prior" in " ".join(shown.split())
    assert "% better than this channel: it may be far from the best" in " ".join(shown.split())


def test_long_alphabets_are_cut_and_drawn() -> None:
    prior, answers = Path("p.csv"), Path("a.csv")
    prior.write_text("category,probability\n" + "".join(f"c{i},0.01\n" for i in range(100)))
    answers.write_text("answer\n" + "".join(f"c{i % 100}\n" for i in range(2000)))
    run("design", "--epsilon", "2", "--prior", prior, "--utility", "estimation", "--out", "c.json")
    run("respond", "c.json", answers, "--out", "r.csv")
    shown = run("estimate", "c.json", "r.csv", "--figure", "e.png")
    assert "and 40 more categories" in shown


def test_comparison_names_the_best_first() -> None:
    lines = run("compare", "--epsilon", "1", "--categories", "1000", "--people", "1000000").splitlines()
    assert lines[2].startswith("subset selection")


@pytest.mark.slow
@pytest.mark.parametrize("document", ["README.md", "docs/guide/local.md"])
def test_the_documented_commands_run_in_an_empty_folder(document: str) -> None:
    text = (Path(__file__).parents[2] / document).read_text(encoding="utf-8")
    commands = [shlex.split(line)[3:] for line in text.splitlines() if line.startswith("$ banister local ")]
    assert len(commands) >= 8
    for words in commands:
        run(*words)
    assert Path("reports.csv").exists()
    assert Path("loads.csv").exists()
    figures = [words[words.index("--figure") + 1] for words in commands if "--figure" in words]
    assert all(Path(figure).exists() for figure in figures)
    assert figures or document == "README.md"  # What the first page shows needs nothing but a plain install.


def test_errors_are_ours() -> None:
    with pytest.raises(BadValue, match="does not exist"):
        run("show", "none.json")


def test_two_people_whose_answers_go_together_get_a_channel_each() -> None:
    Path("alike.csv").write_text("0.3,0.02,0.02\n0.02,0.3,0.02\n0.02,0.02,0.28\n")
    Path("apart.csv").write_text("\n".join([",".join(["0.1111111111111111"] * 3)] * 3) + "\n")
    laws = ("--first", "alike.csv", "--second", "apart.csv")
    shown = run("joint", "--epsilon", "1", *laws, "--utility", "total-variation", "--out", "channels")
    assert "All reports together keep" in shown
    assert "for her own alone" in " ".join(shown.split())
    for name in ("first", "second"):
        assert "epsilon 1 with delta 0" in run("check", f"channels/{name}.csv", "--epsilon", "1").replace("\n", " ")
    Path("two.csv").write_text("0.5,0\n0,0.5\n")
    with pytest.raises(BadValue, match="joint laws have the shapes"):
        run("joint", "--epsilon", "1", "--first", "alike.csv", "--second", "two.csv")
