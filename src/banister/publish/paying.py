"""What every release of a whole table, graph or matrix shares: a plan that states its loss, and is paid for first."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from banister.accounting.kept import UNKEPT, Begun, KeptRequest, array_of, array_text, paid_once
from banister.accounting.protects import Protects
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.keys import nonce

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.accounting.receipt import Receipt
    from banister.publish.noise import Stated
    from banister.tables.domain import Domain
    from banister.tables.frames.records import Coded

Array = NDArray[Any]


class Payable(Protocol):
    """What will be drawn, made without seeing a record."""

    @property
    def neighbours(self) -> Neighbours:
        """The relation that `loss` is about."""
        ...

    @property
    def guarantee(self) -> Guarantee:
        """What is promised; the loss never exceeds it."""
        ...

    @property
    def protects(self) -> Protects:
        """Whom `loss` is about: people, rows or edges, and what is declared of them."""
        ...

    def loss(self) -> PrivacyLoss:
        """What is given away by what will be drawn."""
        ...

    @property
    def certificate(self) -> str:
        """The kind of its certificate: release, where cells get noise, or sketch."""
        ...

    def stated(self) -> "tuple[Stated, ...]":
        """The laws of what is drawn, as a certificate states them."""
        ...

    def label(self) -> str:
        """One line for the ledger."""
        ...

    def key(self) -> str:
        """A hash of everything that the release depends on."""
        ...


def pay(plan: Payable, ledger: "Ledger") -> None:
    """Charge what the plan gives away, or the guarantee that it keeps where the ledger has room for that alone.

    Draw afterwards.
    """
    _charged(plan, ledger, key="", begun=UNKEPT).use(plan=plan.key())


def drawn(
    plan: Payable, ledger: "Ledger", *, key: str, draw: "Callable[[], Sequence[Array]]", public: str = ""
) -> "list[Array]":
    """Charge, then draw. Under a key that is done once: what was drawn is kept on disk, and is fetched the next time.

    Without a key, and for a ledger in memory, nothing is kept. `public` is what is published beside the numbers, such
    as the names of a sketch's nodes: under one key both stay the same.
    """
    kept = ledger.kept if key else None
    if kept is None:
        pay(plan, ledger)
        return list(draw())

    def written(receipt: "Receipt") -> dict[str, object]:
        receipt.use(plan=plan.key())
        return {"arrays": [array_text(array) for array in draw()]}

    found = paid_once(
        kept,
        kept_request(plan, key, public),
        charge=lambda begun: _charged(plan, ledger, key=key, begun=begun),
        draw=written,
    )
    try:
        return [array_of(text) for text in cast("Sequence[object]", found["arrays"])]
    except (KeyError, TypeError, ValueError):
        raise BadValue(
            f"What is kept under the key '{key}' is not what banister keeps there. Nothing was charged or drawn; "
            "restore it from a copy."
        ) from None


@contextmanager
def kept_until_written(plan: Payable, ledger: "Ledger", *, key: str, public: str = "") -> Iterator[str]:
    """The key under which what is drawn is kept until its files are there; for good where the asker gave the key."""
    name = key or nonce()
    charged = ledger.remaining().charges
    try:
        yield name
    except (BadValue, OSError) as error:
        if ledger.kept is None or ledger.remaining().charges == charged:
            raise
        raise BadValue(f"{error} What was drawn is paid for and kept: fetch it with --key {name}.") from None
    if not key and ledger.kept is not None:
        ledger.kept.given(kept_request(plan, name, public))


def kept_request(plan: Payable, key: str, public: str = "") -> KeptRequest:
    """What is asked under a key."""
    level, text = plan.guarantee, plan.key()
    what = hashlib.sha256(f"{text}\n{public}".encode()).hexdigest() if public else text
    return KeptRequest(key=key, plan=what, label=plan.label(), epsilon=str(level.epsilon), delta=str(level.delta))


def _charged(plan: Payable, ledger: "Ledger", *, key: str, begun: Begun) -> "Receipt":
    neighbours = plan.neighbours
    cost, _ = ledger.fitting((plan.loss(), plan.guarantee), neighbours=neighbours)
    return ledger.charge(
        cost,
        label=plan.label(),
        neighbours=neighbours,
        plan=plan.key(),
        protects=plan.protects,
        key=key,
        claim=begun.claim,
        note=begun.note,
        guarantee=plan.guarantee,
    )


def private_records(table: object, domain: "Domain", neighbours: Neighbours) -> "Coded":
    """The records of a private table as codes, whatever values they have. Nothing is charged yet.

    `Attribute.placed` is the law for values that are not declared. A record that it gives no place is left out; where
    the number of records is public, and one less would be seen, it takes the first place instead.
    """
    from banister.tables.domain import Attribute
    from banister.tables.frames.records import Coded, read_codes

    coded = read_codes(table, domain, law=Attribute.placed)
    lost = np.any([column < 0 for column in coded.codes], axis=0)
    if neighbours is Neighbours.REPLACE:
        coded = Coded(tuple(np.pad(np.maximum(column, 0), (0, coded.unread)) for column in coded.codes), coded.types)
    else:
        coded = Coded(tuple(column[~lost] for column in coded.codes), coded.types)
    # Where the number of records is a secret, that there are none must not be seen either.
    if neighbours is Neighbours.REPLACE and coded.records == 0:
        raise BadValue("The table has no records, and with replace neighbours there is nobody to protect or publish.")
    return coded
