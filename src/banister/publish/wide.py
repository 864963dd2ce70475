"""Publish a table with too many columns to enumerate: measure columns and sets of them, fit a law, deal records."""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
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
from banister.publish.fitting.choosing import Budget, shares_of, without_circle, worthwhile
from banister.publish.fitting.graphical import GraphicalLaw, MeasuredMarginal, fitted, triples_within
from banister.publish.fitting.halving import halved, pool_for
from banister.publish.fitting.junction import Axes, JunctionTree
from banister.publish.marginals import grouped, on_simplex, spread_over
from banister.publish.noise import Stated, cells_moved
from banister.publish.paying import drawn, private_records
from banister.publish.table import decoded
from banister.sampling.bits import SYSTEM, BitSource
from banister.tables.domain import Domain, Integers
from banister.tables.protected import protected_by_domain

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger

Floats = NDArray[np.float64]
COLUMNS = Fraction(18, 100)
"""What single columns get of the budget, which for Gaussian noise adds up as mu²."""
ROUNDS = (
    (Fraction(3, 100), Fraction(28, 100)),
    (Fraction(3, 100), Fraction(32, 100)),
    (Fraction(2, 100), Fraction(14, 100)),
)
"""What scores and measurements get in each round: a tree of pairs, pairs beyond it, triples."""
_CERTAIN = 2.0
"""Columns are measured together only where their score stands so many deviations above 0."""
_NAMED = 2.0
"""How much more a set counts that the owner names."""
_MODEL = 200_000
"""The most numbers that hold the fitted law."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WidePlan:
    """Gaussian noise for columns, scores of pairs and triples, and those that are chosen. Made without seeing a record.

    Private:  one Gaussian release of mu = 1/sigma in total: what is measured depends on earlier noisy answers, the
              noise on it does not, and Gaussian losses add up as mu² whatever was chosen ([ST22]).
    """

    domain: Domain
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    mu_squared: Fraction
    target: int | None = None
    """The column that the copy is for, such as the one that a model will predict."""
    workload: tuple[Axes, ...] = ()
    """Sets of columns that count more than others."""

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

    @property
    def certificate(self) -> str:
        """The kind of its certificate."""
        return "release"

    def stated(self) -> tuple[Stated, ...]:
        """Columns, then the rounds: each as one Gaussian release that gives away what all of its own do together.

        Which sets a round measures depends on earlier answers; what its parts add up to does not.
        """
        shares = (COLUMNS, *(sum(each, Fraction(0)) for each in ROUNDS))
        moved = cells_moved(self.neighbours)
        found: list[Stated] = []
        for place, share in enumerate(shares):
            sigma = Fraction(self.noise(share, 1).sigma)
            law: Stated = {"law": "RoundedGaussian", "sigma": str(sigma)}
            found.append({"what": f"round {place}" if place else "columns", "noise": law, "squares": moved})
        return tuple(found)

    def key(self) -> str:
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def counts(self, axes: Axes) -> float:
        """How much the counts of these columns matter to the owner, beside 1 for any."""
        named = self.target in axes or any(set(axes) <= set(wanted) for wanted in self.workload)
        return _NAMED if named else 1.0

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
                "for": None if self.target is None else self.domain.names[self.target],
            }
        )

    def rows(self) -> list[tuple[str, str]]:
        """The plan in words."""
        columns, names = len(self.domain.attributes), self.domain.names
        rows = [
            ("columns", f"{columns}, with {self.domain.cells:.4g} combinations"),
            ("guarantee", f"epsilon = {brief(self.epsilon)}, delta = {brief(self.delta)}, {self.neighbours.value}"),
            ("one value", f"± {self.noise(COLUMNS, columns).sigma:.3g} counts (standard deviation)"),
            (
                "one cell of a pair",
                f"± {self.noise(ROUNDS[0][1], max(columns - 1, 1)).sigma:.3g} counts, if a tree joins all columns",
            ),
        ]
        if self.target is not None:
            rows.append(("for", f"{names[self.target]}: what is measured with it counts double"))
        if self.workload:
            sets = ", ".join("*".join(names[axis] for axis in axes) for axes in self.workload)
            rows.append(("workload", f"{sets}: counts double"))
        return rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WideCopy:
    """A private copy as codes, and the columns that were measured together."""

    plan: WidePlan
    codes: tuple[Integers, ...]
    types: dict[str, str]
    joined: tuple[Axes, ...]

    def write(self, path: str | Path, *, bits: BitSource = SYSTEM) -> None:
        """Write the records as .csv or .parquet, in the types that the private table has."""
        from banister.tables.frames.records import write_records

        domain = self.plan.domain
        write_records(Path(path), domain, decoded(domain, self.codes, bits), self.types, about=self.plan.about())


def plan_wide(
    domain: Domain,
    *,
    epsilon: Number,
    delta: Number,
    neighbours: Neighbours,
    target: str = "",
    workload: Sequence[Sequence[str]] = (),
) -> WidePlan:
    """Plan the release of a wide table. No record is seen.

    `target` names the column that the copy is for, `workload` sets of columns that count more than others.

    >>> from banister.tables.columns import Kind
    >>> from banister.tables.domain import Attribute
    >>> asked = [Attribute(name=f"q{n}", kind=Kind.CATEGORY, values=("yes", "no"), nulls=False) for n in range(3)]
    >>> plan = plan_wide(Domain(tuple(asked)), epsilon=1, delta=1e-6, neighbours=Neighbours.REPLACE)
    >>> plan.rows()[0]
    ('columns', '3, with 8 combinations')
    """
    need.one_of("neighbours", neighbours, tuple(Neighbours))
    sigma = Gaussian(epsilon=epsilon, delta=delta, sensitivity=1).sigma
    wanted = [tuple(sorted({_place(domain, name) for name in names})) for names in workload]
    return WidePlan(
        domain=domain,
        epsilon=need.positive("epsilon", epsilon),
        delta=need.exact("delta", delta),
        neighbours=neighbours,
        mu_squared=1 / Fraction(sigma) ** 2,
        target=_place(domain, target) if target else None,
        workload=tuple(axes for axes in wanted if axes),
    )


def _place(domain: Domain, name: str) -> int:
    if name not in domain.names:
        raise BadValue(f"'{name[:40]}' is no column that is published. Those are: {', '.join(domain.names)[:400]}.")
    return domain.names.index(name)


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
        dealt, sets = _measured(plan, coded.codes, known, bits)
        return [*dealt, np.array([(*axes, -1)[:3] for axes in sets], dtype=np.int64).reshape(-1, 3)]

    *columns, found = drawn(plan, ledger, key=key, draw=draw)
    codes, joined = tuple(columns), tuple(tuple(int(axis) for axis in row if axis >= 0) for row in found)
    done = WideCopy(plan=plan, codes=codes, types=dict(coded.types), joined=joined)
    deviation = plan.noise(COLUMNS, len(codes)).sigma
    return done, Fidelity.of_codes(plan.domain, coded.codes, codes, deviation=deviation)


@dataclass(frozen=True, slots=True, eq=False)
class _Coarse:
    """The private records in groups of values, the only view of them that is measured after the columns."""

    codes: tuple[Integers, ...]
    sizes: tuple[int, ...]

    def counts(self, axes: Axes) -> Integers:
        shape = tuple(self.sizes[axis] for axis in axes)
        flat = np.ravel_multi_index(tuple(self.codes[axis] for axis in axes), shape)
        return np.bincount(flat, minlength=math.prod(shape)).reshape(shape).astype(np.int64)


def _measured(
    plan: WidePlan, codes: Sequence[Integers], known: int | None, bits: BitSource
) -> tuple[tuple[Integers, ...], tuple[Axes, ...]]:
    sizes = plan.domain.shape
    single = plan.noise(COLUMNS, len(sizes))
    noisy = [_released(single, np.bincount(c, minlength=size), bits) for c, size in zip(codes, sizes, strict=True)]
    total = float(known) if known is not None else _total(noisy)
    ones = [on_simplex(counts, total) for counts in noisy]
    groups = [grouped(c, ordered=a.ordered) for c, a in zip(ones, plan.domain.attributes, strict=True)]
    coarse = _Coarse(
        tuple(group[code] for group, code in zip(groups, codes, strict=True)),
        tuple(int(group.max()) + 1 for group in groups),
    )
    measured = [
        MeasuredMarginal((place,), _by_group(group, counts), _by_group(group, np.full(group.size, single.sigma**2)))
        for place, (group, counts) in enumerate(zip(groups, noisy, strict=True))
    ]
    law, joined = _learnt(plan, coarse, measured, total, bits)
    return _dealt(law, groups, ones, round(total), bits), joined


def _learnt(
    plan: WidePlan, coarse: _Coarse, measured: list[MeasuredMarginal], total: float, bits: BitSource
) -> tuple[GraphicalLaw, tuple[Axes, ...]]:
    """In three rounds: score what the fitted law misses, measure what is worth it, fit again.

    The last round measures what was chosen before once more, beside the triples it finds. What a round does not spend
    goes to the next, and in the end to measuring again.
    """
    columns = range(len(coarse.sizes))
    joined: list[Axes] = []
    law = fitted(JunctionTree.joining([], coarse.sizes), measured, total)
    left = Fraction(0)
    for turn, (scoring, measuring) in enumerate(ROUNDS):
        pairs = list(combinations(columns, 2)) if turn < 2 else []
        candidates = pairs or triples_within(law.tree)
        left += measuring if candidates else scoring + measuring
        if not candidates:
            continue
        model = law.pairs() if pairs else {axes: law.marginal(axes) for axes in candidates}
        noise = plan.noise(scoring, cells_moved(plan.neighbours) * len(candidates))
        scores = _scores(plan, coarse, {axes: model[axes] * total for axes in candidates}, noise, bits)
        budget = Budget(deviation=plan.noise(left, 1).sigma, least=_CERTAIN * noise.sigma)

        fits = partial(_beyond, coarse.sizes, tuple(joined)) if turn else partial(without_circle, len(coarse.sizes))
        again = joined if turn == len(ROUNDS) - 1 else []
        chosen = worthwhile(scores, coarse.sizes, budget, fits, beside=again)
        if chosen:
            measured += _tables(plan, coarse, [*chosen, *again], left, bits)
            left = Fraction(0)
            joined = [*joined, *chosen]
            law = fitted(JunctionTree.joining(joined, coarse.sizes), measured, total)
    if left:
        measured += _tables(plan, coarse, joined or [(column,) for column in columns], left, bits)
        law = fitted(law.tree, measured, total)
    return law, tuple(dict.fromkeys(joined))


def _beyond(sizes: Sequence[int], joined: Sequence[Axes], sets: Sequence[Axes]) -> bool:
    """Whether the law that holds these sets too is small enough."""
    return JunctionTree.joining([*joined, *sets], sizes).cells <= _MODEL


def _tables(
    plan: WidePlan, coarse: _Coarse, sets: Sequence[Axes], share: Fraction, bits: BitSource
) -> list[MeasuredMarginal]:
    """Counts of chosen columns, with noise that together costs the share."""
    found = []
    for axes, part in zip(sets, shares_of(sets, coarse.sizes, share), strict=True):
        noise = plan.noise(part, 1)
        found.append(MeasuredMarginal(axes, _released(noise, coarse.counts(axes), bits), noise.sigma**2))
    return found


def _scores(
    plan: WidePlan, coarse: _Coarse, expected: dict[Axes, Floats], noise: Gaussian, bits: BitSource
) -> dict[Axes, float]:
    """How far what a law expects is from the counts, in L1, privately, for each set of columns.

    A score is a whole number: counts against rounded expectations. One record moves it by 1 at most, a replaced one by
    2; so all of them together move by √(sets), or twice that, and counts by 1 in `moved` cells: hence one more
    factor `moved` in the noise.
    """
    whole = [np.abs(coarse.counts(axes) - np.rint(e).astype(np.int64)).sum() for axes, e in expected.items()]
    noisy = _released(noise, np.array(whole, dtype=np.int64), bits)
    return {axes: float(score) * plan.counts(axes) for axes, score in zip(expected, noisy, strict=True)}


def _dealt(
    law: GraphicalLaw, groups: Sequence[Integers], ones: Sequence[Floats], records: int, bits: BitSource
) -> tuple[Integers, ...]:
    """Records from the law, as few as are wanted of many; each group's value is dealt by the column's own counts."""
    copies = pool_for(records, len(ones))
    columns = law.deal(copies * records, bits)
    while copies > 1:
        columns = halved(columns, law.tree.sizes, bits)
        copies //= 2
    found = []
    for column, group, counts in zip(columns, groups, ones, strict=True):
        shares = np.zeros((int(group.max()) + 1, counts.size))
        shares[group, np.arange(counts.size)] = counts + 1e-9
        found.append(spread_over(column, shares, bits))
    return tuple(found)


def _by_group(group: Integers, values: Floats) -> Floats:
    return np.bincount(group, weights=values).astype(np.float64)


def _released(noise: Gaussian, counts: Integers, bits: BitSource) -> Floats:
    return np.asarray(noise.draw_units(counts.ravel(), bits), dtype=np.float64).reshape(counts.shape)


def _total(noisy: Sequence[Floats]) -> float:
    """The number of records from what every column says of it, columns of few values weighing more."""
    weights = np.array([1 / counts.size for counts in noisy])
    return max(float(np.dot([counts.sum() for counts in noisy], weights) / weights.sum()), 1.0)
