"""`banister distortion`."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def distortion(
        cells: Annotated[int, typer.Option(min=1, help="Number of cells of the table.")] = 44064,
        epsilon: Annotated[str, typer.Option(help="The level, for replaced records.")] = "1",
        records: Annotated[int, typer.Option(min=1, help="Number of records.")] = 100_000,
        figure: Annotated[Path | None, typer.Option(help="Draw how it grows: .svg, .png, .pdf or .html.")] = None,
    ) -> None:
        """Say how far a private table must be from the truth, and how far other mechanisms are.

        Example: banister distortion --cells 44064 --epsilon 1 --records 1000000 --figure distortion.svg
        """
        from rich.table import Table

        from banister.publish.foretell import foretold
        from banister.show.terminal import console

        table = Table("mechanism", "error in records", "times", box=None, pad_edge=False)
        for name, error, times in foretold(cells, epsilon, records, figure):
            table.add_row(name, f"{error:,.6g}", f"{times:.4g}")
        console().print(table)
