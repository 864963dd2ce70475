"""Write the command reference, docs/command-reference.md, from the program itself: `make reference`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from banister.apps.cli import build

# Typer's own command and parameter types are private, so they are known here by what they have.
Command = Any
Parameter = Any
HOME = Path(__file__).with_name("command-reference.md")
TOP = """# Command reference

Made from the program by `make reference`; a test holds it to be up to date. Examples are in [commands](commands.md).
"""


def walk(command: Command, path: str) -> Iterator[tuple[str, Command]]:
    """Every command of the tree, groups before their members, in order of name."""
    yield path, command
    members = getattr(command, "commands", {})
    for name in sorted(members):
        yield from walk(members[name], f"{path} {name}")


def row(parameter: Parameter) -> str:
    names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    words = " ".join((getattr(parameter, "help", None) or "").split()).replace("|", "\\|")
    needed = "yes" if parameter.required else ""
    return f"| {names} | {needed} | {words} |"


def section(path: str, command: Command) -> str:
    words = "\n".join(line.strip() for line in (command.help or "").strip().splitlines())
    rows = [row(parameter) for parameter in command.params if parameter.name != "help"]
    table = ["", "| parameter | needed | meaning |", "|---|---|---|", *rows] if rows else []
    return "\n".join([f"## {path}", "", words, *table, ""])


def text() -> str:
    """The whole page."""
    tree = typer.main.get_command(build())
    pages = [section(path, command) for path, command in walk(tree, "banister") if not hasattr(command, "commands")]
    return "\n".join([TOP, *pages])


if __name__ == "__main__":
    HOME.write_text(text(), encoding="utf-8")
