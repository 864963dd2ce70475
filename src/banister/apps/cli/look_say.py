"""How a look is shown in a terminal of 80 columns, and where it is written."""

import json as jsons
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from banister.apps.cli.release_say import safe
from banister.errors import BadValue
from banister.files import check_target, new_text
from banister.release.profile.words import about, columns_of, document, share, summary

if TYPE_CHECKING:
    from banister.release.dataset import Dataset
    from banister.release.profile.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class LookFiles:
    """The files that a look was asked to write, checked before anything is charged."""

    schema: str
    page: str
    out: str
    propose: str

    def check(self, dataset: "Dataset") -> None:
        """Refuse what cannot be written."""
        kinds = ((self.page, (".html",)), (self.out, (".csv", ".parquet", ".json")), (self.propose, (".toml",)))
        for name, suffixes in kinds:
            if name:
                check_target(Path(name), suffixes)
                dataset.check_output(name)
        if self.propose and Path(self.propose).exists():
            raise BadValue(f"'{self.propose}' is there already. Give another name, or take it away first.")

    def write(self, found: "Profile") -> list[Path]:
        """Write them."""
        written: list[Path] = []
        if self.page:
            written.append(found.report(self.page))
        if self.out:
            from banister.tables.frames.write import write_tables

            written += write_tables(Path(self.out), [columns_of(found)])
        if self.propose:
            from banister.release.profile.proposal import proposed_schema

            new_text(Path(self.propose), proposed_schema(found, Path(self.schema).read_text(encoding="utf-8")))
            written.append(Path(self.propose))
        return written


def show_look(found: "Profile", *, json: bool) -> None:
    """Print a look: as a table, or as one document."""
    if json:
        print(jsons.dumps(document(found), indent=1))
        return
    console = Console(emoji=False, highlight=False)
    for line in summary(found):
        console.print(safe(line))
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in ("column", "missing", "undeclared", "where its values lie"):
        table.add_column(name, overflow="fold")
    for column in found.columns:
        table.add_row(safe(column.name), safe(share(column.missing)), safe(share(column.outside)), safe(about(column)))
    console.print(table)
    console.print(f"Head of the ledger:\n{found.head}", soft_wrap=True)
