"""`banister local`: channels for people who trust nobody."""

from pathlib import Path
from typing import Annotated

import typer

Epsilon = Annotated[str, typer.Option(help="Privacy level of each report, such as 1, 0.5 or 1/2.")]
ChannelFile = Annotated[Path, typer.Argument(help="A channel file, as `design` writes it.")]


def register(app: typer.Typer) -> None:
    local = typer.Typer(help="Randomize before sending: design, respond, estimate, test.", no_args_is_help=True)
    for command in (design, show, respond, estimate, compare, example, gallery):
        local.command()(command)
    local.command("test")(decide)
    app.add_typer(local, name="local")


def design(
    epsilon: Epsilon,
    out: Annotated[Path, typer.Option(help="Where to write the channel file.")],
    utility: Annotated[
        str, typer.Option(help="mutual-information or estimation (with --prior); kl, total-variation, ... (--between).")
    ],
    prior: Annotated[Path | None, typer.Option(help="CSV: category,probability.")] = None,
    between: Annotated[Path | None, typer.Option(help="CSV: category,p0,p1.")] = None,
    figure: Annotated[Path | None, typer.Option(help="Draw the channel as a heat map (SVG or PNG).")] = None,
) -> None:
    """Design the channel that keeps most of what you want to learn.

    Example: banister local design --epsilon 1 --prior prior.csv --utility estimation --out survey.channel.json
    """
    from banister.apps.cli import local_say
    from banister.local import survey as local_survey

    survey = local_survey.design_survey(epsilon, utility, prior, between)
    local_survey.write_survey(out, survey)
    local_say.survey(survey, out)
    if figure is not None:
        local_survey.draw_survey(survey, figure)
        local_say.wrote(figure)


def show(channel: ChannelFile) -> None:
    """Check a channel file and say what it promises, before you answer.

    Example: banister local show survey.channel.json
    """
    from banister.apps.cli import local_say
    from banister.local import survey as local_survey

    local_say.survey(local_survey.read_survey(channel), channel)


def respond(
    channel: ChannelFile,
    answers: Annotated[Path, typer.Argument(help="CSV: a header line, then one answer a line.")],
    out: Annotated[Path, typer.Option(help="Where to write the reports.")],
) -> None:
    """Randomize answers, on each person's own machine; the channel file is checked first.

    Example: banister local respond survey.channel.json answers.csv --out reports.csv
    """
    from banister.local import survey as local_survey

    survey = local_survey.read_survey(channel)
    count = local_survey.respond_in_files(survey, answers, out)
    typer.echo(f"{count} reports in {out}, each private at level {survey.channel.guarantee}.")


def estimate(
    channel: ChannelFile,
    reports: Annotated[Path, typer.Argument(help="CSV of reports, as `respond` writes it.")],
    confidence: Annotated[float, typer.Option(help="Of each interval.")] = 0.95,
    figure: Annotated[Path | None, typer.Option(help="Draw the estimates with their intervals.")] = None,
) -> None:
    """Estimate the frequencies of the answers, with intervals.

    Example: banister local estimate survey.channel.json reports.csv --figure estimate.svg
    """
    from banister.apps.cli import local_say
    from banister.local import survey as local_survey

    survey = local_survey.read_survey(channel)
    found = survey.channel.estimate(local_survey.read_reports(reports, survey.channel))
    local_say.estimate(found, survey.labels, confidence)
    if figure is not None:
        local_survey.draw_estimates(found, survey.labels, confidence, figure)
        local_say.wrote(figure)


def decide(
    channel: ChannelFile,
    reports: Annotated[Path, typer.Argument(help="CSV of reports, as `respond` writes it.")],
    between: Annotated[Path, typer.Option(help="CSV: category,p0,p1.")],
    size: Annotated[float, typer.Option(help="Largest chance of a false alarm.")] = 0.05,
    power: Annotated[float, typer.Option(help="Power for which to say how many people are needed.")] = 0.9,
) -> None:
    """Test hypothesis 0 against hypothesis 1 from reports.

    Example: banister local test one-bit.channel.json reports.csv --between hypotheses.csv
    """
    from banister.apps.cli import local_say
    from banister.local import survey as local_survey

    survey = local_survey.read_survey(channel)
    local_say.verdict(*local_survey.decide_in_files(survey, reports, between, size, power), power)


def compare(
    epsilon: Epsilon,
    categories: Annotated[int, typer.Option(help="How many different answers there are.")],
    people: Annotated[int, typer.Option(help="How many people report.")],
) -> None:
    """Which channel for frequencies: errors and report sizes side by side.

    Example: banister local compare --epsilon 1 --categories 1000 --people 1000000
    """
    from banister.apps.cli import local_say
    from banister.local import comparison as local_compare

    local_say.comparison(local_compare.compare(epsilon, categories, people))


def example(
    name: Annotated[str, typer.Argument(help="patients or households.")],
    out: Annotated[Path, typer.Option(help="Folder for prior.csv, answers.csv and truth.csv.")],
) -> None:
    """Write the data of a worked example.

    Example: banister local example patients --out patients
    """
    from banister.local import examples as local_examples

    chosen = local_examples.example(name)
    for path in local_examples.write_example(chosen, out):
        typer.echo(path)
    typer.echo(f"{chosen.answers.size} people. {chosen.origin}")


def gallery(
    out: Annotated[Path, typer.Option(help="Folder for the figures.")],
    instances: Annotated[int, typer.Option(help="Random instances for each size of alphabet.")] = 100,
) -> None:
    """Draw every channel against the optimum, on random instances.

    Example: banister local gallery --out docs/figures
    """
    from banister.local import gallery as local_gallery

    for path in local_gallery.draw_gallery(out, instances):
        typer.echo(path)
