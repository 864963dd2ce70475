"""The common language: what each kind of loss says about one release."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from tests.lopsided import lopsided

HALF = Fraction(1, 2)
epsilons = st.fractions(min_value=Fraction(1, 100), max_value=4, max_denominator=200)


def lazy_response(epsilon: Fraction, lazy: Fraction) -> PrivacyLoss:
    with precision(BALL_BITS):
        keep = ball(1 - lazy) / (1 + exp_ball(-epsilon))
        atoms = [(epsilon, keep), (Fraction(0), ball(lazy)), (-epsilon, keep * exp_ball(-epsilon))]
        return PrivacyLoss.of_atoms(atoms, infinite=arb(0))


def test_a_guarantee_is_its_own_loss() -> None:
    loss = PrivacyLoss.of_guarantee(Guarantee(1, Fraction(1, 100)))
    assert loss.delta_at(1).holds(Fraction(1, 100))
    assert loss.epsilon_at(Fraction(1, 100)).holds(1)
    assert loss.epsilon_at(0).down == math.inf


@given(epsilons, epsilons)
def test_pure_loss_is_the_implied_pair(epsilon: Fraction, at: Fraction) -> None:
    """delta = 1 − (1 + e^at)/(1 + e^epsilon) below epsilon and 0 from there on."""
    expected = max(0.0, 1 - (1 + math.exp(at)) / (1 + math.exp(epsilon)))
    assert PrivacyLoss.pure(epsilon).delta_at(at).up == pytest.approx(expected, abs=1e-14)


@given(epsilons)
def test_inverse_of_the_curve(epsilon: Fraction) -> None:
    for loss in (PrivacyLoss.laplace(epsilon), PrivacyLoss.gaussian(epsilon), PrivacyLoss.pure(epsilon)):
        delta = loss.delta_at(epsilon / 3)
        found = loss.epsilon_at(Fraction(delta.up))
        assert found.down <= found.up <= float(epsilon / 3) * (1 + 1e-12) + 1e-15
        assert loss.epsilon_at(Fraction(delta.down)).up >= float(epsilon / 3) * (1 - 1e-12)


def test_laplace_is_its_closed_form() -> None:
    assert PrivacyLoss.laplace(Fraction(1)).delta_at(HALF).holds(1 - math.exp(-0.25))
    assert PrivacyLoss.laplace(Fraction(1)).delta_at(1).up == 0


def test_gaussian_known_answer() -> None:
    """sigma = 1 at epsilon = 1: Phi(−1/2) − e·Phi(−3/2) = 0.1269367..."""
    bracket = PrivacyLoss.gaussian(Fraction(1)).delta_at(1)
    assert bracket.down == pytest.approx(0.12693673750664397, rel=1e-14)
    assert bracket.width <= 1e-16


def test_lazy_response_is_between_nothing_and_response() -> None:
    lazy = lazy_response(Fraction(1), Fraction(1, 10))
    assert lazy.delta_at(HALF).up == pytest.approx(0.9 * PrivacyLoss.pure(Fraction(1)).delta_at(HALF).up)
    assert lazy.delta_at(1).up == 0
    assert lazy == lazy_response(Fraction(1), Fraction(1, 10))


def test_the_worse_direction_counts() -> None:
    """P = (1/2, 1/2), Q = (1, 0): one way half of the mass is infinite, the other way log 2 is reached."""
    with precision(BALL_BITS):
        log2 = Fraction(7, 10)  # p = 1/2 against q = e^-0.7/2, and 1/2 where q is the rest: an arbitrary exact pair.
        atoms = [(log2, arb(1) / 2)]
        loss = PrivacyLoss.of_one_sided_atoms(atoms, infinite=arb(1) / 2)
    forth = 0.5 + 0.5 * (1 - math.exp(-0.7))
    back = 1 - 0.5 * math.exp(-0.7)
    assert loss.delta_at(0).up == pytest.approx(max(forth, back))
    for at in (0.25, 0.5, 0.9):  # The way back all but one part in four is infinite, and stays.
        assert loss.delta_at(at).up == pytest.approx(back)
    assert loss.epsilon_at(0.7).up == math.inf


@pytest.mark.parametrize("turned", [False, True])
def test_the_worse_direction_counts_whichever_comes_first(turned: bool) -> None:
    loss = lopsided(turned=turned)
    share = (math.exp(0.5) - 1) / (math.exp(0.5) - math.exp(-1))
    for at in (0.1, 0.25, 0.4, 0.6):
        forth = share * (1 - math.exp(at - 1))
        back = (1 - share) * math.exp(0.5) * max(1 - math.exp(at - 0.5), 0)
        assert abs(forth - back) > 0.01
        found = loss.delta_at(at)
        assert found.up == pytest.approx(max(forth, back), rel=1e-12)
        assert found.down == pytest.approx(max(forth, back), rel=1e-12)
        assert loss.epsilon_at(max(forth, back)).up == pytest.approx(at, rel=1e-9)
    assert loss.epsilon_at(0).holds(1)
    assert loss.times(3).epsilon_at(0).holds(3)


def test_times_and_with_count_what_is_there_already() -> None:
    one, other = PrivacyLoss.pure(HALF), PrivacyLoss.laplace(HALF)
    assert one.times(2).times(3) == one.times(6)
    assert one.times(2).with_(one) == one.times(3)
    assert one.times(2).with_(other).times(2).terms == ((one.terms[0][0], 4), (other.terms[0][0], 2))
    assert one.with_(other).epsilon_at(0).holds(1)


def test_a_curve_of_one_key_is_one_law() -> None:
    exact = PrivacyLoss.laplace(Fraction(1))
    loss = PrivacyLoss.of_curve(exact.terms[0][0].hockey_stick, key=("laplace", 1))
    assert loss == PrivacyLoss.of_curve(lambda epsilon: arb(0), key=("laplace", 1))
    assert loss.delta_at(HALF) == exact.delta_at(HALF)


@given(epsilons, epsilons)
def test_reflection_of_a_symmetric_curve(epsilon: Fraction, at: Fraction) -> None:
    exact = PrivacyLoss.laplace(epsilon).terms[0][0]
    curve = PrivacyLoss.of_curve(exact.hockey_stick, key="any").terms[0][0]
    assert curve.hockey_stick(-at).overlaps(exact.hockey_stick(-at))


@pytest.mark.parametrize(
    ("atoms", "infinite", "words"),
    [
        ([], arb(1), "at least one loss"),
        ([(HALF, arb(1) / 2), (HALF, arb(1) / 2)], arb(0), "each value of the loss once"),
        ([(HALF, arb(-1))], arb(2), "below 0"),
        ([(HALF, arb(1) / 2)], arb(0), "add up to 0.5"),
        ([(HALF, arb(1))], arb(0), "of_one_sided_atoms"),
    ],
)
def test_what_is_no_law_is_refused(atoms: list[tuple[Fraction, arb]], infinite: arb, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        PrivacyLoss.of_atoms(atoms, infinite=infinite)


@pytest.mark.parametrize("make", [PrivacyLoss.laplace, PrivacyLoss.gaussian])
def test_a_scale_must_be_positive(make) -> None:
    with pytest.raises(BadValue, match="above 0"):
        make(Fraction(0))
