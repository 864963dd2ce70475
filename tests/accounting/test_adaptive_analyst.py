"""The worst adaptive analyst of a menu stays within every filter and every plan, and comes as near as is known.

How near is written down, to two hundredths: a price that is forgotten, halved or counted twice moves it, in whichever
direction. Whoever makes a filter sharper may raise these figures, and nobody may raise them above the budget.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from banister.accounting.charge import Charge, Cost
from banister.accounting.filters import AsYouGo, Filter, Guard, filter_for
from banister.accounting.filters.basic import Basic
from banister.accounting.filters.concentrated import Concentrated
from banister.accounting.filters.curve import Curve
from banister.accounting.filters.gate import Gate
from banister.accounting.filters.gaussian import GaussianGate
from banister.accounting.filters.renyi import Renyi, renyi_limit
from banister.accounting.filters.units import Units
from banister.accounting.ledger import Ledger
from banister.accounting.plan import plan_for
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from tests.accounting.analyst import (
    ROUNDING,
    STEP,
    Analyst,
    Question,
    gaussian,
    laplace,
    lopsided,
    response,
    together,
    worst,
)

BUDGET = Guarantee("3/2", "3/10")
ONE_WAY = lopsided(4, 1, escape=Fraction(1, 40))
"""An answer that may tell all about one neighbour, and never about the other."""
BELL = gaussian(Fraction(1, 4)).also(Guarantee("3/4", "1/40"))
"""Gaussian noise under two true descriptions: its loss, and a guarantee that it keeps with a delta of 0.0208."""

MENUS: dict[str, tuple[Question, ...]] = {
    "pure": tuple(response(steps) for steps in (1, 2, 4, 7, 12)),
    "deltas": (
        response(0, Fraction(1, 40)),
        response(1, Fraction(1, 40)),
        response(2, Fraction(1, 20)),
        response(4),
        response(8, Fraction(1, 10)),
        response(12, Fraction(1, 40)),
    ),
    "gaussian": (gaussian(Fraction(1, 8)), gaussian(Fraction(1, 4)), gaussian(Fraction(1)), response(2)),
    "laplace": (laplace(3), laplace(8), laplace(12), response(6)),
    "several at once": (
        together(response(2), response(4)),
        together(gaussian(Fraction(1, 4)), response(4)),
        together(gaussian(Fraction(1, 8)), gaussian(Fraction(1, 8))),
        gaussian(Fraction(1, 8)),
        response(2),
    ),
    "lopsided": (
        lopsided(12, 2),
        lopsided(20, 1),
        ONE_WAY,
        ONE_WAY.mirrored(),
        together(ONE_WAY, ONE_WAY.mirrored()),
        response(2),
    ),
    "mixed": (
        response(3),
        response(6, Fraction(1, 20)),
        BELL,
        laplace(8),
        together(gaussian(Fraction(1, 4)), response(4)),
        lopsided(16, 2),
    ),
}

REACHED = {
    Guard.RENYI: (0.15746, 0.21185, 0.09891, 0.13488, 0.10617, 0.18309, 0.21284),
    Guard.BASIC: (0.0, 0.26598, 0.0, 0.0, 0.0, 0.07314, 0.0975),
    Guard.ZCDP: (0.11871, 0.17427, 0.09061, 0.09175, 0.09293, 0.11832, 0.17466),
    Guard.GDP: (0.12027, 0.18248, 0.18838, 0.09175, 0.18578, 0.13078, 0.1998),
    Guard.UNITS: (0.19574, 0.18248, 0.06515, 0.08854, 0.08424, 0.11029, 0.17466),
}
"""The delta that is reached against each guard with each menu, of 0.3."""

CASES = [
    pytest.param(guard, menu, reached, id=f"{guard.value}-{menu}")
    for guard, row in REACHED.items()
    for menu, reached in zip(MENUS, row, strict=True)
]


def of(cost: Cost) -> Charge:
    return Charge.of(cost, label="x", neighbours=Neighbours.REPLACE)


def two_sided(epsilon: float, at: float) -> float:
    """delta(at) of randomized response."""
    return max(0.0, math.exp(epsilon) - math.exp(at)) / (1 + math.exp(epsilon))


@pytest.mark.parametrize(("guard", "menu", "reached"), CASES)
def test_no_analyst_of_these_menus_exceeds_the_budget(guard: Guard, menu: str, reached: float) -> None:
    accountant = filter_for(BUDGET, AsYouGo(guard=guard, unit=STEP, reserve="1/3"))
    found = worst(accountant, MENUS[menu], BUDGET.epsilon)
    assert found * ROUNDING <= BUDGET.delta
    assert found == pytest.approx(reached, rel=0.02)


@pytest.mark.parametrize("at", [0, 4, 7, 8])
def test_a_pure_budget_is_reached_exactly_at_every_epsilon(at: int) -> None:
    """Whatever she asks one after the other, she learns what one answer with the whole epsilon tells, and no more."""
    accountant = filter_for(Guarantee(8 * STEP), AsYouGo())
    found = worst(accountant, [*map(response, (1, 2, 3, 5, 8)), laplace(2), laplace(8)], at * STEP)
    assert found == pytest.approx(two_sided(8 * float(STEP), at * float(STEP)), rel=1e-11, abs=1e-15)


def test_added_up_deltas_are_reached_exactly() -> None:
    """One question with the whole budget reaches its delta, and two with half of it each a little less."""
    accountant = filter_for(Guarantee(1, "1/5"), AsYouGo(guard=Guard.BASIC))
    halves = response(4, Fraction(1, 10))
    assert worst(accountant, [halves], Fraction(1)) == pytest.approx(0.19, rel=1e-11)
    assert worst(accountant, [halves, response(8, Fraction(1, 5))], Fraction(1)) == pytest.approx(0.2, rel=1e-11)


def test_units_are_reached_exactly_however_she_buys_them() -> None:
    """Units in ones, threes and sevens: never more than all of them at once, and one more would be too many."""
    accountant = filter_for(Guarantee(1, "1/5"), AsYouGo(guard=Guard.UNITS, unit=STEP, reserve=0))
    gate = accountant.gates[1]
    inner = Fraction(1, 5) * Fraction(99, 100)
    whole, more = (PrivacyLoss.pure(STEP).times(int(gate.limit) + extra).delta_at(1) for extra in (0, 1))
    found = worst(accountant, [response(1), response(2), response(3)], Fraction(1), reach=2 * int(gate.limit))
    assert found == pytest.approx(whole.up, rel=1e-9)
    assert found * ROUNDING <= inner < more.down


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_gaussian_questions_reach_the_gaussian_limit(parts: int) -> None:
    """In one question or in five, what is told is one Gaussian pair; reading it off in cells costs three percent."""
    accountant = filter_for(Guarantee(1, "1/10"), AsYouGo(guard=Guard.GDP, reserve=0))
    limit = accountant.gates[1].limit
    found = worst(accountant, [gaussian(limit / part) for part in range(1, parts + 1)], Fraction(1))
    assert 0.97 * 0.099 < found <= 0.099


def test_gaussian_noise_where_epsilons_are_added_up_reaches_the_spare_delta() -> None:
    accountant = Filter(Fraction(0), (Basic(Fraction(1), Fraction(1, 10)),))
    bell = GaussianGate.for_budget(Guarantee(1, "1/10")).limit
    parts = [gaussian(bell / 2), gaussian(bell / 4), gaussian(bell / 8), response(1), response(2)]
    assert 0.098 < worst(accountant, [gaussian(bell)], Fraction(1)) <= 0.1
    assert worst(accountant, [gaussian(bell), *parts], Fraction(1)) <= 0.1
    assert worst(accountant, parts, Fraction(1)) == pytest.approx(0.0366, rel=0.02)


@pytest.mark.parametrize(
    ("share", "beside", "reached"),
    [(2, response(2), 0.03658), (4, response(4), 0.02485), (8, response(1), 0.00574)],
    ids=["half", "quarter", "eighth"],
)
def test_gaussian_and_bounded_noise_in_one_charge_pay_for_both(share: int, beside: Question, reached: float) -> None:
    accountant = Filter(Fraction(0), (Basic(Fraction(1), Fraction(1, 10)),))
    bell = gaussian(GaussianGate.for_budget(Guarantee(1, "1/10")).limit / share)
    assert worst(accountant, [together(bell, beside)], Fraction(1)) == pytest.approx(reached, rel=0.02)


@pytest.mark.parametrize(("share", "reached"), [(2, 0.09907), (4, 0.02711), (8, 0.02674)])
def test_gaussian_noise_twice_in_one_charge_pays_for_both(share: int, reached: float) -> None:
    """Two halves of the limit in one charge are the limit: the spare delta is reached, and not exceeded."""
    accountant = Filter(Fraction(0), (Basic(Fraction(1), Fraction(1, 10)),))
    limit = GaussianGate.for_budget(Guarantee(1, "1/10")).limit
    bell, smaller = gaussian(limit / share), gaussian(limit / share / 2)
    assert worst(accountant, [together(bell, bell)], Fraction(1)) == pytest.approx(reached, rel=0.02)
    assert worst(accountant, [together(bell, bell), together(bell, smaller)], Fraction(1)) <= 0.1


def test_one_lopsided_question_all_but_reaches_the_renyi_limit() -> None:
    """Its loss is a little above epsilon or far below: there the conversion from one order has next to no slack."""
    budget = Guarantee(8, "1/10")
    accountant = filter_for(budget, AsYouGo(reserve="1/100"))
    menu = [lopsided(up, 2, idle=Fraction(idle, 16)) for up in (69, 71, 73) for idle in (0, 2, 3, 4, 6)]
    found = worst(accountant, menu, budget.epsilon, reach=120)
    assert 0.97 * float(budget.delta) * 0.99**2 < found <= float(budget.delta) * 0.99**2


@pytest.mark.parametrize("guard", Guard)
def test_two_descriptions_of_one_question_give_no_more_than_the_budget(guard: Guard) -> None:
    """She chooses the description anew at every charge, by what is left and by what she was told."""
    accountant = filter_for(BUDGET, AsYouGo(guard=guard, reserve="1/3", unit=STEP))
    menus = [(way, response(4)) for way in (BELL.only(BELL.costs[0]), BELL.only(BELL.costs[1]), BELL)]
    by_loss, by_guarantee, both = (worst(accountant, menu, BUDGET.epsilon) for menu in menus)
    assert max(by_loss, by_guarantee) <= both * (1 + 1e-12) <= BUDGET.delta
    assert both > 0.008


def delta_of(gate: Gate, epsilon: Fraction) -> float:
    """The delta that a gate takes for itself, from its limit."""
    match gate:
        case Basic():
            return float(gate.spare)
        case Renyi():
            return renyi_delta(float(gate.order), float(gate.limit), float(epsilon))
        case Concentrated():
            orders = 1 + np.exp(np.linspace(-6, 8, 40_001))
            return min(renyi_delta(float(order), float(order) * float(gate.limit), float(epsilon)) for order in orders)
        case GaussianGate():
            return PrivacyLoss.gaussian(gate.limit).delta_at(epsilon).up
        case Curve():
            return PrivacyLoss.gaussian(gate.limit).delta_at(epsilon).up + float(gate.slack)
        case Units():
            return PrivacyLoss.pure(gate.unit).times(int(gate.limit)).delta_at(epsilon).up
    raise AssertionError(gate)


def renyi_delta(order: float, divergence: float, epsilon: float) -> float:
    log = min((order - 1) * (divergence - epsilon), 99) + order * math.log1p(-1 / order)
    return math.exp(log) / (order - 1)


@pytest.mark.parametrize("guard", Guard)
@pytest.mark.parametrize("budget", [BUDGET, Guarantee(1, "1e-6"), Guarantee(4, "1e-2")], ids=str)
@pytest.mark.parametrize("reserve", ["0", "1/10", "2/3"])
def test_the_deltas_of_all_gates_and_of_the_reserve_add_up_to_the_budget(
    guard: Guard, budget: Guarantee, reserve: str
) -> None:
    """Each path ends within one gate, and each gate needs a delta of its own; all of it is given out."""
    accountant = filter_for(budget, AsYouGo(guard=guard, unit="1/50", reserve=reserve))
    total = float(accountant.delta_limit) + sum(delta_of(gate, budget.epsilon) for gate in accountant.gates)
    assert total <= float(budget.delta) * (1 + 1e-7)
    if guard is not Guard.UNITS:  # One unit more would be too many, which has a test of its own.
        assert total > float(budget.delta) * 0.999


def test_an_order_that_is_chosen_by_the_answers_breaks_the_budget() -> None:
    """Two gates that each have the whole delta let her end some paths within one order and some within the other: each
    alone keeps (3, 1/10), both together give away 0.1097. That is why a filter splits delta among its gates, and why
    its Rényi order is fixed before the first answer."""
    budget = Guarantee(3, "1/10")
    menu = [*map(response, (2, 3, 22, 24, 25)), lopsided(32, 1), lopsided(28, 2, idle=Fraction(1, 4))]
    gates = [Renyi(renyi_limit(budget, order), order) for order in (Fraction(2), Fraction(6))]
    one, other, both = (
        worst(Filter(Fraction(1, 10**20), tuple(chosen)), menu, budget.epsilon)
        for chosen in (gates[:1], gates[1:], gates)
    )
    assert max(one, other) <= budget.delta < both * ROUNDING
    assert both <= one + other


PLANS: list[tuple[Sequence[Cost | tuple[Cost, int]], tuple[Question, ...], float]] = [
    ([Guarantee(2 * STEP), (Guarantee(4 * STEP), 2), Guarantee(8 * STEP)], tuple(map(response, (1, 2, 4, 8))), 1.0),
    ([(Guarantee(2 * STEP, "1/40"), 3), Guarantee(6 * STEP)], (response(2, Fraction(1, 40)), response(6)), 1.0),
    (
        [(PrivacyLoss.gaussian(Fraction(1, 4)), 2), Guarantee(6 * STEP, "1/40")],
        (BELL, response(6, Fraction(1, 40)), laplace(6)),
        0.97,
    ),
    ([(PrivacyLoss.laplace(4 * STEP), 3), Guarantee(2 * STEP)], (laplace(4), response(2), laplace(2)), 0.97),
]


@pytest.mark.parametrize(("slots", "menu", "share"), PLANS, ids=["pure", "deltas", "gaussian", "laplace"])
def test_a_plan_is_reached_in_any_order_and_not_exceeded(
    slots: Sequence[Cost | tuple[Cost, int]], menu: tuple[Question, ...], share: float
) -> None:
    """Slots in any order, smaller questions in their places, descriptions at will: never above exact composition."""
    epsilon = 8 * STEP
    losses = [(slot if isinstance(slot, tuple) else (slot, 1)) for slot in slots]
    whole = PrivacyLoss.nothing().with_(*(of(cost).loss.times(count) for cost, count in losses)).delta_at(epsilon)
    found = worst(plan_for(Guarantee(epsilon, whole.up), slots), menu, epsilon)
    assert share * whole.down * (1 - 1e-9) <= found <= whole.up * (1 + 1e-9)


def test_a_number_of_equal_questions_is_reached_exactly() -> None:
    plan = plan_for(Guarantee(1, "1/10"), 5)
    share = plan.largest_epsilon(plan.start())
    steps = int(share / STEP)
    found = worst(plan, [response(steps)], Fraction(1))
    assert steps > 1
    assert found == pytest.approx(PrivacyLoss.pure(steps * STEP).times(5).delta_at(1).up, rel=1e-9)


@pytest.mark.parametrize("guard", Guard)
def test_a_ledger_takes_and_refuses_what_the_filter_does(guard: Guard) -> None:
    """The path on which she always asks what the menu offers next, until nothing fits, charged to a ledger."""
    questions = AsYouGo(guard=guard, unit=STEP, reserve="1/3")
    ledger = Ledger.create("memory:", budget=BUDGET, neighbours=Neighbours.REPLACE, questions=questions)
    accountant = filter_for(BUDGET, questions)
    assert ledger.terms.accountant == accountant
    analyst = Analyst(accountant, MENUS["deltas"], BUDGET.epsilon)
    analyst.best()
    totals, asked = accountant.start(), 0
    for question in 4 * MENUS["deltas"]:
        after = accountant.prepare(of(question.costs[0]))(totals)
        if after is None:
            continue
        ledger.charge(question.costs[0], label="x", neighbours=Neighbours.REPLACE)
        totals, asked = after, asked + 1
        assert ledger.history()[-1].totals == totals
        assert totals in analyst.values
    assert asked == ledger.remaining().charges > 1


CURVE_MENUS = {
    "one": ([response(1)], 0.2901),
    "deltas": (MENUS["deltas"], 0.2366),
    "laplace": (MENUS["laplace"], 0.1510),
}


@pytest.mark.parametrize("menu", CURVE_MENUS)
def test_whole_curves_are_never_exceeded(menu: str) -> None:
    """Prices depend on what remains, so her ways are many; three menus that have few of them."""
    questions, reached = CURVE_MENUS[menu]
    reserve = "0" if menu == "one" else "1/3"
    accountant = filter_for(BUDGET, AsYouGo(guard=Guard.CURVE, reserve=reserve))
    found = worst(accountant, questions, BUDGET.epsilon, reach=128)
    assert found * ROUNDING <= BUDGET.delta
    assert found == pytest.approx(reached, rel=0.02)


def test_whole_curves_come_nearer_than_one_order() -> None:
    near, far = (
        worst(filter_for(BUDGET, AsYouGo(guard=guard, reserve=0)), [response(1)], BUDGET.epsilon, reach=128)
        for guard in (Guard.CURVE, Guard.RENYI)
    )
    assert far < near <= float(BUDGET.delta)


def test_every_guard_is_played_against() -> None:
    assert {*REACHED, Guard.CURVE} == set(Guard)
