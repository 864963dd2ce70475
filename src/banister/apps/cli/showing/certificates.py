"""The certificate that stands beside what a command publishes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.audit import Proof
    from banister.keys import SigningKey
    from banister.publish.paying import Payable
    from banister.release.dataset import Dataset

Sign = Annotated[str, typer.Option(help="Sign the certificate with the key in this file.")]


def certificate_of(files: Sequence[str | Path], sign: str = "") -> Path | None:
    """Where the certificate goes: beside the first file that is written. Nothing to sign is refused."""
    from banister.audit import certificate_beside
    from banister.errors import BadValue

    if first := next((file for file in files if file), ""):
        return certificate_beside(first)
    if sign:
        raise BadValue("--sign signs a certificate, which stands beside what is written. Say which file to write.")
    return None


def signing_key(sign: str) -> "SigningKey | None":
    """The key in that file, which is made at its first use."""
    from banister.local.collect.files import own_key

    return own_key(Path(sign)) if sign else None


def schema_text(dataset: "Dataset") -> str:
    """The schema as its file has it; empty where it is not from one."""
    return "" if dataset.path is None else dataset.path.read_text(encoding="utf-8")


def copy_certifier(sign: str, schema: "Path | None" = None) -> "Callable[[Payable, Ledger, Sequence[Path]], Path]":
    """What writes the certificate of a private copy or a sketch."""

    def write(plan: "Payable", ledger: "Ledger", files: Sequence[Path]) -> Path:
        from banister.audit import certificate_beside, certify_copy

        shown = "" if schema is None else schema.read_text(encoding="utf-8")
        proof = certify_copy(plan, ledger, files=files, schema=shown, key=signing_key(sign))
        return proof.save(certificate_beside(files[0]))

    return write


def save_beside(proof: "Proof", files: Sequence[Path]) -> Path:
    """Write a certificate beside the first of its files."""
    from banister.audit import certificate_beside

    return proof.save(certificate_beside(files[0]))
