"""`banister account`, `banister calibrate` and `banister explain`."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from banister.accounting.totals.total import Account
    from banister.core.privacy.guarantee import Guarantee

Epsilon = Annotated[str, typer.Option(help="The total epsilon.")]
Delta = Annotated[str, typer.Option(help="The total delta, e.g. 1e-6.")]


def register(app: typer.Typer) -> None:
    @app.command()
    def account(
        questions: Annotated[str, typer.Argument(help="A list such as '30 x (0.1, 0.001), 3 x gaussian(sigma=8)'.")],
        delta: Delta,
        width: Annotated[
            float, typer.Option(help="Relative width of the bracket, where a narrower takes longer.")
        ] = 1e-6,
        figure: Annotated[str, typer.Option(help="Draw the privacy region into this file (.svg, .png or .pdf).")] = "",
    ) -> None:
        """Compose questions exactly, and compare with the usual theorems.

        Example: banister account "500 x laplace(0.05), 20 x staircase(0.3)" --delta 1e-6
        """
        from banister.accounting.totals.total import account as recipe
        from banister.accounting.totals.total import compose

        found = recipe(questions, delta=delta, relative_width=width)
        _show_account(found)
        if figure:
            compose((question.loss, question.count) for question in found.questions).plot(figure)
            typer.echo(f"\nWrote {figure}")

    @app.command()
    def calibrate(
        epsilon: Epsilon,
        delta: Delta,
        questions: Annotated[int, typer.Option(min=1, help="How many questions.")],
        delta_each: Annotated[str, typer.Option(help="The delta of each question.")] = "0",
        sensitivity: Annotated[str, typer.Option(help="How far one neighbour moves an answer.")] = "1",
    ) -> None:
        """Find the largest epsilon for each of many questions, and the noise it allows.

        Example: banister calibrate --epsilon 1 --delta 1e-6 --questions 100
        """
        from banister.core.privacy.guarantee import Guarantee

        _show_calibration(Guarantee(epsilon, delta), questions, delta_each, sensitivity)

    @app.command()
    def explain(epsilon: Epsilon, delta: Delta) -> None:
        """Say in words what a guarantee means for one person.

        Example: banister explain --epsilon 1 --delta 1e-6
        """
        from banister.accounting.totals.explanation import explain as recipe
        from banister.core.privacy.guarantee import Guarantee

        typer.echo(str(recipe(Guarantee(epsilon, delta))))


def _show_account(found: "Account") -> None:
    from rich import box
    from rich.table import Table

    from banister.show.terminal import bold, console

    table = Table(box=box.SIMPLE_HEAD, title=f"Total epsilon at delta = {found.delta:g}", title_justify="left")
    table.add_column("account")
    table.add_column("epsilon", justify="right")
    table.add_column("times the exact", justify="right")
    table.add_row(bold("exact", ", certified upper bound"), bold(_up(found.exact.up, 10)), "1")
    table.add_row("exact, certified lower bound", _down(found.exact.down, 10), "")
    for form in found.forms:
        spoken = form.epsilon < float("inf")
        row = (f"{form.epsilon:.6g}", f"{found.gain(form):.3g}") if spoken else ("–", "–")
        table.add_row(f"{form.name} composition, {form.source}", *row)
    shown = console()
    shown.print(table)
    if found.exact.down == float("inf"):
        shown.print("No epsilon reaches this delta: everything may be revealed with a larger chance.")
    elif not all(form.epsilon < float("inf") for form in found.forms):
        shown.print("– : the theorem says nothing at this delta.")
    if not found.as_narrow_as_asked:
        wide = found.exact.width / found.exact.up if found.exact.up < float("inf") else float("inf")
        shown.print(f"The bracket is {wide:.1e} wide; {found.asked_width:.1e} was asked for. Both of its ends hold.")
    for question in found.questions:
        shown.print(f"{question.count:>9} x {question.words}")


def _show_calibration(total: "Guarantee", questions: int, delta_each: str, sensitivity: str) -> None:
    from banister.accounting.totals.calibration import calibrate, calibrate_gaussian, calibrate_laplace
    from banister.accounting.totals.many import theorems_for_many, usual_noises

    each = calibrate(total=total, questions=questions, delta_each=delta_each)
    typer.echo(f"{questions} questions within {total}, fixed in advance:")
    typer.echo(f"  any mechanism      epsilon {_down(float(each.epsilon))} each, delta {delta_each}")
    typer.echo(f"  adding up allows   epsilon {_down(float(total.epsilon) / questions)} each")
    scale = calibrate_laplace(total=total, questions=questions, sensitivity=sensitivity)
    typer.echo(f"  Laplace noise      scale {_up(float(scale))}, standard deviation {_up(2**0.5 * float(scale))}")
    if total.delta:
        variance = calibrate_gaussian(total=total, questions=questions, sensitivity=sensitivity)
        typer.echo(f"  Gaussian noise     standard deviation {_up(float(variance) ** 0.5)}")
    typer.echo("Squared error of each answer, least first; each is composed exactly:")
    for one in usual_noises(total=total, questions=questions, sensitivity=sensitivity):
        typer.echo(f"  {one.name:18} {_up(one.risk)}  ({one.says})")
    for words, error in theorems_for_many(total=total, questions=questions, sensitivity=sensitivity):
        typer.echo(f"  by the theorem     {_up(error)}  ({words})")
    typer.echo("A shape between them may be less: banister noise --questions.")


def _down(x: float, digits: int = 6) -> str:
    """So many digits, rounded towards 0."""
    from decimal import ROUND_FLOOR, Context, Decimal

    return f"{Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(x)):f}"


def _up(x: float, digits: int = 6) -> str:
    """So many digits, rounded away from 0."""
    from decimal import ROUND_CEILING, Context, Decimal

    return f"{Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(x)):f}"
