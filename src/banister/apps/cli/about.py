"""`banister version`."""

import typer

import banister


def register(app: typer.Typer) -> None:
    @app.callback()
    def root() -> None:
        """Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away."""

    @app.command()
    def version() -> None:
        """Print the version of banister."""
        typer.echo(banister.__version__)
