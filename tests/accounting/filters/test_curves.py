"""Prices in Gaussian time: true, hardly above the variance, and refused where they are too low."""

from fractions import Fraction

import pytest

from banister.accounting.charge import Charge
from banister.accounting.filters import AsYouGo, Filter, Guard, filter_for
from banister.accounting.filters.curve import Curve
from banister.accounting.filters.curves import _proven, _steps, dominating_price, gaussian_price
from banister.accounting.filters.shelf import as_document, of_document
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss

RATE = Fraction(1, 10**8)


@pytest.mark.parametrize(("epsilon", "left"), [("0.1", 1), ("0.1", "1/8"), ("1/2", 1), ("1/100", "1/4")])
def test_a_price_is_what_the_exact_composition_allows(epsilon: str, left: str) -> None:
    """The question and the rest of the time, composed by the account itself, are below the whole time everywhere."""
    size, time = Fraction(epsilon), Fraction(left)
    law = PrivacyLoss.pure(size).terms[0][0]
    price = gaussian_price(law, size, time, RATE)
    assert price is not None
    assert size**2 < price < dominating_price(size)
    together = PrivacyLoss.pure(size).with_(PrivacyLoss.gaussian(time - price))
    for g in range(12):
        point = Fraction(g, 6)
        whole = PrivacyLoss.gaussian(time).delta_at(point)
        assert together.delta_at(point).down <= whole.up + float(RATE * price)


def test_a_price_below_the_variance_is_not_proven() -> None:
    size = Fraction(1, 10)
    steps = _steps(PrivacyLoss.pure(size).terms[0][0], size)
    for part, holds in ((Fraction(1, 2), False), (Fraction(99, 100), False), (Fraction(101, 100), True)):
        price = part * size**2
        assert _proven(steps, Fraction(1), price, RATE * price) is holds


def test_questions_are_taken_until_nearly_the_plan_is_full() -> None:
    made = filter_for(Guarantee(3, "1e-2"), AsYouGo(guard=Guard.CURVE, reserve=0))
    alone = Filter(made.delta_limit, made.gates[1:])
    one = alone.prepare(Charge.of(Guarantee("0.1"), label="x", neighbours=Neighbours.REPLACE))
    totals, taken = alone.start(), 0
    while (after := one(totals)) is not None:
        totals, taken = after, taken + 1
    assert taken == 144
    assert PrivacyLoss.pure(Fraction(1, 10)).times(148).keeps(Guarantee(3, "1e-2"))
    many = alone.prepare(
        Charge.of(PrivacyLoss.pure(Fraction(1, 10)).times(144), label="x", neighbours=Neighbours.REPLACE)
    )
    assert many(alone.start()) == totals  # In one charge or in many.


def test_the_gate_is_written_and_read() -> None:
    gate = Curve.for_budget(Guarantee(1, "1e-6"))
    assert of_document(as_document(gate)) == gate
    assert "whole curves" in gate.in_words()
    assert gate.price(PrivacyLoss.gaussian(Fraction(1, 400))) == Fraction(-(-(2**64) // 400), 2**64)
    assert gate.price(PrivacyLoss.discrete_gaussian(sigma=Fraction(20), sensitivity=1)) is None
