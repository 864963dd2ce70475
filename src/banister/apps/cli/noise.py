"""`banister noise`: which noise is least, in a table, as JSON, or as a figure."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banister.apps.cli.say import cost_word

if TYPE_CHECKING:
    from banister.mechanisms.comparison.least_noise import Comparison
    from banister.mechanisms.offers import NoiseQuestion


def register(app: typer.Typer) -> None:
    @app.command()
    def noise(
        epsilon: Annotated[str, typer.Option(help="Privacy level, such as 0.5 or 1/2.")],
        sensitivity: Annotated[str, typer.Option(help="How far one person can move the answer.")],
        delta: Annotated[str, typer.Option(help="Chance of a larger loss; 0 for pure privacy.")] = "0",
        cost: Annotated[str, typer.Option(help="absolute, squared, zero-one, or an exponent.")] = "absolute",
        integer: Annotated[bool, typer.Option("--integer", help="The answer is a whole number.")] = False,
        dimension: Annotated[str, typer.Option(help="How many numbers are released together.")] = "1",
        touches: Annotated[str, typer.Option(help="Which of them a person can move: one, or all in total.")] = "all",
        questions: Annotated[int, typer.Option(min=1, help="How many such questions are to share the guarantee.")] = 1,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
        figure: Annotated[Path | None, typer.Option(help="Draw the laws and costs: .svg, .png or .html.")] = None,
    ) -> None:
        """Compare every noise that gives a guarantee, the least first.

        Example: banister noise --epsilon 5 --sensitivity 1 --cost squared
        """
        if questions > 1:
            _for_many(epsilon, delta, sensitivity, cost_word(cost), questions)
            return
        from banister.mechanisms.comparison.least_noise import as_record, least_noise

        found = least_noise(
            epsilon=epsilon,
            delta=delta,
            sensitivity=sensitivity,
            over="integers" if integer else "reals",
            cost=cost_word(cost),
            dimension=dimension,
            touches=touches,
        )
        if as_json:
            typer.echo(json.dumps(as_record(found), indent=2))
        else:
            show(found)
        if figure is not None:
            from banister.mechanisms.comparison.figure import draw_noise

            typer.echo(f"Figure: {draw_noise(found, figure)}", err=as_json)


def _for_many(epsilon: str, delta: str, sensitivity: str, cost: str, questions: int) -> None:
    """Noise on the line for each of many questions, as a table."""
    from rich.table import Table

    from banister.accounting.totals.many import least_noise_each
    from banister.core.privacy.guarantee import Guarantee
    from banister.show.terminal import console

    found = least_noise_each(total=Guarantee(epsilon, delta), questions=questions, sensitivity=sensitivity, cost=cost)
    table = Table(title=f"Noise for each of {questions} questions within {found.total} in total")
    table.add_column("noise", no_wrap=True)
    table.add_column(f"expected {found.cost.in_words}", justify="right")
    table.add_column("with")
    for each in found.contenders:
        table.add_row(each.name, f"{each.risk:.6g}", each.says)
    shown = console()
    shown.print(table)
    if found.lower_bound:
        shown.print(f"No noise of one law for all questions has less than {found.lower_bound:.6g} (certified).")
    for words, variance in found.by_theorem:
        shown.print(f"For comparison, variance {variance:.6g}: {words}.")


def show(found: "Comparison") -> None:
    """The comparison as a table that a person can read at 80 columns."""
    from rich.table import Table

    from banister.show.terminal import console

    shown = console()
    question, best = found.question, found.best
    table = Table(title=_title(question))
    table.add_column("noise", no_wrap=True)
    table.add_column(f"expected {question.cost.in_words}", justify="right")
    table.add_column("x best", justify="right")
    table.add_column("95 % within", justify="right")
    proven = any(each.optimal for each in found.contenders)
    if proven:
        table.add_column("optimal by")
    for each in found.contenders:
        times = each.risk / best.risk if best.risk else 1.0
        cells = (each.name, f"{each.risk:.6g}", f"{times:.4g}", f"±{each.interval:.4g}")
        table.add_row(*cells, *((each.optimal,) if proven else ()))
    shown.print(table)
    shown.print(_verdict(found))


def _title(question: "NoiseQuestion") -> str:
    title = f"Noise for {question.guarantee}, sensitivity {float(question.sensitivity):g}, {question.over.value}"
    if question.dimension == 1:
        return title
    return f"{title}, dimension {question.dimension}, a person moves {question.touches.value}"


def _verdict(found: "Comparison") -> str:
    from banister.mechanisms.comparison.least_noise import ASSUMED

    best = found.best
    words = f"The least noise known here is {best.name}: expected {found.question.cost.in_words} {best.risk:.6g}."
    words += "" if best.certified else "\nThat figure is numerical, not certified."
    if found.left_out:
        words += f"\nLeft out, because it reaches too far to be drawn exactly: {', '.join(found.left_out)}."
    if found.best.optimal:
        return f"{words}\nNo {ASSUMED} can do better with this guarantee ({found.best.optimal})."
    if found.lower_bound is None or found.gap is None:
        return words
    left = f"at most {found.gap:.2%}" if found.gap >= 1e-4 else "less than 0.01%"
    kind = "certified" if found.certified else "numerical"
    return f"{words}\nNo {ASSUMED}, is below {found.lower_bound:.6g} ({kind}): {left} is left."
