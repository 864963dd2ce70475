"""The terminal, through rich: text is text. Nothing that stands in square brackets or between colons is a command."""

from functools import cache
from typing import TYPE_CHECKING, Any

from banister.core.exact.written import NO_BREAK

if TYPE_CHECKING:  # Loaded by whoever prints.
    from rich.console import Console
    from rich.text import Text

HELD = "\ue000"
"""Stands for a blank at which no line is broken, until lines are broken. Nothing that is printed holds it: `plain`."""


def console() -> "Console":
    """Where a command prints. A word such as [source] is printed as it stands; emphasis is made with `bold`."""
    return _kind()(highlight=False, markup=False, emoji=False)


@cache
def _kind() -> "type[Console]":
    """A console that breaks no line within a number: rich would, at every kind of blank."""
    from rich.console import Console

    class Unbroken(Console):
        def render_str(self, text: str, *args: Any, **options: Any) -> "Text":
            return super().render_str(text.replace(NO_BREAK, HELD), *args, **options)

        def _render_buffer(self, buffer: Any) -> str:
            return super()._render_buffer(buffer).replace(HELD, " ")

    return Unbroken


def bold(text: str, then: str = "") -> "Text":
    """A text that stands out, and what follows it."""
    from rich.text import Text

    return Text.assemble((text.replace(NO_BREAK, HELD), "bold"), then.replace(NO_BREAK, HELD))
