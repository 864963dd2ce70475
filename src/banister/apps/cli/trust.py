"""`banister trust`: one question under a curator, among parties, and with nobody trusted."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from banister.compare import Price


def register(app: typer.Typer) -> None:
    @app.command()
    def trust(
        question: Annotated[str, typer.Argument(help="count, mean, xor, majority, or test.")],
        epsilon: Annotated[str, typer.Option(help="Privacy level, such as 0.5 or 1/2.")],
        people: Annotated[str, typer.Option(help="How many people hold a bit each.")] = "101",
        first: Annotated[str, typer.Option(help="For a test: the first law, such as 0.5,0.5.")] = "",
        second: Annotated[str, typer.Option(help="For a test: the second law.")] = "",
        figure: Annotated[Path | None, typer.Option(help="Draw it over epsilon: .svg, .png, .pdf or .html.")] = None,
    ) -> None:
        """Say what one question costs by whom people trust: a curator, the parties, or nobody.

        Example: banister trust majority --epsilon 1 --people 101
        """
        from banister.compare import draw_trust, price_of_test, price_of_trust

        if question == "test":
            _show("test", price_of_test(_law("first", first), _law("second", second), epsilon=epsilon))
            return
        _show(question, price_of_trust(question, epsilon=epsilon, people=people))
        if figure is not None:
            typer.echo(f"Figure: {draw_trust(question, figure, people=people)}")


def _law(name: str, text: str) -> list[float]:
    from banister import need

    return [float(need.exact(f"--{name}", each.strip())) for each in text.split(",")]


def _show(question: str, prices: "tuple[Price, ...]") -> None:
    from rich.table import Table

    from banister.show.terminal import console

    table = Table(title=f"The price of trust: {question}", title_justify="left")
    table.add_column("who is trusted", no_wrap=True)
    table.add_column(prices[0].measure, justify="right")
    table.add_column("people needed", justify="right")
    table.add_column("nothing is better by")
    for price in prices:
        needed = "–" if price.people is None else f"{price.people:,}"
        table.add_row(price.trust.value, f"{price.value:.6g}", needed, price.proof)
    console().print(table)
