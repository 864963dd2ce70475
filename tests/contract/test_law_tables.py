"""The law of every charge, for whole tables: histograms with noise, and wide tables measured piece by piece."""

import itertools
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from flint import arb

from banister.core.exact.numbers import BALL_BITS, exp_ball, precision
from banister.core.privacy.guarantee import Neighbours
from banister.mechanisms import Gaussian, Geometric
from banister.publish import noise as sanitize
from banister.publish import wide
from banister.publish.fitting import graphical
from banister.publish.noise import FixedTotal, PerCell, TableNoise, noise_for
from banister.publish.table import SanitizePlan, plan_sanitize
from banister.publish.wide import WidePlan, plan_wide
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain
from tests import oracle
from tests.contract.law import PARTS, Pair, assert_drawn, bits, examine, integer_pairs, is_exact

FIXED = [
    FixedTotal(cells=cells, epsilon=epsilon)
    for cells, epsilon in (
        (2, Fraction(1, 2)),
        (2, Fraction(3)),
        (3, Fraction(1)),
        (4, Fraction(2)),
        (5, Fraction(5)),
    )
]
ALONE = [
    PerCell(cells=cells, epsilon=epsilon, neighbours=neighbours)
    for cells in (2, 5)
    for epsilon in (Fraction(1, 2), Fraction(2))
    for neighbours in Neighbours
]


def fixed_weights(cells: int, epsilon: Fraction) -> dict[tuple[int, int], int]:
    """How many z of sum 0 have each (|z|₁/2, |z - move|₁/2), when one record goes from the first cell to the second."""
    reach = int(46 / epsilon) + 6 + cells
    steps = np.arange(-reach, reach + 1)
    free = np.meshgrid(*[steps] * (cells - 1), indexing="ij", sparse=True)
    last = -sum(free)
    sizes = sum(np.abs(each) for each in free) + np.abs(last)
    moved = sizes - np.abs(free[0]) + np.abs(free[0] + 1)
    second = free[1] if cells > 2 else last
    moved = moved - np.abs(second) + np.abs(second - 1)
    near = sizes <= 2 * reach - 2  # Farther out the box would cut the shells.
    keys, counts = np.unique(np.stack((sizes[near] // 2, moved[near] // 2)), axis=1, return_counts=True)
    return {(int(n), int(m)): int(count) for (n, m), count in zip(keys.T, counts, strict=True)}


def fixed_pair(noise: FixedTotal) -> Pair:
    with precision(BALL_BITS):
        counts = fixed_weights(noise.cells, noise.epsilon)
        weight = [exp_ball(-noise.epsilon * n) for n in range(max(max(key) for key in counts) + 1)]
        # The hair makes up for the shells that are not counted, so that no mass is too large.
        total = sum((weight[n] * many for (n, _), many in counts.items()), arb(0)) * (1 + arb(2) ** -60)
        return Pair.of((weight[n] * many / total, weight[m] * many / total) for (n, m), many in counts.items()).merged()


@pytest.mark.parametrize("noise", FIXED, ids=repr)
def test_a_replaced_record_under_a_fixed_total_tells_what_is_claimed(noise: FixedTotal) -> None:
    examine(noise.loss(), [fixed_pair(noise)], nominal=noise.epsilon, exact=True)


def test_the_claim_for_fewer_cells_is_above_that_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of cells the claim is that for this number, which must not be below the truth."""
    monkeypatch.setattr(sanitize, "_COUNTED", 3)
    noise = FixedTotal(cells=4, epsilon=Fraction(2))
    examine(noise.loss(), [fixed_pair(noise)], nominal=noise.epsilon, exact=False)
    assert noise.loss() == FixedTotal(cells=3, epsilon=Fraction(2)).loss()


def per_cell_pair(noise: PerCell) -> Pair:
    """A record more moves one cell by 1; a replaced one moves two. Each cell's noise falls by its part of epsilon."""
    moved = {Neighbours.ADD_REMOVE: 1, Neighbours.REPLACE: 2}[noise.neighbours]
    (one,) = integer_pairs(Geometric(epsilon=noise.epsilon / moved), [1])
    turned = Pair.of((q, p) for p, q in one.outcomes)
    return reduce(Pair.beside, [one, turned][:moved])


@pytest.mark.parametrize("noise", ALONE, ids=repr)
def test_noise_in_every_cell_tells_what_is_claimed(noise: PerCell) -> None:
    assert is_exact(noise)
    examine(noise.loss(), [per_cell_pair(noise)], nominal=noise.epsilon, exact=True)


@pytest.mark.parametrize("neighbours", Neighbours)
def test_the_noise_that_is_chosen_for_a_relation_is_private_for_it(neighbours: Neighbours) -> None:
    colour = Attribute(name="colour", kind=Kind.CATEGORY, values=("red", "green", "blue"), nulls=False)
    plan: SanitizePlan = plan_sanitize(Domain((colour,)), epsilon=1, neighbours=neighbours)
    noise: TableNoise = plan.noise
    assert noise == noise_for(3, Fraction(1), neighbours)
    if isinstance(noise, FixedTotal):
        assert neighbours is Neighbours.REPLACE
        pair = fixed_pair(noise)
    else:
        assert isinstance(noise, PerCell)
        assert noise.neighbours is neighbours
        pair = per_cell_pair(noise)
    examine(plan.loss(), [pair], nominal=Fraction(1), exact=True)
    assert noise.epsilon == 1
    assert noise.loss().epsilon_at(0).up == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("noise", FIXED, ids=repr)
def test_a_fixed_total_is_drawn_by_the_law_that_was_examined(noise: FixedTotal) -> None:
    source, counts = bits(7), np.arange(noise.cells, dtype=np.int64)
    drawn = np.array([noise.release(counts, source) - counts for _ in range(1500)])
    assert not drawn.sum(axis=1).any()
    shells: dict[int, int] = {}
    for (n, _), many in fixed_weights(noise.cells, noise.epsilon).items():
        shells[n] = shells.get(n, 0) + many
    weights = {n: many * float(exp_ball(-noise.epsilon * n)) for n, many in shells.items()}
    total = sum(weights.values())
    assert_drawn(np.abs(drawn).sum(axis=1) // 2, lambda n: weights[n] / total)
    for one, other in itertools.combinations(range(noise.cells), 2):  # The law does not know the cells apart.
        assert abs(np.mean(drawn[:, one] > 0) - np.mean(drawn[:, other] > 0)) < 5.5 / np.sqrt(1500)


@pytest.mark.parametrize("noise", ALONE, ids=repr)
def test_noise_in_every_cell_is_drawn_by_the_law_that_was_examined(noise: PerCell) -> None:
    moved = {Neighbours.ADD_REMOVE: 1, Neighbours.REPLACE: 2}[noise.neighbours]
    drawn = noise.release(np.full(40_000, 9, dtype=np.int64), bits(8)) - 9
    assert_drawn(drawn, Geometric(epsilon=noise.epsilon / moved).mass)


# Wide tables: what is measured, piece by piece, on two neighbouring tables.


def wide_plan(neighbours: Neighbours) -> WidePlan:
    sizes = {"a": 2, "b": 3, "c": 2, "d": 2}
    columns = (
        Attribute(name=name, kind=Kind.CATEGORY, values=tuple(map(str, range(size))), nulls=False)
        for name, size in sizes.items()
    )
    return plan_wide(Domain(tuple(columns)), epsilon=4, delta="1e-3", neighbours=neighbours)


def recorded(
    plan: WidePlan, codes: np.ndarray, said: list[np.ndarray] | None, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """What a release measures: (sigma, exact counts, noisy counts). A second run is told the answers of the first.

    Gaussian noise is as private when each question depends on the answers before it, so the truth for two tables
    is the sum of (difference/sigma)² along one row of answers.
    """
    seen: list[tuple[float, np.ndarray, np.ndarray]] = []
    plain = wide._released

    def spy(noise: Gaussian, counts: np.ndarray, source: object) -> np.ndarray:
        noisy = plain(noise, counts, source) if said is None else said[len(seen)]  # type: ignore[arg-type]
        seen.append((noise.sigma, np.array(counts, dtype=np.int64), noisy))
        return noisy

    with monkeypatch.context() as patch:
        patch.setattr(wide, "_released", spy)
        patch.setattr(graphical, "LONGEST", 10)  # A rough fit is as good here, and quick.
        known = codes.shape[1] if plan.neighbours is Neighbours.REPLACE else None
        wide._measured(plan, list(codes), known, bits(9))
    return seen


@pytest.mark.parametrize("neighbours", Neighbours)
def test_a_wide_table_measures_what_it_was_charged_for(neighbours: Neighbours, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = wide_plan(neighbours)
    generator = np.random.default_rng(10)
    a = generator.integers(0, 2, 3000)
    # Every column follows the first, so that all of them are joined and each pair's score is far from 0.
    codes = np.stack([a, a + (generator.random(3000) < 0.1) * a, 1 - a, a]).astype(np.int64)
    first = recorded(plan, codes, None, monkeypatch)
    totals, counted = [], []
    for record in itertools.product((0, 1), (0, 1, 2), (0, 1), (0, 1)):
        added = np.array(record)[:, None]
        other = np.hstack((codes[:, 1:], added)) if neighbours is Neighbours.REPLACE else np.hstack((codes, added))
        second = recorded(plan, other, [noisy for _, _, noisy in first], monkeypatch)
        assert [sigma for sigma, _, _ in second] == [sigma for sigma, _, _ in first]
        moved = [
            float(np.square(one - two).sum()) / s**2 for (s, one, _), (_, two, _) in zip(first, second, strict=True)
        ]
        totals.append(sum(moved))
        counted.append(sum(m for m, (_, counts, _) in zip(moved, first, strict=True) if counts.sum() == 3000))
    assert max(totals) <= float(plan.mu_squared) * (1 + 2.0**-50)
    # All of the budget but what scores get goes to counts, and a record can move each of them as far as is paid for.
    for_scores = sum(scoring for scoring, _ in wide.ROUNDS)
    assert max(counted) == pytest.approx(float(plan.mu_squared * (1 - for_scores)), rel=1e-12)
    # An added record changes every score as far as it can, too, and uses up the whole. One that is replaced cannot,
    # with so few values, go from agreeing to disagreeing in all sets: of the scores' part more than half is used.
    used = 1 - Fraction(0 if neighbours is Neighbours.ADD_REMOVE else 1, 2) * for_scores
    assert max(totals) >= float(plan.mu_squared * used) * (1 - 1e-12)
    for part in PARTS:
        claimed = plan.loss().delta_at(part * plan.epsilon)
        truth = float(oracle.gaussian_delta(plan.mu_squared, part * plan.epsilon))
        assert claimed.down * (1 - 1e-12) <= truth <= claimed.up * (1 + 1e-12)
    assert plan.loss().delta_at(plan.epsilon).up <= plan.delta
