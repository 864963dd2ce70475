"""A charge that takes the place of an earlier one, for an answer that gets finer.

Private:  where (coarse, fine) is a post-processing of the fine one, the likelihood ratio of both together is at most
          e^fine on every path, whatever was asked in between. So where epsilons are added up, the fine epsilon may take
          the place of the coarse one. No other currency allows it: given the coarse answer, what the fine one adds may
          be more than the difference, and whoever refines can choose when. So a refinement closes every other gate for
          good. Proof and example: docs/math/filters.md, "Refinements".
"""

from fractions import Fraction

from banister import keys
from banister.accounting.book import Store
from banister.accounting.chain import ChainLine
from banister.accounting.charge import Charge
from banister.accounting.filters import Filter, Total
from banister.accounting.receipt import Receipt
from banister.accounting.terms import Entry, Standing, Terms, entry_writer, standing_of
from banister.core.exact.numbers import brief
from banister.errors import BadValue, BudgetExceeded

RUNGS = "rungs:"
"""How the plan of a charge begins that may be refined: both charges name the same drawn rungs."""


def write_refinement(store: Store, terms: Terms, charge: Charge, *, refines: int, at: str, witness: str) -> Receipt:
    """Let a charge take the place of an earlier one of the same rungs, or raise `BudgetExceeded` and write nothing."""
    accountant = terms.accountant
    if not isinstance(accountant, Filter) or not any(gate.adds_epsilons for gate in accountant.gates):
        raise BadValue(
            "A ledger with a plan cannot refine an answer: when to refine was not fixed in advance. Plan the finest "
            "rung as the question, and give out coarser ones under it."
        )
    more = _more(store, charge, refines)
    nonce = keys.nonce()
    write = entry_writer(charge, at=at, nonce=nonce)

    def decide(last: ChainLine) -> ChainLine:
        # The earlier charge, of the same rungs, said whom they protect; what was drawn is the same.
        before = standing_of(last, terms)
        if before.shares is not None:
            raise BadValue("An answer is not refined in a shared ledger: a share's own gates would have to close, too.")
        after = refined(accountant, before.totals, more)
        if after is None:
            raise BudgetExceeded(
                f"Refining charge {refines} takes {brief(more)} of epsilon more, and the budget {terms.budget} has no "
                "room for it where epsilons are added up. Nothing was charged, and the answer stays sealed."
            )
        told = witness or before.witness
        return last.follow(write(Standing(totals=after, protects=before.protects, witness=told, shares=None)))

    line = store.append(decide, key=charge.key)
    again = f'"nonce":"{nonce}"' not in line.body
    if again and Entry.of_line(line).plan != charge.plan:
        raise BadValue(f"The key '{charge.key}' belongs to charge {line.sequence}, which is another request.")
    return Receipt(
        sequence=line.sequence, hash=line.hash, label=charge.label, plan=charge.plan, paid=charge.loss, again=again
    )


def refined(accountant: Filter, totals: tuple[Total, ...], more: Fraction) -> tuple[Total, ...] | None:
    """The totals after so much more epsilon where epsilons are added up; every other gate is closed for good."""
    after: list[Total] = [totals[0]]
    for gate, total in zip(accountant.gates, totals[1:], strict=True):
        after.append(total + more if gate.adds_epsilons and total is not None else None)
    return tuple(after) if accountant.allows(tuple(after)) else None


def _more(store: Store, charge: Charge, refines: int) -> Fraction:
    """The epsilon that the finer charge takes beyond the earlier one, which must be one of the same rungs."""
    line = store.line(refines) if refines > 0 else None
    if line is None:
        raise BadValue(f"The ledger has no charge {refines} that could be refined.")
    entry = Entry.of_line(line)
    if not charge.plan.startswith(RUNGS) or entry.plan != charge.plan:
        raise BadValue(
            f"Charge {refines} ('{entry.label}') is not a coarser rung of '{charge.label}'. Only rungs that were drawn "
            "together can take each other's place; another question is a charge of its own."
        )
    if charge.epsilon is None or charge.delta or entry.epsilon == "inf" or entry.delta != "0":
        raise BadValue("Only charges with an epsilon and without a delta can take each other's place.")
    more = charge.epsilon - Fraction(entry.epsilon)
    if not more > 0:
        raise BadValue(f"The rung of charge {refines} has epsilon {brief(Fraction(entry.epsilon))} already.")
    return more
