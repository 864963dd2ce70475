"""A certificate of a release: by which laws its answers were drawn, and which charge paid for them."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import banister
from banister.accounting.ledger import Ledger
from banister.audit.proof import Json, Proof, exact
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.files import file_hash
from banister.keys import SigningKey
from banister.release.answering.answers import Answers

SUFFIX = ".certificate"


class Told(Enum):
    """What a certificate shows of the questions and of the schema.

    >>> Told("hashes")
    <Told.HASHES: 'hashes'>
    """

    TEXTS = "texts"
    HASHES = "hashes"


def certify(
    answers: Answers,
    ledger: Ledger,
    *,
    files: Sequence[str | Path] = (),
    schema: str = "",
    told: Told = Told.TEXTS,
    key: SigningKey | None = None,
) -> Proof:
    """The certificate of a release: plan, laws of the noise, charge, versions, and the hash of each file of answers.

    It holds the questions and the schema, or their hashes alone, and nothing private. `schema` is the text of the .toml
    file; without it the schema is shown as Python would. Signed where a key is given.

    >>> import tempfile
    >>> import banister as bn
    >>> from banister.release.demo import write_demo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dataset = bn.open(write_demo(folder)[1])
    ...     answers = dataset.release(dataset.plan("SELECT COUNT(*) FROM data", epsilon="1/2"))
    ...     with dataset.ledger() as book:
    ...         certificate = bn.audit.certify(answers, book)
    >>> print(certificate.says().split(",")[1])
     by 1 stated law
    """
    plan = answers.plan
    draws = [paid.stated() for part in plan.parts for paid in part.payments]
    paid = PaidFor(
        kind="release",
        guarantee=plan.guarantee,
        neighbours=plan.neighbours,
        plan=plan.digest,
        asked=tuple(part.question.text for part in plan.parts),
        draws=draws,
        proof=answers.proof,
    )
    return certified(paid, ledger, files=files, schema=schema or repr(plan.schema), told=told, key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidFor:
    """What a certificate is about: what was promised and asked, the laws that were drawn, and the charge's proof."""

    kind: str
    """Which checker works it out: release or sketch."""
    guarantee: Guarantee
    neighbours: Neighbours
    plan: str
    asked: tuple[str, ...]
    draws: Sequence[object]
    proof: str


def certified(
    paid: PaidFor, ledger: Ledger, *, files: Sequence[str | Path], schema: str, told: Told, key: SigningKey | None
) -> Proof:
    """The certificate of whatever was paid for."""
    before, line = ledger.line(paid.proof)
    proof = Proof(
        paid.kind,
        {
            "guarantee": {"epsilon": exact(paid.guarantee.epsilon), "delta": exact(paid.guarantee.delta)},
            "neighbours": paid.neighbours.value,
            "plan": paid.plan,
            "questions": [_told(text, told) for text in paid.asked],
            "schema": _told(without_passwords(schema), told),
            "answers": {Path(file).name: file_hash(Path(file)) for file in files},
            "versions": {"banister": banister.__version__},
        },
        {
            "draws": [_json(each) for each in paid.draws],
            "line": {"sequence": line.sequence, "previous": before.hash, "body": line.body, "hash": line.hash},
        },
    )
    return proof if key is None else signed(proof, key)


def signed(proof: Proof, key: SigningKey) -> Proof:
    """The same, with a signature over all of it."""
    signature: Json = {"key": key.public, "signature": key.sign(proof.text().encode("utf-8"))}
    return replace(proof, witness=proof.witness | {"signature": signature})


def certificate_beside(file: str | Path) -> Path:
    """Where the certificate of a file of answers stands.

    >>> str(certificate_beside("answers.parquet"))
    'answers.certificate'
    """
    return Path(file).with_suffix(SUFFIX)


def without_passwords(text: str) -> str:
    """A text in which no address of a server has its user and password.

    >>> without_passwords("table = 'postgresql://ann:secret@db/stays'")
    "table = 'postgresql://db/stays'"
    """
    return re.sub(r"(://)[^/\s'\"]*@", r"\1", text)


def _told(text: str, told: Told) -> str:
    return text if told is Told.TEXTS else "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def _json(stated: object) -> Json:
    """What a payment states is made of whole numbers and texts alone."""
    if isinstance(stated, dict):
        return {str(name): _json(value) for name, value in stated.items()}
    if isinstance(stated, list):
        return [_json(value) for value in stated]
    assert isinstance(stated, int | str)
    return stated
