"""The `banister` command. Each file of this room holds one family of commands and a `register` function."""

import atexit
import gc
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import typer
from typer.main import get_command, get_command_name
from typer.models import CommandInfo

from banister.apps.cli.ending import run
from banister.apps.cli.words import read_plainly


def families() -> Iterator[ModuleType]:
    """Every file of this room that registers commands; a new family is one new file."""
    for found in iter_modules(__path__):
        # How answers look, in the room `showing`, and how a run reads, speaks and ends: loaded when needed.
        if not found.ispkg and found.name not in ("ending", "say", "words"):
            yield import_module(f"{__name__}.{found.name}")


def build() -> typer.Typer:
    """The whole command tree."""
    app = typer.Typer(
        name="banister",
        help="Privacy at its limit: the least noise a guarantee allows, and an exact account of what was given away.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    for family in families():
        family.register(app)
    return app


def narrowed(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """The tree with only the command that the words begin with, where they begin with one.

    The parameters of a hundred others need not be read for it: that takes longer than many a command.
    """
    asked = words[0] if words else ""
    commands = [each for each in app.registered_commands if _name(each) == asked]
    groups = [each for each in app.registered_groups if each.name == asked]
    if commands or groups:
        app.registered_commands, app.registered_groups = commands, groups
    return app


def _name(command: CommandInfo) -> str:
    return command.name or (get_command_name(command.callback.__name__) if command.callback else "")


def main() -> None:
    """Run the command line; an error of ours is one message and an exit code of its kind, never a traceback."""
    # Loading makes hundreds of thousands of objects and no rubbish; looking for it among them is a fifth of the time
    # that a short command takes.
    gc.set_threshold(200_000, 20, 20)
    atexit.register(_leave_rubbish)
    run(partial(_ask, narrowed(build(), sys.argv[1:])))


def _leave_rubbish() -> None:
    """At the end nothing is looked for either: what is left goes with the process, and what has to be put away has a
    `with` or an `atexit`. Only DuckDB, where it was loaded, takes objects that are left for leaks, and says so."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def _ask(app: typer.Typer) -> None:
    command = get_command(app)
    read_plainly(command)
    command()
