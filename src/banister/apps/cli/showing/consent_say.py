"""How the command line asks an owner before anything is drawn."""

import sys
import textwrap
from collections.abc import Sequence

import typer

from banister.errors import BadValue
from banister.show.plain import plain


def agree(lines: Sequence[tuple[str, object]], *, yes: bool, at_most: str) -> None:
    """Show what is asked, and ask. Without a terminal nobody can be asked: the owner says so beforehand."""
    show(lines)
    _ask(yes=yes, at_most=at_most)


def show(lines: Sequence[tuple[str, object]]) -> None:
    """Names and values, at 80 columns, harmless whatever is in them."""
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        first, *more = textwrap.wrap(plain(value), 78 - width) or [""]
        typer.echo(f"{name:<{width}}  {first}")
        for line in more:
            typer.echo(" " * (width + 2) + line)


def _ask(*, yes: bool, at_most: str) -> None:
    if not sys.stdin.isatty() and not (yes and at_most):
        raise BadValue(
            "There is no terminal to ask at. Give --yes, and --at-most with all that may ever be given away, e.g. "
            "--yes --at-most 1. Nothing was drawn."
        )
    if not yes and not typer.confirm("Answer it?"):
        raise BadValue("Not agreed. Nothing was drawn.")
