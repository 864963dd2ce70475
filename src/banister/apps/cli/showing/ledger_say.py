"""The lines of a ledger, as `banister budget` and `banister ledger history` both show them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from banister.show.plain import plain

if TYPE_CHECKING:
    from rich.table import Table

    from banister.accounting.terms import Entry


def history_table(entries: "Sequence[Entry]") -> "Table":
    """A line for each charge; only its label may be broken."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("no.", "time (UTC)", "epsilon, delta", "label", "hash"):
        table.add_column(title, no_wrap=title != "label")
    for entry in entries:
        when = entry.at[:19].replace("T", " ")
        table.add_row(str(entry.sequence), when, entry.in_words(), plain(entry.label), entry.hash[:8])
    return table
