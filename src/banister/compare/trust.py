"""What privacy costs by whom one trusts: a curator, the other parties, nobody.

n people hold a bit each. A curator sees all bits and answers once. Parties say one thing each, in public, and one of
them answers, who knows its own bit. Locally the one who answers holds no bit. Epsilon is the same for all, and so is
the measure.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from numpy.typing import ArrayLike

from banister import need
from banister.compare.testing import curator_test_people
from banister.core.exact.numbers import Number
from banister.errors import BadValue
from banister.local import RandomizedResponse, people_needed
from banister.local.designing import design
from banister.mechanisms.integers.decoder import Decoder
from banister.parties import Game, JointFunction, majority, total, xor

MOST_PEOPLE = 200
OPEN = 30
"""At this epsilon a report is the answer itself, for all practical purposes."""


class Trust(Enum):
    """Whom the people trust with their bits.

    >>> [trust.value for trust in Trust]
    ['a curator', 'the parties', 'nobody']
    """

    CURATOR = "a curator"
    PARTIES = "the parties"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Price:
    """What one kind of trust reaches: a measure, by what it is proven, and how many people it takes.

    >>> price = price_of_trust("count", epsilon=1, people=9)[0]
    >>> price.trust.value, price.measure, price.people
    ('a curator', 'expected absolute error', 136)
    """

    trust: Trust
    measure: str
    value: float
    proof: str
    """The theorem or the computation by which nothing better is possible."""
    people: int | None
    """How many people it takes to reach what was asked for; None where no number does, or none was asked for."""


def price_of_trust(
    question: str, *, epsilon: Number, people: Number, error: Number = Fraction(1, 100)
) -> tuple[Price, Price, Price]:
    """The best answer to one question under each kind of trust: "count", "mean", "xor" or "majority".

    Bits are fair and independent. Counts and means are measured by their expected absolute error, XOR and majority by
    the chance of a wrong answer. For counts and means, `people` of a price is how many it takes for a standard error of
    `error` in the share of ones, without any belief about the bits.

    >>> for price in price_of_trust("xor", epsilon=1, people=5):
    ...     print(f"{price.trust.value:12} {price.value:.4f}")
    a curator    0.2689
    the parties  0.4772
    nobody       0.4895
    """
    word = need.one_of("question", question, ("count", "mean", "xor", "majority"))
    level = need.between("epsilon", epsilon, Fraction(1, 100), 20)
    count = need.whole("people", people, least=2, most=MOST_PEOPLE)
    share = need.strictly_between("error", error, 0, 1)
    if word in ("count", "mean"):
        return _counted(level, count, share, Fraction(1) if word == "count" else Fraction(1, count))
    if word == "majority" and count % 2 == 0:
        raise BadValue(f"people = {count} must be odd, so that there is a majority.")
    return _decided(xor(count) if word == "xor" else majority(count), level, count)


_RESPONSE = "[K16] Thm 4.4.1, randomized response and Bayes' answer"


def _counted(level: Fraction, people: int, error: Fraction, unit: Fraction) -> tuple[Price, Price, Price]:
    prior = [Fraction(math.comb(people, ones), 2**people) for ones in range(people + 1)]
    noisy = Decoder.best(epsilon=level, largest=people, aim="average", prior=prior)
    game = Game(total(people), [level] * people, cost="absolute")
    b, kept = math.exp(-level), math.exp(level)
    # Standard errors of unbiased answers: √(2b)/(1 - b) people for geometric noise, √(n l)/(l - 1) for responses.
    by_curator = math.ceil(math.sqrt(2 * b) / (1 - b) / float(error))
    by_response = math.ceil(kept / (kept - 1) ** 2 / float(error) ** 2)
    words, size = "expected absolute error", float(unit)
    return (
        Price(Trust.CURATOR, words, noisy.risk.up * size, "[GRS12], geometric noise and Bayes' answer", by_curator),
        Price(Trust.PARTIES, words, game.risk(view=1) * size, _RESPONSE, by_response),
        Price(Trust.NOBODY, words, game.risk() * size, _RESPONSE, by_response),
    )


def _decided(function: JointFunction, level: Fraction, people: int) -> tuple[Price, Price, Price]:
    game, words = Game(function, [level] * people), "chance of a wrong answer"
    wrong: Callable[[Fraction, int], float] = (
        curator_majority_error if function.name == "majority" else _curator_xor_error
    )
    return (
        Price(Trust.CURATOR, words, wrong(level, people), "docs/math/trust.md, by the constraints themselves", None),
        Price(Trust.PARTIES, words, game.risk(view=1), _RESPONSE, None),
        Price(Trust.NOBODY, words, game.risk(), _RESPONSE, None),
    )


def _curator_xor_error(level: Fraction, people: int) -> float:
    """1/(1 + e^epsilon): each person turns the answer, so it is one bit like any other."""
    return 1 / (1 + math.exp(level))


def curator_majority_error(level: Fraction, people: int) -> float:
    """The least chance of a wrong majority of an odd number of fair bits, by a curator.

    Optimal:  e^(-epsilon j)/(1 + e^epsilon) at a count j steps beyond the two middle ones (docs/math/trust.md).

    >>> round(curator_majority_error(Fraction(1), 1), 6)
    0.268941
    """
    half = people // 2
    terms = (math.comb(people, half - j) * math.exp(-float(level) * j) for j in range(half + 1))
    return float(2 * math.fsum(terms) / 2**people / (1 + math.exp(level)))


def price_of_test(
    first: ArrayLike, second: ArrayLike, *, epsilon: Number, power: float = 0.9, size: float = 0.05
) -> tuple[Price, Price, Price]:
    """How many people it takes to tell two laws apart, under each kind of trust; each person holds one draw.

    The curator's number is reached by counting the draws that speak for the second law, with geometric noise; its
    value says how many would do without any privacy, which no curator goes below. Parties and nobody: one report a
    person, by the channel that keeps most of the divergence ([K16] Thm 3.3.4).

    >>> [price.people for price in price_of_test([0.5, 0.5], [0.2, 0.8], epsilon=1)]
    [29, 122, 122]
    """
    level = need.between("epsilon", epsilon, Fraction(1, 100), 20)
    channel = design(epsilon=level, utility="kl", between=(first, second))
    locally = people_needed(channel, first, second, power=power, size=size)
    k = channel.categories
    openly = people_needed(RandomizedResponse(OPEN, categories=k), first, second, power=power, size=size)
    noisy = curator_test_people(first, second, epsilon=float(level), power=power, size=size)
    words = "people without privacy"
    proof = "[K16] Thm 3.3.4, the channel that keeps most of the divergence"
    return (
        Price(Trust.CURATOR, words, float(openly), "no fewer than without privacy; a noisy count reaches it", noisy),
        Price(Trust.PARTIES, words, float(openly), proof, locally),
        Price(Trust.NOBODY, words, float(openly), proof, locally),
    )
