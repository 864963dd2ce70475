"""Run a look: add up exactly, charge the ledger, and only then draw."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from banister.accounting.charge import covers, keeps
from banister.accounting.kept import Kept, paid_and_kept
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, EngineBroke, Uncertified
from banister.files import check_space
from banister.questions.terms import Boolean
from banister.release.profile.keeping import kept_look, look_bytes, look_document, look_of
from banister.release.profile.pieces import LookPiece, What
from banister.release.profile.plan import LookPlan
from banister.release.profile.profile import Drawn, Profile
from banister.release.run import Tell, charge_plan, foresee_plan, paid_for_nothing
from banister.release.work import HASH_KEY_LIMIT, HASH_KEYS, Source, Totals, Work
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below

if TYPE_CHECKING:
    from banister.release.dataset import Dataset


def works(plan: LookPlan, bits: BitSource) -> tuple[Work, ...]:
    """The exact work of every histogram: each person in one cell, chosen by keys that are fresh for each histogram."""
    return tuple(_work(piece, personal=plan.schema.main.person is not None, bits=bits) for piece in plan.pieces)


def _work(piece: LookPiece, *, personal: bool, bits: BitSource) -> Work:
    alone = not piece.axes or piece.relation.rows == 1  # One cell in all, or one row a person: no choice to make.
    return Work(
        relation=piece.relation,
        where=Boolean(True),
        axes=piece.axes,
        measures=(piece.measure,),
        personal=personal,
        groups=None if alone or not personal else 1,
        rows=piece.rows,
        hash_keys=tuple(1 + uniform_below(HASH_KEY_LIMIT - 1, bits) for _ in range(HASH_KEYS)),
    )


def look(
    plan: LookPlan, at: "Dataset", ledger: Ledger, *, bits: BitSource | None, key: str = "", tell: Tell
) -> Profile:
    """Charge a look and draw it. Under a key that is done once: what was drawn is kept, and fetched the next time."""
    if plan.schema != at.schema:
        raise BadValue("The look was planned for another schema. Plan it again with this one.")
    kept = ledger.kept if key else None
    drawn, proof = (
        draw_look(plan, at.source(), ledger, bits=bits or SYSTEM, tell=tell)
        if kept is None
        else look_once(plan, at.source, ledger, kept, key, bits=bits or SYSTEM, tell=tell)
    )
    return Profile(plan, drawn, proof=proof, head=ledger.head, remaining=ledger.remaining().largest_epsilon)


def look_once(
    plan: LookPlan,
    source: Callable[[], Source],
    ledger: Ledger,
    kept: Kept,
    key: str,
    *,
    bits: BitSource,
    tell: Tell,
) -> tuple[tuple[Drawn, ...], str]:
    """What is kept under the key, and then no engine is asked; else it is charged with a claim, drawn and kept."""
    asked = kept_look(plan, key)
    begun_before, kept_before = kept.look(asked)
    if kept_before is None:
        check_space(kept.place, look_bytes(plan))
        exact = _add_up(plan, source(), ledger, bits=bits, tell=tell, paid=begun_before)
        found, _ = paid_and_kept(
            kept,
            asked,
            charge=lambda begun: charge_plan(plan, ledger, key=key, begun=begun),
            draw=lambda receipt: look_document(*_draw(plan, exact, receipt, bits=bits, tell=tell)),
        )
        return look_of(plan, found)
    return look_of(plan, kept_before)


def draw_look(
    plan: LookPlan, source: Source, ledger: Ledger, *, bits: BitSource, tell: Tell = lambda stage: None
) -> tuple[tuple[Drawn, ...], str]:
    """The noisy histograms of a plan, and the proof that they were paid for."""
    exact = _add_up(plan, source, ledger, bits=bits, tell=tell, paid=False)
    return _draw(plan, exact, charge_plan(plan, ledger), bits=bits, tell=tell)


def _owed(plan: LookPlan) -> PrivacyLoss:
    owed = PrivacyLoss.nothing().with_(*(paid.loss() for paid in plan.paid))
    if not (covers(plan.loss, owed) and keeps(owed, plan.guarantee)):
        raise Uncertified("What is about to be drawn is not proven to keep what the plan states. Plan again.")
    return owed


def _add_up(plan: LookPlan, source: Source, ledger: Ledger, *, bits: BitSource, tell: Tell, paid: bool) -> list[Totals]:
    """The exact histograms, once the ledger has room; what was begun before may be paid for already."""
    _owed(plan)
    if not paid:
        foresee_plan(plan, ledger)
    try:
        exact = []
        for place, work in enumerate(works(plan, bits)):
            tell(f"adding up {place + 1} of {len(plan.pieces)}")
            exact.append(source.totals(work))
    except EngineBroke as broke:
        raise paid_for_nothing(plan, ledger, broke) from None
    tell("charging the ledger")
    return exact


def _draw(
    plan: LookPlan, exact: Sequence[Totals], receipt: Receipt, *, bits: BitSource, tell: Tell
) -> tuple[tuple[Drawn, ...], str]:
    proof = receipt.use(plan=plan.digest, owed=_owed(plan))
    tell("drawing")
    return tuple(_drawn(plan, place, totals, bits) for place, totals in enumerate(exact)), proof


def _drawn(plan: LookPlan, place: int, totals: Totals, bits: BitSource) -> Drawn:
    """One histogram with its noise; of values that nobody declared, only those that appear."""
    paid = plan.paid[place]
    noisy = paid.draw(totals.values[0], bits)
    if plan.pieces[place].what is not What.UNKNOWN:
        return Drawn(noisy)
    kept = paid.appearing(noisy)
    assert totals.labels is not None
    return Drawn(noisy[kept], tuple(totals.labels[i][0] for i in kept.tolist()))
