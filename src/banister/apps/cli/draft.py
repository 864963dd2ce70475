"""`banister draft`: from a table to a first schema, by questions in plain words."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def draft(
        table: Annotated[str, typer.Argument(help="A .csv, .parquet or .duckdb file, or postgresql://host/database.")],
        out: Annotated[str, typer.Option(help="Where the schema goes; beside the table where left out.")] = "",
        name: Annotated[str, typer.Option("--table", help="The table's name inside a database.")] = "",
        yes: Annotated[bool, typer.Option("--yes", help="Ask nothing: take proposals, and mark blanks.")] = False,
        owner_looks: Annotated[
            bool,
            typer.Option("--owner-looks", help="Let it look at the data, for you alone; what it takes is marked."),
        ] = False,
        answers: Annotated[
            list[str], typer.Option("--set", help="An answer beforehand, e.g. person=patient or 'age.range=0 to 120'.")
        ] = [],  # noqa: B006
    ) -> None:
        """Write the schema of a table: names and types are read, no value is, and you are asked what only you know.

        Of a CSV file only the first line is read. The file may be changed by hand afterwards.

        Example: banister draft stays.csv
        """
        from banister.apps.cli.showing.draft_say import begin, finish, refuse_taken, talk
        from banister.files import check_target

        place = begin(table, out, name)
        check_target(place.path, (".toml",))
        refuse_taken(place.path)
        begun = place.draft(owner_looks=owner_looks, answers=answers)
        finish(begun.with_proposals() if yes else talk(begun), place.path)
