"""A public coin that nobody controls: all parties commit to a secret, then open it, and the coin is the hash of all.

A commitment is the SHA-256 of the agenda, the party and a secret of 256 bits, so it fits nothing else. A secret is
opened once all commitments are there, and for one list of them only: whoever has seen another secret can no longer
choose its own. As long as one party draws its secret fairly and the hash behaves like a random function, the coin is
fair. Whoever does not open stops the agenda, and is named; this can keep a coin from falling, not make it fall on
anybody more often than with the chance that she has agreed to. That chance is charged when a secret is opened.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from banister.errors import BadValue
from banister.foreign import parse_json
from banister.parties.games.coin import PublicCoin
from banister.parties.meetings.agenda import Agenda
from banister.parties.meetings.papers import LONGEST_FILE, Verifier, canonical

if TYPE_CHECKING:
    from banister.sampling.bits import Words

COMMITMENT_FORMAT = "banister-commitment/1"
OPENING_FORMAT = "banister-opening/1"
SECRET_BYTES = 32
_TYPES = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def committed(agenda: str, party: str, secret: bytes) -> str:
    """The commitment to a secret.

    >>> committed("0" * 64, "ann", bytes(32))[:8]
    'a1718ee9'
    """
    return hashlib.sha256(canonical({"agenda": agenda, "party": party, "secret": secret.hex()})).hexdigest()


def commitment_body(agenda: str, party: str, secret: bytes) -> dict[str, str]:
    """What a party signs when it commits."""
    what = committed(agenda, party, secret)
    return {"format": COMMITMENT_FORMAT, "agenda": agenda, "party": party, "commitment": what}


def opening_body(agenda: str, party: str, secret: bytes, commitments: Mapping[str, str]) -> dict[str, str]:
    """What a party signs when it opens: its secret, and the list of commitments that it has seen."""
    return {
        "format": OPENING_FORMAT,
        "agenda": agenda,
        "party": party,
        "secret": secret.hex(),
        "commitments": list_hash(commitments),
    }


def list_hash(commitments: Mapping[str, str]) -> str:
    """One name for a whole list of commitments."""
    return hashlib.sha256(canonical(dict(commitments))).hexdigest()


def all_commitments(agenda: Agenda, files: Sequence[tuple[str, str]], verifier: Verifier) -> dict[str, str]:
    """Every party's commitment, or who is missing and what is wrong."""
    papers = _papers(agenda, files, COMMITMENT_FORMAT, ("commitment",), verifier)
    return {party: paper["commitment"] for party, paper in papers.items()}


def coin_seed(agenda: Agenda, files: Sequence[tuple[str, str]], verifier: Verifier) -> bytes:
    """The coin of the whole agenda, from everybody's opening; each question draws from it on its own."""
    papers = _papers(agenda, files, OPENING_FORMAT, ("secret", "commitments"), verifier)
    try:
        secrets = {party: bytes.fromhex(paper["secret"]) for party, paper in papers.items()}
    except ValueError:
        raise BadValue("A secret among the openings is not written in hexadecimal digits.") from None
    identity = agenda.hash
    listed = {party: committed(identity, party, secret) for party, secret in secrets.items()}
    name = list_hash(listed)
    for party, paper in papers.items():
        if len(secrets[party]) != SECRET_BYTES or paper["commitments"] != name:
            raise BadValue(
                f"The opening of '{party}' does not fit the commitments of all: somebody opened another secret than "
                "it committed to, or was shown another list. The coin is void; make a new agenda."
            )
    return hashlib.sha256(canonical({"agenda": identity, "secrets": {p: s.hex() for p, s in secrets.items()}})).digest()


def fallen(coin: PublicCoin, seed: bytes, question: str) -> tuple[int, ...]:
    """Who says its bit openly in a question, once the coin has fallen: the same for everybody who looks."""
    return coin.draw(HashedBits(seed + question.encode()))


class HashedBits:
    """Bits from one seed by SHAKE-256: for what all must see alike, never for what only its owner may know.

    >>> HashedBits(b"seed").take(16) == HashedBits(b"seed").take(16)
    True
    """

    __slots__ = ("_pool", "_seed", "_used")

    def __init__(self, seed: bytes) -> None:
        self._seed, self._pool, self._used = seed, b"", 0

    def take(self, count: int) -> int:
        """The next bits; whole bytes are used up."""
        size = -(-count // 8)
        return int.from_bytes(self._next(size), "big") >> (8 * size - count)

    def words(self, count: int, width: int) -> "Words":
        """The next words."""
        return np.frombuffer(self._next(count * width // 8), dtype=_TYPES[width])

    def _next(self, size: int) -> bytes:
        end = self._used + size
        if end > len(self._pool):
            self._pool = hashlib.shake_256(self._seed).digest(max(64, 2 * end))
        found, self._used = self._pool[self._used : end], end
        return found


def _papers(
    agenda: Agenda, files: Sequence[tuple[str, str]], form: str, fields: tuple[str, ...], verifier: Verifier
) -> dict[str, dict[str, str]]:
    """One valid paper of each party, in the order of the agenda."""
    keys, identity = dict(agenda.members), agenda.hash
    found: dict[str, dict[str, str]] = {}
    for file, text in files:
        body = parse_json(text, f"'{file}' cannot be used", most_bytes=LONGEST_FILE)
        wanted = {"format", "agenda", "party", "signature", *fields}
        if not isinstance(body, dict) or set(body) != wanted or not all(isinstance(x, str) for x in body.values()):
            raise BadValue(f"'{file}' is not of the format {form}. Ask whoever sent it.")
        signature, party = body.pop("signature"), body["party"]
        if body["format"] != form or body["agenda"] != identity or party not in keys:
            raise BadValue(f"'{file}' is not of the format {form}, or belongs to another agenda.")
        if not verifier.holds(keys[party], canonical(body), signature):
            raise BadValue(f"The signature in '{file}' is not that of '{party}': it was forged or changed.")
        if found.setdefault(party, body) != body:
            raise BadValue(f"'{party}' signed two different papers of the format {form}. Make a new agenda.")
    missing = [name for name, _ in agenda.members if name not in found]
    if missing:
        raise BadValue(
            f"{len(missing)} of {len(keys)} parties are missing with {form}: {', '.join(missing[:20])}. A coin needs "
            "all of them; without one, make a new agenda for the others."
        )
    return {name: found[name] for name, _ in agenda.members}
