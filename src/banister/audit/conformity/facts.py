"""What files say of a table that is protected: its schema, its ledger, and the certificates of its releases."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import banister
from banister.accounting.ledger import Ledger
from banister.accounting.terms import Entry
from banister.audit.verifying import verify
from banister.core.exact.numbers import brief
from banister.errors import BadValue, BanisterError
from banister.files import file_hash
from banister.release.dataset import open as open_schema
from banister.tables.schema import Schema


@dataclass(frozen=True, slots=True)
class CertifiedFile:
    """A certificate: what it claims and draws, and what its checker says today."""

    name: str
    claim: dict[str, Any]
    draws: tuple[dict[str, Any], ...]
    signed_by: str
    holds: str
    """The checker's first sentence, or why it is refused."""
    proven: bool

    @property
    def laws(self) -> tuple[str, ...]:
        """The laws that its answers were drawn by."""
        return tuple(sorted({str(each.get("noise", {}).get("law", "")) for each in self.draws}))


@dataclass(frozen=True, slots=True)
class ConformFacts:
    """All of it, read once."""

    schema: Schema
    schema_name: str
    schema_hash: str
    charges: tuple[Entry, ...]
    ledger: str
    """What the ledger says of itself, or why it cannot be read."""
    chain: str
    """Whether every line of it holds."""
    left: str
    certificates: tuple[CertifiedFile, ...]
    version: str = banister.__version__

    @property
    def budget(self) -> str:
        found = self.schema.budget
        if found is None:
            return ""
        return f"epsilon {brief(found.epsilon)}" + (f", delta {brief(found.delta)}" if found.delta else ", delta 0")


def gather(schema: str | Path, releases: str | Path | None = None) -> ConformFacts:
    """Read the schema, the ledger that it names, and every certificate in a folder (the schema's own by default)."""
    dataset = open_schema(schema)
    path = Path(schema)
    folder = path.parent if releases is None else Path(releases)
    if not folder.is_dir():
        raise BadValue(f"{folder} is not a folder.")
    try:
        with dataset.ledger() as book:
            charges, words, chain, left = _book(book)
    except BanisterError as error:
        charges, words, chain, left = (), f"The ledger cannot be read: {error}", "", ""
    found = tuple(_certificate(each) for each in sorted(folder.glob("*.certificate")))
    return ConformFacts(
        schema=dataset.schema, schema_name=path.name, schema_hash=file_hash(path), charges=charges, ledger=words,
        chain=chain, left=left, certificates=found,
    )  # fmt: skip


def _book(book: Ledger) -> tuple[tuple[Entry, ...], str, str, str]:
    charges = tuple(each for each in book.history() if not each.states)
    count, head = book.verify()
    rest = book.remaining()
    return (
        charges,
        f"Charges so far: {len(charges)}; {rest.used_in_words}.",
        f"The ledger was walked ({count} charges), and every line is as it was written; its head is {head[:16]}….",
        f"The largest epsilon that still fits is {brief(rest.largest_epsilon)}.",
    )


def _certificate(path: Path) -> CertifiedFile:
    try:
        said, proven = verify(path), True
    except BanisterError as error:
        said, proven = str(error), False
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        claim, witness = dict(body["claim"]), dict(body["witness"])
    except (OSError, ValueError, KeyError, TypeError):
        claim, witness = {}, {}
    draws = witness.get("draws")
    signature = witness.get("signature")
    return CertifiedFile(
        name=path.name,
        claim=claim,
        draws=tuple(each for each in draws if isinstance(each, dict)) if isinstance(draws, list) else (),
        signed_by=str(signature.get("key", "")) if isinstance(signature, dict) else "",
        holds=said.splitlines()[0],
        proven=proven,
    )
