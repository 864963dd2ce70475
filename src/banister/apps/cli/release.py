"""`banister demo`, `plan`, `release` and `budget`: answers from real tables."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from banister.release.dataset import Dataset
    from banister.release.plan import Plan

Health = Annotated[str, typer.Argument(help="The schema, a .toml file.", metavar="SCHEMA")]
Sql = Annotated[str, typer.Argument(help="SQL, or a .sql file.", metavar="QUESTION")]
Epsilon = Annotated[str, typer.Option(help="What the answers may cost, e.g. 0.3.")]
Delta = Annotated[str, typer.Option(help="Needed where group values are unknown, e.g. 1e-6.")]
Within = Annotated[str, typer.Option(help="Instead of epsilon: an accuracy such as 2%.")]
Size = Annotated[int, typer.Option(help="Rows in a cell, for --within; 0: from the schema's number of people.")]
Confidence = Annotated[str, typer.Option(help="How often an interval holds the exact answer.")]
Consistent = Annotated[
    bool, typer.Option("--consistent", help="Make questions about the same rows agree: totals equal their parts.")
]
Dialect = Annotated[str, typer.Option(help="The SQL dialect of the question, e.g. postgres.")]


def register(app: typer.Typer) -> None:
    @app.command()
    def demo(
        folder: Annotated[str, typer.Argument(help="A new folder for the files.")] = "health",
    ) -> None:
        """Write a real table, its schema and a question into a folder, to try things out.

        Example: banister demo health
        """
        from banister.release.demo import write_demo

        for path in write_demo(folder):
            typer.echo(f"Wrote {path}")

    @app.command()
    def plan(
        schema: Health,
        question: Sql,
        epsilon: Epsilon = "",
        delta: Delta = "0",
        within: Within = "",
        size: Size = 0,
        confidence: Confidence = "95%",
        dialect: Dialect = "",
        consistent: Consistent = False,
    ) -> None:
        """Show what a question would cost and how accurate its answers would be. No record is read.

        Example: banister plan health.toml "SELECT plan, COUNT(*) FROM data GROUP BY plan" --epsilon 0.3
        """
        from banister.apps.cli.tables import show_plan
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        show_plan(_plan(dataset, question, epsilon, delta, within, size, confidence, dialect, consistent), dataset)

    @app.command()
    def release(
        schema: Health,
        question: Sql,
        epsilon: Epsilon = "",
        delta: Delta = "0",
        within: Within = "",
        size: Size = 0,
        confidence: Confidence = "95%",
        dialect: Dialect = "",
        consistent: Consistent = False,
        out: Annotated[str, typer.Option(help="Write answers to a .csv, .parquet or .json file.")] = "",
        report: Annotated[str, typer.Option(help="Write a page with charts to an .html file.")] = "",
        non_negative: Annotated[bool, typer.Option("--non-negative", help="Raise what is below 0 to 0.")] = False,
    ) -> None:
        """Charge the ledger, then answer: a table in the terminal, and files where asked.

        Example: banister release health.toml questions.sql --epsilon 0.3 --out answers.parquet --report answers.html
        """
        from banister.apps.cli.tables import progress, show_answers
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        planned = _plan(dataset, question, epsilon, delta, within, size, confidence, dialect, consistent)
        targets = _targets(out, report)
        with progress() as tell:
            answers = dataset.release(planned, non_negative=non_negative, tell=tell)
        written = (answers.write(targets[0]) if out else []) + ([answers.report(targets[-1])] if report else [])
        show_answers(answers, written)

    @app.command()
    def budget(
        schema: Health,
        create: Annotated[bool, typer.Option("--create", help="Make the ledger, once.")] = False,
    ) -> None:
        """Show what is left of the budget; --create makes the ledger in which it is kept.

        Example: banister budget health.toml --create
        """
        from banister.apps.cli.tables import show_budget
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        if create:
            dataset.create_ledger().close()
        show_budget(dataset)


def _plan(
    dataset: "Dataset",
    question: str,
    epsilon: str,
    delta: str,
    within: str,
    size: int,
    confidence: str,
    dialect: str,
    consistent: bool,
) -> "Plan":
    from banister.apps.cli.say import share
    from banister.errors import BadValue

    if bool(epsilon) == bool(within):
        raise BadValue("Say what the answers may cost (--epsilon 0.3) or how accurate they must be (--within 2%).")
    sure = share("confidence", confidence)
    spoken = dialect or None
    if epsilon:
        return dataset.plan(
            question, epsilon=epsilon, delta=delta, confidence=sure, dialect=spoken, consistent=consistent
        )
    return dataset.plan_within(
        question,
        within=share("within", within),
        size=size or None,
        delta=delta,
        confidence=sure,
        dialect=spoken,
        consistent=consistent,
    )


def _targets(*names: str) -> "list[Path]":
    """Where to write, checked before anything is charged."""
    from pathlib import Path

    from banister.files import check_target

    targets = [Path(name) for name in names if name]
    for name, suffixes in zip(names, ((".csv", ".parquet", ".json"), (".html",)), strict=True):
        if name:
            check_target(Path(name), suffixes)
    return targets
