"""Filters stay sound when every price depends on every answer; composing what came up does not."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr

from banister.accounting.charge import Charge, Cost
from banister.accounting.filters import SPARE, AsYouGo, Filter, Guard, filter_for
from banister.accounting.filters.basic import Basic
from banister.accounting.filters.gate import largest
from banister.accounting.filters.gaussian import GaussianGate
from banister.accounting.filters.renyi import Renyi
from banister.core.composition.law import GaussianLaw
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.mechanisms.integers.discrete_gaussian import DiscreteGaussian

EACH = [AsYouGo(guard=guard, unit="1/10") for guard in Guard]
NAMES = [guard.value for guard in Guard]


def of(cost: Cost) -> Charge:
    return Charge.of(cost, label="x", neighbours=Neighbours.REPLACE)


def pure(epsilon: Fraction) -> Charge:
    return of(Guarantee(epsilon))


def runs(guard: Filter, epsilons: list[str]) -> bool:
    """Whether a filter takes the whole list."""
    totals = guard.start()
    for epsilon in epsilons:
        after = guard.place(totals, guard.prices(pure(Fraction(epsilon))))
        if after is None:
            return False
        totals = after
    return True


def tree_delta(guard: Filter, target: float, choose: "random.Random", sizes: list[Fraction], depth: int) -> float:
    """Exact delta of a tree of randomized responses, each drawn from `sizes` anew at every node, until refused."""
    memo = {size: guard.prices(of(Guarantee(size, Fraction(1, 100)))) for size in sizes}
    total = 0.0

    def walk(totals: tuple[Fraction | None, ...], p: float, q: float, left: int) -> None:
        nonlocal total
        size = choose.choice(sizes)
        after = guard.place(totals, memo[size]) if left else None
        if after is None:
            total += max(0.0, p - math.exp(target) * q)
            return
        heads = 0.99 * math.exp(float(size)) / (1 + math.exp(float(size)))
        total += 0.01 * p  # The answer that tells everything.
        walk(after, p * heads, q * (0.99 - heads), left - 1)
        walk(after, p * (0.99 - heads), q * heads, left - 1)

    walk(guard.start(), 1.0, 1.0, depth)
    return total


@pytest.mark.parametrize("questions", EACH, ids=NAMES)
def test_random_adaptive_trees_stay_within_the_budget(questions: AsYouGo) -> None:
    """Both branches of every answer choose their next size at random; delta is added up over all leaves."""
    budget = Guarantee("1.5", "0.3")
    guard = filter_for(budget, AsYouGo(guard=questions.guard, unit="1/10", reserve="1/3"))
    sizes = [Fraction(1, 10), Fraction(1, 4), Fraction(2, 5), Fraction(7, 10), Fraction(3, 2)]
    worst = max(tree_delta(guard, 1.5, random.Random(seed), sizes, 9) for seed in range(60))
    assert 0.01 < worst <= 0.3


@pytest.mark.parametrize("questions", EACH, ids=NAMES)
def test_the_adaptive_counterexample_is_refused(questions: AsYouGo) -> None:
    """After RR(0.3): on + one RR(3.89555), on − twenty RR(0.465639). Each branch alone is (4, 0.1)-private by exact
    composition, yet the tree has delta(4) = 0.1333, so no sound filter lets both branches pass."""
    guard = filter_for(Guarantee(4, "0.1"), questions)
    plus, minus = ["0.3", "3.89555"], ["0.3", *["0.465639"] * 20]
    assert not (runs(guard, plus) and runs(guard, minus))


def test_the_counterexample_tree_really_breaks_the_budget() -> None:
    def binomial(epsilon: float, n: int) -> list[tuple[float, float]]:
        p = math.exp(epsilon) / (1 + math.exp(epsilon))
        return [(math.comb(n, k) * p ** (n - k) * (1 - p) ** k, (n - 2 * k) * epsilon) for k in range(n + 1)]

    def delta(branches: list[tuple[float, float]], shift: float) -> float:
        return sum(mass * max(0.0, 1 - math.exp(4 - loss - shift)) for mass, loss in branches)

    first = math.exp(0.3) / (1 + math.exp(0.3))
    on_plus, on_minus = binomial(3.89555, 1), binomial(0.465639, 20)
    alone = [first * delta(b, 0.3) + (1 - first) * delta(b, -0.3) for b in (on_plus, on_minus)]
    assert alone == pytest.approx([0.1, 0.1], abs=1e-5)
    assert first * delta(on_plus, 0.3) + (1 - first) * delta(on_minus, -0.3) == pytest.approx(0.1333, abs=1e-4)


@pytest.mark.parametrize(
    ("guard", "epsilon"), [(Guard.RENYI, 5.0812), (Guard.ZCDP, 5.2191), (Guard.GDP, 6.3302), (Guard.UNITS, 4.7746)]
)
def test_what_each_filter_costs_for_a_hundred_questions_of_a_tenth(guard: Guard, epsilon: float) -> None:
    """The least budget at delta 1e-6 for the gate; a plan needs 4.7746, so the units lose nothing here."""
    loss, delta = PrivacyLoss.pure(Fraction(1, 10)), Fraction(1, 10**6) / (1 - SPARE)

    def fits(at: float) -> bool:
        gate = filter_for(Guarantee(at, delta), AsYouGo(guard=guard, reserve=0, unit="1/10")).gates[1]
        price = gate.price(loss)
        return price is not None and 100 * price <= gate.limit

    assert fits(epsilon + 1e-4)
    assert not fits(epsilon - 2e-4)


def test_whatever_basic_composition_takes_every_filter_takes() -> None:
    for questions in EACH:
        assert runs(filter_for(Guarantee(1, "1e-6"), questions), ["1/2", "1/4", "1/4"])


def test_whatever_concentrated_privacy_takes_renyi_takes() -> None:
    budget = Guarantee(1, "1e-6")
    order = filter_for(budget, AsYouGo())
    rho = filter_for(budget, AsYouGo(guard=Guard.ZCDP))
    for size in ("0.001", "0.01", "0.05", "0.1", "0.15"):
        loss = PrivacyLoss.pure(Fraction(size))
        shares = [g.gates[1].price(loss) / g.gates[1].limit for g in (order, rho)]  # type: ignore[operator]
        assert shares[0] <= shares[1]


def test_a_pure_budget_is_added_up_whatever_the_guard() -> None:
    for questions in EACH:
        assert filter_for(Guarantee(1), questions) == Filter(Fraction(0), (Basic(Fraction(1)),))


def test_ten_tenths_fit_exactly_and_not_a_hair_more() -> None:
    guard = filter_for(Guarantee(1), AsYouGo())
    assert runs(guard, ["0.1"] * 10)
    assert not runs(guard, [*["0.1"] * 10, "1e-30"])


def test_ten_guarantees_of_a_tenth_fit_exactly_deltas_included() -> None:
    """The delta of a guarantee is charged as it was written; rounding it up would refuse the tenth."""
    guard = filter_for(Guarantee(1, "1e-6"), AsYouGo(guard=Guard.BASIC))
    totals: tuple[Fraction | None, ...] | None = guard.start()
    for _ in range(10):
        assert totals is not None
        totals = guard.place(totals, guard.prices(of(Guarantee("0.1", "1e-7"))))
    assert totals == (Fraction(1, 10**6), Fraction(1))


def test_deltas_of_charges_come_out_of_the_reserve() -> None:
    guard = filter_for(Guarantee(1, "1e-6"), AsYouGo(reserve="1/2"))
    assert guard.delta_limit == Fraction(1, 2 * 10**6)
    prices = guard.prices(of(Guarantee("0.01", "4e-7")))
    once = guard.place(guard.start(), prices)
    assert once is not None
    assert guard.place(once, prices) is None
    assert "is left for charges with a delta of their own" in guard.why_not(once, of(Guarantee("0.01", "4e-7")))


def test_gaussian_losses_pass_both_gates() -> None:
    """Gaussian noise of (0.1, 10⁻⁷) leaves nearly what adding up 0.1 would; in Rényi alone 0.55 would be left."""
    guard = filter_for(Guarantee(1, "1e-6"), AsYouGo())
    mu_squared = GaussianGate.for_budget(Guarantee("0.1", "1e-7")).limit
    after = guard.place(guard.start(), guard.prices(of(PrivacyLoss.gaussian(mu_squared))))
    assert after is not None
    assert float(guard.largest_epsilon(after)) == pytest.approx(0.878, abs=1e-3)
    closed = guard.largest_epsilon((after[0], None, after[2]))
    assert float(closed) == pytest.approx(0.55, abs=0.01)


def test_gaussian_noise_too_large_for_adding_up_closes_that_gate_alone() -> None:
    guard = filter_for(Guarantee(1, "1e-6"), AsYouGo())
    mu_squared = GaussianGate.for_budget(Guarantee(1, "1e-7")).limit
    after = guard.place(guard.start(), guard.prices(of(PrivacyLoss.gaussian(mu_squared))))
    assert after is not None
    assert after[1] is None
    assert guard.free(after)[0] == "epsilons added up: closed"
    assert guard.largest_epsilon(after) > 0


@pytest.mark.parametrize("first", ["0.1", "0.4", "0.7"])
def test_an_analyst_who_follows_a_gaussian_answer_by_the_worst_question_stays_within_the_budget(first: str) -> None:
    """Whatever the first answer is, she asks the largest pure question or the largest Gaussian one that still fits,
    whichever tells the more after it: delta = E[max over both of delta(epsilon − first loss)], by quadrature."""
    budget = Guarantee(1, "1e-3")
    guard = filter_for(budget, AsYouGo())
    mu_squared = GaussianGate.for_budget(Guarantee(first, "1e-4")).limit
    totals = guard.place(guard.start(), guard.prices(of(PrivacyLoss.gaussian(mu_squared))))
    assert totals is not None
    epsilon = float(guard.largest_epsilon(totals))

    def fits(next_mu_squared: Fraction) -> bool:
        assert totals is not None
        return guard.place(totals, guard.prices(of(PrivacyLoss.gaussian(next_mu_squared)))) is not None

    bell = math.sqrt(float(largest(fits)))
    mu = math.sqrt(float(mu_squared))

    def after_gaussian(left: float) -> float:
        return float(ndtr(bell / 2 - left / bell) - math.exp(left) * ndtr(-bell / 2 - left / bell))

    def after_pure(left: float) -> float:
        heads = 1 / (1 + math.exp(-epsilon))
        pairs = ((heads, 1 - heads), (1 - heads, heads))
        return sum(max(0.0, p - math.exp(left) * q) for p, q in pairs)

    steps = np.linspace(-9, 9, 4001)
    losses = mu * steps + mu**2 / 2
    worst = [max(after_gaussian(1 - loss), after_pure(1 - loss)) for loss in losses]
    density = np.exp(-(steps**2) / 2) / math.sqrt(2 * math.pi)
    delta = float(np.trapezoid(density * worst, steps))
    assert 1e-5 < delta <= 1e-3


@pytest.mark.parametrize("mu_squared", ["1/10000", "1/400", "1/36"])
@pytest.mark.parametrize("spare", ["1e-8", "1e-4"])
def test_the_deltas_of_gaussian_noise_add_up_to_the_spare_one(mu_squared: str, spare: str) -> None:
    """Where n such charges fill the gate, n of their deltas are no more than it has to spare."""
    gate, law = Basic(Fraction(2), Fraction(spare)), PrivacyLoss.gaussian(Fraction(mu_squared))
    price = gate.price(law)
    assert price is not None
    delta = law.delta_at(price)
    assert Fraction(delta.up) <= gate.spare * price / 2
    assert float(delta.down) > 0.999 * float(gate.spare * price / 2)


def test_an_older_ledger_without_a_spare_delta_is_read_as_it_was_written() -> None:
    document: dict[str, object] = {"delta": "1/10", "gates": [{"gate": "basic", "limit": "1"}]}
    assert Filter.of_document(document).gates == (Basic(Fraction(1)),)


def test_discrete_gaussian_noise_costs_what_its_gaussian_twin_does_and_no_delta() -> None:
    filter_ = filter_for(Guarantee(1, "1e-6"), AsYouGo())
    exact = of(DiscreteGaussian.with_sigma(sigma=20, sensitivity=1))
    twin = PrivacyLoss.gaussian(Fraction(1, 400))
    assert exact.delta == 0
    for gate in filter_.gates:
        price, other = gate.price(exact.priced), gate.price(twin)
        assert price is not None
        assert other is not None
        assert abs(price - other) < other / 1000


def test_noise_known_by_its_curve_alone_costs_a_little_more_than_its_gaussian_twin() -> None:
    """A law of which the curve alone is known is put on a grid from above."""
    bell = GaussianLaw(Fraction(1, 400))
    gate = filter_for(Guarantee(1, "1e-6"), AsYouGo()).gates[1]
    curve = of(PrivacyLoss.of_curve(bell.hockey_stick, key="bell"))
    price, twin = gate.price(curve.priced), gate.price(PrivacyLoss.gaussian(bell.mu_squared))
    assert price is not None
    assert twin is not None
    assert twin * Fraction(999, 1000) < price < twin * Fraction(11, 10)
    assert 0 < curve.delta < Fraction(1, 10**12)


def test_a_loss_that_no_gate_can_price_is_told_so() -> None:
    guard = filter_for(Guarantee(1, "1e-6"), AsYouGo(guard=Guard.BASIC))
    loss = of(PrivacyLoss.gaussian(Fraction(1, 100)))
    assert guard.place(guard.start(), guard.prices(loss)) is None
    assert "cannot price a loss without a bound" in guard.why_not(guard.start(), loss)


@pytest.mark.parametrize("questions", EACH, ids=NAMES)
def test_the_largest_epsilon_that_fits_does_fit_and_a_little_more_does_not(questions: AsYouGo) -> None:
    guard = filter_for(Guarantee(1, "1e-6"), questions)
    totals = guard.start()
    for epsilon in ("0.5", "0.02", "0.03"):
        totals = guard.place(totals, guard.prices(pure(Fraction(epsilon)))) or totals
    largest = guard.largest_epsilon(totals)
    assert guard.place(totals, guard.prices(pure(largest))) is not None
    assert guard.place(totals, guard.prices(pure(largest * Fraction(10001, 10000)))) is None


@pytest.mark.parametrize("questions", EACH, ids=NAMES)
def test_a_filter_reads_back_as_itself(questions: AsYouGo) -> None:
    guard = filter_for(Guarantee(1, "1e-6"), questions)
    assert Filter.of_document(guard.document()) == guard


def test_bad_settings_are_refused() -> None:
    with pytest.raises(BadValue, match="reserve = 2 must be a number from 0 to 1"):
        AsYouGo(reserve=2)
    with pytest.raises(
        BadValue, match=r"unit = 0 must be a finite number above 0\. Guard\.UNITS counts in equal units"
    ):
        AsYouGo(guard=Guard.UNITS)
    with pytest.raises(BadValue, match="guard = 'magic' must be one of"):
        AsYouGo(guard="magic")  # type: ignore[arg-type]
    assert AsYouGo.in_units("0.01").unit == "0.01"


def test_a_reserve_of_everything_leaves_adding_up() -> None:
    assert filter_for(Guarantee(1, "1e-6"), AsYouGo(reserve=1)).gates == (Basic(Fraction(1)),)


def test_the_share_used_is_that_of_the_roomiest_gate() -> None:
    guard = Filter(Fraction(0), (Basic(Fraction(1)), Renyi(Fraction(4), Fraction(2))))
    assert guard.used((Fraction(0), Fraction(1, 2), Fraction(1))) == Fraction(1, 4)
    assert guard.used((Fraction(0), None, Fraction(8))) == 1


def test_dust_is_no_room() -> None:
    guard = filter_for(Guarantee(1), AsYouGo())
    nearly = guard.place(guard.start(), guard.prices(pure(1 - Fraction(1, 10**12))))
    assert nearly is not None
    assert guard.largest_epsilon(nearly) == 0


def test_a_budget_without_an_epsilon_refuses_gaussian_noise_in_words() -> None:
    guard = filter_for(Guarantee(0, "1e-6"), AsYouGo())
    loss = of(PrivacyLoss.gaussian(Fraction(1, 100)))
    assert guard.prepare(loss)(guard.start()) is None
    assert "cannot price a loss without a bound" in guard.why_not(guard.start(), loss)
    assert guard.prepare(of(Guarantee(0, "1e-8")))(guard.start()) is not None


@pytest.mark.parametrize("questions", EACH, ids=NAMES)
def test_a_gate_from_which_the_budget_never_follows_is_left_out(questions: AsYouGo) -> None:
    """At (1e-9, 1e-12) no order that is tried gives the budget, even from no divergence; a limit of 0 would still take
    the guarantees whose escape brings the divergence of the rest to 0 or below."""
    guard = filter_for(Guarantee("1e-9", "1e-12"), questions)
    assert all(gate.limit > 0 for gate in guard.gates)
    if questions.guard is Guard.RENYI:
        assert len(guard.gates) == 1


@pytest.mark.parametrize("guard", [guard for guard in Guard if guard is not Guard.UNITS])
@pytest.mark.parametrize("budget", [Guarantee(1000, "1/2"), Guarantee("1e-6", "1e-300"), Guarantee(500, "0.999")])
def test_extreme_budgets_have_filters(guard: Guard, budget: Guarantee) -> None:
    made = filter_for(budget, AsYouGo(guard=guard))
    assert made.largest_epsilon(made.start()) >= budget.epsilon * Fraction(99, 100) or budget.epsilon < Fraction(
        1, 10**5
    )
    assert Filter.of_document(made.document()) == made
