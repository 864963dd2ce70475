"""Composition: every way holds the value that enumeration gives, and the ways agree with each other."""

from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from banister.core.composition.stairs import Stairs
from banister.core.composition.ways import OnLattice, OnLine, way_for
from banister.core.exact.numbers import Bracket
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from tests.oracle import binomial_delta, enumerated_delta, gaussian_delta, laplace_delta, quaternary, real
from tests.sizes import sized

WIDTH = 1e-6
small = st.fractions(min_value=Fraction(1, 50), max_value=2, max_denominator=50)
tiny = st.fractions(min_value=0, max_value=Fraction(1, 20), max_denominator=500)


def holds(bracket: Bracket, truth: mpmath.mpf) -> bool:
    return bool(mpmath.mpf(bracket.down) <= truth <= mpmath.mpf(bracket.up))


def all_of(*losses: PrivacyLoss) -> PrivacyLoss:
    return PrivacyLoss.nothing().with_(*losses)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(small, tiny), min_size=1, max_size=4), st.fractions(0, 4, max_denominator=20))
def test_enumeration_of_all_four_to_the_k_outputs_lies_in_the_bracket(pairs, at) -> None:
    loss = all_of(*(PrivacyLoss.of_guarantee(Guarantee(e, d)) for e, d in pairs))
    truth = enumerated_delta([quaternary(e, d) for e, d in pairs], at)
    found = loss.delta_at(at)
    assert holds(found, truth)
    assert found.width <= 1e-15


@settings(max_examples=20, deadline=None)
@given(small, st.integers(2, 60), st.fractions(0, 1, max_denominator=100))
def test_equal_responses_are_the_binomial_sum_on_every_way(epsilon, count, part) -> None:
    loss = PrivacyLoss.pure(epsilon).times(count)
    at = part * epsilon * count
    truth = binomial_delta(epsilon, count, at)
    assert isinstance(way_for(loss.terms, relative_width=WIDTH), Stairs)
    assert holds(loss.delta_at(at), truth)
    lattice = Bracket.of_ball(OnLattice(loss.terms, -epsilon * count, 2 * epsilon).delta(at))
    assert holds(lattice, truth)
    assert lattice.width <= 1e-9 * max(float(truth), 1e-300)
    line = Bracket.of_ball(OnLine(loss.terms, WIDTH).delta(at))
    assert holds(line, truth)


@settings(max_examples=sized(6, 30), deadline=None)
@given(st.lists(small, min_size=8, max_size=10, unique=True), st.fractions(0, 1, max_denominator=10))
def test_different_responses_are_the_sum_over_subsets_on_the_line(epsilons, part) -> None:
    loss = all_of(*(PrivacyLoss.pure(e) for e in epsilons))
    at = part * sum(epsilons) / 2
    truth = enumerated_delta(
        [([p[1], p[2]], [q[1], q[2]]) for p, q in (quaternary(e, Fraction(0)) for e in epsilons)], at
    )
    for way in (OnLine(loss.terms, WIDTH), Stairs.of_masses(_subset_masses(loss))):
        assert holds(Bracket.of_ball(way.delta(at)), truth)


def _subset_masses(loss: PrivacyLoss):
    masses = {Fraction(0): arb(1)}
    for law, _ in loss.terms:
        step: dict[Fraction, arb] = {}
        for total, mass in masses.items():
            for value, share in (law.atoms() or {}).items():
                step[total + value] = step.get(total + value, arb(0)) + mass * share
        masses = step
    return masses


@pytest.mark.parametrize(
    ("count", "guarantee", "delta", "epsilon"),
    [
        (30, Guarantee("0.1", "0.001"), "0.04", 0.99745583),
        (30, Guarantee("0.1", "1e-9"), "1e-6", 2.348258850),
        (1000, Guarantee("0.1", "1e-10"), "1e-6", 19.401852337),
        (10**6, Guarantee("0.001", "1e-13"), "1e-6", 4.908639485),
        (100, Guarantee("0.1"), "1e-6", 4.7746),
        (10**4, Guarantee("0.1"), "1e-6", 96.572),
    ],
)
def test_known_totals_of_equal_guarantees(count, guarantee, delta, epsilon) -> None:
    found = PrivacyLoss.of_guarantee(guarantee).times(count).epsilon_at(delta)
    assert found.up == pytest.approx(epsilon, rel=1e-5 if epsilon in (4.7746, 96.572) else 2e-9)
    assert found.width <= 1e-9 * found.up


def test_a_billion_questions_have_a_narrow_bracket_at_both_ends_of_the_curve() -> None:
    loss = PrivacyLoss.of_guarantee(Guarantee("0.00001", "1e-16")).times(10**9)
    found = loss.epsilon_at("1e-6")
    assert 0 < found.width <= 1e-8 * found.up
    assert loss.delta_at(found.up).down <= 1e-6 <= loss.delta_at(found.down).up


def test_delta_of_ten_to_the_minus_two_hundred_is_still_right() -> None:
    at = Fraction(90)
    truth = binomial_delta(Fraction(1, 10), 1000, at)
    assert truth < mpmath.mpf(10) ** -195
    assert holds(PrivacyLoss.pure(Fraction(1, 10)).times(1000).delta_at(at), truth)


@settings(max_examples=10, deadline=None)
@given(small, st.integers(2, 8), st.fractions(0, 1, max_denominator=16))
def test_laplace_closed_form_lies_in_the_bracket(epsilon, count, part) -> None:
    at = part * count * epsilon
    found = PrivacyLoss.laplace(epsilon).times(count).delta_at(at)
    assert holds(found, laplace_delta(epsilon, count, at))


def test_a_thousand_laplace_answers() -> None:
    found = PrivacyLoss.laplace(Fraction(1, 20)).times(1000).epsilon_at("1e-6")
    assert 8.2043 < found.down < found.up < 8.20445
    assert found.width <= 1e-6 * found.up


def test_gaussians_add_their_mu_squared_exactly() -> None:
    parts = all_of(*(PrivacyLoss.gaussian(Fraction(n, 10)) for n in (1, 2, 3)))
    assert parts.epsilon_at("1e-5") == PrivacyLoss.gaussian(Fraction(6, 10)).epsilon_at("1e-5")
    assert PrivacyLoss.gaussian(Fraction(1, 5)).times(3).epsilon_at("1e-5") == parts.epsilon_at("1e-5")


@pytest.mark.parametrize("at", [Fraction(0), Fraction(1), Fraction(3)])
def test_mixing_with_a_gaussian_is_the_average_of_its_curve(at) -> None:
    epsilon, count, mu_squared = Fraction(3, 10), 6, Fraction(1, 5)
    loss = all_of(PrivacyLoss.pure(epsilon).times(count), PrivacyLoss.gaussian(mu_squared))
    p = mpmath.exp(real(epsilon)) / (1 + mpmath.exp(real(epsilon)))
    truth = sum(
        mpmath.binomial(count, j)
        * p ** (count - j)
        * (1 - p) ** j
        * gaussian_delta(mu_squared, real(at) - (count - 2 * j) * real(epsilon))
        for j in range(count + 1)
    )
    found = loss.delta_at(at)
    assert holds(found, truth)
    assert found.width <= 1e-9 * found.up


@settings(max_examples=sized(6, 30), deadline=None)
@given(small, st.integers(1, 200), st.integers(1, 200))
def test_composing_a_then_b_equals_a_plus_b(epsilon, a, b) -> None:
    one = PrivacyLoss.of_guarantee(Guarantee(epsilon, Fraction(1, 10**9)))
    assert one.times(a).with_(one.times(b)) == one.times(a + b)


def test_splitting_a_question_never_costs_more() -> None:
    rest = [PrivacyLoss.pure(Fraction(n, 7)) for n in range(1, 6)]
    whole = all_of(*rest, PrivacyLoss.pure(Fraction(1))).epsilon_at("1e-4")
    halves = all_of(*rest, PrivacyLoss.pure(Fraction(1, 2)).times(2)).epsilon_at("1e-4")
    assert halves.down <= whole.up


def test_at_the_limits_of_delta() -> None:
    loss = PrivacyLoss.of_guarantee(Guarantee(1, Fraction(1, 10))).times(2)
    assert loss.epsilon_at(Fraction(19, 100)).holds(2)  # Exactly the mass at infinity, 1 − 0.9².
    assert loss.epsilon_at(Fraction(1, 5)).up == pytest.approx(1.97663, abs=1e-5)
    assert loss.epsilon_at(Fraction(1, 10)).down == float("inf")
    assert loss.epsilon_at(1).up == 0
    assert PrivacyLoss.pure(Fraction(1, 3)).times(500).epsilon_at(0).holds(Fraction(500, 3))
    assert PrivacyLoss.nothing().epsilon_at(0).up == 0


def test_every_epsilon_is_where_delta_comes_down_to_the_target() -> None:
    for loss in (
        PrivacyLoss.pure(Fraction(0.05)).times(2000),
        PrivacyLoss.laplace(Fraction(1, 2)).times(40),
        all_of(*(PrivacyLoss.pure(Fraction(n, 997)) for n in range(20, 60))),
    ):
        found = loss.epsilon_at("1e-5")
        assert loss.delta_at(found.up).down <= 1e-5 <= loss.delta_at(found.down).up
        assert found.width <= 2e-6 * found.up
