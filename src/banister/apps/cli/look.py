"""`banister look`: a private profile of all columns by one charge."""

from typing import Annotated

import typer

from banister.apps.cli.showing.certificates import Sign


def register(app: typer.Typer) -> None:
    @app.command()
    def look(
        schema: Annotated[str, typer.Argument(help="The schema, a .toml file; ranges and values may be blank.")],
        epsilon: Annotated[str, typer.Option(help="What the look may cost, e.g. 0.2.")],
        delta: Annotated[str, typer.Option(help="Needed to show frequent values of unknown ones, e.g. 1e-6.")] = "0",
        confidence: Annotated[str, typer.Option(help="How often an interval holds the exact number.")] = "95%",
        page: Annotated[str, typer.Option(help="Write a page with small pictures to an .html file.")] = "",
        out: Annotated[str, typer.Option(help="Write the numbers to a .csv, .parquet or .json file.")] = "",
        propose: Annotated[str, typer.Option(help="Write the schema with its blanks filled in to a new file.")] = "",
        plan: Annotated[bool, typer.Option("--plan", help="Only show what it would cost; nothing is charged.")] = False,
        key: Annotated[
            str, typer.Option(help="A name for this request: it is charged once, and fetched when asked again.")
        ] = "",
        sign: Sign = "",
        json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    ) -> None:
        """Look privately at all columns of a table at once: people, rows, missing values, quantiles, frequent values.

        One charge pays for all of it, and the proposal for the schema costs nothing more.

        Example: banister look stays.toml --epsilon 0.2 --delta 1e-6 --page look.html
        """
        from banister.apps.cli.say import share, tell
        from banister.apps.cli.showing.look_say import LookFiles
        from banister.apps.cli.showing.release_say import progress
        from banister.keys import nonce
        from banister.release.dataset import open as open_dataset

        dataset = open_dataset(schema)
        planned = dataset.plan_look(epsilon=epsilon, delta=delta, confidence=share("confidence", confidence))
        files = LookFiles(
            dataset=dataset, key=key or nonce(), once=not key, page=page, out=out, propose=propose, sign=sign
        )
        files.check(planned)
        if plan:
            tell(planned)
            return
        with progress() as told:
            found = dataset.look(planned, key=files.key, tell=told)
        files.deliver(found, json=json)
