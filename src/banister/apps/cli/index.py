"""`banister index`: lists of people's groups, kept so that the next release costs what a plain query costs."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def index(
        schema: Annotated[str, typer.Argument(help="The schema, a .toml file.", metavar="SCHEMA")],
        question: Annotated[str, typer.Argument(help="SQL, or a .sql file; else the usual ones.")] = "",
        drop: Annotated[bool, typer.Option("--drop", help="Delete every index of this schema.")] = False,
    ) -> None:
        """Keep the groups of people with many rows in a file of yours, so that releases need not sort them out.

        An index lies beside the ledger, readable by you alone. It is as private as the table, and is never used once
        the table has changed.

        Example: banister index stays.toml "SELECT ward, COUNT(*), SUM(days) FROM data GROUP BY ward"
        """
        from banister.release.dataset import open as open_dataset
        from banister.release.indexing import drop_index, make_index

        dataset = open_dataset(schema)
        if drop:
            typer.echo(f"Indexes deleted: {drop_index(dataset)}.")
        else:
            typer.echo(f"Questions with a fresh index: {make_index(dataset, question)}. Nothing was charged.")
