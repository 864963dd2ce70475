"""Certificates of what is published by one charge beside releases: looks, streams, private copies and sketches."""

from collections.abc import Sequence
from pathlib import Path

from banister.accounting.ledger import Ledger
from banister.audit.certifying import PaidFor, Told, certified
from banister.audit.proof import Proof
from banister.errors import BadValue
from banister.keys import SigningKey
from banister.publish.paying import Payable
from banister.release.profile.profile import Profile
from banister.release.streams.run import Stream


def certify_look(
    found: Profile,
    ledger: Ledger,
    *,
    files: Sequence[str | Path] = (),
    schema: str = "",
    told: Told = Told.TEXTS,
    key: SigningKey | None = None,
) -> Proof:
    """The certificate of a look at all columns: the law of every histogram's noise, and the charge.

    >>> import tempfile
    >>> import banister as bn
    >>> from banister.release.demo import write_demo
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     health = bn.open(write_demo(folder)[1])
    ...     found = health.look(health.plan_look(epsilon="0.2"))
    ...     with health.ledger() as book:
    ...         certificate = certify_look(found, book)
    >>> "keeps epsilon 1/5" in certificate.says()
    True
    """
    plan = found.plan
    paid = PaidFor(
        kind="release",
        guarantee=plan.guarantee,
        neighbours=plan.neighbours,
        plan=plan.digest,
        asked=(plan.label,),
        draws=plan.stated,
        proof=found.proof,
    )
    return certified(paid, ledger, files=files, schema=schema or repr(plan.schema), told=told, key=key)


def certify_stream(
    stream: Stream,
    ledger: Ledger,
    *,
    files: Sequence[str | Path] = (),
    schema: str = "",
    told: Told = Told.TEXTS,
    key: SigningKey | None = None,
) -> Proof:
    """The certificate of counts that go on: one charge and its laws, for all periods together.

    >>> import tempfile
    >>> from banister.release.streams.example import write_visits
    >>> from banister.release import plan_stream, start_stream
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     visits = write_visits(folder)
    ...     stream = start_stream(visits, plan_stream(visits, "SELECT COUNT(*) FROM data", epsilon=1), name="weekly")
    ...     with visits.ledger() as book:
    ...         certificate = certify_stream(stream, book)
    >>> "keeps epsilon 1," in certificate.says()
    True
    """
    plan = stream.plan
    paid = PaidFor(
        kind="release",
        guarantee=plan.guarantee,
        neighbours=plan.neighbours,
        plan=plan.digest,
        asked=(plan.question.text, plan.label),
        draws=plan.stated,
        proof=stream.proof,
    )
    return certified(paid, ledger, files=files, schema=schema or repr(plan.schema), told=told, key=key)


def certify_copy(
    plan: Payable,
    ledger: Ledger,
    *,
    files: Sequence[str | Path] = (),
    schema: str = "",
    told: Told = Told.TEXTS,
    key: SigningKey | None = None,
) -> Proof:
    """The certificate of a private copy or a sketch, from its plan and the last charge for it.

    >>> import pandas as pd
    >>> import banister as bn
    >>> from banister.publish.noise import noise_for
    >>> from banister.publish.table import Repair, SanitizePlan, sanitize
    >>> from banister.tables.columns import Kind
    >>> from banister.tables.domain import Attribute, Domain
    >>> smokes = Attribute(name="smokes", kind=Kind.CATEGORY, values=("yes", "no"), nulls=False)
    >>> cost, replace = bn.Guarantee(1), bn.Neighbours.REPLACE
    >>> plan = SanitizePlan(domain=Domain((smokes,)), noise=noise_for(2, cost.epsilon, replace), repair=Repair.COUNTS)
    >>> book = bn.Ledger.create("memory:", budget=cost, neighbours=replace, questions=[(cost, 1)])
    >>> copy, _ = sanitize(plan, pd.DataFrame({"smokes": ["yes", "no", "no"]}), ledger=book)
    >>> certify_copy(plan, book).says().split(",")[1]
    ' by 1 stated law'
    """
    proof = ledger.proof_for(plan.key())
    if not proof:
        raise BadValue(
            f"The ledger holds no charge for {plan.label()}. Publish it first; a certificate shows its line."
        )
    draws = plan.stated()
    paid = PaidFor(
        kind=plan.certificate,
        guarantee=plan.guarantee,
        neighbours=plan.neighbours,
        plan=plan.key(),
        asked=(plan.label(),),
        draws=draws,
        proof=proof,
    )
    return certified(paid, ledger, files=files, schema=schema, told=told, key=key)
