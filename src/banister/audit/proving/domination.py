"""Whether one pair of laws gives away at least as much as another, with its proof."""

from fractions import Fraction

from banister.audit.proof import Json, Proof, exact, texts
from banister.core.privacy.domination import Pair, dominates


def prove_domination(first: Pair, second: Pair) -> Proof:
    """Proof that the first pair dominates the second, or that it does not.

    >>> prove_domination((("3/4", "1/4"), ("1/4", "3/4")), ((1, 0), (0, 1))).claim["dominates"]
    'no'
    """
    found = dominates(first, second)
    claim: dict[str, Json] = {"first": _pair(first), "second": _pair(second), "dominates": "yes" if found else "no"}
    if found.matrix is not None:
        matrix: list[Json] = [texts(list(row)) for row in found.matrix]
        return Proof("domination", claim, {"matrix": matrix})
    return Proof("domination", claim, {"weight": exact(found.weight or Fraction(0))})


def _pair(pair: Pair) -> list[Json]:
    return [texts([Fraction(chance) for chance in law]) for law in pair]
