"""Prices are never too low, limits never too high."""

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb

from banister.accounting.charge import largest_finite_loss
from banister.accounting.filters.basic import Basic
from banister.accounting.filters.concentrated import Concentrated
from banister.accounting.filters.gate import LATTICE_BITS, largest, within
from banister.accounting.filters.gaussian import GaussianGate
from banister.accounting.filters.renyi import Renyi, best_order, renyi_limit
from banister.accounting.filters.shelf import as_document, of_document
from banister.accounting.filters.units import Units
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.exact.search import largest_whole
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import LedgerForeign
from tests.lopsided import lopsided, lopsided_atoms

BUDGET = Guarantee(1, "1e-6")
SIZES = [Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(5)]


def renyi(epsilon: float, order: float) -> float:
    p = 1 / (1 + math.exp(-epsilon))
    return math.log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)) / (order - 1)


@pytest.mark.parametrize("epsilon", SIZES)
def test_the_renyi_price_is_that_of_randomized_response(epsilon: Fraction) -> None:
    price = Renyi(Fraction(1), Fraction(7, 2)).price(PrivacyLoss.pure(epsilon))
    assert float(price or 0) == pytest.approx(renyi(float(epsilon), 3.5), rel=1e-9)


@pytest.mark.parametrize("epsilon", SIZES)
def test_rho_of_a_pure_loss_bounds_every_order_and_is_reached(epsilon: Fraction) -> None:
    """R(order) ≤ order·epsilon·tanh(epsilon/2), with equality as the order goes to 1."""
    rho = float(Concentrated(Fraction(1)).price(PrivacyLoss.pure(epsilon)) or 0)
    assert all(renyi(float(epsilon), 1 + 2.0**k) <= (1 + 2.0**k) * rho * (1 + 1e-9) for k in range(-6, 7))
    assert renyi(float(epsilon), 1.0001) == pytest.approx(rho, rel=1e-3)
    assert rho <= float(epsilon) ** 2 / 2


@pytest.mark.parametrize("epsilon", SIZES)
def test_the_gaussian_price_touches_the_vertex(epsilon: Fraction) -> None:
    """Φ(−mu/2) = 1/(1 + e^epsilon): the Gaussian curve meets randomized response where both errors are equal."""
    mu = math.sqrt(float(GaussianGate(Fraction(1)).price(PrivacyLoss.pure(epsilon)) or 0))
    assert math.erfc(mu / 2 / math.sqrt(2)) / 2 == pytest.approx(1 / (1 + math.exp(float(epsilon))), rel=1e-12)


def test_gaussian_losses_have_their_own_price_everywhere() -> None:
    loss = PrivacyLoss.gaussian(Fraction(1, 4))
    assert GaussianGate(Fraction(1)).price(loss) == Fraction(1, 4)
    assert Concentrated(Fraction(1)).price(loss) == Fraction(1, 8)
    assert float(Renyi(Fraction(1), Fraction(3)).price(loss) or 0) == pytest.approx(3 / 8)
    assert Basic(Fraction(1)).price(loss) is None
    assert Units(Fraction(9), Fraction(1, 10)).price(loss) is None


def test_unit_prices_are_those_of_the_theory() -> None:
    gate = Units(Fraction(1000), Fraction(1, 100))
    prices = [gate.price(PrivacyLoss.pure(Fraction(r) / 100)) for r in ("1", "1.5", "2", "3", "5", "10")]
    assert prices == [1, 3, 7, 15, 39, 157]
    assert gate.price(PrivacyLoss.pure(Fraction(0))) == 0
    assert Units(Fraction(100), Fraction(1, 100)).price(PrivacyLoss.pure(Fraction(1, 10))) is None


def test_unit_prices_by_brute_force() -> None:
    """The majority of n answers errs no more often than one answer of the larger epsilon; n − 2 do not suffice."""
    for ratio in (2, 3, 4):
        unit, epsilon = 0.3, 0.3 * ratio
        q = 1 / (1 + math.exp(unit))

        def error(n: int, q: float = q) -> float:
            return sum(math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range((n + 1) // 2, n + 1))

        gate = Units(Fraction(1000), Fraction(3, 10))
        n = int(gate.price(PrivacyLoss.pure(Fraction(3, 10) * ratio)) or 0)
        assert error(n) <= 1 / (1 + math.exp(epsilon)) < error(n - 2)


def test_as_many_units_as_fit_by_exact_composition() -> None:
    gate = Units.for_budget(Guarantee("4.7746", "1e-6"), Fraction(1, 10))
    assert gate.limit == 100
    assert Units.for_budget(Guarantee("4.7745", "1e-6"), Fraction(1, 10)).limit == 99
    assert Units.for_budget(Guarantee("0.05", "1e-6"), Fraction(1, 10)).limit == 0


def test_the_renyi_limit_gives_the_budget_back() -> None:
    order = best_order(BUDGET)
    limit = renyi_limit(BUDGET, order)
    a = float(order)
    delta = math.exp((a - 1) * (float(limit) - 1)) * (1 - 1 / a) ** a / (a - 1)
    assert delta == pytest.approx(1e-6, rel=1e-9)
    assert renyi_limit(Guarantee("0.001", "1e-9"), Fraction(3, 2)) == 0


def test_the_gaussian_limit_gives_the_budget_back() -> None:
    limit = GaussianGate.for_budget(BUDGET).limit
    assert PrivacyLoss.gaussian(limit).delta_at(1).up <= 1e-6
    assert PrivacyLoss.gaussian(limit * Fraction(100001, 100000)).delta_at(1).up > 1e-6


def test_asymmetric_losses_cost_the_worse_direction() -> None:
    """p = (½, ½), q = (¼, ¾): the losses are log 2 and log(2/3), to a fraction, and q/p has other moments."""
    values = (Fraction(math.log(2)), Fraction(math.log(2 / 3)))
    loss = PrivacyLoss.of_one_sided_atoms([(v, ball(Fraction(1, 2))) for v in values], infinite=arb(0))
    price = float(Renyi(Fraction(1), Fraction(2)).price(loss) or 0)
    assert price == pytest.approx(max(math.log(4 / 3), math.log(1 / 8 + 9 / 8)), rel=1e-6)
    turned = PrivacyLoss.of_terms((law.reverse(), count) for law, count in loss.terms)
    for way in (loss, turned):  # Whichever order is the worse one, it is counted three times.
        assert float(Renyi(Fraction(1), Fraction(2)).price(way.times(3)) or 0) == pytest.approx(3 * price)


def test_the_parts_of_a_loss_are_priced_one_by_one() -> None:
    """Ten questions in one charge cost what ten charges cost, in every currency."""
    part = PrivacyLoss.pure(Fraction(1, 100))
    whole, mixed = part.times(10), part.times(10).with_(PrivacyLoss.gaussian(Fraction(1, 400)))
    gates = (
        Basic(Fraction(1)),
        Renyi(Fraction(1), Fraction(20)),
        Concentrated(Fraction(1)),
        GaussianGate(Fraction(1)),
        Units(Fraction(99), Fraction(1, 100)),
    )
    for gate in gates:
        one, ten = gate.price(part), gate.price(whole)
        assert one is not None
        assert ten is not None
        assert 10 * one - Fraction(10, 2**64) <= ten <= 10 * one
    for gate in gates[1:4]:
        together, alone, rest = gate.price(mixed), gate.price(whole), gate.price(PrivacyLoss.gaussian(Fraction(1, 400)))
        assert float(together or 0) == pytest.approx(float(alone or 0) + float(rest or 0))
    assert gates[0].price(mixed) is None
    assert gates[4].price(mixed) is None


def test_one_charge_never_costs_more_than_two() -> None:
    """And no less than the dearer of the two, in every currency; less than both where docs/math/filters.md says so."""
    lopsided = [(Fraction(math.log(2)), ball(Fraction(1, 2))), (Fraction(math.log(2 / 3)), ball(Fraction(1, 2)))]
    one_way = PrivacyLoss.of_one_sided_atoms(lopsided, infinite=arb(0))
    other_way = PrivacyLoss.of_terms((law.reverse(), count) for law, count in one_way.terms)
    bell, small = PrivacyLoss.gaussian(Fraction(1, 100)), PrivacyLoss.pure(Fraction(1, 10))
    gates = (
        Basic(Fraction(2), Fraction(1, 100)),
        Renyi(Fraction(1), Fraction(4)),
        Concentrated(Fraction(1)),
        GaussianGate(Fraction(1)),
        Units(Fraction(999), Fraction(1, 10)),
    )
    cheaper = set()
    for gate in gates:
        for a, b in itertools.combinations((bell, PrivacyLoss.gaussian(Fraction(1, 64)), small, one_way, other_way), 2):
            one, two, both = gate.price(a), gate.price(b), gate.price(a.with_(b))
            if one is None or two is None:
                assert both is None
                continue
            assert both is not None
            assert max(one, two) < both <= one + two + Fraction(1, 2**20)
            if both < (one + two) * Fraction(99, 100):
                cheaper.add(type(gate))
    assert cheaper == {Basic, Renyi}


def test_added_up_epsilons_and_gaussian_noise_in_one_charge_cost_both() -> None:
    """The bounded parts their epsilons, all Gaussian parts together the price of one with the sum of their mu²."""
    gate, bell = Basic(Fraction(1), Fraction(1, 10**8)), PrivacyLoss.gaussian(Fraction(1, 900))
    alone, four = gate.price(bell), gate.price(bell.times(4))
    assert alone is not None
    assert four is not None
    assert four == gate.price(PrivacyLoss.gaussian(Fraction(4, 900)))
    assert four == gate.price(bell.times(2).with_(PrivacyLoss.gaussian(Fraction(1, 450))))
    assert Fraction(3, 2) * alone < four < 4 * alone
    assert gate.price(PrivacyLoss.pure(Fraction(1, 10)).times(3).with_(bell)) == Fraction(3, 10) + alone


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(2), Fraction(9)])
def test_the_order_of_the_neighbours_makes_no_difference_to_a_price(turned: bool, order: Fraction) -> None:
    """Losses 1 and −1/2, or −1 and 1/2: one and the same release costs its worse order, whichever is named first."""
    with precision(BALL_BITS):
        ways = [lopsided_atoms(turned=way) for way in (False, True)]
        moments = [sum((m * exp_ball((order - 1) * v) for v, m in way), arb(0)).log() for way in ways]
        assert not moments[0].overlaps(moments[1])
        worse = float(arb.max(*moments) / ball(order - 1))
    loss = lopsided(turned=turned)
    assert float(Renyi(Fraction(1), order).price(loss) or 0) == pytest.approx(worse, rel=1e-12)
    for gate in (Basic(Fraction(1)), Concentrated(Fraction(1)), GaussianGate(Fraction(1))):
        assert gate.price(loss) == gate.price(PrivacyLoss.pure(Fraction(1)))


@pytest.mark.parametrize("budget", [BUDGET, Guarantee("0.3", "1e-9"), Guarantee(7, "0.01")])
def test_a_limit_is_the_last_lattice_point_from_which_the_budget_follows(budget: Guarantee) -> None:
    order, step = best_order(budget), Fraction(1, 2**64)

    def follows(divergence: Fraction) -> bool:
        with precision(400):
            factor = ball(1 - 1 / order) ** ball(order) / ball(order - 1)
            return bool(factor * exp_ball((order - 1) * (divergence - budget.epsilon)) <= ball(budget.delta))

    limit = renyi_limit(budget, order)
    assert follows(limit)
    assert not follows(limit + step)
    rho = Concentrated.for_budget(budget).limit
    assert order * rho <= limit < order * (rho + step)


def test_gates_have_words_for_people() -> None:
    gates = (
        Basic(Fraction(1)),
        Renyi(Fraction(1), Fraction(45, 2)),
        Concentrated(Fraction(1)),
        GaussianGate(Fraction(1)),
        Units(Fraction(1), Fraction(1, 100)),
    )
    assert [gate.in_words() for gate in gates] == [
        "epsilons added up",
        "Rényi divergence of order 22.5",
        "rho of zCDP",
        "mu² of Gaussian privacy",
        "units of epsilon 0.01",
    ]


def test_largest_finds_the_edge_or_zero() -> None:
    assert largest(lambda x: x <= Fraction(3, 8)) == Fraction(3, 8)
    assert largest(lambda x: False) == 0


def test_an_unknown_gate_is_another_version() -> None:
    assert of_document(as_document(Renyi(Fraction(1, 3), Fraction(2)))) == Renyi(Fraction(1, 3), Fraction(2))
    with pytest.raises(LedgerForeign, match="guarded by 'magic', which this version of banister does not know"):
        of_document({"gate": "magic", "limit": "1"})


@pytest.mark.parametrize(
    "bound", [Fraction(0), Fraction(1, 2**64), Fraction(1, 3), Fraction(999, 1000), Fraction(7, 2)]
)
def test_the_largest_point_is_the_one_that_doubling_from_the_first_step_finds(bound: Fraction) -> None:
    """And no point beyond twice the answer, or 1, is asked: prices of huge epsilons mean nothing."""
    asked: list[Fraction] = []

    def holds(epsilon: Fraction) -> bool:
        asked.append(epsilon)
        return epsilon <= bound

    step = Fraction(1, 2**LATTICE_BITS)
    found = largest(holds)
    assert found == step * largest_whole(lambda steps: steps * step <= bound, rounds=52)
    assert max(asked) <= max(Fraction(1), 2 * bound)
    assert len(asked) <= 65 or bound >= 1


@pytest.mark.parametrize("part", [Fraction(0), Fraction(1, 2**64), Fraction(1, 10**6), Fraction(3, 7), Fraction(1)])
@pytest.mark.parametrize("budget", [Guarantee("0.01", "1e-9"), Guarantee(1, "1e-6"), Guarantee(20, "1e-3")])
def test_guesses_save_questions_and_change_no_answer(budget: Guarantee, part: Fraction) -> None:
    """The largest epsilon is that of plain halving, to the last step of the lattice."""
    held = Renyi.for_budget(budget)
    room, asked = part * held.limit, []

    class Counting(Renyi):
        def price(self, loss: PrivacyLoss) -> Fraction | None:
            asked.append(loss)
            return held.price(loss)

    plain = largest(lambda epsilon: within(held.price(PrivacyLoss.pure(epsilon)), room))
    assert Counting(held.limit, held.order).epsilon_for(room) == plain
    assert len(asked) <= 45


def test_prices_that_do_not_grow_are_asked_point_by_point() -> None:
    """What is found was asked and holds, also where a guess misled the search."""

    class Odd(Renyi):
        def price(self, loss: PrivacyLoss) -> Fraction | None:
            epsilon = largest_finite_loss(loss)
            assert epsilon is not None
            return Fraction(2) if Fraction(1, 2) < epsilon < Fraction(9, 10) else epsilon

    found = Odd(Fraction(1), Fraction(2)).epsilon_for(Fraction(1))
    assert found <= Fraction(1, 2) or Fraction(9, 10) <= found <= 1
