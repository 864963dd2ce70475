"""`banister demo`, `plan`, `release` and `budget`: answers from real tables."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from banister.release.dataset import Dataset
    from banister.release.planning.plan import Plan

Health = Annotated[str, typer.Argument(help="The schema, a .toml file.", metavar="SCHEMA")]
Sql = Annotated[str, typer.Argument(help="SQL, or a .sql file.", metavar="QUESTION")]
Epsilon = Annotated[str, typer.Option(help="What the answers may cost, e.g. 0.3.")]
Delta = Annotated[str, typer.Option(help="Needed where group values are unknown, e.g. 1e-6.")]
Within = Annotated[
    str,
    typer.Option(
        help="Instead of epsilon: how wide intervals may be, e.g. 2%: of the rows in a cell for counts, of those rows "
        "times the largest value for sums, of the width of the range for means."
    ),
]
Size = Annotated[int, typer.Option(help="Rows in a cell, for --within; 0: from the schema's number of people.")]
Confidence = Annotated[str, typer.Option(help="How often an interval holds the exact answer.")]
Consistent = Annotated[
    bool, typer.Option("--consistent", help="Make questions about the same rows agree: totals equal their parts.")
]
Key = Annotated[str, typer.Option(help="A name for this request: it is charged once, and fetched when asked again.")]
CheckBounds = Annotated[
    str,
    typer.Option(help="A share of epsilon, e.g. 5%, that tells of how many people more rows are left out."),
]
Rows = Annotated[
    int, typer.Option(help="Most rows of one person that count in a group of these questions; 0: as the schema says.")
]
Groups = Annotated[
    int, typer.Option(help="Most groups in which one person counts in these questions; 0: as the schema says.")
]
Extremes = Annotated[
    str, typer.Option(help="Answer MIN and MAX by quantiles, e.g. 1%: those of the orders 0.01 and 0.99.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
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
        check_bounds: CheckBounds = "0",
        rows: Rows = 0,
        groups: Groups = 0,
        extremes: Extremes = "0",
        json: Json = False,
    ) -> None:
        """Show what a question would cost and how accurate its answers would be. No record is read.

        Example: banister plan health.toml "SELECT plan, COUNT(*) FROM data GROUP BY plan" --epsilon 0.3
        """
        from banister.apps.cli.showing.release_say import show_plan
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        asked = PlanWords(
            question=question,
            epsilon=epsilon,
            delta=delta,
            within=within,
            size=size,
            confidence=confidence,
            dialect=dialect,
            consistent=consistent,
            check_bounds=check_bounds,
            rows=rows,
            groups=groups,
            extremes=extremes,
        )
        show_plan(asked.plan(dataset), dataset, json=json)

    @app.command()
    def release(
        schema: Health,
        question: Annotated[str, typer.Argument(help="SQL, or a .sql file.", metavar="QUESTION")] = "",
        epsilon: Epsilon = "",
        delta: Delta = "0",
        within: Within = "",
        size: Size = 0,
        confidence: Confidence = "95%",
        dialect: Dialect = "",
        consistent: Consistent = False,
        check_bounds: CheckBounds = "0",
        rows: Rows = 0,
        groups: Groups = 0,
        extremes: Extremes = "0",
        out: Annotated[str, typer.Option(help="Write answers to a .csv, .parquet or .json file.")] = "",
        report: Annotated[str, typer.Option(help="Write a page with charts to an .html file.")] = "",
        non_negative: Annotated[bool, typer.Option("--non-negative", help="Raise what is below 0 to 0.")] = False,
        decode: Annotated[
            str, typer.Option(help="Say counts within 0 and the schema's people as well as can be: average or worst.")
        ] = "",
        for_spreadsheets: Annotated[
            bool, typer.Option("--for-spreadsheets", help="Keep spreadsheets from computing texts in a .csv file.")
        ] = False,
        sign: Annotated[str, typer.Option(help="Sign the certificate with the key in this file.")] = "",
        key: Key = "",
        json: Json = False,
        rungs: Annotated[
            str,
            typer.Option(help="Instead of epsilon: rising ones, e.g. 0.1,1; the first is given, the others sealed."),
        ] = "",
        sealed: Annotated[str, typer.Option(help="Where to seal finer rungs; else beside the ledger.")] = "",
        refine: Annotated[str, typer.Option(help="The sealed file of an earlier release: open its next rung.")] = "",
    ) -> None:
        """Charge the ledger, then answer: a table in the terminal, and files where asked.

        What was drawn is kept beside the ledger until all of that is done. Under a --key of yours the same request is
        charged once, and every further call fetches the same answer. Beside the files a certificate is written, from
        which `banister verify` works out anew what was given away.

        With --rungs the answers are drawn at several epsilons at once. The coarsest is given, and --refine opens the
        next one later, without a look at the table; what is open costs the epsilon of the finest.

        Example: banister release health.toml questions.sql --epsilon 0.3 --out answers.parquet --report answers.html
        """
        from banister.apps.cli.showing.release_files import Files
        from banister.apps.cli.showing.release_say import progress
        from banister.keys import nonce
        from banister.release.answering.decoding import check_decoding
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        if rungs or refine:
            from banister.apps.cli.rungs import RungRelease

            unfit = {"epsilon": bool(epsilon), "within": bool(within), "key": bool(key), "report": bool(report)}
            unfit |= {"delta": delta != "0", "consistent": consistent, "check-bounds": check_bounds != "0"}
            unfit |= {"non-negative": non_negative, "decode": bool(decode)}
            asked = RungRelease(dataset=dataset, unfit=unfit, out=out, for_spreadsheets=for_spreadsheets, json=json)
            if refine:
                asked.refine(refine, question, rungs)
            else:
                asked.release(question, rungs, sealed=sealed, confidence=confidence, dialect=dialect)
            return
        if key and within and (before := dataset.asked(key)) is not None:
            epsilon, within = before.epsilon, ""  # What was found then may not fit any more now that it is paid for.
        words = PlanWords(
            question=question,
            epsilon=epsilon,
            delta=delta,
            within=within,
            size=size,
            confidence=confidence,
            dialect=dialect,
            consistent=consistent,
            check_bounds=check_bounds,
            rows=rows,
            groups=groups,
            extremes=extremes,
        )
        planned = words.plan(dataset)
        files = Files(dataset=dataset, key=key or nonce(), once=not key, out=out, report=report, sign=sign, json=json)
        files.check(planned)
        if decode:
            check_decoding(planned, decode)
        with progress() as tell:
            answers = dataset.release(planned, non_negative=non_negative, key=files.key, tell=tell)
        files.deliver(answers, for_spreadsheets=for_spreadsheets, decode=decode)

    @app.command()
    def check(
        schema: Health,
        out: Annotated[str, typer.Option(help="Also write it to a .txt file that only you can read.")] = "",
    ) -> None:
        """Count how many rows and values of a table are understood, column by column. For its owner alone.

        These are exact numbers of a private table. Nothing is charged, so show them to nobody else.

        Example: banister check health.toml
        """
        from banister.apps.cli.showing.release_say import show_check
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        show_check(dataset, out)

    @app.command()
    def budget(
        schema: Health,
        create: Annotated[bool, typer.Option("--create", help="Make the ledger, once.")] = False,
        json: Json = False,
    ) -> None:
        """Show what is left of the budget; --create makes the ledger in which it is kept.

        Example: banister budget health.toml --create
        """
        from banister.apps.cli.showing.release_say import show_budget
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        if create:
            dataset.create_ledger().close()
        show_budget(dataset, json=json)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWords:
    """A question and how it is to be answered, as the command line has it: made once, by name, and handed on whole."""

    question: str
    epsilon: str
    delta: str
    within: str
    size: int
    confidence: str
    dialect: str
    consistent: bool
    check_bounds: str
    rows: int
    groups: int
    extremes: str

    def plan(self, dataset: "Dataset") -> "Plan":
        """The plan at the epsilon that is said, or the cheapest that is as accurate as is said."""
        from banister.apps.cli.say import share
        from banister.errors import BadValue

        if bool(self.epsilon) == bool(self.within):
            raise BadValue("Say what the answers may cost (--epsilon 0.3) or how accurate they must be (--within 2%).")
        if not self.question:
            raise BadValue("The question is missing. Give SQL, or the path of a .sql file.")
        if self.epsilon:
            planned = partial(dataset.plan, self.question, epsilon=self.epsilon)
        else:
            accuracy = share("within", self.within)
            planned = partial(dataset.plan_within, self.question, within=accuracy, size=self.size or None)
        return planned(
            delta=self.delta,
            confidence=share("confidence", self.confidence),
            dialect=self.dialect or None,
            consistent=self.consistent,
            check_bounds=share("check-bounds", self.check_bounds),
            rows=self.rows or None,
            groups=self.groups or None,
            extremes=share("extremes", self.extremes),
        )
