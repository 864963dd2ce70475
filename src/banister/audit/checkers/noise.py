"""Checks a proof of kind "noise": a noise on the whole numbers that is private, and a cost that none can go below.

Claim:    epsilon, delta, sensitivity, exponent (the cost of an error i is |i|^exponent, and 1 for each i other than 0
          where it is 0), reached, bound.
Witness:  masses (P(0), P(1), … as whole parts of `whole`, with P(-i) = P(i)); width W, and for each shift d = 1 … Δ a
          list of prices for the places -W … W - d, whole parts of 2^unit.

It holds when (1) the masses are a law; (2) Σ_i max(0, P(i) - e^epsilon P(i + d)) ≤ delta for each shift d; (3) the
expected cost is at most `reached`; (4) y - delta Σ_d max_i price(d, i) ≥ `bound`, where y is the least over all i of
(h(i) + h(-i))/2 and h(i) = |i|^exponent + Σ_d (price(d, i) - e^epsilon price(d, i - d)). By (4) no private noise,
symmetric or not, of whatever support, costs less than `bound`: for every private P, delta max_i price(d, i) is at least
Σ_i price(d, i) (P(i) - e^epsilon P(i + d)), and beyond the window h(i) = |i|^exponent.

This file imports nothing of the package: it can be read, and run, alone.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
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


LARGEST_SENSITIVITY = 200
LARGEST_WIDTH = 20_000
ROOT_BITS = 100


def check(claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """What is proven, in words; ValueError with the place where something is not."""
    sensitivity = _whole(claim.get("sensitivity"), "claim.sensitivity", 1, LARGEST_SENSITIVITY)
    delta = fraction(claim.get("delta"), "claim.delta")
    if not 0 <= delta <= 1:
        raise ValueError("claim.delta is not between 0 and 1")
    exponent = fraction(claim.get("exponent"), "claim.exponent")
    if exponent < 0 or exponent > 10 or exponent.denominator > 100:
        raise ValueError("claim.exponent is not a fraction between 0 and 10 with a denominator of at most 100")
    steep = exp_bounds(fraction(claim.get("epsilon"), "claim.epsilon"))
    reached, bound = (fraction(claim.get(name), f"claim.{name}") for name in ("reached", "bound"))
    masses = law(witness.get("masses"), witness.get("whole"))
    private(masses, steep[0], delta, sensitivity)
    cost = 2 * sum((p * level(i, exponent)[1] for i, p in enumerate(masses) if i), Fraction(0))
    if cost > reached:
        raise ValueError("claim.reached is below the expected cost of the noise in witness.masses")
    proven = least(witness, steep[1], delta, sensitivity, exponent)
    if bound > proven:
        raise ValueError("claim.bound is above what the prices in witness.prices prove")
    return (
        f"noise on the whole numbers, private at epsilon {claim['epsilon']}, delta {claim['delta']} for sensitivity "
        f"{sensitivity}, costs at most {shown(reached, ROUND_CEILING)}; none costs less than "
        f"{shown(bound, ROUND_FLOOR)}"
    )


def law(parts: Any, whole: Any) -> list[Fraction]:
    """P(0), P(1), …; those beyond 0 count twice in the sum, which is 1."""
    total = _whole(whole, "witness.whole", 1, 1 << 8000)
    if not isinstance(parts, list) or not 0 < len(parts) <= LARGEST_WIDTH:
        raise ValueError("witness.masses is not a list of whole numbers")
    masses = [_whole(part, f"witness.masses[{i}]", 0, total) for i, part in enumerate(parts)]
    if 2 * sum(masses) - masses[0] != total:
        raise ValueError("witness.masses do not add up to witness.whole, those beyond 0 counted twice")
    return [Fraction(mass, total) for mass in masses]


def private(masses: list[Fraction], steep: Fraction, delta: Fraction, sensitivity: int) -> None:
    """Refuse a law that some shift gives away, by the hockey-stick sum of each."""
    row = [*masses[:0:-1], *masses]
    for shift in range(1, sensitivity + 1):
        moved = [*row[shift:], *([Fraction(0)] * min(shift, len(row)))]
        excess = sum((p - steep * q for p, q in zip(row, moved, strict=True) if p > steep * q), Fraction(0))
        if excess > delta:
            raise ValueError(f"witness.masses give away more than claim.delta at a shift of {shift}")


def least(witness: dict[str, Any], steep: Fraction, delta: Fraction, sensitivity: int, exponent: Fraction) -> Fraction:
    """The bound that the prices prove."""
    width = _whole(witness.get("width"), "witness.width", 1, LARGEST_WIDTH)
    scale = 1 << _whole(witness.get("unit"), "witness.unit", 0, 4000)
    shifts = witness.get("prices")
    if not isinstance(shifts, list) or len(shifts) != sensitivity:
        raise ValueError(f"witness.prices is not a list of {sensitivity} lists")
    gained, lost, most = [0] * (2 * width + 1), [0] * (2 * width + 1), 0
    for shift, prices in enumerate(shifts, 1):
        if not isinstance(prices, list) or len(prices) != 2 * width + 1 - shift:
            raise ValueError(f"witness.prices[{shift - 1}] is not a list of {2 * width + 1 - shift} whole numbers")
        found = [_whole(each, f"witness.prices[{shift - 1}][{i}]", 0, 1 << 8000) for i, each in enumerate(prices)]
        for place, price in enumerate(found):
            gained[place] += price
            lost[place + shift] += price
        most += max(found, default=0)
    heights = [
        level(abs(place - width), exponent)[0] + Fraction(gained[place], scale) - steep * Fraction(lost[place], scale)
        for place in range(2 * width + 1)
    ]
    folded = [(heights[width + i] + heights[width - i]) / 2 for i in range(width + 1)]
    return min(*folded, level(width, exponent)[0]) - delta * Fraction(most, scale)


def level(size: int, exponent: Fraction) -> tuple[Fraction, Fraction]:
    """|size|^exponent from below and from above; exact where the exponent is whole."""
    if size <= 1 or exponent.denominator == 1:
        power = Fraction(0 if size == 0 else size**exponent.numerator)
        return power, power
    down = _root(size**exponent.numerator << (ROOT_BITS * exponent.denominator), exponent.denominator)
    return Fraction(down, 1 << ROOT_BITS), Fraction(down + 1, 1 << ROOT_BITS)


def _root(value: int, degree: int) -> int:
    """The largest whole number whose power is at most the value, by halving."""
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high - 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= value else (low, middle)
    return low


def _whole(value: Any, place: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{place} is not a whole number from {least} on" + (f" to {most}" if most < 10**6 else ""))
    return value
