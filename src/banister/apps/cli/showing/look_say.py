"""How a look is shown in a terminal of 80 columns, and where it is written."""

import json as jsons
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table

from banister.apps.cli.say import tell
from banister.apps.cli.showing.certificates import certificate_of, save_beside, schema_text, signing_key
from banister.apps.cli.showing.release_say import safe
from banister.audit import certify_look
from banister.errors import BadValue
from banister.files import check_space, check_target, new_text
from banister.release.profile.keeping import look_bytes
from banister.release.profile.words import about, columns_of, document, share, summary
from banister.show.terminal import console

if TYPE_CHECKING:
    from banister.release.dataset import Dataset
    from banister.release.profile.plan import LookPlan
    from banister.release.profile.profile import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class LookFiles:
    """The files that a look was asked to write, checked before anything is charged."""

    dataset: "Dataset"
    key: str
    once: bool
    """Whether the key was made for this one run, so that nobody will fetch the look once it is written."""
    page: str
    out: str
    propose: str
    sign: str = ""
    """The file of the owner's key, where the certificate is to be signed."""

    def check(self, plan: "LookPlan") -> None:
        """Refuse what cannot be written, and disks without room."""
        kinds = ((self.page, (".html",)), (self.out, (".csv", ".parquet", ".json")), (self.propose, (".toml",)))
        for name, suffixes in kinds:
            if name:
                check_target(Path(name), suffixes)
                check_space(Path(name), look_bytes(plan))
                self.dataset.check_output(name)
        if (certificate := certificate_of((self.out, self.page), self.sign)) is not None:
            check_target(certificate)
            self.dataset.check_output(certificate)
        if self.propose and Path(self.propose).exists():
            raise BadValue(f"'{self.propose}' is there already. Give another name, or take it away first.")

    def deliver(self, found: "Profile", *, json: bool) -> None:
        """Write and show the look. What fails here costs nothing more: it is kept."""
        try:
            written = self.write(found)
        except (BadValue, OSError) as error:
            raise BadValue(f"{error} The look is paid for and kept: fetch it with --key {self.key}.") from None
        show_look(found, json=json)
        for path in written:
            tell(f"Wrote {path}", err=json)
        if self.once:
            self.dataset.given(found, self.key)

    def write(self, found: "Profile") -> list[Path]:
        """Write them, with a certificate beside the numbers and the page."""
        written: list[Path] = []
        if self.out:
            from banister.tables.frames.write import write_tables

            written += write_tables(Path(self.out), [columns_of(found)])
        if self.page:
            written.append(found.report(self.page))
        if written:
            schema, key = schema_text(self.dataset), signing_key(self.sign)
            with self.dataset.ledger() as book:
                proof = certify_look(found, book, files=written, schema=schema, key=key)
            written.append(save_beside(proof, written))
        if self.propose:
            from banister.release.profile.proposal import proposed_schema

            assert self.dataset.path is not None
            new_text(Path(self.propose), proposed_schema(found, self.dataset.path.read_text(encoding="utf-8")))
            written.append(Path(self.propose))
        return written


def show_look(found: "Profile", *, json: bool) -> None:
    """Print a look: as a table, or as one document."""
    if json:
        print(jsons.dumps(document(found), indent=1))
        return
    shown = console()
    for line in summary(found):
        shown.print(safe(line))
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in ("column", "missing", "undeclared", "where its values lie"):
        table.add_column(name, overflow="fold")
    for column in found.columns:
        table.add_row(safe(column.name), safe(share(column.missing)), safe(share(column.outside)), safe(about(column)))
    shown.print(table)
    shown.print(f"Head of the ledger:\n{found.head}", soft_wrap=True)
