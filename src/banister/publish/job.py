"""From a wish on the command line to published files: declarations, plan, ledger, copy, report, in that order."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from banister import need
from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue, LedgerMissing
from banister.publish.paying import Payable, kept_until_written
from banister.publish.table import Repair, plan_sanitize, public_prior, sanitize
from banister.tables.domain import Domain
from banister.tables.schema import Schema

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.publish.fidelity import Fidelity

Rows = list[tuple[str, str]]
Certify = Callable[[Payable, "Ledger", Sequence[Path]], Path]
"""Writes the certificate of what was published into these files, beside the first; gives its path."""
_ROOM = 1 << 20
"""Bytes that must be free for a file whose size is as secret as the number of records."""
POOR = 0.1
"""From this total variation on, before repair, we advise against the release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody asks to publish, in their own words."""

    table: Path
    epsilon: str
    delta: str
    out: Path | None
    columns: tuple[str, ...]
    schema: Path | None
    neighbours: str
    ledger: str
    wide: bool
    histogram: Path | None
    report: Path | None
    prior: Path | None
    raw: bool
    key: str = ""
    """What the asker calls this request: it is charged once. Without one a key is made, and forgotten at the end."""
    target: str = ""
    """The column that a wide copy is for."""
    workload: tuple[tuple[str, ...], ...] = ()
    """Sets of columns that count more in a wide copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A wish, and what the schema says about it: all that is handed on."""

    wish: Wish
    domain: Domain
    neighbours: Neighbours
    ledger: str
    """The address of the ledger, empty where none is named."""
    needed: Mapping[str, Path]
    """The files that may not be written over, with what they are."""

    @classmethod
    def of_wish(cls, wish: Wish) -> "Request":
        """Read the schema; the command's own words go before the file's."""
        path = wish.table.with_suffix(".toml") if wish.schema is None else wish.schema
        said = Schema.of_file(path)
        ledger = wish.ledger or _beside(path, said.ledger)
        needed = {"the private table": wish.table, "the schema": path}
        if ledger and "://" not in ledger:
            needed["the ledger"] = Path(ledger)
        return cls(
            wish=wish,
            domain=said.domain_of(wish.columns) if wish.columns else said.domain,
            neighbours=_neighbours(wish, said),
            ledger=ledger,
            needed=needed,
        )

    def open_ledger(self) -> "Ledger":
        """The ledger to charge, which has to be there."""
        from banister.accounting.ledger import Ledger

        if not self.ledger:
            raise BadValue(
                'No ledger is named. Give --ledger, or ledger = "..." under [budget] of the schema; make one with: '
                "banister ledger create."
            )
        try:
            return Ledger.open(self.ledger)
        except LedgerMissing:
            raise LedgerMissing(
                f"The ledger '{self.ledger}' is not there. Make it once with: banister ledger create {self.ledger} "
                f"--epsilon 1 --delta 1e-6 --neighbours {self.neighbours.value} --as-you-go renyi. If there was one, "
                "find it: a new ledger forgets what was given away."
            ) from None


def publish(wish: Wish, *, plan_only: bool, certify: Certify | None = None) -> Rows:
    """Do it, and give what to tell. Nothing is charged unless noise is drawn; files are whole or not there."""
    request = Request.of_wish(wish)
    _check_targets(wish, request, plan_only)
    way = _publish_wide if wish.wide else _publish_cells
    return way(request, certify, plan_only=plan_only)


def _publish_cells(request: Request, certify: Certify | None, *, plan_only: bool) -> Rows:
    wish, domain = request.wish, request.domain
    if need.non_negative("delta", wish.delta) > 0:
        raise BadValue(f"--delta {wish.delta} is of use with --wide only; cell by cell the guarantee needs no delta.")
    if wish.target or wish.workload:
        raise BadValue("--for and --workload are of use with --wide only; cell by cell every combination is kept.")
    repair = Repair.NONE if wish.raw else Repair.PRIOR if wish.prior is not None else Repair.COUNTS
    plan = plan_sanitize(domain, epsilon=wish.epsilon, neighbours=request.neighbours, repair=repair)
    if plan_only:
        return plan.rows(None)
    prior = None if wish.prior is None else public_prior(wish.prior, domain)
    with request.open_ledger() as ledger, kept_until_written(plan, ledger, key=wish.key) as key:
        done, fidelity = sanitize(plan, wish.table, ledger=ledger, prior=prior, key=key)
        # The number of records is public knowledge under replacement only; elsewhere the copy's own is shown.
        public = fidelity.records if plan.neighbours is Neighbours.REPLACE else max(int(done.counts.sum()), 1)
        rows = plan.rows(public)
        if wish.out is not None:
            done.write(wish.out)
            rows.append(("copy", f"{wish.out}: {int(done.counts.sum()):,} records"))
        if wish.histogram is not None:
            done.write_histogram(wish.histogram)
            rows.append(("histogram", str(wish.histogram)))
        rows += _certified(wish, plan, ledger, certify)
        if plan.total_variation(public) > POOR:
            rows.append(("advice", advice(plan.total_variation(public))))
        rows.append(("head", ledger.head))
        return rows + _written_report(wish, plan, fidelity, facts=rows, ledger=ledger)


def _publish_wide(request: Request, certify: Certify | None, *, plan_only: bool) -> Rows:
    from banister.publish.wide import plan_wide, sanitize_wide

    wish, domain = request.wish, request.domain
    if wish.raw or wish.prior is not None or wish.histogram is not None:
        raise BadValue("--wide publishes records; --raw, --prior and --histogram go through cells and need no --wide.")
    plan = plan_wide(
        domain,
        epsilon=wish.epsilon,
        delta=wish.delta,
        neighbours=request.neighbours,
        target=wish.target,
        workload=wish.workload,
    )
    rows = plan.rows()
    if plan_only or wish.out is None:
        return rows
    with request.open_ledger() as ledger, kept_until_written(plan, ledger, key=wish.key) as key:
        done, fidelity = sanitize_wide(plan, wish.table, ledger=ledger, key=key)
        done.write(wish.out)
        joined = ", ".join("–".join(domain.names[axis] for axis in axes) for axes in done.joined)
        rows.append(("joined", joined or "no pair stands out: columns are published as independent"))
        rows.append(("copy", f"{wish.out}: {done.codes[0].size:,} records"))
        rows += _certified(wish, plan, ledger, certify)
        rows.append(("head", ledger.head))
        return rows + _written_report(wish, plan, fidelity, facts=rows, ledger=ledger)


def _certified(wish: Wish, plan: Payable, ledger: "Ledger", certify: Certify | None) -> Rows:
    """Have the certificate of what is published written beside it."""
    files = [path for path in (wish.out, wish.histogram) if path is not None]
    return [] if certify is None else [("certificate", str(certify(plan, ledger, files)))]


def advice(variation: float) -> str:
    """What to do when the copy will be poor."""
    return (
        f"before repair the noise is {variation:.0%} of the table. For fewer cells choose fewer columns or wider bins; "
        "--wide keeps single columns and pairs close instead."
    )


def _written_report(wish: Wish, plan: Payable, fidelity: "Fidelity", *, facts: Rows, ledger: "Ledger") -> Rows:
    """Write the owner's report where one is asked for."""
    if wish.report is None:
        return []
    from banister.files import Access
    from banister.publish.page import fidelity_blocks
    from banister.show.page import write_page

    level = plan.guarantee
    cost = [("this copy", f"epsilon {brief(level.epsilon)}, delta {brief(level.delta)}"), *ledger.summary()]
    blocks = fidelity_blocks(fidelity, facts=facts, cost=cost, meaning=meaning(level, plan.neighbours))
    write_page(wish.report, f"Private copy of {wish.table.name}", blocks, access=Access.OWNER)
    return [("report", f"{wish.report} (true counts: for the owner only)")]


def meaning(level: Guarantee, neighbours: Neighbours) -> str:
    """The guarantee in plain words."""
    factor = math.exp(float(level.epsilon))
    what = (
        "if one person's record were replaced by any other"
        if neighbours is Neighbours.REPLACE
        else "if one person's record were added or left out"
    )
    rest = f", up to a chance of {brief(level.delta)}" if level.delta else ""
    return (
        f"Whatever the published copy looks like, its chance to come out so would have been at most {factor:.3g} times "
        f"larger or smaller {what}{rest}. So nobody, whatever else they know, can learn much about one person from it, "
        "now or later. It says nothing about what the whole table tells about everybody."
    )


def _neighbours(wish: Wish, said: Schema) -> Neighbours:
    if not wish.neighbours:
        if said.relation is None:
            raise BadValue(
                'Say whom the guarantee protects: neighbours = "replace" or "add-remove" under [source] of the schema, '
                "or --neighbours."
            )
        return said.relation
    choices = {relation.value: relation for relation in Neighbours}
    if wish.neighbours not in choices:
        raise BadValue(f"--neighbours {wish.neighbours[:40]} must be one of: {', '.join(choices)}.")
    return choices[wish.neighbours]


def _beside(schema: Path, ledger: str | None) -> str:
    """The ledger that a schema names; a plain path starts at the schema's folder."""
    if ledger is None or "://" in ledger or ledger == "memory:":
        return ledger or ""
    return str(schema.parent / ledger)


def _check_targets(wish: Wish, request: Request, plan_only: bool) -> None:
    from banister.files import check_apart, check_space, check_target

    if wish.out is None and wish.histogram is None and not plan_only:
        raise BadValue("Nothing would be published. Give --out for records, or --histogram for counts.")
    if wish.raw and wish.out is not None:
        raise BadValue("Noisy numbers below 0 are no records: with --raw give --histogram and no --out.")
    if wish.raw and wish.prior is not None:
        raise BadValue("--raw and --prior exclude each other: a prior repairs the numbers, raw leaves them.")
    for path in (wish.out, wish.histogram):
        if path is not None:
            check_target(path, (".csv", ".parquet"))
            check_space(path, _ROOM)
    if wish.report is not None:
        check_target(wish.report, (".html",))
    beside = next((path.with_suffix(".certificate") for path in (wish.out, wish.histogram) if path is not None), None)
    for path in (wish.out, wish.histogram, wish.report, beside):
        if path is not None:
            check_apart(path, request.needed)
