"""`banister local`: channels for people who trust nobody."""

from pathlib import Path
from typing import Annotated

import typer

Epsilon = Annotated[str, typer.Option(help="Privacy level of each report, such as 1, 0.5 or 1/2.")]
ReportFiles = Annotated[list[Path], typer.Argument(help="CSV files of reports, as `respond` writes them.")]
Question = Annotated[str, typer.Option(help="What is asked, as people will read it before they answer.")]
AskedBy = Annotated[str, typer.Option(help="Who asks, as people will read it.")]
Home = Annotated[Path | None, typer.Option(help="The owner's folder; $BANISTER_HOME or ~/.banister if not given.")]
Yes = Annotated[bool, typer.Option("--yes", help="Agree beforehand; without a terminal --at-most is needed too.")]
AtMost = Annotated[
    str, typer.Option(help="All that all answers may give away together: epsilon, or epsilon:delta. It is kept.")
]
ChannelFile = Annotated[Path, typer.Argument(help="A channel file, as `design` writes it.")]


def register(app: typer.Typer) -> None:
    local = typer.Typer(help="Randomize before sending: design, respond, estimate, test.", no_args_is_help=True)
    for command in (design, make, show, respond, ceiling, estimate, compare, example, gallery):
        local.command()(command)
    local.command("test")(decide)
    local.command()(check)
    local.command()(rank)
    local.command()(joint)
    app.add_typer(local, name="local")


def design(
    epsilon: Epsilon,
    out: Annotated[Path, typer.Option(help="Where to write the channel file.")],
    utility: Annotated[
        str,
        typer.Option(
            help="mutual-information, estimation or distortion (with --prior); kl, total-variation, chernoff, ... "
            "(with --between)."
        ),
    ],
    prior: Annotated[Path | None, typer.Option(help="CSV: category,probability.")] = None,
    between: Annotated[
        Path | None, typer.Option(help="CSV: category,p0,p1; more laws with --aim; for bins ...,least,greatest.")
    ] = None,
    aim: Annotated[str, typer.Option(help="For more than two laws: average or worst pair.")] = "",
    zero: Annotated[str, typer.Option(help="Columns that hypothesis 0 may be, e.g. a,b: a robust design.")] = "",
    one: Annotated[str, typer.Option(help="Columns that hypothesis 1 may be.")] = "",
    distance: Annotated[str, typer.Option(help="For distortion: hamming, absolute, or a CSV of distances.")] = "",
    figure: Annotated[Path | None, typer.Option(help="Draw the channel as a heat map (SVG or PNG).")] = None,
    question: Question = "",
    asked_by: AskedBy = "",
) -> None:
    """Design the channel that keeps most of what you want to learn.

    Example: banister local design --epsilon 1 --prior prior.csv --utility estimation --out survey.channel.json
    """
    from banister.apps.cli.showing import local_say
    from banister.local import survey as local_survey
    from banister.local.designs.wishes import DesignWish

    files = DesignWish(
        epsilon=epsilon, utility=utility, prior=prior, between=between, aim=aim, zero=zero, one=one, distance=distance
    )
    survey = files.survey(question=question, asked_by=asked_by)
    local_survey.write_survey(out, survey)
    local_say.survey(survey, out)
    if figure is not None:
        local_survey.draw_survey(survey, figure)
        local_say.wrote(figure)


def make(
    kind: Annotated[str, typer.Argument(help="Such as hadamard-response, unary-encoding, geometric, quaternary.")],
    epsilon: Epsilon,
    categories: Annotated[Path, typer.Option(help="CSV: a header line, then one category a line.")],
    out: Annotated[Path, typer.Option(help="Where to write the channel file.")],
    delta: Annotated[str, typer.Option(help="For the quaternary channel, such as 1e-6.")] = "0",
    question: Question = "",
    asked_by: AskedBy = "",
) -> None:
    """Make a channel of a kind that you name; an unknown name lists all of them.

    Example: banister local make hadamard-response --epsilon 1 --categories prior.csv --out short.channel.json
    """
    from banister.apps.cli.showing import local_say
    from banister.core.privacy.guarantee import Guarantee
    from banister.local import survey as local_survey

    survey = local_survey.make_survey(kind, Guarantee(epsilon, delta), categories, question=question, asked_by=asked_by)
    local_survey.write_survey(out, survey)
    local_say.survey(survey, out)


def show(channel: ChannelFile) -> None:
    """Check a channel file and say what it promises, before you answer.

    Example: banister local show survey.channel.json
    """
    from banister.apps.cli.showing import local_say
    from banister.local import survey as local_survey

    local_say.survey(local_survey.read_survey(channel), channel)


def respond(
    channel: ChannelFile,
    answers: Annotated[Path, typer.Argument(help="CSV: a header line, then one answer per line.")],
    out: Annotated[Path, typer.Option(help="Where to write the reports.")],
    home: Home = None,
    at_most: AtMost = "",
    yes: Yes = False,
) -> None:
    """Show what is asked, ask, and randomize answers on each person's own machine; the channel file is checked first.

    Example: banister local respond survey.channel.json answers.csv --at-most 1 --out reports.csv
    """
    from banister.apps.cli.showing import consent_say, local_say
    from banister.consent import read_level
    from banister.local import home as local_home
    from banister.local import survey as local_survey

    survey = local_survey.read_survey(channel)
    place = local_home.LocalHome.default() if home is None else local_home.LocalHome(home)
    most = read_level(at_most) if at_most else None
    consent_say.agree(local_say.asked(survey, place, most), yes=yes, at_most=at_most)
    count = local_home.respond_as_agreed(survey, answers, out, home=place, at_most=most)
    local_say.say(f"{count} reports in {out}, each private at level {survey.channel.guarantee}.")


def ceiling(
    at_most: AtMost = "",
    home: Home = None,
) -> None:
    """Say what may be given away in all answers from this machine; --at-most sets it, also to a higher one.

    Example: banister local ceiling --at-most 2
    """
    from banister.apps.cli.showing import local_say
    from banister.consent import read_level
    from banister.local.home import OWNER, LocalHome

    place = LocalHome.default() if home is None else LocalHome(home)
    if at_most:
        place.ceilings.raise_to(OWNER, read_level(at_most))
    local_say.ceiling(place)


def estimate(
    channel: ChannelFile,
    reports: ReportFiles,
    confidence: Annotated[float, typer.Option(help="Of each interval.")] = 0.95,
    figure: Annotated[Path | None, typer.Option(help="Draw the estimates with their intervals.")] = None,
    engine: Annotated[str, typer.Option(help="Who counts Parquet files: duckdb or spark.")] = "duckdb",
) -> None:
    """Estimate the frequencies of the answers, with intervals; Parquet files are counted by DuckDB or Spark.

    Example: banister local estimate survey.channel.json reports.csv --figure estimate.svg
    """
    from banister.apps.cli.showing import local_say
    from banister.local import many
    from banister.local import survey as local_survey

    survey = local_survey.read_survey(channel)
    if all(path.suffix.lower() == many.PARQUET for path in reports):
        counted = many.estimate_parquet(reports, survey, many.engine_of(engine))
        found, aside = counted.estimate, counted.aside
    else:
        gathered = local_survey.gather_reports(reports, survey)
        found, aside = survey.channel.estimate(gathered.reports), gathered.aside
    local_say.estimate(found, survey.labels, confidence)
    local_say.aside(aside)
    if figure is not None:
        local_survey.draw_estimates(found, survey.labels, confidence, figure)
        local_say.wrote(figure)


def decide(
    channel: ChannelFile,
    reports: ReportFiles,
    between: Annotated[Path, typer.Option(help="CSV: category,p0,p1.")],
    size: Annotated[float, typer.Option(help="Largest chance of a false alarm.")] = 0.05,
    power: Annotated[float, typer.Option(help="Power for which to say how many people are needed.")] = 0.9,
) -> None:
    """Test hypothesis 0 against hypothesis 1 from reports.

    Example: banister local test one-bit.channel.json reports.csv --between hypotheses.csv
    """
    from banister.apps.cli.showing import local_say
    from banister.local import survey as local_survey

    survey = local_survey.read_survey(channel)
    verdict, needed, gathered = local_survey.decide_in_files(survey, reports, between, size, power)
    local_say.verdict(verdict, needed, power)
    local_say.aside(gathered.aside)


def compare(
    epsilon: Epsilon,
    categories: Annotated[int, typer.Option(help="How many different answers there are.")],
    people: Annotated[int, typer.Option(help="How many people report.")],
) -> None:
    """Which channel for frequencies: errors and report sizes side by side.

    Example: banister local compare --epsilon 1 --categories 1000 --people 1000000
    """
    from banister.apps.cli.showing import local_say
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


def check(
    matrix: Annotated[Path, typer.Argument(help="CSV without a header: one row an answer, one chance a report.")],
    epsilon: Annotated[list[str], typer.Option(help="Levels at which to say the least delta; may be repeated.")],
) -> None:
    """Say what a channel that you bring keeps: its level, and the least delta at each epsilon that you name.

    Example: banister local check mine.csv --epsilon 1 --epsilon 0.5
    """
    from banister.local import channel_delta
    from banister.local.exponents import channel_level
    from banister.local.files import read_matrix
    from banister.show.terminal import console

    given, shown = read_matrix(matrix), console()
    level = channel_level(given)
    words = "no finite epsilon holds without a delta" if level is None else f"epsilon {level:.9g} with delta 0"
    shown.print(f"{given.shape[0]} answers, {given.shape[1]} reports: {words}.")
    for each in epsilon:
        shown.print(f"epsilon {each}: delta {channel_delta(given, epsilon=each):.9g}, and no less.")


def rank(
    channel: Annotated[Path, typer.Argument(help="A channel file, as `design` writes it.")],
    reports: Annotated[list[Path], typer.Argument(help="CSV files of reports, as `respond` writes them.")],
    among: Annotated[Path, typer.Option(help="CSV: category,name,name,…: one column a hypothesis.")],
) -> None:
    """Say which of several hypotheses the reports speak for, and how often that would be wrong.

    Example: banister local rank survey.channel.json reports.csv --among laws.csv
    """
    from banister.local.survey import rank_in_files, read_survey
    from banister.show.terminal import console

    names, ranked, mistakes = rank_in_files(read_survey(channel), reports, among)
    shown = console()
    order = sorted(range(len(names)), key=lambda i: -ranked.posterior[i])
    for place in order:
        shown.print(
            f"{names[place]}: {ranked.posterior[place]:.4g}; wrong where it is true in {mistakes.each[place]:.3g}"
        )
    shown.print(f"With {mistakes.people} reports ({mistakes.method}); all hypotheses alike likely before.")


def joint(
    epsilon: Epsilon,
    first: Annotated[Path, typer.Option(help="Joint law under hypothesis 0: a CSV of chances without a header.")],
    second: Annotated[Path, typer.Option(help="The same under hypothesis 1.")],
    utility: Annotated[str, typer.Option(help="What to keep: kl, total-variation, hellinger, …")] = "kl",
    out: Annotated[
        Path | None, typer.Option(help="A folder for first.csv and second.csv, one channel a person.")
    ] = None,
) -> None:
    """Design the channels of two people whose answers go together: row the first one's answer, column the second's.

    Example: banister local joint --epsilon 1 --first alike.csv --second apart.csv --utility kl --out channels
    """
    from banister.files import folder, whole_text
    from banister.local import design_joint
    from banister.local.files import read_matrix
    from banister.show.terminal import console

    found = design_joint(epsilon, read_matrix(first), read_matrix(second), utility=utility)
    shown = console()
    shown.print(f"All reports together keep {found.utility:.6g} of {found.whole:.6g} ({utility}).")
    shown.print(f"Randomized response by both would keep {found.by_response:.6g}.")
    for name, channel, most in zip(("first", "second"), found.channels, found.alone, strict=True):
        shown.print(
            f"The {name} person: {channel.outputs} reports. No channel of this person alone keeps more than {most:.6g}."
        )
        rows = [",".join(f"{chance:.17g}" for chance in row) for row in channel.cell_matrix]
        if out is None:
            shown.print("\n".join(rows))
        else:
            target = folder(out) / f"{name}.csv"
            whole_text(target, "\n".join(rows) + "\n")
            shown.print(f"Wrote {target}.")
    shown.print(
        "A report also tells of the other person, whose answer goes with hers: epsilon bounds it for her own alone."
    )
