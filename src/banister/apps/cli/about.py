"""`banister version` and `banister --version`."""

from typing import Annotated

import typer

import banister


def _version(asked: bool) -> None:
    if asked:
        typer.echo(banister.__version__)
        raise typer.Exit


def register(app: typer.Typer) -> None:
    @app.callback()
    def root(
        version: Annotated[
            bool,
            typer.Option("--version", help="Print the version of banister.", callback=_version, is_eager=True),
        ] = False,
    ) -> None:
        """Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away."""

    @app.command()
    def version() -> None:
        """Print the version of banister."""
        typer.echo(banister.__version__)
