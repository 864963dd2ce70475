"""Checks a proof of kind "channel": what a private report keeps of an answer, and what none can keep more of.

Claim:    epsilon; utility; either prior (one law, for "mutual-information") or between (two laws, for the divergences);
          kept, bound. Natural logarithms.
Witness:  weights, one row a category: whole parts of `whole`, the chances of each report; prices, one a category.

It holds when (1) rows are laws and no report is more than e^epsilon times as likely for one category as for another;
(2) the utility of the rows is at least `kept`; (3) the prices add up to at most `bound`; (4) for each set of
categories, the column z with an entry E on the set and 1 elsewhere, E ≥ e^epsilon, has Σ price · z ≥ gain(z).

The utility is a sum of gains of columns; a gain is convex and homogeneous. A column of a private channel is a multiple
of a point of the cube [1, E]^k, so by (4) at its corners its gain is at most Σ price · column, and the columns add up
to 1 in each row. So no channel keeps more than the sum of the prices.

This file imports nothing of the package: it can be read, and run, alone.
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isqrt
from typing import Any


def fraction(value: Any, place: str) -> Fraction:
    """An exact number: a whole one, or a text such as "3/7"."""
    text = str(value)  # An exponent could stand for more digits than a memory has.
    if isinstance(value, bool) or not isinstance(value, int | str) or len(text) > 4000 or "e" in text.lower():
        raise ValueError(f"{place} is not a whole number or a fraction in quotes")
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{place} is not a whole number or a fraction in quotes") from None


def fractions(value: Any, place: str, *, count: int | None = None) -> list[Fraction]:
    """A list of exact numbers, none below 0."""
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise ValueError(f"{place} is not a list" + ("" if count is None else f" of {count} numbers"))
    found = [fraction(each, f"{place}[{i}]") for i, each in enumerate(value)]
    for i, each in enumerate(found):
        if each < 0:
            raise ValueError(f"{place}[{i}] is below 0")
    return found


def shown(value: Fraction, rounding: str) -> str:
    """Nine digits, rounded up or down, so that what is said holds as well as what is proven."""
    return f"{Context(prec=9, rounding=rounding).divide(Decimal(value.numerator), Decimal(value.denominator)):f}"


def exp_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Two fractions with e^x between them, for 0 ≤ x ≤ 100: a series for x/2^m, squared m times, rounded outwards."""
    if not 0 <= x <= 100:
        raise ValueError("epsilon is not between 0 and 100")
    one, halvings = 1 << 256, int(x).bit_length() + 3
    total = term = one
    for n in range(1, 60):  # Each term is at most a quarter of the last, and more than all the rest.
        term = term * x.numerator // (x.denominator * n << halvings)
        total += term
    for _ in range(halvings):  # What is cut off is below 2^-249 of the sum, and twice as much after each square.
        total = total * total >> 256
    low = Fraction(total, one)
    return low, low * (1 + Fraction(bool(x) << halvings + 8, one))


MOST_CATEGORIES = 12
MOST_REPORTS = 5000
LOG_BITS = 110
Bounds = tuple[Fraction, Fraction]
Gain = Callable[[Fraction, Fraction], Bounds]


def check(claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """What is proven, in words; ValueError with the place where something is not."""
    steep = exp_bounds(fraction(claim.get("epsilon"), "claim.epsilon"))
    kept, bound = (fraction(claim.get(name), f"claim.{name}") for name in ("kept", "bound"))
    name = claim.get("utility")
    if name == "mutual-information":
        laws = [law(claim.get("prior"), "claim.prior")]
    elif name in GAINS:
        given = claim.get("between")
        if not isinstance(given, list) or len(given) != 2:
            raise ValueError("claim.between is not a list of two laws")
        laws = [law(each, f"claim.between[{i}]") for i, each in enumerate(given)]
    else:
        raise ValueError(f"claim.utility is not mutual-information or one of {', '.join(GAINS)}")
    k = len(laws[0])
    rows = channel(witness, k)
    private(rows, steep[0])
    earned = sum((gain(name, laws, [row[y] for row in rows])[0] for y in range(len(rows[0]))), Fraction(0))
    if kept > earned:
        raise ValueError("claim.kept is above what the channel in witness.weights keeps")
    given = witness.get("prices")
    if not isinstance(given, list) or len(given) != k:
        raise ValueError(f"witness.prices is not a list of {k} numbers")
    prices = [fraction(each, f"witness.prices[{i}]") for i, each in enumerate(given)]
    if sum(prices) > bound:
        raise ValueError("claim.bound is below the sum of witness.prices")
    priced(name, laws, prices, steep[1])
    return (
        f"a report of level epsilon {claim['epsilon']} keeps at least {shown(kept, ROUND_FLOOR)} of {name} over {k} "
        f"categories; none keeps more than {shown(bound, ROUND_CEILING)}"
    )


def law(value: Any, place: str) -> list[Fraction]:
    """Chances that add up to 1."""
    found = fractions(value, place)
    if not 2 <= len(found) <= MOST_CATEGORIES or sum(found) != 1:
        raise ValueError(f"{place} is not a law of 2 to {MOST_CATEGORIES} categories that adds up to 1")
    return found


def channel(witness: dict[str, Any], k: int) -> list[list[Fraction]]:
    """The rows of the channel, each a law."""
    rows, whole = witness.get("weights"), fraction(witness.get("whole"), "witness.whole")
    if not isinstance(rows, list) or len(rows) != k or not isinstance(rows[0], list) or whole <= 0:
        raise ValueError(f"witness.weights is not a list of {k} rows with a whole above 0")
    width = len(rows[0])
    if not 1 <= width <= MOST_REPORTS:
        raise ValueError(f"witness.weights[0] does not have between 1 and {MOST_REPORTS} reports")
    found = [fractions(row, f"witness.weights[{x}]", count=width) for x, row in enumerate(rows)]
    for x, row in enumerate(found):
        if sum(row) != whole:
            raise ValueError(f"witness.weights[{x}] does not add up to witness.whole")
    return [[each / whole for each in row] for row in found]


def private(rows: list[list[Fraction]], steep: Fraction) -> None:
    """Refuse a report that is more than e^epsilon times as likely for one category as for another."""
    for y in range(len(rows[0])):
        column = [row[y] for row in rows]
        if max(column) > steep * min(column):
            raise ValueError(f"witness.weights give report {y} away: its chances differ by more than e^epsilon")


def priced(name: str, laws: list[list[Fraction]], prices: list[Fraction], steep: Fraction) -> None:
    """Refuse prices that some set of categories beats. The sets come in Gray's order: each differs in one category."""
    k, inside = len(prices), 0
    cost, sums = sum(prices, Fraction(0)), [Fraction(1) for _ in laws]
    top = steep * log_bounds(steep)[1]
    for turn in range(1, 1 << k):
        x = (turn & -turn).bit_length() - 1
        inside ^= 1 << x
        sign = (steep - 1) if inside >> x & 1 else (1 - steep)
        cost += sign * prices[x]
        sums = [mass + sign * each[x] for mass, each in zip(sums, laws, strict=True)]
        if name == "mutual-information":  # Σ prior z ln z - m ln m, where z is E on the set.
            mass = (sums[0] - 1) / (steep - 1) if steep > 1 else Fraction(0)
            worth = mass * top - sums[0] * log_bounds(sums[0])[0]
        else:
            worth = GAINS[name](sums[0], sums[1])[1]
        if worth > cost:
            members = [i for i in range(k) if inside >> i & 1]
            raise ValueError(f"witness.prices are too low for the set of categories {members}")


def gain(name: str, laws: list[list[Fraction]], column: list[Fraction]) -> Bounds:
    """The gain of a column of the channel, from below and from above."""
    masses = [sum((p * q for p, q in zip(each, column, strict=True)), Fraction(0)) for each in laws]
    if name != "mutual-information":
        return GAINS[name](masses[0], masses[1])
    parts = [_x_log(q, masses[0]) for q in column]
    down, up = (sum((p * part[end] for p, part in zip(laws[0], parts, strict=True)), Fraction(0)) for end in (0, 1))
    return down, up


def _x_log(x: Fraction, y: Fraction) -> Bounds:
    """x ln(x/y), and 0 where x is 0."""
    if x == 0:
        return Fraction(0), Fraction(0)
    if y == 0:
        raise ValueError("a divergence is infinite: one law gives a report no chance")
    low, high = log_bounds(x / y)
    return x * low, x * high


def _kl(a: Fraction, b: Fraction) -> Bounds:
    low, high = _x_log(a, b)
    return low - (a - b), high - (a - b)


def _both(one: Bounds, other: Bounds, part: Fraction = Fraction(1)) -> Bounds:
    return (one[0] + other[0]) * part, (one[1] + other[1]) * part


def _chi_square(a: Fraction, b: Fraction) -> Bounds:
    if b == 0 and a > 0:
        raise ValueError("a divergence is infinite: one law gives a report no chance")
    value = (a - b) ** 2 / b if b else Fraction(0)
    return value, value


def _hellinger(a: Fraction, b: Fraction) -> Bounds:
    product = a * b
    down = Fraction(isqrt((product.numerator << (2 * LOG_BITS)) // product.denominator), 1 << LOG_BITS)
    return (a + b) / 2 - down - Fraction(1, 1 << LOG_BITS), (a + b) / 2 - down


def _jensen_shannon(a: Fraction, b: Fraction) -> Bounds:
    middle = (a + b) / 2
    return _both(_kl(a, middle), _kl(b, middle), Fraction(1, 2))


GAINS: dict[str, Gain] = {
    "kl": _kl,
    "reverse-kl": lambda a, b: _kl(b, a),
    "jeffreys": lambda a, b: _both(_kl(a, b), _kl(b, a)),
    "jensen-shannon": _jensen_shannon,
    "total-variation": lambda a, b: (abs(a - b) / 2, abs(a - b) / 2),
    "chi-square": _chi_square,
    "hellinger": _hellinger,
}
"""a and b are what the two laws give a report; multiples of a - b, which add up to 0, make the gains 0 or above."""


def log_bounds(x: Fraction) -> Bounds:
    """Two fractions with ln x between them: of x = m 2^n, ln m and n ln 2, each 2 Σ u^(2j+1)/(2j+1) with |u| ≤ 1/3."""
    if x <= 0:
        raise ValueError("a logarithm of a number that is not above 0")
    n, total, one = x.numerator.bit_length() - x.denominator.bit_length(), 0, 1 << LOG_BITS + 20
    m = x / Fraction(2) ** n
    for times, part in ((1, (m - 1) / (m + 1)), (n, Fraction(1, 3))):
        u = part.numerator * one // part.denominator
        power, square = 2 * u, u * u // one
        for j in range(LOG_BITS // 3 + 9):
            total += times * (power // (2 * j + 1))
            power = power * square // one
    off = 2 * LOG_BITS * (1 + abs(n))  # Each of 45 terms is off by less than 3, and what is left by less than 1.
    return Fraction(total - off, one), Fraction(total + off, one)
