"""Checks a proof of kind "rule": what to say after a noisy report, and a loss that no rule can go below.

Claim:    law, how reports come about: {"kind": "randomized response", "epsilons": […]} (inputs and reports are rows of
          bits, the first party's bit the highest), {"kind": "geometric", "epsilon": …, "largest": n} (counts 0 … n with
          two-sided geometric noise, clamped to 0 … n, which loses nothing), or {"kind": "matrix", "rows": […]};
          losses, one row for each input and one column for each thing that can be said, or "squared" with truths, where
          any number may be said; measure, "worst" or "average"; for the average the prior; reached, bound.
Witness:  for "worst" the prior against which no rule is better; rule, for each report the chances of what is said, or
          for squared losses said, a number for each report.

It holds when (1) the expected loss of the rule, for each input or on average, is at most `reached`; (2) against the
prior, the least expected loss after each report adds up to at least `bound`. No rule has less than that on average over
the prior, so none has less for the worst input. All chances are enclosed; losses are not below 0, so the
upper ends prove (1) and the lower ends prove (2).

This file imports nothing of the package: it can be read, and run, alone.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import product
from math import lcm
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


MOST_PARTIES = 8
MOST_ENTRIES = 1 << 20
BITS = 200
ONE = 1 << BITS
Law = list[list[int]]
"""Chances in whole parts of 2^-200, one row for each input."""


def check(claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """What is proven, in words; ValueError with the place where something is not."""
    reached, bound = (fraction(claim.get(name), f"claim.{name}") for name in ("reached", "bound"))
    had, earned = values(claim, witness)
    if had > reached:
        raise ValueError("claim.reached is below the expected loss of the rule in the witness")
    if bound > earned:
        raise ValueError("claim.bound is above what the prior proves")
    return (
        f"the rule has an expected loss of at most {shown(reached, ROUND_CEILING)} "
        f"{'for every input' if claim['measure'] == 'worst' else 'on average'}; "
        f"no rule has less than {shown(bound, ROUND_FLOOR)}"
    )


def values(claim: dict[str, Any], witness: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """The expected loss of the rule, from above, and the least that any rule can have, from below."""
    down, up = reports(claim.get("law"))
    squared = claim.get("losses") == "squared"
    truths = claim.get("truths") if squared else claim.get("losses")
    if not isinstance(truths, list) or len(truths) != len(down):
        raise ValueError(f"claim.{'truths' if squared else 'losses'} is not a list of {len(down)}, one for each input")
    if claim.get("measure") not in ("worst", "average"):
        raise ValueError('claim.measure is not "worst" or "average"')
    worst = claim["measure"] == "worst"
    place = "witness.prior" if worst else "claim.prior"
    prior = chances((witness if worst else claim).get("prior"), place, len(down))
    if squared:
        numbers = [fraction(each, f"claim.truths[{x}]") for x, each in enumerate(truths)]
        risks, earned = _numbers(down, up, numbers, prior, witness)
    else:
        losses = [fractions(row, f"claim.losses[{x}]") for x, row in enumerate(truths)]
        risks, earned = _choices(down, up, losses, prior, witness)
    return max(risks) if worst else sum((p * r for p, r in zip(prior, risks, strict=True)), Fraction(0)), earned


def reports(law: Any) -> tuple[Law, Law]:
    """The chance of each report (column) for each input (row), from below and from above."""
    if not isinstance(law, dict):
        raise ValueError("claim.law is not an object")
    if law.get("kind") == "randomized response":
        return _responses(law.get("epsilons"))
    if law.get("kind") == "geometric":
        return _geometric(law.get("epsilon"), law.get("largest"))
    if law.get("kind") == "matrix" and isinstance(law.get("rows"), list):
        rows = law["rows"]
        found = [chances(row, f"claim.law.rows[{x}]", len(rows[0])) for x, row in enumerate(rows)]
        low, high = ([[_parts(each, end) for each in row] for row in found] for end in (0, 1))
        return low, high
    raise ValueError('claim.law.kind is not "randomized response", "geometric" or "matrix"')


def _responses(levels: Any) -> tuple[Law, Law]:
    if not isinstance(levels, list) or not 1 <= len(levels) <= MOST_PARTIES:
        raise ValueError(f"claim.law.epsilons is not a list of 1 to {MOST_PARTIES} numbers")
    ends: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for i, each in enumerate(levels):
        low, high = exp_bounds(fraction(each, f"claim.law.epsilons[{i}]"))
        ends[0].append((_parts(1 / (1 + high), 0), _parts(low / (1 + low), 0)))
        ends[1].append((_parts(1 / (1 + low), 1), _parts(high / (1 + high), 1)))
    made: tuple[Law, Law] = ([], [])
    for end, rows in enumerate(made):
        for bits in product((0, 1), repeat=len(levels)):
            row = [ONE]
            for (turned, kept), bit in zip(ends[end], bits, strict=True):
                pair = (turned, kept) if bit else (kept, turned)
                row = [_scaled(chance * each, end) for chance in row for each in pair]
            rows.append(row)
    return made


def _geometric(level: Any, largest: Any) -> tuple[Law, Law]:
    low, high = exp_bounds(fraction(level, "claim.law.epsilon"))
    n = fraction(largest, "claim.law.largest")
    if n.denominator != 1 or not 1 <= n <= 1000:
        raise ValueError("claim.law.largest is not a whole number from 1 to 1000")
    top = int(n)
    made: tuple[Law, Law] = ([], [])
    for end, (b, other) in enumerate(((1 / high, 1 / low), (1 / low, 1 / high))):
        powers = [ONE]
        while len(powers) <= top:
            powers.append(_scaled(powers[-1] * _parts(b, end), end))
        inside, outside = _parts((1 - other) / (1 + other), end), _parts(1 / (1 + other), end)
        for x in range(top + 1):
            row = [powers[abs(y - x)] * (outside if y in (0, top) else inside) for y in range(top + 1)]
            made[end].append([_scaled(each, end) for each in row])
    return made


def _parts(value: Fraction, end: int) -> int:
    """A number in whole parts of 2^-200, rounded down (end 0) or up (end 1)."""
    scaled = value.numerator << BITS
    return scaled // value.denominator if end == 0 else -(-scaled // value.denominator)


def _scaled(value: int, end: int) -> int:
    """A product of two such numbers as one of them."""
    return value >> BITS if end == 0 else -(-value >> BITS)


def chances(value: Any, place: str, count: int) -> list[Fraction]:
    """A law of so many outcomes."""
    found = fractions(value, place, count=count)
    if sum(found) != 1:
        raise ValueError(f"{place} does not add up to 1")
    return found


def _choices(
    down: Law, up: Law, losses: list[list[Fraction]], prior: list[Fraction], witness: dict[str, Any]
) -> tuple[list[Fraction], Fraction]:
    """The expected loss for each input, from above, and what the prior proves, where one of several things is said."""
    width, seen = len(losses[0]), len(down[0])
    if any(len(row) != width for row in losses):
        raise ValueError("claim.losses has rows of different lengths")
    if len(down) * seen * width > MOST_ENTRIES:
        raise ValueError(f"claim.law and claim.losses have more than {MOST_ENTRIES} entries together")
    given = witness.get("rule")
    if not isinstance(given, list) or len(given) != seen:
        raise ValueError(f"witness.rule is not a list of {seen} rows, one for each report")
    rule = [chances(row, f"witness.rule[{y}]", width) for y, row in enumerate(given)]
    # Whole numbers over common denominators: of the losses, of the rule, of the prior.
    shares = [lcm(*(value.denominator for row in table for value in row)) for table in (losses, rule, [prior])]
    cost = [[int(value * shares[0]) for value in row] for row in losses]
    spoken = [[(g, int(c * shares[1])) for g, c in enumerate(row) if c] for row in rule]
    belief = [int(p * shares[2]) for p in prior]
    risks = [sum(up[x][y] * sum(c * cost[x][g] for g, c in spoken[y]) for y in range(seen)) for x in range(len(down))]
    held = [x for x in range(len(down)) if belief[x]]
    earned = 0
    for y in range(seen):
        weights = [(belief[x] * down[x][y], cost[x]) for x in held]
        earned += min(sum(weight * row[g] for weight, row in weights) for g in range(width))
    return [Fraction(risk, ONE * shares[0] * shares[1]) for risk in risks], Fraction(
        earned, ONE * shares[0] * shares[2]
    )


def _numbers(
    down: Law, up: Law, truths: list[Fraction], prior: list[Fraction], witness: dict[str, Any]
) -> tuple[list[Fraction], Fraction]:
    """The same for squared losses, where any number may be said: the mean of what is believed is best."""
    given, seen = witness.get("said"), len(down[0])
    if not isinstance(given, list) or len(given) != seen:
        raise ValueError(f"witness.said is not a list of {seen} numbers, one for each report")
    said = [fraction(each, f"witness.said[{y}]") for y, each in enumerate(given)]
    risks = [
        sum((Fraction(up[x][y], ONE) * (said[y] - truth) ** 2 for y in range(seen)), Fraction(0))
        for x, truth in enumerate(truths)
    ]
    earned = Fraction(0)
    for y in range(seen):
        weights = [p * Fraction(row[y], ONE) for p, row in zip(prior, down, strict=True)]
        mass = sum(weights, Fraction(0))
        if mass:
            mean = sum((w * t for w, t in zip(weights, truths, strict=True)), Fraction(0)) / mass
            earned += sum((w * (t - mean) ** 2 for w, t in zip(weights, truths, strict=True)), Fraction(0))
    return risks, earned
