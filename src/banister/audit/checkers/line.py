"""Checks a proof of kind "line": a noise on the real line that is private, and a cost that none can go below.

Claim:    epsilon, delta, cost ("absolute" or "squared"), reached, bound; the sensitivity is 1.
Witness:  parts M; a law of whole numbers N (masses P(0), P(1), … as whole parts of `whole`, P(-i) = P(i)), private for
          shifts up to M; prices for the shifts 1 … M on the places -width … width, whole parts of 2^unit.

The noise is (N + U)/M with U uniform on [-1/2, 1/2). A shift by s = (j + f)/M of its density, which is constant on
cells, compares each cell with one j away on a part 1 - f and with one j + 1 away on a part f. So its hockey-stick sum
lies between two of those of N, and it is private for shifts up to 1. Its cost is (E|N| + P(0)/4)/M or
(E N² + 1/12)/M².

The bound: if Z is private for shifts up to 1, then N = ⌊M Z + V⌋, with V uniform on [0, 1), is private for shifts of
whole numbers up to M; E|N| = M E|Z| and E N² ≤ M² E Z² + 1/4. What the prices prove of N (as in kind "noise") is so a
bound for Z: v/M, or (v - 1/4)/M².

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


MOST_PARTS = 200
LARGEST_WIDTH = 20_000
EXPONENTS = {"absolute": 1, "squared": 2}


def check(claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """What is proven, in words; ValueError with the place where something is not."""
    if claim.get("cost") not in EXPONENTS:
        raise ValueError('claim.cost is not "absolute" or "squared"')
    exponent = EXPONENTS[claim["cost"]]
    delta = fraction(claim.get("delta"), "claim.delta")
    if not 0 <= delta <= 1:
        raise ValueError("claim.delta is not between 0 and 1")
    steep = exp_bounds(fraction(claim.get("epsilon"), "claim.epsilon"))
    reached, bound = (fraction(claim.get(name), f"claim.{name}") for name in ("reached", "bound"))
    parts = _whole(witness.get("parts"), "witness.parts", 1, MOST_PARTS)
    masses = law(witness.get("masses"), witness.get("whole"))
    private(masses, steep[0], delta, parts)
    cost = 2 * sum((p * i**exponent for i, p in enumerate(masses)), Fraction(0))
    cost = (cost + (masses[0] / 4 if exponent == 1 else Fraction(1, 12))) / parts**exponent
    if cost > reached:
        raise ValueError("claim.reached is below the expected cost of the noise in witness.masses")
    proven = least(witness, steep[1], delta, parts, exponent)
    if bound > (proven - (Fraction(1, 4) if exponent == 2 else 0)) / parts**exponent:
        raise ValueError("claim.bound is above what the prices in witness.prices prove")
    return (
        f"noise on the line, private at epsilon {claim['epsilon']}, delta {claim['delta']} for sensitivity 1, has an "
        f"expected {claim['cost']} error of at most {shown(reached, ROUND_CEILING)}; none has less than "
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


def private(masses: list[Fraction], steep: Fraction, delta: Fraction, parts: int) -> None:
    """Refuse a law that some shift gives away; a shift of 0 gives nothing away, so all up to M are covered."""
    row = [*masses[:0:-1], *masses]
    for shift in range(1, parts + 1):
        moved = [*row[shift:], *([Fraction(0)] * min(shift, len(row)))]
        excess = sum((p - steep * q for p, q in zip(row, moved, strict=True) if p > steep * q), Fraction(0))
        if excess > delta:
            raise ValueError(f"witness.masses give away more than claim.delta at a shift of {shift} parts")


def least(witness: dict[str, Any], steep: Fraction, delta: Fraction, parts: int, exponent: int) -> Fraction:
    """The bound on E|N|^exponent that the prices prove."""
    width = _whole(witness.get("width"), "witness.width", 1, LARGEST_WIDTH)
    scale = 1 << _whole(witness.get("unit"), "witness.unit", 0, 4000)
    shifts = witness.get("prices")
    if not isinstance(shifts, list) or len(shifts) != parts:
        raise ValueError(f"witness.prices is not a list of {parts} lists")
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
        Fraction(abs(place - width) ** exponent) + Fraction(gained[place], scale) - steep * Fraction(lost[place], scale)
        for place in range(2 * width + 1)
    ]
    folded = [(heights[width + i] + heights[width - i]) / 2 for i in range(width + 1)]
    return min(*folded, Fraction(width**exponent)) - delta * Fraction(most, scale)


def _whole(value: Any, place: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{place} is not a whole number from {least} on" + (f" to {most}" if most < 10**6 else ""))
    return value
