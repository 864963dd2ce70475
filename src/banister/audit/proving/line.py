"""The least noise on the real line, with its proof: by whole numbers that stand for parts of the sensitivity."""

from fractions import Fraction

from banister import need
from banister.audit.checkers import line as checker
from banister.audit.proof import Json, Proof, exact, rounded_down, rounded_up
from banister.audit.proving.noise import written
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike
from banister.core.programs.default import SOLVER
from banister.errors import BadValue
from banister.mechanisms.integers.tabulated_program import priced_table

_WORDS = {Fraction(1): "absolute", Fraction(2): "squared"}


def prove_line(*, epsilon: Number, delta: Number, cost: CostLike = "absolute", parts: Number = 10) -> Proof:
    """The least expected error on the real line for sensitivity 1, enclosed from both sides, with the proof.

    More `parts` of the sensitivity come closer, and take longer.

    >>> proof = prove_line(epsilon=1, delta="1/1000", cost="squared", parts=4)
    >>> round(float(Fraction(proof.claim["bound"])), 3), round(float(Fraction(proof.claim["reached"])), 3)
    (1.831, 1.852)
    """
    level = need.between("epsilon", epsilon, 0, 100)
    chance = need.strictly_between("delta", delta, 0, 1, "For delta = 0 the best noise is in closed form.")
    count = need.whole("parts", parts, least=1, most=checker.MOST_PARTS)
    chosen = Cost.of(cost)
    if chosen.exponent not in _WORDS:
        raise BadValue(f"cost = {chosen.in_words} has no proof on the line. Write absolute or squared.")
    exponent = int(chosen.exponent)
    witness = written(priced_table(level, chance, count, chosen, SOLVER)) | {"parts": count}
    masses = checker.law(witness["masses"], witness["whole"])
    reached = 2 * sum((p * i**exponent for i, p in enumerate(masses)), Fraction(0))
    reached = (reached + (masses[0] / 4 if exponent == 1 else Fraction(1, 12))) / count**exponent
    proven = checker.least(witness, checker.exp_bounds(level)[1], chance, count, exponent)
    proven = (proven - (Fraction(1, 4) if exponent == 2 else 0)) / count**exponent
    claim: dict[str, Json] = {
        "epsilon": exact(level),
        "delta": exact(chance),
        "cost": _WORDS[Fraction(exponent)],
        "reached": exact(rounded_up(reached)),
        "bound": exact(max(Fraction(0), rounded_down(proven))),
    }
    return Proof("line", claim, witness)
