"""`banister canaries …`: plant people in a table, run a pipeline once, and judge what it gave away about them."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banister.apps.cli.say import fail, tell
from banister.errors import BanisterError

if TYPE_CHECKING:
    from banister.audit import CanaryFinding

BROKEN, UNDONE = 1, 2
Table = Annotated[Path, typer.Argument(help="The table without canaries, .csv or .parquet.")]
Rows = Annotated[Path, typer.Option("--canaries", help="The rows of the people to plant, in the table's columns.")]
Person = Annotated[str, typer.Option(help="The column that tells people apart.")]
Epsilon = Annotated[str, typer.Option(help="What the pipeline claims, such as 0.5 or 1/2.")]
Delta = Annotated[str, typer.Option(help="The claimed chance of a larger loss; 0 for pure privacy.")]
Confidence = Annotated[str, typer.Option(help="Of what is shown, all guesses together.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")]


def register(app: typer.Typer) -> None:
    family = typer.Typer(help="Audit a whole pipeline from outside, with planted people.", no_args_is_help=True)
    app.add_typer(family, name="canaries")

    @family.command()
    def plant(
        table: Table,
        rows: Rows,
        person: Person,
        out: Annotated[Path, typer.Option(help="Write the planted table here.")],
        secret: Annotated[Path, typer.Option(help="Keep who was planted here, away from the pipeline.")],
    ) -> None:
        """Add a random half of the canaries to a table, each by a fair coin.

        Example: banister canaries plant people.csv --canaries canaries.csv --person who --out planted.csv
        --secret who.json
        """
        from banister.audit.canaries.duckdb import plant as planted

        found = planted(table, rows, person, out)
        tell(f"{out}: {found.words()}; {found.save(secret)} says which, and the pipeline must not see it.")

    @family.command()
    def judge(
        table: Table,
        rows: Rows,
        person: Person,
        secret: Annotated[Path, typer.Option(help="What `plant` kept.")],
        questions: Annotated[Path, typer.Option(help="What the answers are about: SQL about `data`.")],
        answers: Annotated[list[Path], typer.Option(help="What the pipeline gave, a file for each question.")],
        epsilon: Epsilon,
        delta: Delta = "0",
        confidence: Confidence = "0.99",
        as_json: AsJson = False,
    ) -> None:
        """Guess from a pipeline's answers who was planted; exit codes as of `banister audit`.

        Example: banister canaries judge people.csv --canaries canaries.csv --person who --secret who.json
        --questions questions.sql --answers answers.csv --epsilon 1
        """
        from banister.audit import judge_canaries
        from banister.audit.canaries.duckdb import scores
        from banister.audit.canaries.planting import Planting
        from banister.foreign import read_text

        try:
            planting = Planting.load(secret)
            asked = [each for each in read_text(questions, "questions in SQL").split(";") if each.strip()]
            read = scores(table, rows, person, planting, asked, answers)
            found = judge_canaries(planting.present, read, epsilon=epsilon, delta=delta, confidence=confidence)
        except BanisterError as error:
            fail(error)
            raise typer.Exit(UNDONE) from None
        _end(found, as_json)

    @family.command()
    def run(
        line: Annotated[str, typer.Argument(help="The pipeline: a line for the shell, run in a copy of the folder.")],
        folder: Annotated[Path, typer.Option(help="Where the pipeline's files are; it is copied, and left as it is.")],
        table: Annotated[str, typer.Option(help="Which file of the folder is the table, .csv or .parquet.")],
        rows: Rows,
        person: Person,
        questions: Annotated[str, typer.Option(help="Which file of the folder has the questions, SQL about `data`.")],
        answers: Annotated[list[str], typer.Option(help="The file that the line writes, one for each question.")],
        epsilon: Epsilon,
        delta: Delta = "0",
        confidence: Confidence = "0.99",
        seconds: Annotated[float, typer.Option(help="How long the pipeline may take.")] = 600.0,
        as_json: AsJson = False,
    ) -> None:
        """Plant, run the pipeline once, and judge; exit codes as of `banister audit`.

        Example: banister canaries run 'banister release health.toml questions.sql --epsilon 1 --out answers.csv'
        --folder health --table people.csv --canaries canaries.csv --person who --questions questions.sql
        --answers answers.csv --epsilon 1
        """
        from banister.audit import attack_pipeline

        try:
            found = attack_pipeline(
                line, folder=folder, table=table, canaries=rows, person=person, questions=questions, answers=answers,
                epsilon=epsilon, delta=delta, confidence=confidence, seconds=seconds,
            )  # fmt: skip
        except BanisterError as error:
            fail(error)
            raise typer.Exit(UNDONE) from None
        _end(found, as_json)


def _end(found: "CanaryFinding", as_json: bool) -> None:
    tell(json.dumps(found.as_record(), indent=2) if as_json else found)
    if found.broken:
        raise typer.Exit(BROKEN)
