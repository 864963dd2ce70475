"""The least noise on the whole numbers, with its proof."""

from fractions import Fraction
from math import lcm

from banister import need
from banister.audit.checkers import noise as checker
from banister.audit.proof import Json, Proof, exact, rounded_down, rounded_up
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike
from banister.core.programs.default import SOLVER
from banister.errors import BadValue
from banister.mechanisms.integers.tabulated_program import LeastTable, Prices, priced_table


def prove_noise(*, epsilon: Number, delta: Number, sensitivity: Number, cost: CostLike = "absolute") -> Proof:
    """The (epsilon, delta)-private noise on the whole numbers of least expected cost, and the proof that none is less.

    >>> prove_noise(epsilon=1, delta="1/100", sensitivity=2, cost="squared").claim["reached"] > "0"
    True
    """
    level = need.between("epsilon", epsilon, 0, 100)
    chance = need.strictly_between("delta", delta, 0, 1, "For delta = 0 the best noise is in closed form.")
    reach = need.whole("sensitivity", sensitivity, least=1, most=checker.LARGEST_SENSITIVITY)
    chosen = Cost.of(cost)
    exponent = Fraction(0) if chosen.name == "zero-one" else chosen.exponent
    if exponent is None:
        raise BadValue(f"cost = {chosen.in_words} has no proof. Write absolute, squared, zero-one, or an exponent.")
    witness = written(priced_table(level, chance, reach, chosen, SOLVER))
    masses = checker.law(witness["masses"], witness["whole"])
    reached = 2 * sum((p * checker.level(i, exponent)[1] for i, p in enumerate(masses) if i), Fraction(0))
    proven = checker.least(witness, checker.exp_bounds(level)[1], chance, reach, exponent)
    claim: dict[str, Json] = {
        "epsilon": exact(level),
        "delta": exact(chance),
        "sensitivity": reach,
        "exponent": exact(exponent),
        "reached": exact(rounded_up(reached)),
        "bound": exact(max(Fraction(0), rounded_down(proven))),
    }
    return Proof("noise", claim, witness)


def written(found: LeastTable) -> dict[str, Json]:
    """Masses and prices as whole numbers."""
    whole = lcm(*(mass.denominator for mass in found.masses))
    masses: list[Json] = [int(mass * whole) for mass in found.masses]
    prices: list[Json] = [list(row) for row in found.prices.rows]
    return {"masses": masses, "whole": whole, "width": found.prices.width, "unit": Prices.UNIT, "prices": prices}
