from pathlib import Path

import numpy as np
import pytest

from banister.errors import BadValue
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.unary import UnaryEncoding
from banister.local.comparison import compare
from banister.local.designs.wishes import DesignWish
from banister.local.document import Survey
from banister.local.examples import example, households, patients, write_example
from banister.local.files import (
    gather_reports,
    read_laws,
    read_reports,
    read_survey,
    respond_in_files,
    write_survey,
)
from banister.local.gallery import EPSILONS, draw_gallery, run_testing
from banister.local.survey import decide_in_files
from tests.local.seeded import SeededBits

SURVEY = Survey(RandomizedResponse(1, 3), ["yes", "no", "do not know"])


def answers(folder: Path, *lines: str) -> Path:
    path = folder / "answers.csv"
    path.write_text("\n".join(("answer", *lines)) + "\n")
    return path


@pytest.mark.parametrize("channel", [RandomizedResponse(1, 3), UnaryEncoding(1, 3)], ids=lambda c: c.kind)
def test_reports_come_back_as_they_were(channel: RandomizedResponse | UnaryEncoding, tmp_path: Path) -> None:
    survey = Survey(channel, SURVEY.labels)
    out = tmp_path / "reports.csv"
    assert respond_in_files(survey, answers(tmp_path, "yes", "no", "yes"), out, SeededBits(1)) == 3
    assert np.array_equal(read_reports(out, survey).values, channel.respond([0, 1, 0], SeededBits(1)).values)


def test_a_survey_comes_back(tmp_path: Path) -> None:
    write_survey(tmp_path / "c.json", SURVEY)
    back = read_survey(tmp_path / "c.json")
    assert (back.labels, back.channel.hash) == (SURVEY.labels, SURVEY.channel.hash)


def test_answers_outside_the_alphabet_are_counted_not_shown(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"1 of 2 answers .* not among the categories of the channel: yes, no") as caught:
        respond_in_files(SURVEY, answers(tmp_path, "yes", "secret"), tmp_path / "r.csv")
    assert "secret" not in str(caught.value)


def test_a_missing_header_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("yes\nno\n")
    with pytest.raises(BadValue, match=r"first line of .* is an answer; it must be a header"):
        respond_in_files(SURVEY, path, tmp_path / "r.csv")


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="cannot be written: its folder is not there"):
        write_survey(tmp_path / "none" / "c.json", SURVEY)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadValue, match=r"cannot be made: File exists\. Choose another folder"):
        write_example(patients(), tmp_path / "file")


def test_reports_of_another_channel_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "r.csv"
    respond_in_files(SURVEY, answers(tmp_path, "yes"), out)
    with pytest.raises(BadValue, match=r"1 of 1 reports .* come from another channel"):
        read_reports(out, Survey(RandomizedResponse(2, 3), SURVEY.labels))
    out.write_text(out.read_text().replace("channel,report", "a,b"))
    with pytest.raises(BadValue, match="columns channel,report"):
        read_reports(out, SURVEY)
    out.write_text(f"channel,report\n{SURVEY.identity[:16]},x\n")
    with pytest.raises(BadValue, match="no report that this channel can have made; 1 lines were set aside"):
        read_reports(out, SURVEY)


@pytest.mark.parametrize("channel", [RandomizedResponse(1, 3), UnaryEncoding(1, 3)], ids=lambda c: c.kind)
def test_files_are_put_together_and_bad_lines_set_aside(channel, tmp_path: Path) -> None:
    survey, first, second = Survey(channel, SURVEY.labels), tmp_path / "1.csv", tmp_path / "2.csv"
    respond_in_files(survey, answers(tmp_path, "yes", "no"), first, SeededBits(1))
    respond_in_files(survey, answers(tmp_path, "yes"), second, SeededBits(2))
    name = survey.identity[:16]
    bad = ["9" * 30, "-1", "3", "\u0663", "x", "", "ff" * 8, "0" * 15, "zz" * 8]
    second.write_text(
        second.read_text()
        + first.read_text()  # Put together, header and all.
        + "".join(f"{name},{text}\n" for text in bad)
        + f"{name},1,1\n0123456789abcdef,1\n",
        encoding="utf-8",
    )
    found = gather_reports([first, second], survey)
    assert len(found.reports) == 5
    assert (found.malformed, found.foreign) == (len(bad) + 1, 1)
    assert found.aside == (
        "10 lines that are no reports of this channel are set aside. 1 reports of another channel are set aside."
    )
    assert gather_reports([first], survey).aside == ""
    assert found.reports.values[:2].tolist() == read_reports(first, survey).values.tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("category,probability\na,0.5\nb\n", "must be a CSV with the columns category,probability"),
        ("category,probability\na,0.5\nb,much\n", "a probability that is not a number"),
        ("category,probability\na,0.5\na,0.5\n", "at least two categories, each once"),
        ("", "must be a CSV"),
    ],
)
def test_bad_laws_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "prior.csv"
    path.write_text(text)
    with pytest.raises(BadValue, match=message):
        read_laws(path, 1)


def test_files_that_are_not_there_or_not_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="does not exist"):
        read_survey(tmp_path / "none.json")
    with pytest.raises(BadValue, match="cannot be read as a file"):
        read_survey(tmp_path)
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(BadValue, match="it is not JSON"):
        read_survey(tmp_path / "c.json")


def test_a_design_needs_one_kind_of_file(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="Give either --prior"):
        DesignWish(epsilon=1, utility="kl").survey()
    path = tmp_path / "h.csv"
    path.write_text("category,p0,p1\nx,0.5,0.4\ny,0.5,0.6\n")
    with pytest.raises(BadValue, match="must have the categories of the channel"):
        decide_in_files(SURVEY, [path], path, 0.05, 0.9)


def test_comparison_is_sorted_and_above_its_limit() -> None:
    found = compare(1, 1000, 10**6)
    variances = [candidate.scaled_variance for candidate in found.candidates]
    assert variances == sorted(variances)
    assert found.least_scaled_variance <= variances[0] <= 3.70


@pytest.mark.parametrize("chosen", [patients(), households()], ids=lambda e: e.name)
def test_examples_hold_what_they_say(chosen, tmp_path: Path) -> None:
    prior, answered, truth = write_example(chosen, tmp_path / "new")
    labels, (law,) = read_laws(prior, 1)
    assert labels == chosen.labels
    assert law.sum() == pytest.approx(1)
    assert read_laws(truth, 1)[1][0] == pytest.approx(chosen.truth)
    assert len(answered.read_text().splitlines()) == chosen.answers.size + 1


def test_an_unknown_example_is_refused() -> None:
    with pytest.raises(BadValue, match="must be one of: patients, households"):
        example("doctors")


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [patients(), households()], ids=lambda e: e.name)
def test_worked_examples_are_within_their_intervals_at_the_stated_rate(chosen) -> None:
    """The answers are fixed, so the spread is a little less than that of a sample: at least 95 %, nearly.

    Intervals that hold at every number of reports cover more than that where answers are spread out."""
    from banister.local.designing import design

    channel = design(epsilon=1, prior=chosen.prior, utility="estimation")
    bits = SeededBits(5)
    held = [channel.estimate(channel.respond(chosen.answers, bits)).intervals().hold(chosen.truth) for _ in range(100)]
    assert np.mean(held) >= 0.94


def test_the_gallery_experiment_never_exceeds_the_optimum() -> None:
    run = run_testing(4, 3)
    assert run.utilities.shape == (4, len(EPSILONS), 3)
    assert run.better_of_two.max() <= 1 + 1e-9


@pytest.mark.slow
def test_the_gallery_is_drawn(tmp_path: Path) -> None:
    paths = draw_gallery(tmp_path, 2, (3, 4, 5, 6))
    assert len(paths) == 7
    assert all(path.read_text().lstrip().startswith("<?xml") for path in paths)
