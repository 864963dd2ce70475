"""How a small value looks in a notebook: what it is in a line, and its fields; every text in it escaped."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction

from banister.core.exact.numbers import brief
from banister.show.page import PageTable, Paragraph

LONGEST = 60
"""Letters of a field that are shown."""


def facts_html(value: object, *more: tuple[str, str]) -> str:
    """The first line of what it says about itself, its fields, and more lines of one's own."""
    about = (type(value).__doc__ or "").strip().splitlines()
    names = [f.name for f in fields(value) if f.repr] if is_dataclass(value) else []
    rows = [[name.replace("_", " "), _written(getattr(value, name))] for name in names]
    rows += [list(row) for row in more]
    words = f"{type(value).__name__}: {about[0]}" if about else type(value).__name__
    return Paragraph(words).html() + (PageTable([], rows, 1).html() if rows else "")


def grid_html(words: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A line of words and a table."""
    return Paragraph(words).html() + PageTable(header, rows, 1).html()


def _written(value: object) -> str:
    named = getattr(value, "name", None)
    text = brief(value) if isinstance(value, Fraction) else named if isinstance(named, str) else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
