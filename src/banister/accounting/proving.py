"""Lines that receipts prove: found by their number and hash, or by the plan they paid for."""

from typing import TYPE_CHECKING

from banister.accounting.chain import ChainLine, check_link
from banister.accounting.terms import Entry
from banister.errors import BadValue, LedgerDamaged

if TYPE_CHECKING:
    from banister.accounting.book import Store


def proven_line(store: "Store", proof: str) -> tuple[ChainLine, ChainLine]:
    """The line before, and the line that a receipt's proof names; refused where the ledger does not hold it."""
    sequence, value = read_proof(proof)
    before, found = (store.line(number) if number >= 0 else None for number in (sequence - 1, sequence))
    if before is None or found is None or found.hash != value:
        raise rewritten(sequence)
    check_link(before, found)
    return before, found


def proof_for(store: "Store", plan: str) -> str:
    """The proof of the last charge for a plan; the newest lines are looked at first."""
    for sequence in range(store.head()[0], 0, -1):
        line = store.line(sequence)
        if line is not None and plan in line.body and Entry.of_line(line).plan == plan:
            return f"{sequence}:{line.hash}"
    return ""


def rewritten(sequence: int) -> LedgerDamaged:
    """What is said of a line that is not as its receipt proves it."""
    holds = f"The ledger does not hold charge {sequence} as its receipt proves it."
    return LedgerDamaged(f"{holds} It was rewritten, or an older copy was put in its place.")


def read_proof(proof: str) -> tuple[int, str]:
    """The number and the hash of a proof."""
    number, _, value = proof.partition(":")
    if not (number.isdecimal() and len(number) <= 18 and len(value) == 64):
        raise BadValue(f"'{proof[:80]}' is not a proof. A receipt's proof reads 12:3f… (a number, a colon, 64 digits).")
    return int(number), value
