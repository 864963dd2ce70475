"""A plan holds what was planned, in any order, and nothing else."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import pytest

from banister.accounting.charge import Charge, Cost
from banister.accounting.filters import Total
from banister.accounting.plan import FixedPlan, Slot, fingerprint, plan_for
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, BudgetExceeded

BUDGET = Guarantee(1, "1e-6")


def of(cost: Cost) -> Charge:
    return Charge.of(cost, label="x", neighbours=Neighbours.REPLACE)


def fill(plan: FixedPlan, costs: Sequence[Cost]) -> list[int] | None:
    """How many places of each slot are taken by the costs, or nothing if one of them is refused."""
    totals: tuple[Total, ...] | None = plan.start()
    for cost in costs:
        totals = plan.prepare(of(cost))(totals) if totals is not None else None
    return None if totals is None else [int(total or 0) for total in totals]


def test_a_hundred_equal_questions_get_the_exact_share() -> None:
    plan = plan_for(BUDGET, 100)
    share = plan.largest_epsilon(plan.start())
    assert 0.024011 < share < 0.0240111
    assert fill(plan, [Guarantee(share)] * 100) == [100]
    assert fill(plan, [Guarantee(share)] * 101) is None


def test_a_pure_budget_is_shared_evenly_and_exactly() -> None:
    assert plan_for(Guarantee(1), 4).slots[0].guarantee == Guarantee("1/4")


def test_a_share_is_never_below_the_even_one() -> None:
    assert plan_for(Guarantee("0.3", "1e-30"), 3).slots[0].guarantee == Guarantee("0.1")


def test_a_list_within_the_budget_by_exact_composition_alone_is_taken() -> None:
    """Thirty questions of (0.1, 0.001) are within (0.9975, 0.04), far below what adding up says."""
    assert plan_for(Guarantee("0.9975", "0.04"), [Guarantee("0.1", "0.001")] * 30).slots[0].count == 30
    with pytest.raises(BudgetExceeded, match=r"The plan gives away epsilon 0\.99745.* the budget is \(0\.997, 0\.04\)"):
        plan_for(Guarantee("0.997", "0.04"), [(Guarantee("0.1", "0.001"), 30)])


def test_a_list_that_adds_up_to_the_budget_exactly_is_taken() -> None:
    assert plan_for(Guarantee(1), [Guarantee("0.1")] * 10).slots[0].count == 10
    assert plan_for(Guarantee(1, "1e-6"), [(Guarantee("0.1", "1e-7"), 10)]).slots[0].count == 10


def test_a_list_whose_deltas_alone_exceed_the_budget_is_refused() -> None:
    """Epsilons that add up to the budget's are not enough."""
    for questions in ([Guarantee("0.5", "1e-5")], [(Guarantee("0.1", "2e-7"), 10)]):
        with pytest.raises(BudgetExceeded, match="The plan gives away epsilon"):
            plan_for(Guarantee(1, "1e-6"), questions)


@pytest.mark.parametrize("level", ["0", "0.01"], ids=["deltas alone", "with epsilons"])
def test_every_copy_of_a_delta_counts(level: str) -> None:
    """Five times 4e-7 is more than 1e-6, in one item with a count as in five items."""
    one = Guarantee(level, "4e-7")
    assert plan_for(BUDGET, [(one, 2)]).slots[0].count == 2
    for questions in ([(one, 5)], [one] * 5):
        with pytest.raises(BudgetExceeded):
            plan_for(BUDGET, questions)


def test_slots_may_be_used_in_any_order() -> None:
    sizes = [Guarantee("0.1"), Guarantee("0.2"), Guarantee("0.3")]
    plan = plan_for(BUDGET, sizes)
    for order in itertools.permutations(sizes):
        assert fill(plan, list(order)) == [1, 1, 1]


def test_a_smaller_question_takes_the_tightest_free_place() -> None:
    plan = plan_for(BUDGET, [Guarantee("0.3"), Guarantee("0.2"), Guarantee("0.1")])
    assert fill(plan, [Guarantee("0.15")]) == [0, 1, 0]
    assert fill(plan, [Guarantee("0.15"), Guarantee("0.15")]) == [1, 1, 0]
    assert fill(plan, [Guarantee("0.15")] * 3) is None


def test_a_question_of_another_kind_fits_if_it_keeps_the_guarantee() -> None:
    plan = plan_for(BUDGET, [Guarantee("0.5", "1e-7")])
    assert fill(plan, [PrivacyLoss.laplace(Fraction(1, 2))]) == [1]
    assert fill(plan, [PrivacyLoss.gaussian(Fraction(1, 10000))]) == [1]
    assert fill(plan, [PrivacyLoss.gaussian(Fraction(1))]) is None
    assert fill(plan, [Guarantee("0.1", "1e-6")]) is None


def test_a_question_that_gives_away_a_hair_more_than_the_guarantee_does_not_fit() -> None:
    plan = plan_for(BUDGET, [Guarantee("0.5", "1e-7")])
    assert fill(plan, [Guarantee("0.4999", "0.999e-7")]) == [1]
    assert fill(plan, [Guarantee("0.5", "1.001e-7")]) is None
    assert fill(plan, [Guarantee("0.5001", "1e-7")]) is None
    assert fill(plan, [PrivacyLoss.laplace(Fraction("0.5001"))]) is None


def test_a_slot_for_one_mechanism_takes_that_alone() -> None:
    plan = plan_for(BUDGET, [(PrivacyLoss.gaussian(Fraction(1, 100)), 2)])
    assert fill(plan, [PrivacyLoss.gaussian(Fraction(1, 100))] * 2) == [2]
    assert fill(plan, [Guarantee("0.001")]) is None
    assert plan.free(plan.start())[0].startswith("2 x the mechanism ")
    assert plan.largest_epsilon(plan.start()) == 0


def test_neither_plan_of_the_counterexample_takes_the_other_branch() -> None:
    """Each list composes to (4, 0.1); a ledger for one refuses the questions of the other."""
    plus, minus = [Guarantee("0.3"), Guarantee("3.8955")], [Guarantee("0.3"), *[Guarantee("0.465638")] * 20]
    budget = Guarantee(4, "0.1")
    assert fill(plan_for(budget, plus), minus) is None
    assert fill(plan_for(budget, minus), plus) is None
    with pytest.raises(BudgetExceeded, match="The plan gives away epsilon"):
        plan_for(budget, [*plus, *minus[1:]])


def test_any_order_chosen_by_looking_stays_within_the_composition() -> None:
    """All adaptive orders of three slots, by brute force: after each answer the next slot is chosen to do worst."""
    sizes = (0.2, 0.5, 0.9)
    target = 0.7
    exact = PrivacyLoss.nothing().with_(*(PrivacyLoss.pure(Fraction(size)) for size in sizes)).delta_at(target)

    def worst(left: tuple[float, ...], loss: float, mass: float) -> float:
        if not left:
            return mass * max(0.0, 1 - math.exp(target - loss))
        best = 0.0
        for index, size in enumerate(left):
            rest, p = left[:index] + left[index + 1 :], 1 / (1 + math.exp(-size))
            best = max(best, worst(rest, loss + size, mass * p) + worst(rest, loss - size, mass * (1 - p)))
        return best

    assert worst(sizes, 0.0, 1.0) == pytest.approx(exact.up, rel=1e-9)


def test_bad_plans_are_refused() -> None:
    with pytest.raises(BadValue, match="A plan needs at least one question"):
        plan_for(BUDGET, [])
    with pytest.raises(BadValue, match="questions = 0 must be a whole number, 1 or above"):
        plan_for(BUDGET, 0)
    with pytest.raises(BadValue, match="count = 0 must be a whole number, 1 or above"):
        plan_for(BUDGET, [(Guarantee("0.1"), 0)])
    with pytest.raises(BadValue, match="A str cannot be charged"):
        plan_for(BUDGET, ["0.1"])  # type: ignore[list-item]


def test_a_plan_reads_back_as_itself() -> None:
    plan = plan_for(BUDGET, [Guarantee("0.1", "1e-8"), PrivacyLoss.gaussian(Fraction(1, 400))])
    assert FixedPlan.of_document(plan.document()) == plan


def test_the_words_of_a_plan() -> None:
    plan = FixedPlan(tuple(Slot.of(Guarantee(Fraction(k, 10)), 1) for k in range(1, 6)))
    assert plan.used(plan.start()) == 0
    assert plan.used((Fraction(1), *plan.start()[1:])) == Fraction(1, 5)
    assert not plan.allows((Fraction(2), *plan.start()[1:]))
    assert "Free places: 1 x (0.1, 0); 1 x (0.2, 0); 1 x (0.3, 0); and more." in plan.why_not(
        plan.start(), of(Guarantee(9))
    )
    assert fingerprint(PrivacyLoss.pure(Fraction(1, 2))) == fingerprint(PrivacyLoss.of_guarantee(Guarantee("0.5")))
