"""Proof that a charge was written: it pays for one release, once."""

import os
import threading

from banister.accounting.charge import covers
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, ReceiptUsed, Uncertified


class Receipt:
    """What `charge` gives back once the charge is on disk. Whoever draws calls `use` first.

    A receipt with `again` is for a charge that was made before under the same key: nothing was charged anew, and `use`
    refuses, since an answer may have been given. Who keeps answers by their key fetches that one, or calls `resume`.

    It works once, in the process that paid: it cannot be copied, pickled, or carried into a child process, so one
    payment is one release. A crash between the two loses the payment, never the privacy.

    >>> from banister import Guarantee, Ledger, Neighbours
    >>> half, relation = Guarantee("0.5"), Neighbours.REPLACE
    >>> book = Ledger.create("memory:", budget=Guarantee(1), neighbours=relation, questions=[(half, 2)])
    >>> receipt = book.charge(half, label="a count", neighbours=relation)
    >>> receipt.sequence, receipt.label
    (1, 'a count')
    """

    __slots__ = ("_lock", "_process", "_used", "again", "hash", "label", "paid", "plan", "sequence")

    def __init__(
        self,
        *,
        sequence: int,
        hash: str,  # noqa: A002
        label: str,
        plan: str,
        paid: PrivacyLoss,
        again: bool = False,
    ) -> None:
        self.again = again
        self.sequence = sequence
        self.hash = hash
        self.label = label
        self.plan = plan
        self.paid = paid
        self._process = os.getpid()
        self._used = False
        self._lock = threading.Lock()

    @property
    def proof(self) -> str:
        """Number and hash of the line: keep it elsewhere, and `verify` shows that the ledger still holds it."""
        return f"{self.sequence}:{self.hash}"

    def use(self, *, plan: str = "", owed: PrivacyLoss | None = None) -> str:
        """Spend the receipt on the plan it was paid for, and give its proof.

        It raises the second time, for another plan, and for a draw that owes more than was paid.
        """
        if self.again:
            raise ReceiptUsed(
                f"Charge {self.sequence} ('{self.label}') was made before under this key, and its answer may have been "
                f"given. Fetch that answer; or charge again under a new key."
            )
        return self.resume(plan=plan, owed=owed)

    def resume(self, *, plan: str = "", owed: PrivacyLoss | None = None) -> str:
        """Spend the receipt, also of a charge that was made before.

        Only for who knows that nothing drawn for that charge was ever shown: who keeps each answer under its key before
        showing it, and has found none. Two answers for one charge give away twice what was charged.
        """
        if plan != self.plan:
            raise BadValue(
                f"The receipt of charge {self.sequence} ('{self.label}') was paid for another plan. "
                f"Charge the ledger for this one."
            )
        if owed is not None and not covers(self.paid, owed):
            raise Uncertified(
                f"The receipt of charge {self.sequence} ('{self.label}') is not proven to pay for what is about to be "
                f"drawn. Nothing was drawn. Charge the loss of what is drawn."
            )
        with self._lock:
            if self._used or os.getpid() != self._process:
                raise ReceiptUsed(
                    f"The receipt of charge {self.sequence} ('{self.label}') has been used, or belongs to another "
                    f"process. One charge pays for one release: charge the ledger again."
                )
            self._used = True
        return self.proof

    def __reduce__(self) -> tuple[object, ...]:
        raise ReceiptUsed(
            "A receipt cannot be copied or stored; keep its `proof` if you want to find the charge again."
        )

    def __repr__(self) -> str:
        return f"Receipt({self.sequence}, {self.label!r}, used={self._used})"
