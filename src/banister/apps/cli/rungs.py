"""`banister refine`: open the next rung of an answer that gets finer."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def refine(
        sealed: Annotated[Path, typer.Argument(help="The sealed file that the first release wrote.")],
        ledger: Annotated[str, typer.Option(help="The ledger that paid for it.")],
    ) -> None:
        """Open the next rung of sealed counts, and charge what it takes beyond the last one.

        Example: banister refine wards.rungs --ledger wards.ledger
        """
        from banister.accounting.ledger import Ledger
        from banister.core.exact.numbers import brief
        from banister.release import refine_rungs

        with Ledger.open(ledger) as book:
            found = refine_rungs(sealed, ledger=book)
        typer.echo(f"epsilon {brief(found.epsilon)}, charge {found.charge}: {' '.join(str(x) for x in found.values)}")
        if found.finer:
            typer.echo(f"still sealed: epsilon {', '.join(brief(each) for each in found.finer)}")
