"""Checks a certificate of kind "sketch": a graph or a matrix, published once as Gaussian rows, and the charge for it.

Claim and witness are those of kind "release", with one draw. CutSketch draws rows N(0, w I + (1 - w/n) L), L the
Laplacian of a graph of n nodes, w = root²: an edge whose weight moves by 1 makes one direction a = 1 + 2(1 - w/n)/w
times as wide, or less, which tells less. VarianceSketch draws rows of M A + w Z: a row of A with length 1 or less that
comes or goes makes one direction a = 1 + 1/w² times as wide.

With r rows only the squared length T, a chi-square number of r degrees, tells the two apart: the wide one at any
epsilon e by P(T > k/a) - E P(T > k), with E = e^epsilon and k = 2a/(a - 1) (e + r/2 ln a); the narrow one by
P(T ≤ k) - E P(T ≤ k/a), with - e in place of + e. The larger one is delta, beside what doubles may show of the row that
changed: (1 + E)(m 2^-30 √r 2/(5 d) + r 2^-56), d the deviation of the ideal noise, m the most that moves, 1 or 2.

A row that is replaced moves by 2 at most. Who also knows its column of M, of squared length T, sees a normal number of
deviation w shifted by 2 √T: its loss is 2T/w² + (2/w) √T X, X normal. Its law has the transform of a difference of two
sums of k = r/2 waiting times, of rates b and b + 1 with b (b + 1) = w²/4. The first sum is longer by e with chance
P(J + N < k): J events of a Poisson law of mean b e come first, and N of rate b before the k-th of rate b + 1. Delta is
that less E times the same with the rates exchanged. More rows tell more: an odd number counts as one more.

This file imports nothing of the package: it can be read, and run, alone.
"""

import hashlib
import json
import math
from fractions import Fraction
from typing import Any

BITS = 400
PI = 3141592653589793238462643383279502884197169399375105820974944  # Times 10^-60, the last digit rounded down.


def check(claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """What is proven, in words; ValueError with the place where something is not."""
    stated = _object(claim.get("guarantee"), "claim.guarantee")
    epsilon, delta = (_number(stated.get(name), f"claim.guarantee.{name}") for name in ("epsilon", "delta"))
    given = witness.get("draws")
    if not isinstance(given, list) or len(given) != 1:
        raise ValueError("witness.draws is not a list of one draw")
    law = _object(_object(given[0], "witness.draws[0]").get("noise"), place := "witness.draws[0].noise")
    found = told(law, claim.get("neighbours"), epsilon, place)
    if found > delta:
        raise ValueError("claim.guarantee.delta is below what the sketch gives away")
    number, charge = line(witness.get("line"), claim.get("plan"))
    for name, least in (("epsilon", epsilon), ("delta", delta)):
        if _number(charge.get(name), f"witness.line.body.{name}") < least:
            raise ValueError(f"witness.line.body.{name} is below claim.guarantee.{name}")
    _object(claim.get("answers"), "claim.answers")
    cost = f"epsilon {epsilon}, delta {delta}"
    return (
        f"Proven: the stated law keeps {cost}, and line {number} of a ledger charges {cost} or more for this plan.\n"
        "Taken on trust: that this law was drawn on this data, and the machine."
    )


def told(law: dict[str, Any], neighbours: Any, epsilon: Fraction, place: str) -> Fraction:
    """An upper bound of delta at epsilon."""
    rows = _whole(law.get("rows"), f"{place}.rows", 1, 1 << 16)
    if law.get("law") == "CutSketch" and neighbours == "replace":
        nodes, root = _whole(law.get("nodes"), f"{place}.nodes", 2, 1 << 19), _number(law.get("root"), f"{place}.root")
        if not 0 < root * root < nodes:
            raise ValueError(f"{place}.root is not between 0 and the root of the nodes")
        ratio, moved, deviation = 2 * (1 - root * root / nodes) / (root * root), 1, root
    elif law.get("law") == "VarianceSketch" and neighbours in ("add-remove", "replace"):
        deviation = _number(law.get("width"), f"{place}.width")
        if not deviation:
            raise ValueError(f"{place}.width is 0")
        ratio, moved = 1 / deviation**2, 2
    else:
        raise ValueError(f"{place}.law is not CutSketch or VarianceSketch, for claim.neighbours as they are")
    shifts = law.get("law") == "VarianceSketch" and neighbours == "replace"
    away = shifted(rows, deviation, epsilon, place) if shifts else wider(rows, ratio, epsilon)
    root_up = Fraction(math.isqrt(rows << 80) + 1, 1 << 40)
    doubles = moved * root_up * 2 / (5 * deviation) / (1 << 30) + Fraction(rows, 1 << 56)
    return away + (1 + exp_up_down(epsilon)[1]) * doubles


def wider(rows: int, ratio: Fraction, epsilon: Fraction) -> Fraction:
    """An upper bound of delta where so many numbers have 1 + ratio times the variance, or have not."""
    wide, both = 1 + ratio, exp_up_down(epsilon)
    logs = [rows * each / 2 for each in log_bounds(wide)]
    ends = [2 * wide / ratio * (epsilon + each) for each in logs]
    first = 1 - below(rows, ends[0] / wide)[0] - both[0] * (1 - below(rows, ends[1])[1])
    ends = [2 * wide / ratio * (each - epsilon) for each in logs]
    return max(first, below(rows, ends[1])[1] - both[0] * below(rows, ends[0] / wide)[0])


def shifted(rows: int, width: Fraction, epsilon: Fraction, place: str) -> Fraction:
    """An upper bound of delta where a row is replaced: sums over n = J's most, J + N < k, and N = k - 1 - n."""
    one, k = 1 << BITS, (rows + 1) // 2
    root = Fraction(math.isqrt(int((1 + width**2) * one**2)), one)  # 2b + 1, rounded down: a longer shift tells more.
    slow, found = (root - 1) / 2, []
    if not slow or slow * epsilon > 1 << 14:
        raise ValueError(f"{place}.width is too small, or too large for so large an epsilon")
    for up, rate in ((True, slow), (False, slow + 1)):
        parts = ((root - rate) / root, 1 - 1 / root**2, rate * epsilon, root / rate)
        chance, twice, mean, back = (_divided(part.numerator * one, part.denominator, up) for part in parts)
        for i in range(1, k):  # N = k - 1 has C(2k - 2, k - 1) 4^(1 - k) (1 - 1/root²)^(k - 1) times `chance`.
            chance = _divided(chance * twice * (2 * i - 1), 2 * i * one, up)
        total, term, most = 0, one, one
        for n in range(k):
            total += chance * most
            chance = _divided(chance * back * (k - 1 - n), (2 * k - 2 - n) * one or 1, up)
            term = _divided(term * mean, (n + 1) * one, up)
            most += term
        found.append(exp_up_down(-slow * epsilon)[up] * Fraction(total, one**2))
    return found[0] - found[1]


def below(rows: int, x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of P(T ≤ x): with y = x/2 and a = r/2, e^-y times the sum of y^b/Γ(b + 1) over b = a, a + 1, …"""
    if x <= 0:
        return Fraction(0), Fraction(0)
    one, half = 1 << BITS, rows % 2
    found = []
    for up in (False, True):
        y = Fraction(_divided(x.numerator * one, 2 * x.denominator, up), one)
        if y > 1 << 16:
            return below(rows, Fraction((2 << 16) - 1))[0], Fraction(1)
        term = one
        if half:  # y^(1/2)/Γ(3/2) = 2 √(y/pi), pi between two fractions.
            square = y / Fraction(PI + (not up), 10**60) * (1 << 2 * BITS)
            term = 2 * (math.isqrt(square.numerator // square.denominator) + up)
        total, twice = 0, half
        while twice < rows or term > 1 or twice < 4 * y + 4:
            total += term if twice >= rows else 0
            twice += 2
            term = _divided(term * y.numerator * 2, y.denominator * twice, up)
        power = exp_up_down(-y)[up]  # What is left of the sum is below twice its last term.
        found.append(power * Fraction(total + (2 * term + 2) * up, one))
    return found[0], min(Fraction(1), found[1])


def log_bounds(x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of ln x for x ≥ 1: of x halved until it is below 2 and of 2, each 2 Σ u^(2j+1)/(2j+1), |u| ≤ 1/3."""
    turns = x.numerator.bit_length() - x.denominator.bit_length()
    total, one = 0, 1 << BITS
    for times, u in ((1, (x / 2**turns - 1) / (x / 2**turns + 1)), (turns, Fraction(1, 3))):
        power = 2 * u.numerator * one // u.denominator
        for j in range(BITS // 3 + 2):
            total += times * (power // (2 * j + 1))
            power = power * u.numerator**2 // u.denominator**2
    off = 4 * BITS * (turns + 1)  # Each of fewer than BITS terms is off by less than 4.
    return Fraction(total - off, one), Fraction(total + off, one)


def exp_up_down(x: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of e^x: a series for |x|/2^m ≤ 1/8, squared m ≤ 20 times, which doubles what it is off by each time."""
    halvings, one, n = int(abs(x)).bit_length() + 3, 1 << BITS + 64, 0
    small = int(abs(x) * one) >> halvings
    term = total = one
    while term:
        n += 1
        term = term * small // (n * one)
        total += term
    for _ in range(halvings):
        total = total * total // one
    value, off = Fraction(total, one) if x >= 0 else Fraction(one, total), Fraction(1, 1 << BITS)
    return value * (1 - off), value * (1 + off)


def _divided(above: int, below: int, up: bool) -> int:
    return -(-above // below) if up else above // below


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is not an object")
    return value


def _number(value: Any, place: str) -> Fraction:
    above, _, under = str(value).partition("/")
    if len(str(value)) > 4000 or not above.isdecimal() or not (under or "1").isdecimal() or not int(under or 1):
        raise ValueError(f"{place} is not a whole number or a fraction in quotes, from 0 on")
    return Fraction(int(above), int(under or 1))


def _whole(value: Any, place: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{place} is not a whole number from {least} on" + (f" to {most}" if most < 10**6 else ""))
    return value


def line(found: Any, plan: Any) -> tuple[int, dict[str, Any]]:
    """The number of the ledger's line and what it says; ValueError unless it is whole, and charges for the plan."""
    entry = _object(found, "witness.line")
    number, body = _whole(entry.get("sequence"), "witness.line.sequence", 1, 1 << 62), str(entry.get("body"))
    text = f"banister ledger 1\n{number}\n{entry.get('previous')}\n{body}"
    if hashlib.sha256(text.encode("utf-8")).hexdigest() != entry.get("hash"):
        raise ValueError("witness.line.hash is not the hash of the line")
    try:
        charge = _object(json.loads(body), "witness.line.body")
    except json.JSONDecodeError:
        raise ValueError("witness.line.body is not a line of a ledger") from None
    if charge.get("kind") != "charge" or not plan or charge.get("plan") != plan:
        raise ValueError("witness.line.body is not the charge for claim.plan")
    return number, charge
