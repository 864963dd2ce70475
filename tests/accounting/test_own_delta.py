"""A guarantee at its own delta: the first corner of the composition theorem, through every door."""

import itertools
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

import banister as bn
from banister import errors
from banister.accounting.charge import keeps
from banister.accounting.plan import plan_for
from banister.accounting.totals.total import account
from banister.apps.cli import build
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.local import RandomizedResponse
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from tests.sizes import sized

DELTAS = ["1e-6", "1/3", "0.001", "1e-20", "3e-300"]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("count", [1, 2, 30, 1000])
def test_the_first_corner_is_the_sum_of_epsilons(delta: str, count: int) -> None:
    corner = 1 - (1 - Fraction(delta)) ** count
    total = bn.compose([(Guarantee("0.25", delta), count)])
    assert total.bracket(delta=corner).up == pytest.approx(count / 4, rel=1e-15)
    assert total.bracket(delta=corner).down >= count / 4 * (1 - 1e-12)
    assert total.epsilon(delta=corner * (1 - Fraction(1, 10**30))) == float("inf")
    assert total.loss.keeps(Guarantee(Fraction(count, 4), corner))
    assert not total.loss.keeps(Guarantee(Fraction(count, 4), corner * (1 - Fraction(1, 10**400))))
    assert not total.loss.keeps(Guarantee(Fraction(count, 4) * (1 - Fraction(1, 10**15)), corner))


def test_different_deltas_multiply_exactly() -> None:
    deltas = [Fraction(1, 3), Fraction(1, 7), Fraction(1, 10**9)]
    total = bn.compose([Guarantee(1, delta) for delta in deltas])
    kept = Fraction(1)
    for delta in deltas:
        kept *= 1 - delta
    assert total.epsilon(delta=1 - kept) == 3.0


def test_a_hair_above_the_corner_is_composed_and_not_given_up() -> None:
    corner = 1 - Fraction("0.999") ** 30
    total = bn.compose([(Guarantee("0.1", "0.001"), 30)])
    found = total.bracket(delta=corner + Fraction(1, 10**40))
    assert 2.99 < found.down <= found.up <= 3.0


@pytest.mark.parametrize("delta", DELTAS)
def test_one_question_may_have_the_whole_total(delta: str) -> None:
    whole = Guarantee(1, delta)
    assert bn.calibrate(total=whole, questions=1, delta_each=delta) == whole
    assert plan_for(whole, [whole]).slots[0].guarantee == whole
    assert plan_for(whole, [PrivacyLoss.of_guarantee(whole)]).slots[0].count == 1
    assert plan_for(whole, [whole]).places(PrivacyLoss.of_guarantee(whole)) == (0,)
    assert keeps(PrivacyLoss.of_guarantee(whole), whole)


def test_a_plan_takes_a_truncated_staircase_that_equals_it() -> None:
    noise = TruncatedStaircase(epsilon=1, delta="1e-6", sensitivity=2)
    plan = plan_for(Guarantee(1, "1e-6"), [Guarantee(1, "1e-6")])
    assert plan.places(noise.loss()) == (0,)
    assert plan_for(Guarantee(1, "1e-6"), [noise]).slots[0].count == 1


def test_a_slot_for_the_worst_pair_takes_whatever_has_its_epsilon_and_delta() -> None:
    """Earlier versions planned truncated staircases and channels as that pair, without a guarantee beside it."""
    noise = TruncatedStaircase(epsilon=1, delta="1e-6", sensitivity=4)
    budget = Guarantee(3, "1e-5")
    plan = plan_for(budget, [PrivacyLoss.of_guarantee(Guarantee(1, "1e-6"))])
    assert plan.slots[0].guarantee is None
    assert plan.places(noise.loss()) == (0,)
    channel = RandomizedResponse(1, 10)
    assert plan_for(budget, [PrivacyLoss.pure(Fraction(1))]).places(channel.loss()) == (0,)
    # Not what is larger in either number, nor what has no bound; and a slot for a lesser loss does not take the worst.
    for other in (TruncatedStaircase(epsilon=1, delta="2e-6", sensitivity=4), RandomizedResponse("1.1", 10)):
        assert plan.places(other.loss()) == ()
    assert plan.places(PrivacyLoss.gaussian(Fraction(1, 10))) == ()
    assert plan_for(budget, [noise]).places(PrivacyLoss.of_guarantee(Guarantee(1, "1e-6"))) == ()


def test_the_command_line_says_so_too(tmp_path: Path) -> None:
    shown = CliRunner().invoke(build(), ["account", "1 x (1, 1e-6)", "--delta", "1e-6"])
    assert shown.exit_code == 0, shown.output
    assert "Infinity" not in shown.output
    assert account("1 x (1, 1e-6)", delta="1e-6").exact.up == 1.0
    words = ["--epsilon", "1", "--delta", "1e-6", "--neighbours", "replace", "--plan", "1 x (1, 1e-6)"]
    made = CliRunner().invoke(build(), ["ledger", "create", str(tmp_path / "a.ledger"), *words])
    assert made.exit_code == 0, made.output


def test_calibration_never_fails_on_a_grid_of_totals() -> None:
    """Where the questions' deltas leave little of the total's, logarithms once ran out of range."""
    shares = (Fraction(0), Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000), Fraction(1))
    for epsilon, delta, count in itertools.product(
        (Fraction(1, 10), Fraction(1), Fraction(5)), ("1e-12", "1e-6", "0.1"), (1, 20, 200)[:: sized(2, 1)]
    ):
        for share in shares:
            total, each = Guarantee(epsilon, delta), share * Fraction(delta) / count
            found = bn.calibrate(total=total, questions=count, delta_each=each)
            assert bn.compose([(found, count)]).loss.keeps(total)
            more = Guarantee(found.epsilon * (1 + Fraction(1, 10**6)), each)
            assert not bn.compose([(more, count)]).loss.keeps(total)


def test_the_mass_at_infinity_of_atoms_may_be_a_fraction() -> None:
    third = Fraction(1, 3)
    with precision(BALL_BITS):
        high = ball(1 - third) / (1 + exp_ball(-1))
        loss = PrivacyLoss.of_atoms([(Fraction(1), high), (Fraction(-1), high * exp_ball(-1))], infinite=third)
        assert loss.epsilon_at(third).up == 1.0
        with pytest.raises(errors.BadValue, match="missing to 1"):
            PrivacyLoss.of_one_sided_atoms([(Fraction(0), ball(1 - third))], infinite=third, other_infinite=Fraction(0))
