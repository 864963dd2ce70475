"""The terminal, through rich: text is text. Nothing that stands in square brackets or between colons is a command."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Loaded by whoever prints.
    from rich.console import Console
    from rich.text import Text


def console() -> "Console":
    """Where a command prints. A word such as [source] is printed as it stands; emphasis is made with `bold`."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def bold(text: str, then: str = "") -> "Text":
    """A text that stands out, and what follows it."""
    from rich.text import Text

    return Text.assemble((text, "bold"), then)
