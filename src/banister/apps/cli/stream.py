"""`banister stream`: counts that go on, every day, week or month, from one charge."""

from typing import Annotated

import typer

from banister.apps.cli.showing.certificates import Sign

SchemaFile = Annotated[str, typer.Argument(help="The schema, a .toml file with a [stream].", metavar="SCHEMA")]
Question = Annotated[str, typer.Argument(help="SQL, or a .sql file.")]
Name = Annotated[str, typer.Option(help="What the stream is called, e.g. weekly.")]
Epsilon = Annotated[str, typer.Option(help="What all periods may cost together, e.g. 1.")]
Delta = Annotated[str, typer.Option(help="Needed for Gaussian noise, e.g. 1e-6; without it the best pure method.")]
Confidence = Annotated[str, typer.Option(help="How often an interval holds the exact number.")]


def register(app: typer.Typer) -> None:
    stream = typer.Typer(help="Counts that go on: one charge, an answer every period.", no_args_is_help=True)
    for command in (plan, start, release, show):
        stream.command()(command)
    app.add_typer(stream, name="stream")


def plan(
    schema: SchemaFile,
    question: Question,
    epsilon: Epsilon,
    delta: Delta = "0",
    confidence: Confidence = "95%",
    figure: Annotated[str, typer.Option(help="Draw the error over time into an .svg, .png or .pdf file.")] = "",
) -> None:
    """Show what a stream would cost and its error over time. No record is read, and nothing is charged.

    Example: banister stream plan visits.toml "SELECT COUNT(*) AS visits FROM data" --epsilon 1 --delta 1e-6
    """
    from banister.apps.cli.say import share, tell
    from banister.release import open as open_dataset
    from banister.release import plan_stream

    dataset, sure = open_dataset(schema), share("confidence", confidence)
    planned = plan_stream(dataset, question, epsilon=epsilon, delta=delta, confidence=sure)
    tell(planned)
    if figure:
        dataset.check_output(figure)
        planned.plot(figure)
        tell(f"Wrote {figure}")


def start(
    schema: SchemaFile,
    question: Question,
    name: Name,
    epsilon: Epsilon,
    delta: Delta = "0",
    confidence: Confidence = "95%",
) -> None:
    """Charge the ledger once for all periods. Nothing is drawn yet; the same call again changes nothing.

    Example: banister stream start visits.toml "SELECT COUNT(*) AS visits FROM data" --name weekly --epsilon 1
    """
    from banister.apps.cli.say import share, tell
    from banister.release import open as open_dataset
    from banister.release import plan_stream, start_stream

    dataset, sure = open_dataset(schema), share("confidence", confidence)
    planned = plan_stream(dataset, question, epsilon=epsilon, delta=delta, confidence=sure)
    start_stream(dataset, planned, name=name)
    tell(planned)
    tell(f"Stream '{name}' is paid for: {planned.guarantee} for {planned.periods.periods} periods. Release each when")
    tell(f"it has ended: banister stream release {schema} --name {name}")


def release(
    schema: SchemaFile,
    name: Name,
    period: Annotated[int, typer.Option(help="Which period, from 1; the next one if not given.")] = 0,
    leave_out: Annotated[bool, typer.Option("--leave-out", help="Leave periods before it out for good.")] = False,
    early: Annotated[bool, typer.Option("--early", help="Also before it has ended; what comes is late then.")] = False,
    out: Annotated[str, typer.Option(help="Write all answers so far to a .csv, .parquet or .json file.")] = "",
    page: Annotated[str, typer.Option(help="Write a report to an .html file.")] = "",
    sign: Sign = "",
) -> None:
    """Release a period that has ended. Nothing is charged: the start paid for all. A period is drawn once.

    Example: banister stream release visits.toml --name weekly --out visits-by-week.csv
    """
    from banister.apps.cli.showing.release_say import progress
    from banister.apps.cli.showing.stream_say import StreamFiles, check_ended, show_period
    from banister.release import open as open_dataset
    from banister.release import open_stream

    stream = open_stream(open_dataset(schema), name=name)
    files = StreamFiles(out=out, page=page, sign=sign)
    files.check(stream.dataset)
    wanted = period or stream.released + 1
    if not early:
        check_ended(stream, wanted)
    with progress() as told:
        act = stream.release_after_gap if leave_out else stream.release
        answer = act(wanted, tell=told)
    show_period(stream, answer)
    files.write(stream)


def show(
    schema: SchemaFile,
    name: Name,
    out: Annotated[str, typer.Option(help="Write all answers so far to a .csv, .parquet or .json file.")] = "",
    page: Annotated[str, typer.Option(help="Write a report to an .html file.")] = "",
    sign: Sign = "",
) -> None:
    """Show a stream: its plan, and every answer so far. Nothing is drawn.

    Example: banister stream show visits.toml --name weekly --page weekly.html
    """
    from banister.apps.cli.say import tell
    from banister.apps.cli.showing.stream_say import StreamFiles, show_period
    from banister.release import open as open_dataset
    from banister.release import open_stream

    stream = open_stream(open_dataset(schema), name=name)
    files = StreamFiles(out=out, page=page, sign=sign)
    files.check(stream.dataset)
    tell(stream.plan)
    for answer in stream.answers():
        show_period(stream, answer)
    files.write(stream)
