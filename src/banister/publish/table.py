"""Publish a whole table: plan without data, then charge, draw, repair, and write one private copy."""

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.accounting.protects import Protects
from banister.core.exact.numbers import Number, brief
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.publish.noise import Stated, TableNoise, check_level, check_pair, noise_for
from banister.publish.paying import drawn, private_records
from banister.publish.repair import nearest_counts, remapped_counts
from banister.sampling.bits import SYSTEM, BitSource
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain, Integers
from banister.tables.protected import protected_by_domain
from banister.tables.schema import Schema

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger
    from banister.publish.fidelity import Fidelity

FORMAT = 1
RAW_LIMIT = 1_000_000
"""Cells up to which a file keeps its raw noisy counts beside the records; some megabytes at most."""


class Repair(Enum):
    """What is done to the noisy histogram. It costs no privacy."""

    COUNTS = "counts"
    """Back to counts of the right total by one common threshold."""
    PRIOR = "prior"
    """Back to counts by what public knowledge expects: the posterior at a common level."""
    NONE = "none"
    """Nothing: noisy numbers, some negative. No records can be made of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SanitizePlan:
    """What will be published, what it costs, and how far it will be from the truth. Made without seeing a record."""

    domain: Domain
    noise: TableNoise
    repair: Repair

    def __post_init__(self) -> None:
        if self.noise.cells != self.domain.cells:
            raise BadValue(
                f"The noise is for {self.noise.cells} cells, the columns have {self.domain.cells}. Plan it for these."
            )

    @property
    def neighbours(self) -> Neighbours:
        """Whom the noise protects: what is charged is about them, and about nobody else."""
        return self.noise.neighbours

    @property
    def guarantee(self) -> Guarantee:
        """What the noise promises."""
        return Guarantee(self.noise.epsilon)

    def loss(self) -> PrivacyLoss:
        """What is given away: the noise's own loss."""
        return self.noise.loss()

    @property
    def certificate(self) -> str:
        """The kind of its certificate."""
        return "release"

    def stated(self) -> tuple[Stated, ...]:
        """The law of what is drawn, as a certificate states it."""
        return (self.noise.stated(),)

    def key(self) -> str:
        """A hash of everything that the release depends on."""
        parts = [str(FORMAT), repr(self.domain), repr(self.noise), self.neighbours.value, self.repair.value]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @property
    def protects(self) -> Protects:
        """The people or rows of the domain."""
        return protected_by_domain(self.domain)

    def label(self) -> str:
        """One line for the ledger."""
        text = f"sanitized table: {', '.join(self.domain.names)}"
        return text if len(text) <= 200 else f"{text[:190]} …"

    def rows(self, records: int | None) -> list[tuple[str, str]]:
        """The plan in words; `records` is the public number of records, where it is public."""
        noise = self.noise
        cells = noise.cells
        person = self.domain.person
        lines = [("a record", f"one row of each person named in '{person}'; others are left out")] if person else []
        lines += [
            ("cells", f"{cells:,} ({' × '.join(f'{a.name} {a.size}' for a in self.domain.attributes)})"),
            ("guarantee", f"epsilon = {brief(noise.epsilon)}, {self.neighbours.value} neighbours, no delta"),
            ("noise", f"{noise.name}: expected L1 error {noise.distortion():,.6g} counts before repair"),
            ("one cell", f"± {noise.deviation(1):.3g} (standard deviation)"),
            ("half of all cells", f"± {noise.deviation(cells // 2):.3g}"),
        ]
        lines += [
            (f"one value of {a.name}", f"± {noise.deviation(cells // a.size):.3g} counts")
            for a in self.domain.attributes
            if a.size > 1
        ]
        if records is not None:
            lines += self._means(records)
            lines.append(("records", f"{records:,}"))
            lines.append(("total variation", f"at most {self.total_variation(records):.3f} expected, before repair"))
        return lines

    def _means(self, records: int) -> list[tuple[str, str]]:
        """Expected error of the mean of each number."""
        found = []
        for axis, attribute in enumerate(self.domain.attributes):
            if attribute.kind not in (Kind.INTEGER, Kind.NUMBER):
                continue
            edges = np.asarray(attribute.edges, dtype=np.float64)
            middle = np.append((edges[:-1] + edges[1:] - 1) / 2, [0.0] * attribute.nulls) * float(attribute.step)
            shape = [1] * len(self.domain.attributes)
            shape[axis] = attribute.size
            values = np.broadcast_to(middle.reshape(shape), self.domain.shape).ravel()
            found.append((f"mean of {attribute.name}", f"± {self.noise.mean_deviation(values, records):.3g}"))
        return found

    def total_variation(self, records: int) -> float:
        """Expected total variation between the true and the noisy table, before repair, which lowers it."""
        return self.noise.distortion() / (2 * max(records, 1))

    def about(self) -> str:
        """What a reader of the published file should know, as JSON."""
        return json.dumps(
            {
                "format": FORMAT,
                "made by": "banister sanitize",
                "epsilon": brief(self.noise.epsilon),
                "delta": "0",
                "neighbours": self.neighbours.value,
                "cells": self.noise.cells,
                "noise": self.noise.name,
                "repair": self.repair.value,
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sanitized:
    """A private copy: counts over all cells. Everything in it may be published."""

    plan: SanitizePlan
    counts: Integers
    types: dict[str, str]
    noisy: Integers
    """The numbers before they were repaired: they may be published too, and intervals are made from them."""

    def about(self) -> str:
        """What a reader of the file should know, and the raw noisy counts, so that it can be asked for ever."""
        return self.plan.about() if self.noisy.size > RAW_LIMIT else with_raw(self)

    def codes(self) -> tuple[Integers, ...]:
        """One code per record, column by column, sorted by cell: never in the order of the private table."""
        if self.plan.repair is Repair.NONE:
            raise BadValue("Noisy numbers below 0 are no records. Plan with repair 'counts', or write the histogram.")
        cells = np.repeat(np.arange(self.counts.size), self.counts)
        return tuple(np.asarray(c, dtype=np.int64) for c in np.unravel_index(cells, self.plan.domain.shape))

    def write(self, path: str | Path, *, bits: BitSource = SYSTEM) -> None:
        """Write the records as .csv or .parquet, in the types that the private table has."""
        from banister.tables.frames.records import write_records

        columns = decoded(self.plan.domain, self.codes(), bits)
        write_records(Path(path), self.plan.domain, columns, self.types, about=self.about())

    def write_histogram(self, path: str | Path) -> None:
        """Write every cell that is not 0 with its count, as .csv or .parquet."""
        from banister.tables.frames.records import write_counts

        cells = np.flatnonzero(self.counts)
        codes = [np.asarray(c, dtype=np.int64) for c in np.unravel_index(cells, self.plan.domain.shape)]
        write_counts(Path(path), self.plan.domain, codes, self.counts[cells], about=self.about())


def with_raw(copy: Sanitized) -> str:
    """The copy's own description with its attributes and raw counts, as JSON."""
    document = json.loads(copy.plan.about())
    document["attributes"] = [_described(each) for each in copy.plan.domain.attributes]
    document["types"] = copy.types
    document["level"] = str(copy.plan.noise.epsilon)
    packed = zlib.compress(copy.noisy.astype("<i8").tobytes(), 9)
    document["noisy"] = base64.b64encode(packed).decode("ascii")
    return json.dumps(document)


def _described(attribute: Attribute) -> dict[str, object]:
    edges = attribute.edges
    return {
        "name": attribute.name,
        "kind": attribute.kind.value,
        "values": list(attribute.values),
        "edges": [edges.start, edges.stop, edges.step] if isinstance(edges, range) else list(edges),
        "even": isinstance(edges, range),
        "step": str(attribute.step),
        "nulls": attribute.nulls,
    }


def decoded(domain: Domain, codes: Sequence[Integers], bits: BitSource) -> list[Integers]:
    """Units for codes: a position for a category, otherwise a unit of the cell, all equally likely."""
    from banister.tables.frames.records import missing_unit

    columns = []
    for attribute, column in zip(domain.attributes, codes, strict=True):
        missing = column == attribute.present
        if attribute.kind is Kind.CATEGORY:
            units = column.copy()
        else:
            edges = np.asarray(attribute.edges, dtype=np.int64)
            cell = np.minimum(column, attribute.present - 1)
            width = edges[cell + 1] - edges[cell]
            share = (bits.words(column.size, 64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
            units = edges[cell] + np.minimum((share * width).astype(np.int64), width - 1)
        units[missing] = missing_unit(attribute)
        columns.append(units)
    return columns


def read_declaration(schema: str | Path) -> Schema:
    """Read a schema file, as `banister.open` does; its `domain` is what a whole table is published over.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as folder:
    ...     schema = read_declaration(write_demo(folder)[1])
    >>> [attribute.name for attribute in schema.domain.attributes]
    ['visits', 'payment', 'diseases', 'plan', 'health', 'limited']
    """
    return Schema.of_file(schema)


def plan_sanitize(
    domain: Domain,
    *,
    epsilon: Number,
    neighbours: Neighbours,
    repair: Repair = Repair.COUNTS,
    noise: TableNoise | None = None,
) -> SanitizePlan:
    """Plan the release of a whole table over an enumerable domain. No record is seen.

    >>> from banister.tables.domain import Attribute
    >>> smokes = Attribute(name="smokes", kind=Kind.CATEGORY, values=("yes", "no"), nulls=False)
    >>> plan = plan_sanitize(Domain((smokes,)), epsilon=1, neighbours=Neighbours.REPLACE)
    >>> round(plan.noise.distortion(), 4)
    1.7018
    """
    level = need.positive("epsilon", epsilon)
    need.one_of("neighbours", neighbours, tuple(Neighbours))
    chosen = noise_for(domain.enumerable(), level, neighbours) if noise is None else noise
    plan = SanitizePlan(domain=domain, noise=chosen, repair=repair)
    check_pair(chosen, neighbours)
    check_level(chosen, level)
    return plan


def sanitize(
    plan: SanitizePlan,
    table: object,
    *,
    ledger: "Ledger",
    prior: NDArray[np.float64] | None = None,
    bits: BitSource = SYSTEM,
    key: str = "",
) -> tuple[Sanitized, "Fidelity"]:
    """Read the table, charge the ledger, then draw. Raises before anything is charged, or gives the private copy.

    The second value compares the copy with the truth: it is for the owner of the table only. Under a `key` of your own
    the same plan is charged once, and what was drawn is kept beside the ledger and fetched by a second call.

    >>> import pandas as pd
    >>> from banister import Guarantee, Ledger
    >>> from banister.tables.domain import Attribute
    >>> smokes = Attribute(name="smokes", kind=Kind.CATEGORY, values=("yes", "no"), nulls=False)
    >>> plan = plan_sanitize(Domain((smokes,)), epsilon=1, neighbours=Neighbours.REPLACE)
    >>> cost = Guarantee(1)
    >>> book = Ledger.create("memory:", budget=cost, neighbours=Neighbours.REPLACE, questions=[(cost, 1)])
    >>> copy, fidelity = sanitize(plan, pd.DataFrame({"smokes": ["yes", "no", "no"]}), ledger=book)
    >>> int(copy.counts.sum())
    3
    """
    from banister.publish.fidelity import Fidelity

    coded = private_records(table, plan.domain, plan.neighbours)
    if (plan.repair is Repair.PRIOR) != (prior is not None):
        raise BadValue("A prior is needed for repair 'prior', and only there.")
    counts = plan.domain.histogram(coded.codes)

    def draw() -> list[Integers]:
        noisy = plan.noise.release(counts, bits)
        return [noisy, _repaired(plan, noisy, prior, bits)]

    noisy, released = drawn(plan, ledger, key=key, draw=draw)
    done = Sanitized(plan=plan, counts=released, types=dict(coded.types), noisy=noisy)
    shown = released if plan.repair is not Repair.NONE else np.maximum(released, 0)
    return done, Fidelity.of_histograms(plan.domain, counts, shown, plan.noise)


def _repaired(plan: SanitizePlan, noisy: Integers, prior: NDArray[np.float64] | None, bits: BitSource) -> Integers:
    total = max(int(noisy.sum()), 0)
    if plan.repair is Repair.NONE:
        return noisy
    if prior is not None:
        return remapped_counts(noisy, plan.noise.rate(), prior, total)
    return nearest_counts(noisy, total, bits)


def public_prior(table: object, domain: Domain) -> NDArray[np.float64]:
    """Chances of the cells from a public table with the same columns, half a record added to every cell."""
    from banister.tables.frames.records import read_codes

    coded = read_codes(table, domain)
    domain.check(coded.codes)
    counts = domain.histogram(coded.codes) + 0.5
    return np.asarray(counts / counts.sum(), dtype=np.float64)
