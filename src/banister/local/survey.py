"""A survey from end to end in files: design, respond, estimate, test, draw."""

from collections.abc import Sequence
from pathlib import Path

from banister import need
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.local.among import Mistakes, Ranked, mistakes_among, rank_hypotheses
from banister.local.channels import makers
from banister.local.document import Survey
from banister.local.estimates import Estimate
from banister.local.files import (
    Gathered,
    gather_reports,
    read_labels,
    read_laws,
    read_named_laws,
    read_reports,
    read_survey,
    respond_in_files,
    write_survey,
)
from banister.local.testing import Verdict, people_needed, test

__all__ = [
    "Gathered",
    "Survey",
    "decide_in_files",
    "draw_estimates",
    "draw_survey",
    "gather_reports",
    "make_survey",
    "rank_in_files",
    "read_reports",
    "read_survey",
    "respond_in_files",
    "write_survey",
]


def rank_in_files(survey: Survey, reports: Sequence[Path], among: Path) -> tuple[list[str], Ranked, Mistakes]:
    """The names of several hypotheses in a CSV file, what the reports say about each, and how often that errs."""
    laws = read_named_laws(among)
    if laws.labels != survey.labels:
        raise BadValue(f"{among} must have the categories of the channel, in its order.")
    gathered = gather_reports(reports, survey)
    ranked = rank_hypotheses(gathered.reports, survey.channel, laws.columns)
    people = len(gathered.reports.values)
    return laws.names, ranked, mistakes_among(survey.channel, laws.columns, people=people)


def make_survey(kind: str, promise: Guarantee, labels: Path, *, question: str = "", asked_by: str = "") -> Survey:
    """A channel of a kind by its name, for the categories of a CSV file: the first column, after a header."""
    made = makers()
    words = read_labels(labels)
    channel = made[need.one_of("kind", kind, tuple(sorted(made)))](promise, len(words))
    return Survey(channel, words, question, asked_by)


def decide_in_files(
    survey: Survey, reports: Sequence[Path], between: Path, size: float, power: float
) -> tuple[Verdict, int, Gathered]:
    """The verdict from files, and how many people the wanted power needs, and what was read."""
    labels, (p0, p1) = read_laws(between, 2)
    if labels != survey.labels:
        raise BadValue(f"{between} must have the categories of the channel, in its order.")
    channel = survey.channel
    gathered = gather_reports(reports, survey)
    verdict = test(gathered.reports, channel, p0, p1, size=size)
    return verdict, people_needed(channel, p0, p1, power=power, size=size), gathered


def draw_survey(survey: Survey, path: Path) -> None:
    """The channel as a heat map."""
    from banister.local.pictures import draw_channel

    draw_channel(survey.channel, survey.labels, path)


def draw_estimates(estimate: Estimate, labels: list[str], confidence: float, path: Path) -> None:
    """Estimates with their intervals."""
    from banister.local.pictures import draw_estimate

    draw_estimate(estimate, labels, confidence, path)
