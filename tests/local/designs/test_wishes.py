"""Every design on the command line: more than two laws, classes of laws, bins, distances, exponents; and a check."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.local import chernoff_exponent, design_chernoff, design_distortion, design_robust, design_worst
from banister.local.files import read_survey

THREE = "category,a,b,c\nx,0.8,0.1,0.1\ny,0.1,0.8,0.1\nz,0.1,0.1,0.8\n"
LAWS = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]]


def ran(*words: object) -> str:
    found = CliRunner().invoke(build(), ["local", *map(str, words)])
    if found.exit_code:
        return " ".join(f"{found.output} {found.exception}".split())
    return found.output


def designed(folder: Path, *words: object):
    out = folder / "made.channel.json"
    said = ran("design", "--epsilon", 1, "--out", out, *words)
    assert out.exists(), said
    return read_survey(out).channel


def test_several_laws_classes_and_distances(tmp_path: Path) -> None:
    laws, prior = tmp_path / "laws.csv", tmp_path / "prior.csv"
    laws.write_text(THREE)
    prior.write_text("category,p\nx,0.5\ny,0.3\nz,0.2\n")
    worst = designed(tmp_path, "--between", laws, "--utility", "kl", "--aim", "worst")
    assert worst.utility == design_worst(1, LAWS, utility="kl").utility
    robust = designed(tmp_path, "--between", laws, "--utility", "kl", "--zero", "a,b", "--one", "c")
    assert robust.utility == design_robust(1, LAWS[:2], LAWS[2:], utility="kl").utility
    far = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    near = designed(tmp_path, "--prior", prior, "--utility", "distortion", "--distance", "absolute")
    assert near.utility == design_distortion(1, [0.5, 0.3, 0.2], distortion=far).utility
    own = tmp_path / "far.csv"
    own.write_text("0,1,2\n1,0,1\n2,1,0\n")
    assert designed(tmp_path, "--prior", prior, "--utility", "distortion", "--distance", own).utility == near.utility


def test_bins_and_exponents(tmp_path: Path) -> None:
    bins, two = tmp_path / "bins.csv", tmp_path / "two.csv"
    bins.write_text("category,p0,p1,least,greatest\nlow,0.5,0.3,1,2\nhigh,0.5,0.7,0,1\n")
    assert designed(tmp_path, "--between", bins, "--utility", "kl").categories == 2
    two.write_text("category,p0,p1\nx,0.6,0.2\ny,0.3,0.2\nz,0.1,0.6\n")
    found = designed(tmp_path, "--between", two, "--utility", "chernoff")
    best = design_chernoff(1, [0.6, 0.3, 0.1], [0.2, 0.2, 0.6])
    laws = [0.6, 0.3, 0.1], [0.2, 0.2, 0.6]
    assert chernoff_exponent(found, *laws) == chernoff_exponent(best, *laws)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--between", "laws.csv", "--utility", "kl"], "aim = '' must be one of"),
        (["--between", "laws.csv", "--utility", "kl", "--zero", "a,q", "--one", "b"], "has no column 'q'"),
        (["--between", "laws.csv", "--utility", "kl", "--zero", "a"], "Name one column"),
        (["--between", "laws.csv", "--utility", "kl", "--distance", "hamming"], "--distance says nothing"),
        (["--prior", "laws.csv", "--utility", "estimation"], "has 3 columns of numbers"),
        (["--utility", "kl"], "Give either --prior"),
    ],
)
def test_what_does_not_fit_is_said(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("laws.csv").write_text(THREE)
    assert said in ran("design", "--epsilon", 1, "--out", "made.json", *words)


def test_a_channel_of_ones_own_is_checked(tmp_path: Path) -> None:
    own = tmp_path / "mine.csv"
    own.write_text("0.9,0.1,0\n0.1,0.8,0.1\n")
    said = " ".join(ran("check", own, "--epsilon", 1).split())
    assert "2 answers, 3 reports: no finite epsilon holds without a delta" in said
    assert f"delta {0.9 - 0.1 * np.e:.4f}"[:11] in said
    own.write_text("0.75,0.25\n0.25,0.75\n")
    assert "epsilon 1.09861229 with delta 0" in ran("check", own, "--epsilon", 1)
    own.write_text("a,b\n0.25,0.75\n")
    assert "CSV of numbers without a header" in ran("check", own, "--epsilon", 1)


def test_reports_are_ranked_from_files(tmp_path: Path) -> None:
    laws, answers, home = tmp_path / "laws.csv", tmp_path / "answers.csv", tmp_path / "home"
    laws.write_text(THREE)
    answers.write_text("answer\n" + "z\n" * 80)
    channel, reports = tmp_path / "made.channel.json", tmp_path / "reports.csv"
    designed(tmp_path, "--between", laws, "--utility", "kl", "--aim", "average")
    done = ran("respond", channel, answers, "--out", reports, "--home", home, "--at-most", "1", "--yes")
    assert reports.exists(), done
    said = ran("rank", channel, reports, "--among", laws)
    assert said.splitlines()[0].startswith("c: ")
    assert "With 80 reports (exact)" in said
