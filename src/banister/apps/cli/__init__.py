"""The `banister` command. Each file of this room holds one family of commands and a `register` function."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import typer

from banister.apps.cli.say import fail
from banister.errors import BanisterError


def families() -> Iterator[ModuleType]:
    """Every file of this room that registers commands; a new family is one new file."""
    for found in iter_modules(__path__):
        module = import_module(f"{__name__}.{found.name}")
        if hasattr(module, "register"):
            yield module


def build() -> typer.Typer:
    """The whole command tree."""
    app = typer.Typer(
        name="banister",
        help="Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    for family in families():
        family.register(app)
    return app


def main() -> None:
    """Run the command line; an error of ours is one message and exit code 2, never a traceback."""
    try:
        build()()
    except BanisterError as error:
        sys.exit(fail(error))
