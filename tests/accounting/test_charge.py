"""A charge says what it costs and what it is for."""

import math
from fractions import Fraction

import pytest
from flint import arb

from banister.accounting.charge import Charge, escape, largest_finite_loss, loss_of
from banister.core.exact.numbers import ball
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from tests.lopsided import lopsided


class Halving:
    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.pure(Fraction(1, 2))


class Lying:
    def loss(self) -> float:
        return 0.5


def test_losses_guarantees_and_mechanisms_can_be_charged() -> None:
    pure = PrivacyLoss.pure(Fraction(1, 2))
    assert loss_of(pure) == loss_of(Guarantee("1/2")) == loss_of(Halving()) == pure


def test_anything_else_cannot() -> None:
    with pytest.raises(BadValue, match=r"A float cannot be charged\. Give a Guarantee"):
        loss_of(0.5)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="The loss of Lying is a float, not a PrivacyLoss"):
        loss_of(Lying())  # type: ignore[arg-type]


@pytest.mark.parametrize("label", ["", "   ", "x" * 201, 3])
def test_a_label_is_needed(label: str) -> None:
    with pytest.raises(BadValue, match="A charge needs a label of 1 to 200 characters"):
        Charge.of(Guarantee(1), label=label, neighbours=Neighbours.REPLACE)


def test_labels_and_plans_are_one_line() -> None:
    for label, plan in (("two\nlines", ""), ("fine", "\x1b[31m")):
        with pytest.raises(BadValue, match="must be one line without control characters"):
            Charge.of(Guarantee(1), label=label, neighbours=Neighbours.REPLACE, plan=plan)


def test_the_largest_loss_is_that_of_the_worse_order_and_of_every_copy() -> None:
    for turned in (False, True):
        loss = lopsided(turned=turned)
        assert largest_finite_loss(loss) == 1
        assert largest_finite_loss(loss.times(3)) == 3
        assert Charge.of(loss.times(3), label="three", neighbours=Neighbours.REPLACE).epsilon == 3


def test_the_summary_covers_both_directions() -> None:
    """p has no atom where q has one of 1/4: changed places, a quarter of the mass is at infinity."""
    loss = PrivacyLoss.of_one_sided_atoms([(Fraction(0), ball(Fraction(3, 4)))], infinite=ball(Fraction(1, 4)))
    assert escape(loss) == Fraction(1, 4)
    assert largest_finite_loss(loss) == 0
    assert escape(PrivacyLoss.of_one_sided_atoms([(Fraction(1), arb(1))], infinite=arb(0))) > Fraction(1, 2)
    assert largest_finite_loss(PrivacyLoss.gaussian(Fraction(1))) is None


def test_the_delta_of_one_charge_counts_the_worse_order_of_each_of_its_parts() -> None:
    """One part may tell all about one neighbour, one about the other: one charge costs as two do, less the overlap."""
    one = PrivacyLoss.of_one_sided_atoms([(Fraction(0), ball(Fraction(3, 4)))], infinite=ball(Fraction(1, 4)))
    gains = PrivacyLoss.of_one_sided_atoms([(Fraction(2), arb(1))], infinite=arb(0))  # Turned: 1 − e^−2 is infinite.
    assert escape(one.with_(gains)) == pytest.approx(1 - 3 / 4 * math.exp(-2))
    assert escape(one.times(2)) == Fraction(7, 16)
    assert escape(PrivacyLoss.pure(Fraction(1)).times(5)) == 0
    assert escape(PrivacyLoss.nothing()) == 0
