"""From a wish on the command line to published files: declarations, plan, ledger, copy, report, in that order."""

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from banister import need
from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Neighbours
from banister.errors import BadValue, LedgerMissing
from banister.publish.table import Repair, plan_sanitize, public_prior, sanitize
from banister.tables.domain import Domain
from banister.tables.schema import Schema

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.publish.fidelity import Fidelity

Rows = list[tuple[str, str]]
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


def publish(wish: Wish, *, plan_only: bool) -> Rows:
    """Do it, and give what to tell. Nothing is charged unless noise is drawn; files are whole or not there."""
    schema = wish.table.with_suffix(".toml") if wish.schema is None else wish.schema
    said = Schema.of_file(schema)
    domain = said.domain_of(wish.columns) if wish.columns else said.domain
    neighbours = _neighbours(wish, said)
    _check_targets(wish, plan_only)
    if wish.wide:
        return _publish_wide(wish, domain, neighbours, said, schema, plan_only=plan_only)
    return _publish_cells(wish, domain, neighbours, said, schema, plan_only=plan_only)


def _publish_cells(
    wish: Wish, domain: Domain, neighbours: Neighbours, said: Schema, schema: Path, *, plan_only: bool
) -> Rows:
    if need.non_negative("delta", wish.delta) > 0:
        raise BadValue(f"--delta {wish.delta} is of use with --wide only; cell by cell the guarantee needs no delta.")
    repair = Repair.NONE if wish.raw else Repair.PRIOR if wish.prior is not None else Repair.COUNTS
    plan = plan_sanitize(domain, epsilon=wish.epsilon, neighbours=neighbours, repair=repair)
    if plan_only:
        return plan.rows(None)
    prior = None if wish.prior is None else public_prior(wish.prior, domain)
    with _ledger(wish, said, schema) as ledger:
        done, fidelity = sanitize(plan, wish.table, ledger=ledger, prior=prior)
        # The number of records is public knowledge under replacement only; elsewhere the copy's own is shown.
        public = fidelity.records if neighbours is Neighbours.REPLACE else max(int(done.counts.sum()), 1)
        rows = plan.rows(public)
        if wish.out is not None:
            done.write(wish.out)
            rows.append(("copy", f"{wish.out}: {int(done.counts.sum()):,} records"))
        if wish.histogram is not None:
            done.write_histogram(wish.histogram)
            rows.append(("histogram", str(wish.histogram)))
        if plan.total_variation(public) > POOR:
            rows.append(("advice", advice(plan.total_variation(public))))
        return rows + written_report(wish, fidelity, rows, ledger, plan.noise.epsilon, "0", neighbours)


def _publish_wide(
    wish: Wish, domain: Domain, neighbours: Neighbours, said: Schema, schema: Path, *, plan_only: bool
) -> Rows:
    from banister.publish.wide import plan_wide, sanitize_wide

    if wish.raw or wish.prior is not None or wish.histogram is not None:
        raise BadValue("--wide publishes records; --raw, --prior and --histogram go through cells and need no --wide.")
    plan = plan_wide(domain, epsilon=wish.epsilon, delta=wish.delta, neighbours=neighbours)
    rows = plan.rows()
    if plan_only or wish.out is None:
        return rows
    with _ledger(wish, said, schema) as ledger:
        done, fidelity = sanitize_wide(plan, wish.table, ledger=ledger)
        done.write(wish.out)
        joined = ", ".join(f"{domain.names[a]}–{domain.names[b]}" for a, b in done.joined)
        rows.append(("joined", joined or "no pair stands out: columns are published as independent"))
        rows.append(("copy", f"{wish.out}: {done.codes[0].size:,} records"))
        return rows + written_report(wish, fidelity, rows, ledger, plan.epsilon, wish.delta, neighbours)


def advice(variation: float) -> str:
    """What to do when the copy will be poor."""
    return (
        f"before repair the noise is {variation:.0%} of the table. For fewer cells choose fewer columns or wider bins; "
        "--wide keeps single columns and pairs close instead."
    )


def written_report(
    wish: Wish, fidelity: "Fidelity", facts: Rows, ledger: "Ledger", level: Fraction, delta: str, neighbours: Neighbours
) -> Rows:
    """Write the owner's report where one is asked for."""
    if wish.report is None:
        return []
    from banister.files import Access, whole_text
    from banister.publish.page import fidelity_page

    cost = [("this copy", f"epsilon {brief(level)}, delta {delta}"), *ledger.summary()]
    page = fidelity_page(
        fidelity,
        title=f"Private copy of {wish.table.name}",
        facts=facts,
        cost=cost,
        meaning=meaning(level, delta, neighbours),
    )

    whole_text(wish.report, page, access=Access.OWNER)
    return [("report", f"{wish.report} (true counts: for the owner only)")]


def meaning(level: Fraction, delta: str, neighbours: Neighbours) -> str:
    """The guarantee in plain words."""
    factor = math.exp(float(level))
    what = (
        "if one person's record were replaced by any other"
        if neighbours is Neighbours.REPLACE
        else "if one person's record were added or left out"
    )
    rest = "" if delta in ("0", "0.0") else f", up to a chance of {delta}"
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


def _ledger(wish: Wish, said: Schema, schema: Path) -> "Ledger":
    from banister.accounting.ledger import Ledger

    address = wish.ledger
    if not address:
        if said.ledger is None:
            raise BadValue(
                'No ledger is named. Give --ledger, or ledger = "..." under [budget] of the schema; make one with: '
                "banister ledger create."
            )
        plain = "://" not in said.ledger and said.ledger != "memory:"
        address = str(schema.parent / said.ledger) if plain else said.ledger
    try:
        return Ledger.open(address)
    except LedgerMissing:
        raise LedgerMissing(
            f"The ledger '{address}' is not there. Make it once with: banister ledger create {address} --epsilon 1 "
            "--delta 1e-6 --neighbours replace --as-you-go renyi. If there was one, find it: a new ledger forgets what "
            "was given away."
        ) from None


def _check_targets(wish: Wish, plan_only: bool) -> None:
    from banister.files import check_target

    if wish.out is None and wish.histogram is None and not plan_only:
        raise BadValue("Nothing would be published. Give --out for records, or --histogram for counts.")
    if wish.raw and wish.out is not None:
        raise BadValue("Noisy numbers below 0 are no records: with --raw give --histogram and no --out.")
    if wish.raw and wish.prior is not None:
        raise BadValue("--raw and --prior exclude each other: a prior repairs the numbers, raw leaves them.")
    for path in (wish.out, wish.histogram):
        if path is not None:
            check_target(path, (".csv", ".parquet"))
            if path.resolve() == wish.table.resolve():
                raise BadValue(f"'{path}' is the private table itself. Write the copy to another file.")
    if wish.report is not None:
        check_target(wish.report, (".html",))
