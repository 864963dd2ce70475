"""`banister sanitize`."""

from pathlib import Path
from typing import Annotated

import typer

from banister.apps.cli.showing.certificates import Sign, copy_certifier

Table = Annotated[Path, typer.Argument(help="The private table: .csv or .parquet.", metavar="TABLE")]
Out = Annotated[Path | None, typer.Option(help="Write the private copy here: .csv or .parquet.")]
Histogram = Annotated[Path | None, typer.Option(help="Write the private histogram here: .csv or .parquet.")]


def register(app: typer.Typer) -> None:
    @app.command()
    def sanitize(
        table: Table,
        epsilon: Annotated[str, typer.Option(help="How much may be told apart.")],
        out: Out = None,
        columns: Annotated[
            str, typer.Option(help="Columns to publish, separated by commas; by default all declared ones.")
        ] = "",
        schema: Annotated[Path | None, typer.Option(help="The schema; by default the table's name with .toml.")] = None,
        neighbours: Annotated[str, typer.Option(help="replace or add-remove; by default as the schema says.")] = "",
        ledger: Annotated[str, typer.Option(help="The ledger to charge; by default as the schema says.")] = "",
        delta: Annotated[str, typer.Option(help="The chance that more may be told; for --wide.")] = "0",
        wide: Annotated[bool, typer.Option("--wide", help="Too many cells: publish through sets of columns.")] = False,
        target: Annotated[
            str, typer.Option("--for", help="With --wide: the column that the copy is for, which counts more.")
        ] = "",
        workload: Annotated[
            str, typer.Option(help="With --wide: sets of columns that count more, such as age*income,sex*income.")
        ] = "",
        histogram: Histogram = None,
        report: Annotated[Path | None, typer.Option(help="Write the owner's fidelity report here: .html.")] = None,
        prior: Annotated[Path | None, typer.Option(help="A public table with the same columns.")] = None,
        raw: Annotated[bool, typer.Option("--raw", help="Leave the noisy numbers as they are.")] = False,
        plan_only: Annotated[bool, typer.Option("--plan", help="Say what would be done; read no record.")] = False,
        key: Annotated[
            str, typer.Option(help="A name for this request: it is charged once, and fetched when asked again.")
        ] = "",
        sign: Sign = "",
    ) -> None:
        """Publish one private copy of a table that anyone may query for ever.

        Example: banister sanitize patients.csv --columns zip,heart --epsilon 1 --out public.csv --report report.html
        """
        from banister.publish.job import Wish, publish

        wish = Wish(
            table=table,
            epsilon=epsilon,
            delta=delta,
            out=out,
            columns=tuple(name.strip() for name in columns.split(",") if name.strip()),
            schema=schema,
            neighbours=neighbours,
            ledger=ledger,
            wide=wide,
            histogram=histogram,
            report=report,
            prior=prior,
            raw=raw,
            key=key,
            target=target.strip(),
            workload=tuple(
                tuple(name.strip() for name in names.split("*")) for names in workload.split(",") if names.strip()
            ),
        )
        said = table.with_suffix(".toml") if schema is None else schema
        _show(publish(wish, plan_only=plan_only, certify=copy_certifier(sign, said)))


def _show(rows: list[tuple[str, str]]) -> None:
    from rich.table import Table as Grid
    from rich.text import Text

    from banister.show.plain import plain
    from banister.show.terminal import console

    grid = Grid(box=None, show_header=False, pad_edge=False)
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(Text(plain(name)), Text(plain(value)))
    console().print(grid)
