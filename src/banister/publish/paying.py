"""What every release of a whole table, graph or matrix shares: a plan that states its loss, and is paid for first."""

from typing import TYPE_CHECKING, Protocol

from banister.accounting.protects import Protects
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.tables.domain import Domain
    from banister.tables.frames.records import Coded


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
    key, neighbours = plan.key(), plan.neighbours
    cost, _ = ledger.fitting((plan.loss(), plan.guarantee), neighbours=neighbours)
    ledger.charge(cost, label=plan.label(), neighbours=neighbours, plan=key, protects=plan.protects).use(plan=key)


def private_records(table: object, domain: "Domain", neighbours: Neighbours) -> "Coded":
    """The records of a private table as codes, checked against what is declared. Nothing is charged yet."""
    from banister.tables.frames.records import read_codes

    coded = read_codes(table, domain)
    domain.check(coded.codes)
    # Where the number of records is a secret, that there are none must not be seen either.
    if neighbours is Neighbours.REPLACE and coded.records == 0:
        raise BadValue("The table has no records, and with replace neighbours there is nobody to protect or publish.")
    return coded
