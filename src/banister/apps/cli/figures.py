"""`banister figures`: every figure of the five source documents."""

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def figures(
        which: Annotated[
            list[str], typer.Argument(help="all, list, noise, local, spread, …, names, or numbers such as G13-2.7.")
        ],
        out: Annotated[Path | None, typer.Option(help="The folder for the figures.")] = None,
        kind: Annotated[str, typer.Option(help="svg, png, pdf or html.")] = "svg",
        instances: Annotated[int, typer.Option(min=2, help="Random laws a size, for local privacy.")] = 40,
        trials: Annotated[int, typer.Option(min=20, help="Trials a point, for spreading.")] = 200,
        seed: Annotated[int, typer.Option(help="The seed of the trials.")] = 1,
    ) -> None:
        """Draw the figures of the five source documents, by name, by number, or all with a page that shows them.

        A folder alone draws the three figures of the composition theorem into it.

        Example: banister figures all --out figures
        """
        from banister.papers.gallery import Effort, draw, listed

        if which == ["list"]:
            for name, numbers, about in listed():
                typer.echo(f"{name:20} {numbers}\n{'':20} {about}")
            return
        if out is None:
            from banister.accounting.totals.figures import draw_figures

            made = iter(draw_figures(" ".join(which)))
        else:
            made = draw(which, out, effort=Effort(instances=instances, trials=trials, seed=seed), kind=f".{kind}")
        for path in made:
            typer.echo(f"Wrote {path}")
