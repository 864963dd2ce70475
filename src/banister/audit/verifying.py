"""Which checker a proof goes to, and what it says; the checkers themselves import nothing of ours.

A certificate of a release stands beside its answers. Whoever verifies a file of answers has its certificate found, the
laws and the charge checked, the hash of the file compared, and the signature too where there is one.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from banister.audit.checkers import channel, domination, envelope, line, noise, release, rule, sketch
from banister.errors import BadValue
from banister.files import file_hash

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger

CHECKERS: dict[str, Callable[[dict[str, Any], dict[str, Any]], str]] = {
    "channel": channel.check,
    "domination": domination.check,
    "line": line.check,
    "noise": noise.check,
    "release": release.check,
    "rule": rule.check,
    "sketch": sketch.check,
}
CERTIFIES = ("release", "sketch")
"""The kinds that stand beside published files, and show a ledger's line."""
CERTIFICATE = ".certificate"


def verify(path: str | Path, *, ledger: "Ledger | None" = None, by: str = "") -> str:
    """What the proof in a file proves, in words; `BadValue` with the place where it does not hold.

    For answers of a release the certificate beside them is checked, and they against it. With the `ledger` its charge
    is looked up and the whole chain walked; `by` is the public key that must have signed. No solver is asked and
    nothing is rounded: the checkers work in fractions (docs/guide/proofs.md, docs/guide/certificates.md).

    >>> import tempfile
    >>> from banister.audit import prove_domination
    >>> file = Path(tempfile.mkdtemp()) / "pair.proof"
    >>> path = prove_domination((("3/4", "1/4"), ("1/4", "3/4")), (("1/2", "1/2"), ("1/2", "1/2"))).save(file)
    >>> verify(path)
    'the first pair dominates the second: the matrix turns its outputs into those of the second'
    """
    source = Path(path)
    data = _bytes(source)
    try:
        if not data.startswith(b"{") or source.suffix == ".json":
            found = _certificate_of(source)
            return _certified(found, _text(found, _bytes(found)), ledger, by, wanted=source.name)
        text = _text(source, data)
        if _body(text)["kind"] in CERTIFIES:
            return _certified(source, text, ledger, by, wanted="")
        if ledger is not None or by:
            raise BadValue("it is no certificate of a release: it names no ledger, and nobody signs it.")
        return checked(text)
    except BadValue as error:
        raise BadValue(f"{path} is refused: {error}") from None


def checked(text: str) -> str:
    """What a proof given as text proves."""
    body = _body(text)
    try:
        return CHECKERS[body["kind"]](body["claim"], body["witness"])
    except ValueError as error:
        raise BadValue(f"{error}.") from None


def _body(text: str) -> dict[str, Any]:
    try:
        body = envelope.opened(text)
        if not isinstance(body["kind"], str) or body["kind"] not in CHECKERS:
            raise ValueError(f'"kind" is not one of {", ".join(CHECKERS)}')
        return body
    except ValueError as error:
        raise BadValue(f"{error}.") from None


def _certified(path: Path, text: str, ledger: "Ledger | None", by: str, *, wanted: str) -> str:
    """What a certificate proves: of its laws and charge, of the files beside it, of who signed, and of the ledger."""
    said, body = [checked(text)], _body(text)
    claim, witness = body["claim"], body["witness"]
    if wanted and wanted not in claim["answers"]:
        raise BadValue(f"{path.name} does not name this file.")
    for name, value in sorted(claim["answers"].items()):
        said.append(_compared(path, str(name), value, needed=name == wanted))
    said.append(_signer(body, by))
    if ledger is not None:
        entry = witness["line"]
        count, _ = ledger.verify(proofs=(f"{entry['sequence']}:{entry['hash']}",))
        said.append(f"The ledger holds that line, and all of its {count} charges are as they were written.")
    return "\n".join(said)


def _compared(path: Path, name: str, value: object, *, needed: bool) -> str:
    beside = path.parent / name
    if Path(name).name != name or not (needed or beside.is_file()):
        return f"{name} is not here to be compared."
    if file_hash(beside) != value:
        raise BadValue(f"{name} was changed after it was certified: its hash is not that in {path.name}.")
    return f"{name} is as it was certified."


def _signer(body: dict[str, Any], by: str) -> str:
    """Who signed, in words; refused where a signature does not hold, or another one was wanted."""
    from banister.keys import Ed25519Verifier

    witness = dict(body["witness"])
    signature = witness.pop("signature", None)
    if signature is None:
        if by:
            raise BadValue(f"nobody has signed it, and {by} should have.")
        return "Nobody has signed it."
    plain = envelope.sealed(body["kind"], body["claim"], witness).encode("utf-8")
    key, made = (str(signature.get(name, "")) if isinstance(signature, dict) else "" for name in ("key", "signature"))
    if not Ed25519Verifier().holds(key, plain, made):
        raise BadValue("witness.signature does not hold: something was changed after it was signed.")
    if by and key != by:
        raise BadValue(f"it is signed by {key}, and not by {by}.")
    return f"Signed by {key}." + ("" if by else " Compare that key with the one you know.")


def _certificate_of(source: Path) -> Path:
    """The certificate that stands beside a file of answers and names it."""
    first = source.with_suffix(CERTIFICATE)
    others = (path for path in sorted(source.parent.glob("*" + CERTIFICATE)) if path != first)
    for path in (first, *others):
        if path.is_file() and source.name in _named(path):
            return path
    raise BadValue(f"there is no certificate beside it that names it, such as {first.name}.")


def _named(path: Path) -> dict[str, Any]:
    """The files that a certificate names; none where it is no certificate."""
    try:
        body = _body(_text(path, _bytes(path)))
    except BadValue as error:
        raise BadValue(f"{path.name}: {error}") from None
    found = body["claim"].get("answers")
    return found if body["kind"] in CERTIFIES and isinstance(found, dict) else {}


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(envelope.MOST_BYTES + 1)
    except FileNotFoundError:
        raise BadValue(f"{path} does not exist.") from None
    except OSError:
        raise BadValue(f"{path} cannot be read as a file.") from None


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadValue(f"{path.name}: byte {error.start} is not text in UTF-8.") from None
