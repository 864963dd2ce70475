"""Regions: what tests can reach, and what one region says about another."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.core.exact.numbers import ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.core.privacy.region import CURVE_POINTS, SMALL_DELTA, PrivacyRegion
from banister.errors import BadValue

HALF = Fraction(1, 2)
levels = st.tuples(st.fractions(0, 3, max_denominator=20), st.fractions(0, Fraction(1, 2), max_denominator=50))


@st.composite
def pairs(draw, outputs: int = 4):
    rows = []
    for _ in range(2):
        weights = draw(st.lists(st.integers(0, 9), min_size=outputs, max_size=outputs).filter(any))
        rows.append([Fraction(w, sum(weights)) for w in weights])
    return rows


def test_the_region_of_a_guarantee_has_the_corners_of_the_theorem() -> None:
    (x0, y0), (x1, y1), (x2, y2) = PrivacyRegion.of_guarantee(Guarantee(1, Fraction(1, 10))).corners
    c = 0.9 / (1 + math.e)
    assert x0 == 0
    assert y0 == Fraction(9, 10)
    assert float(x1) == pytest.approx(c)
    assert float(y1) == pytest.approx(c)
    assert float(x2) == pytest.approx(0.9)
    assert y2 == 0


@given(levels, levels)
def test_one_guarantee_implies_another_exactly_when_the_inequalities_say_so(one, other) -> None:
    """(epsilon, delta) implies (epsilon', delta') iff delta' >= delta and the corner does not move down."""
    (e, d), (f, c) = one, other
    gap = float(1 - d) / (1 + math.exp(e)) - float(1 - c) / (1 + math.exp(f))
    expected = c >= d and gap >= 0
    if abs(gap) > 1e-12 or c < d:
        assert PrivacyRegion.of_guarantee(Guarantee(e, d)).keeps(Guarantee(f, c)) == expected


@given(pairs())
def test_the_region_of_a_pair_is_the_hull_of_all_tests(pair) -> None:
    p, q = pair
    region = PrivacyRegion.of_pair(p, q)
    best = Fraction(0)
    for chosen in range(16):
        alarm = sum((p[i] for i in range(4) if chosen >> i & 1), Fraction(0))
        missed = 1 - sum((q[i] for i in range(4) if chosen >> i & 1), Fraction(0))
        assert region.contains(alarm, missed)
        best = max(best, 1 - alarm - missed)
    assert region.total_variation() == best


@given(pairs(), st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=4, max_size=4))
def test_post_processing_never_enlarges_a_region(pair, rows) -> None:
    p, q = pair
    channel = [[Fraction(w, sum(row)) for w in row] for row in rows]
    after = [[sum((law[i] * channel[i][j] for i in range(4)), Fraction(0)) for j in range(3)] for law in (p, q)]
    assert PrivacyRegion.of_pair(p, q).includes(PrivacyRegion.of_pair(*after))


@given(pairs(), st.fractions(0, 2, max_denominator=10))
def test_delta_of_a_pair_is_its_hockey_stick(pair, epsilon) -> None:
    p, q = pair
    factor = math.exp(epsilon)
    expected = max(sum(max(0.0, a - factor * b) for a, b in zip(x, y, strict=True)) for x, y in ((p, q), (q, p)))
    assert PrivacyRegion.of_pair(p, q).delta_at(epsilon).up == pytest.approx(expected, abs=1e-12)


@given(pairs(), pairs())
def test_an_intersection_lies_in_both_and_holds_what_lies_in_both(one, other) -> None:
    a, b = PrivacyRegion.of_pair(*one), PrivacyRegion.of_pair(*other)
    both = a.intersection(b)
    assert a.includes(both)
    assert b.includes(both)
    for i in range(11):
        x = Fraction(i, 10)
        assert both.missed_detection(x) == max(a.missed_detection(x), b.missed_detection(x))


@settings(max_examples=20, deadline=None)
@given(st.fractions(Fraction(1, 10), 2, max_denominator=10), st.integers(1, 6), st.fractions(0, 4, max_denominator=7))
def test_the_region_of_a_composition_says_its_delta(epsilon, count, at) -> None:
    loss = PrivacyLoss.of_guarantee(Guarantee(epsilon, Fraction(1, 100))).times(count)
    assert PrivacyRegion.of_loss(loss).delta_at(at).up == pytest.approx(loss.delta_at(at).up, abs=1e-13)


def test_a_smooth_region_is_rounded_outwards() -> None:
    loss = PrivacyLoss.gaussian(Fraction(1))
    region = PrivacyRegion.of_loss(loss)
    for i in range(1, 10):
        assert region.delta_at(Fraction(i, 4)).up >= loss.delta_at(Fraction(i, 4)).down
        assert region.delta_at(Fraction(i, 4)).up == pytest.approx(loss.delta_at(Fraction(i, 4)).up, abs=2e-3)


def _excess(region: PrivacyRegion, epsilon: Fraction) -> arb:
    """The largest 1 − x − e^epsilon · y over the corners, to far more digits than they were made with."""
    return max((1 - ball(x) - exp_ball(epsilon) * ball(y) for x, y in region.corners), key=lambda found: found.mid())


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(7, 3)])
def test_corners_are_rounded_outwards_to_the_last_digit(epsilon: Fraction) -> None:
    """No test that (epsilon, delta)-privacy allows lies outside of its region, not even by what rounding moves."""
    delta, other = Fraction(1, 10), Fraction(1, 8)
    with precision(2000):
        for region, two in (
            (PrivacyRegion.of_guarantee(Guarantee(epsilon, delta)), delta),
            (PrivacyRegion.of_curve([(epsilon, delta, other)]), other),
        ):
            assert region.corners[0] == (Fraction(0), 1 - two)
            assert region.corners[-1] == (1 - delta, Fraction(0))
            between = [((a + b) / 2, (c + d) / 2) for (a, c), (b, d) in itertools.pairwise(region.corners)]
            assert len(between) == 2
            for x, y in (*region.corners, *between):
                flat = exp_ball(-epsilon) * ball(1 - delta - x)
                steep = ball(1 - two) - exp_ball(epsilon) * ball(x)
                assert not ball(y) > arb.max(arb.max(flat, steep), arb(0))


@pytest.mark.parametrize("loss", [PrivacyLoss.gaussian(Fraction(1)), PrivacyLoss.laplace(Fraction(1, 2))])
def test_a_smooth_region_holds_every_delta_that_it_was_made_from(loss: PrivacyLoss) -> None:
    region = PrivacyRegion.of_loss(loss)
    end = loss.epsilon_at(SMALL_DELTA).up
    with precision(2000):
        for i in range(CURVE_POINTS):
            at = Fraction(end) * i / CURVE_POINTS
            assert not _excess(region, at) < loss.law.hockey_stick(at)


def test_the_two_sides_of_a_region_are_both_looked_at() -> None:
    """Half of the outputs of one neighbour tell it for certain, and none of the other's do."""
    region = PrivacyRegion.of_pair([HALF, HALF], [Fraction(1), Fraction(0)])
    turned = PrivacyRegion.of_pair([Fraction(1), Fraction(0)], [HALF, HALF])
    for one in (region, turned):
        assert one.delta_at(1).holds(HALF)
        assert one.keeps(Guarantee(1, HALF))
        assert not one.keeps(Guarantee(1, Fraction(2, 5)))


def test_the_trade_off_of_a_symmetric_pair_is_its_own_inverse() -> None:
    region = PrivacyRegion.of_guarantee(Guarantee(1, Fraction(1, 20)))
    for i in range(1, 10):
        x = Fraction(i, 10) * region.missed_detection(0)
        assert float(region.missed_detection(region.missed_detection(x))) == pytest.approx(float(x), abs=1e-12)


def test_composed_geometric_noise_reaches_the_optimal_region() -> None:
    """Three noisy counts of 5 or 6 people, kept within 0 to 11, with e^-epsilon = 1/2: exactly three responses."""
    b, edge = Fraction(1, 2), 11

    def law(count: int) -> list[Fraction]:
        inside = [(1 - b) / (1 + b) * b ** abs(i - count) for i in range(1, edge)]
        return [b**count / (1 + b), *inside, b ** (edge - count) / (1 + b)]

    def product(laws: list[list[Fraction]]) -> list[Fraction]:
        return [math.prod(outputs, start=Fraction(1)) for outputs in itertools.product(*laws)]

    noise = PrivacyRegion.of_pair(product([law(5)] * 3), product([law(6)] * 3))
    keep = [Fraction(2, 3), Fraction(1, 3)]
    assert noise == PrivacyRegion.of_pair(product([keep] * 3), product([keep[::-1]] * 3))


def test_bad_input_is_refused() -> None:
    region = PrivacyRegion.of_guarantee(Guarantee(1))
    with pytest.raises(BadValue, match="false_alarm = 2"):
        region.missed_detection(2)
    with pytest.raises(BadValue, match="the same outputs under both neighbours; here are 2 and 1"):
        PrivacyRegion.of_pair([HALF, HALF], [HALF])
