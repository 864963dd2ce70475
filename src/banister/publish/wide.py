"""Publish a table with too many columns to enumerate: measure columns and chosen pairs, fit a tree, deal records."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
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
from banister.mechanisms.line.gaussian import Gaussian
from banister.publish.fidelity import Fidelity
from banister.publish.marginals import ColumnTree, Pair, fitted, forest, grouped, on_simplex, sampled, spread_over
from banister.publish.noise import cells_moved
from banister.publish.paying import drawn, private_records
from banister.publish.table import decoded
from banister.sampling.bits import SYSTEM, BitSource
from banister.tables.domain import Domain, Integers
from banister.tables.protected import protected_by_domain

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger

Floats = NDArray[np.float64]
SHARES = (Fraction(9, 20), Fraction(1, 20), Fraction(1, 2))
"""What columns, scores and pairs get of the budget, which for Gaussian noise adds up as mu²."""
_CERTAIN = 3.0
"""A pair is joined only where its score stands so many deviations above 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WidePlan:
    """Gaussian noise for columns, scores of pairs, and pairs. Made without seeing a record.

    Private:  one Gaussian release of mu = 1/sigma in total: what is measured depends on earlier noisy answers, the
              noise on it does not, and Gaussian losses add up as mu² whatever was chosen ([ST22]).
    """

    domain: Domain
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    mu_squared: Fraction

    def __post_init__(self) -> None:
        if self.loss().delta_at(self.epsilon).down > self.delta:  # Certainly so, whatever the rounding.
            raise BadValue(
                f"mu_squared = {float(self.mu_squared):.4g} gives away more than {self.guarantee}. Plan with plan_wide."
            )

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, self.delta)

    @property
    def protects(self) -> Protects:
        """The people or rows of the domain."""
        return protected_by_domain(self.domain)

    def label(self) -> str:
        """One line for the ledger."""
        return f"wide private copy of {len(self.domain.attributes)} columns"

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.gaussian(self.mu_squared)

    def key(self) -> str:
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def noise(self, share: Fraction, releases: int) -> Gaussian:
        """The noise for one of so many releases that share a part of the budget; counts are moved by 1 in a cell."""
        sigma = math.sqrt(cells_moved(self.neighbours) * releases / float(share * self.mu_squared))
        # A hair more than the rounding of these three operations can have taken away.
        return Gaussian.with_sigma(sigma=sigma * (1 + 2.0**-50), sensitivity=1, grid=1)

    def about(self) -> str:
        """What a reader of the published file should know, as JSON."""
        return json.dumps(
            {
                "format": 1,
                "made by": "banister sanitize --wide",
                "epsilon": brief(self.epsilon),
                "delta": brief(self.delta),
                "neighbours": self.neighbours.value,
            }
        )

    def rows(self) -> list[tuple[str, str]]:
        """The plan in words."""
        columns = len(self.domain.attributes)
        return [
            ("columns", f"{columns}, with {self.domain.cells:.4g} combinations"),
            ("guarantee", f"epsilon = {brief(self.epsilon)}, delta = {brief(self.delta)}, {self.neighbours.value}"),
            ("one value", f"± {self.noise(SHARES[0], columns).sigma:.3g} counts (standard deviation)"),
            (
                "one cell of a pair",
                f"± {self.noise(SHARES[2], max(columns - 1, 1)).sigma:.3g} counts, if all are joined",
            ),
        ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WideCopy:
    """A private copy as codes, and the pairs of columns that were measured together."""

    plan: WidePlan
    codes: tuple[Integers, ...]
    types: dict[str, str]
    joined: tuple[Pair, ...]

    def write(self, path: str | Path, *, bits: BitSource = SYSTEM) -> None:
        """Write the records as .csv or .parquet, in the types that the private table has."""
        from banister.tables.frames.records import write_records

        domain = self.plan.domain
        write_records(Path(path), domain, decoded(domain, self.codes, bits), self.types, about=self.plan.about())


def plan_wide(domain: Domain, *, epsilon: Number, delta: Number, neighbours: Neighbours) -> WidePlan:
    """Plan the release of a wide table. No record is seen.

    >>> from banister.tables.columns import Kind
    >>> from banister.tables.domain import Attribute
    >>> asked = [Attribute(name=f"q{n}", kind=Kind.CATEGORY, values=("yes", "no"), nulls=False) for n in range(3)]
    >>> plan = plan_wide(Domain(tuple(asked)), epsilon=1, delta=1e-6, neighbours=Neighbours.REPLACE)
    >>> plan.rows()[0]
    ('columns', '3, with 8 combinations')
    """
    need.one_of("neighbours", neighbours, tuple(Neighbours))
    sigma = Gaussian(epsilon=epsilon, delta=delta, sensitivity=1).sigma
    return WidePlan(
        domain=domain,
        epsilon=need.positive("epsilon", epsilon),
        delta=need.exact("delta", delta),
        neighbours=neighbours,
        mu_squared=1 / Fraction(sigma) ** 2,
    )


def sanitize_wide(
    plan: WidePlan, table: object, *, ledger: "Ledger", bits: BitSource = SYSTEM, key: str = ""
) -> tuple[WideCopy, Fidelity]:
    """Read the table, charge the ledger, then measure, fit and deal. The second value is for the owner only.

    Under a `key` of your own the same plan is charged once, and a second call fetches what was drawn.

    >>> import pandas as pd
    >>> from banister import Guarantee, Ledger
    >>> from banister.tables.columns import Kind
    >>> from banister.tables.domain import Attribute
    >>> asked = tuple(Attribute(name=name, kind=Kind.CATEGORY, values=("yes", "no"), nulls=False) for name in "ab")
    >>> plan = plan_wide(Domain(asked), epsilon=1, delta=1e-6, neighbours=Neighbours.REPLACE)
    >>> cost = Guarantee(1, 1e-6)
    >>> book = Ledger.create("memory:", budget=cost, neighbours=Neighbours.REPLACE, questions=[(cost, 1)])
    >>> copy, fidelity = sanitize_wide(plan, pd.DataFrame({"a": ["yes", "no"] * 50, "b": ["no"] * 100}), ledger=book)
    >>> len(copy.codes), copy.codes[0].size
    (2, 100)
    """
    coded = private_records(table, plan.domain, plan.neighbours)
    # The number of records is public where records are only replaced.
    known = coded.records if plan.neighbours is Neighbours.REPLACE else None

    def draw() -> list[Integers]:
        dealt, pairs = _measured(plan, coded.codes, known, bits)
        return [*dealt, np.array(pairs, dtype=np.int64).reshape(-1, 2)]

    *columns, found = drawn(plan, ledger, key=key, draw=draw)
    codes, joined = tuple(columns), tuple((int(a), int(b)) for a, b in found)
    done = WideCopy(plan=plan, codes=codes, types=dict(coded.types), joined=joined)
    deviation = plan.noise(SHARES[0], len(codes)).sigma
    return done, Fidelity.of_codes(plan.domain, coded.codes, codes, deviation=deviation)


def _measured(
    plan: WidePlan, codes: Sequence[Integers], known: int | None, bits: BitSource
) -> tuple[tuple[Integers, ...], tuple[Pair, ...]]:
    sizes = plan.domain.shape
    single = plan.noise(SHARES[0], len(sizes))
    noisy = [_released(single, np.bincount(c, minlength=size), bits) for c, size in zip(codes, sizes, strict=True)]
    total = float(known) if known is not None else _total(noisy)
    ones = [on_simplex(counts, total) for counts in noisy]
    groups = [grouped(c, ordered=a.ordered) for c, a in zip(ones, plan.domain.attributes, strict=True)]
    coarse = [group[code] for group, code in zip(groups, codes, strict=True)]
    rough = [np.bincount(group, weights=c).astype(np.float64) for group, c in zip(groups, ones, strict=True)]
    joined = _chosen(plan, coarse, rough, total, bits)
    pair_noise = plan.noise(SHARES[2], max(len(joined), 1))
    pairs = {pair: _released(pair_noise, _joint(coarse, rough, pair), bits) for pair in joined}
    variances = [np.bincount(group).astype(np.float64) * single.sigma**2 for group in groups]
    tree = fitted(rough, pairs, total, one_variance=variances, pair_variance=pair_noise.sigma**2)
    return _dealt(tree, groups, ones, round(total), bits), tuple(joined)


def _dealt(
    tree: ColumnTree, groups: Sequence[Integers], ones: Sequence[Floats], records: int, bits: BitSource
) -> tuple[Integers, ...]:
    """Records from the tree, each group's value dealt by the column's own counts."""
    found = []
    for column, group, counts in zip(sampled(tree, records, bits), groups, ones, strict=True):
        shares = np.zeros((int(group.max()) + 1, counts.size))
        shares[group, np.arange(counts.size)] = counts + 1e-9
        found.append(spread_over(column, shares, bits))
    return tuple(found)


def _chosen(
    plan: WidePlan, coarse: Sequence[Integers], rough: Sequence[Floats], total: float, bits: BitSource
) -> list[Pair]:
    """Score every pair by its L1 distance from independence, privately, and join the strongest.

    A score is a whole number: counts against rounded products of released counts. One record moves it by 1 at most,
    a replaced one by 2.
    """
    pairs = list(combinations(range(len(coarse)), 2))
    if not pairs:
        return []
    moved = cells_moved(plan.neighbours)
    # Scores move together by up to `moved`, counts by 1 in `moved` cells: hence one more factor.
    noise = plan.noise(SHARES[1], moved * len(pairs))
    scores = np.empty(len(pairs), dtype=np.int64)
    for place, (a, b) in enumerate(pairs):
        product = np.rint(np.outer(rough[a], rough[b]) / max(total, 1.0)).astype(np.int64)
        scores[place] = np.abs(_joint(coarse, rough, (a, b)) - product).sum()
    found = dict(zip(pairs, _released(noise, scores, bits).tolist(), strict=True))
    pair_sigma = plan.noise(SHARES[2], max(len(coarse) - 1, 1)).sigma

    def worth(pair: Pair) -> float:
        cells = rough[pair[0]].size * rough[pair[1]].size
        # What noise the table would carry once negative cells are gone, about a third of the raw one.
        return max(_CERTAIN * noise.sigma, 0.25 * cells * pair_sigma)

    return forest(found, len(coarse), worth)


def _joint(coarse: Sequence[Integers], rough: Sequence[Floats], pair: Pair) -> Integers:
    shape = (rough[pair[0]].size, rough[pair[1]].size)
    flat = coarse[pair[0]] * shape[1] + coarse[pair[1]]
    return np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int64)


def _released(noise: Gaussian, counts: Integers, bits: BitSource) -> Floats:
    return np.asarray(noise.draw_units(counts.ravel(), bits), dtype=np.float64).reshape(counts.shape)


def _total(noisy: Sequence[Floats]) -> float:
    """The number of records from what every column says of it, columns of few values weighing more."""
    weights = np.array([1 / counts.size for counts in noisy])
    return max(float(np.dot([counts.sum() for counts in noisy], weights) / weights.sum()), 1.0)
