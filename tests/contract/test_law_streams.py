"""The law of every charge, for streams: what a person can do in all periods, enumerated, against what is charged.

A stream of a few periods is run by its own functions on what one person does: in every choice of periods, cells and
amounts that the bounds allow. How far that moves the measured sums is found from the rows that are really measured,
and the true curve of the noise that is really drawn, moved so far, is compared with the claim.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from banister.core.laws.ahead import AheadFactor
from banister.core.laws.factors import Factor, RootFactor, TreeFactor
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import Uncertified
from banister.questions.measures import Counting, Measure
from banister.release import Dataset, plan_stream
from banister.release.payments.stream import (
    GaussianStream,
    PureStream,
    StreamReach,
    gaussian_stream,
    pure_stream,
)
from banister.release.streams.example import SCHEMA
from banister.release.streams.plan import StreamPlan
from banister.tables.schema import Schema
from tests.contract.law import Pair, examine, integer_pairs
from tests.seeded import SeededBits

COUNT = Measure(counting=Counting.ROWS, quantity=None, low=0, high=2)
SIGNED = Measure(counting=Counting.TOTAL, quantity=None, low=-2, high=1)
FACTORS: tuple[Factor, ...] = (
    RootFactor(4, 4),
    RootFactor(4, 2),
    TreeFactor(4, 4, (1,)),
    TreeFactor(4, 4, (1, 2)),
    TreeFactor(4, 3, (1, 2, 4)),
)
AHEAD: tuple[Factor, ...] = (AheadFactor(4, 4, (1, 2)), AheadFactor(4, 4, (1, 3)), AheadFactor(4, 3, (1, 2, 4)))
"""For pure noise alone."""
CELLS = 2
Contribution = tuple[tuple[int, ...], ...]
"""By period and cell."""


def people(reach: StreamReach, periods: int) -> Iterator[Contribution]:
    """All that one person can do, at the ends of what is allowed: moves are largest there."""
    ends = sorted({0, reach.measure.low, reach.measure.high})
    for chosen in combinations(range(periods), min(reach.many, periods)):
        cells = [p for p in product(ends, repeat=CELLS) if sum(x != 0 for x in p) <= reach.groups]
        for parts in product(cells, repeat=len(chosen)):
            found = [(0,) * CELLS] * periods
            for period, part in zip(chosen, parts, strict=True):
                found[period] = part
            yield tuple(found)


def all_moves(reach: StreamReach, factor: Factor) -> np.ndarray:
    """How far every measured sum of every cell moves, by the rows that are measured: a row for each two neighbours."""
    rows = [row for at in range(factor.periods) for row in factor.measured(at)]
    right = np.zeros((len(rows), factor.periods), dtype=np.int64)
    for place, row in enumerate(rows):
        right[place, [period for period, _ in row]] = [weight for _, weight in row]
    everybody = np.array(list(people(reach, factor.periods)))
    sums: np.ndarray = np.einsum("rt,ntc->nrc", right, everybody).reshape(len(everybody), -1)
    if reach.neighbours is Neighbours.ADD_REMOVE:
        return sums
    return np.concatenate([sums - one for one in sums[:: max(1, len(sums) // 40)]])


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("measure", [COUNT, SIGNED])
@pytest.mark.parametrize("factor", FACTORS, ids=lambda factor: f"{factor.name} {factor.window}")
def test_a_gaussian_stream_gives_away_what_is_claimed(factor: Factor, measure: Measure, neighbours: Neighbours) -> None:
    level = Guarantee(1, Fraction(1, 100))
    for groups, many in ((1, 1), (2, 2), (1, 3)):
        reach = StreamReach(measure=measure, neighbours=neighbours, groups=groups, many=many)
        paid = gaussian_stream(reach, factor, level, Fraction(1))
        farthest = int((all_moves(reach, factor) ** 2).sum(axis=1).max())
        # The ideal law of many numbers is that of one that moves as far: rotate. Rounding only takes away.
        truth = PrivacyLoss.gaussian(farthest / Fraction(paid.noise.sigma) ** 2)
        for epsilon in (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2)):
            assert truth.delta_at(epsilon).down <= paid.loss().delta_at(epsilon).up
        assert paid.loss().delta_at(1).up <= 0.01 * (1 + 1e-9)
        assert paid.loss().delta_at(1).up > 0.0099  # All that is allowed is used.
        if neighbours is Neighbours.ADD_REMOVE and factor.positive:
            assert farthest == reach.squares(factor)


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("factor", FACTORS + AHEAD, ids=lambda factor: f"{factor.name} {factor.window}")
def test_a_pure_stream_gives_away_what_is_claimed(factor: Factor, neighbours: Neighbours) -> None:
    for measure, (groups, many) in product((COUNT, SIGNED), ((1, 1), (2, 2), (1, 3))):
        reach = StreamReach(measure=measure, neighbours=neighbours, groups=groups, many=many)
        paid = pure_stream(reach, factor, Fraction(1, 2))
        # The noise moved by m has ratios up to e^(m · epsilon / sensitivity); those of several numbers multiply.
        rate = Fraction(1, 2) / paid.noise.sensitivity
        farthest = int(np.abs(all_moves(reach, factor)).sum(axis=1).max())
        assert rate * farthest <= Fraction(1, 2)
        assert paid.loss().epsilon_at(0).up == pytest.approx(0.5, rel=1e-9)
        if neighbours is Neighbours.ADD_REMOVE and isinstance(factor, TreeFactor | AheadFactor):
            assert rate * farthest == Fraction(1, 2)


@pytest.mark.parametrize("factor", AHEAD, ids=lambda factor: f"{factor.name} {factor.window}")
def test_gaussian_noise_is_never_drawn_ahead(factor: Factor) -> None:
    reach = StreamReach(measure=COUNT, neighbours=Neighbours.ADD_REMOVE, groups=1, many=1)
    with pytest.raises(Uncertified, match=r"would be drawn ahead, which is proven for pure noise alone"):
        gaussian_stream(reach, factor, Guarantee(1, Fraction(1, 100)), Fraction(1))


def test_what_is_drawn_is_the_noise_that_is_paid_for() -> None:
    reach = StreamReach(measure=COUNT, neighbours=Neighbours.ADD_REMOVE, groups=1, many=1)
    tree = TreeFactor(4, 4, (1,))
    pure = pure_stream(reach, tree, Fraction(1))
    examine(pure.loss(), _moved_by(pure, 2), nominal=Fraction(1), exact=False)
    bell = gaussian_stream(reach, tree, Guarantee(1, Fraction(1, 100)), Fraction(1))
    examine(bell.loss(), _moved_by(bell, 2), nominal=Fraction(1), exact=False)
    exact = [10**30, -5, 0]
    for paid in (pure, bell):
        drawn = paid.draw(exact, SeededBits(1))
        noise = paid.noise.draw_many(3, SeededBits(1)).tolist()
        assert [a - b for a, b in zip(drawn, exact, strict=True)] == noise


def _moved_by(paid: GaussianStream | PureStream, far: int) -> list[Pair]:
    return integer_pairs(paid.noise, [far])


def stream_plan(delta: str) -> StreamPlan:
    more = '[columns]\nx = { kind = "integer", range = [0, 9], nulls = false }'
    text = SCHEMA.replace("EVERY", "week").replace("PERIODS", "6").replace("[columns]", more)
    dataset = Dataset(Schema.of_text(text), folder=Path(), frames={})
    return plan_stream(dataset, "SELECT COUNT(*) AS n, SUM(x) AS t FROM data", epsilon=1, delta=delta)


def test_a_plan_charges_what_all_its_payments_draw() -> None:
    """By a second road: the parts of epsilon add up to all of it, and the mu² to what the sigmas make them."""
    pure = stream_plan("0")
    assert len(pure.payments) == 2
    assert all(isinstance(paid, PureStream) for paid in pure.payments)
    spent = sum((Fraction(paid.loss().epsilon_at(0).up) for paid in pure.payments), Fraction(0))
    assert float(spent) == pytest.approx(1, abs=1e-9)
    assert pure.loss.delta_at(Fraction(999, 1000)).up > 0
    assert pure.loss.delta_at(1).up == 0
    joint = stream_plan("0.1")
    squares = sum((Fraction(paid.loss().terms[0][0].gaussian() or 0) for paid in joint.payments), Fraction(0))
    if all(isinstance(paid, GaussianStream) for paid in joint.payments):
        assert joint.loss.delta_at(1) == PrivacyLoss.gaussian(squares).delta_at(1)
    assert joint.loss.delta_at(1).up <= Fraction(1, 10)
