"""`banister ask`: a sanitized copy answers, free for ever."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def ask(
        copy: Annotated[Path, typer.Argument(help="A .parquet file that `banister sanitize` wrote.")],
        question: Annotated[str, typer.Argument(help="SELECT keys, COUNT(*), SUM(x) FROM copy WHERE … GROUP BY keys.")],
        confidence: Annotated[str, typer.Option(help="Of each interval, at least.")] = "0.95",
    ) -> None:
        """Ask a sanitized copy: numbers from its raw noisy counts, with intervals. It costs no privacy.

        Example: banister ask public.parquet "SELECT plan, COUNT(*) FROM copy GROUP BY plan"
        """
        from rich.table import Table

        from banister.publish.asking import ask as answered
        from banister.show.terminal import console

        found = answered(copy, question, confidence=confidence)
        table = Table(box=None, pad_edge=False)
        for head in (*found.keys, "answer", "value", "low", "high", "repaired"):
            table.add_column(head, justify="left" if head in (*found.keys, "answer") else "right")
        for row in found.rows:
            for each in row.answers:
                numbers = (each.value, each.low, each.high)
                last = "–" if each.repaired is None else f"{each.repaired:,.6g}"
                table.add_row(*(str(key) for key in row.keys), each.name, *(f"{x:,.6g}" for x in numbers), last)
        shown = console()
        shown.print(table)
        shown.print(f"From the raw noisy counts ({found.guarantee}).")
        shown.print(f"Each interval holds with a chance of at least {found.confidence:.4g}.")
        shown.print("repaired: from the records of the file, never negative, and biased.")
