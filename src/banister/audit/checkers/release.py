"""Checks a certificate of kind "release": answers that were drawn by stated laws, and the charge that paid for them.

Claim:    guarantee (epsilon, delta), neighbours, plan (a digest), questions, schema, answers (the SHA-256 of each
          file), versions.
Witness:  draws, one for each thing that was paid for; line, the ledger's line of the charge with the hash before it.

What one person can change is stated by each draw: cells that she moves, or the square of how far she moves all of them.
From the law of a draw follows what it gives away about her:

  Geometric           P(i) ~ b^|i|, b = e^-epsilon. One step of i changes it by a factor b: epsilon for each cell.
  IntegerStaircase    P(i) ~ b^k where j < r, else b^(k+1), with |i| = k D + j, 0 ≤ j < D and a step 1 ≤ r ≤ D.
                      Moving i by at most D moves the exponent by at most one: epsilon for each cell.
  DiscreteLaplace     P(i) ~ e^-(epsilon |i|/D), in a FixedTotal of whole lists whose sum stays, |i| all of it: moving
                      them by M in all, added up without signs, changes it by a factor e^(epsilon M/D) at most.
  TruncatedStaircase  its tails T are cut to max(0, (1 + 2h) T - h), h = delta/(e^epsilon - 1). Beyond 0, D steps on
                      T is b T. So for a tail t the difference t - e^epsilon t(D steps on) is delta, which is
                      h (e^epsilon - 1), or less where the cut is at 0: (epsilon, delta) for each cell. Out of nothing
                      it never exceeds its edge, which is checked: a value that nobody has does not appear.
  RoundedGaussian     floor(s X + 1/2), X normal: the rounding of a Gaussian answer. With squares S of how far a person
                      moves all cells together, mu² = S/s², and several of them add up.
  ShapedNoise         P(i) ~ e^-(u h), h the height of i's cell, of odd width: (epsilon, delta) for all cells that she
                      moves by the width at most, which is checked by adding up the losses u (h' - h) of one cell on
                      their lattice, as often as there are cells, each chance rounded up.
  PermuteAndFlip      a choice by scores that she moves by at most the sensitivity: its epsilon, for each choice.

Pure losses add up, and deltas to 1 - (1 - d)(1 - d'); Gaussian draws together keep delta(e) = F(m/2 - e/m) - e^e
F(-m/2 - e/m) at every e, F the normal law and m² the sum of their mu², which must be at most what the others leave.
A bar that a Gaussian number must exceed to appear is paid for with its delta: a value that she alone has exceeds it in
one of her cells with at most that chance, which is checked.
This file imports nothing of the package: it can be read, and run, alone.
"""

import hashlib
import itertools
import json
import math
from decimal import MAX_EMAX, MAX_PREC, ROUND_CEILING, Context, Decimal, Inexact
from fractions import Fraction
from typing import Any

BITS = 400  # Of fixed-point numbers, beside those that a small result needs.
_CUT = 10**7  # Of chances with 16 digits below delta: less than so much at either end is not carried on.
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, traps=[Inexact])
LARGEST = 60  # Beyond so many deviations a normal tail is below 2^-2500 and not needed by anybody.


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


def check(claim: dict[str, Any], witness: dict[str, Any]) -> str:
    """What is proven, in words; ValueError with the place where something is not."""
    stated = _object(claim.get("guarantee"), "claim.guarantee")
    epsilon, delta = (_number(stated.get(name), f"claim.guarantee.{name}") for name in ("epsilon", "delta"))
    given = draws(witness.get("draws"))
    keeps(given, epsilon, delta, "claim.guarantee")
    number, charged = line(witness.get("line"), claim.get("plan"), given)
    _object(claim.get("answers"), "claim.answers")
    what = _short(epsilon) + (f", delta {_short(delta)}" if delta else "")
    return (
        f"Proven: what was drawn, by {len(given)} stated law{'s' if len(given) > 1 else ''}, keeps epsilon {what}, "
        f"and line {number} of a ledger charges {charged} for this plan.\n"
        "Taken on trust: that these laws were drawn on this data, that a person moves the answers as far as is stated, "
        "and the machine."
    )


Given = tuple[Fraction, ...]  # Epsilon, delta and mu²; and of a shape the largest loss and the chance of more, too.


def draws(found: Any) -> list[Given]:
    """What each of the draws gives away, from its law."""
    if not isinstance(found, list) or not found:
        raise ValueError("witness.draws is not a list of draws")
    return [_draw(_object(each, f"witness.draws[{i}]"), f"witness.draws[{i}]") for i, each in enumerate(found)]


def _draw(draw: dict[str, Any], place: str) -> Given:
    law = _object(draw.get("noise"), f"{place}.noise")
    name = law.get("law")
    if not isinstance(name, str) or name not in LAWS:
        raise ValueError(f"{place}.noise.law is not one of {', '.join(LAWS)}, which are those this checker knows")
    return LAWS[name](draw, law, place)


def _geometric(draw: dict[str, Any], law: dict[str, Any], place: str) -> Given:
    epsilon = _number(law.get("epsilon"), f"{place}.noise.epsilon")
    if _whole(draw.get("sensitivity"), f"{place}.sensitivity", 0, 1 << 64) > 1:
        raise ValueError(f"{place}.sensitivity is above 1, which geometric noise is not made for")
    return epsilon * _cells(draw, place), Fraction(0), Fraction(0)


def _staircase(draw: dict[str, Any], law: dict[str, Any], place: str) -> Given:
    return _stairs(draw, law, place)[0] * _cells(draw, place), Fraction(0), Fraction(0)


def _steps(draw: dict[str, Any], law: dict[str, Any], place: str) -> Given:
    steps = _whole(draw.get("moved"), f"{place}.moved", 0, 1 << 80)
    unit = _whole(law.get("sensitivity"), f"{place}.noise.sensitivity", 1, 1 << 80)
    return _number(law.get("epsilon"), f"{place}.noise.epsilon") * steps / unit, Fraction(0), Fraction(0)


def _stairs(draw: dict[str, Any], law: dict[str, Any], place: str) -> tuple[Fraction, int, int]:
    epsilon = _number(law.get("epsilon"), f"{place}.noise.epsilon")
    reach = _whole(law.get("sensitivity"), f"{place}.noise.sensitivity", 1, 1 << 80)
    step = _whole(law.get("step_width"), f"{place}.noise.step_width", 1, reach)
    if _whole(draw.get("sensitivity"), f"{place}.sensitivity", 0, 1 << 80) > reach:
        raise ValueError(f"{place}.sensitivity is above that of the noise")
    return epsilon, reach, step


def _truncated(draw: dict[str, Any], law: dict[str, Any], place: str) -> Given:
    epsilon, reach, step = _stairs(draw, law, place)
    delta = _number(law.get("delta"), f"{place}.noise.delta")
    if "bar" in draw:
        bar = _whole(draw.get("bar"), f"{place}.bar", 0, 1 << 62)
        if cut_tail(epsilon, delta, reach, step, bar + 1) > 0:
            raise ValueError(f"{place}.bar can be exceeded by noise on a value that nobody has")
    cells = _cells(draw, place)
    return epsilon * cells, _repeated(delta, cells), Fraction(0)


def _repeated(delta: Fraction, cells: int) -> Fraction:
    """1 - (1 - delta)^cells, rounded up."""
    kept, left, k = 1 << BITS, _fixed(1 - min(delta, Fraction(1)), 1 << BITS, False), cells
    while k:
        kept, left, k = kept * left >> BITS if k & 1 else kept, left * left >> BITS, k >> 1
    return min(cells * delta, 1 - Fraction(kept, 1 << BITS))


def cut_tail(epsilon: Fraction, delta: Fraction, reach: int, step: int, value: int) -> Fraction:
    """An upper bound of (1 + 2h) T - h for T = P(noise ≥ value) of the uncut staircase, value ≥ 1."""
    low, high = exp_up_down(-epsilon)
    weight = [step + b * (reach - step) for b in (low, high)]
    h = [delta * low / (1 - low), delta * high / (1 - high)]
    periods, j = divmod(value, reach)
    left = weight[1] / (1 - high) - min(j, step) - low * max(j - step, 0)
    peak = (1 - low) / (2 * weight[0] - (1 - low)) * exp_up_down(-epsilon * periods)[1]
    return (1 + 2 * h[1]) * peak * left - h[0]


def _gaussian(draw: dict[str, Any], law: dict[str, Any], place: str) -> Given:
    sigma = _number(law.get("sigma"), f"{place}.noise.sigma")
    if sigma == 0:
        raise ValueError(f"{place}.noise.sigma is 0")
    squares = _whole(draw.get("squares"), f"{place}.squares", 0, 1 << 200)
    paid = _number(draw.get("delta", 0), f"{place}.delta")
    if "bar" in draw:
        bar = _whole(draw.get("bar"), f"{place}.bar", 1, 1 << 62)
        if _cells(draw, place) * normal_tail((bar - Fraction(1, 2)) / sigma)[1] > paid:
            raise ValueError(f"{place}.bar is exceeded by what one person alone has with a chance above {place}.delta")
    return Fraction(0), paid, squares / sigma**2


def _shaped(draw: dict[str, Any], law: dict[str, Any], place: str) -> Given:
    listed, width = law.get("heights"), _whole(law.get("width"), f"{place}.noise.width", 1, 10**6)
    if not isinstance(listed, list) or not 2 <= len(listed) <= 1000:
        raise ValueError(f"{place}.noise.heights is not a list of numbers")
    found = [_number(each, f"{place}.noise.heights[{i}]") for i, each in enumerate(listed)]
    heights = [int(each) for each in found if each.denominator == 1 and each <= 1 << 20]
    if len(heights) < len(found):
        raise ValueError(f"{place}.noise.heights are not whole numbers up to {1 << 20}")
    if law.get("reach") != 1 or _whole(draw.get("sensitivity"), f"{place}.sensitivity", 0, 1 << 64) > width:
        raise ValueError(f"{place}.sensitivity is above that of the noise, one of its cells")
    unit, cells = _number(law.get("unit"), f"{place}.noise.unit"), _cells(draw, place)
    if not unit or unit * max(heights) > 5000:
        raise ValueError(f"{place}.noise.unit is 0 or too large")
    epsilon, delta = (_number(draw.get(name), f"{place}.{name}") for name in ("epsilon", "delta"))
    away, beyond, top = shaped_delta(heights, unit, cells, epsilon, delta)
    if away > delta:
        raise ValueError(f"{place}.delta is below what so many cells give away")
    return epsilon, delta, Fraction(0), top, beyond


def shaped_delta(heights: list[int], unit: Fraction, cells: int, epsilon: Fraction, delta: Fraction) -> Given:
    """Upper bounds: 1 - (1 - p)^k, p of the last height, and the positive parts of 1 - e^(epsilon - loss); the former
    alone; and the largest loss. Chances below 1e-9 delta are not carried on."""
    digits = min(len(str(delta.denominator // (delta.numerator or 1))), 40) + 16
    bounds = [exp_up_down(-unit * height, 4 * digits + 32) for height in heights]
    whole = 2 * sum((low for low, _ in bounds), Fraction(0)) - bounds[0][1]
    last, one = len(heights) - 1, 10**digits
    least = -max(abs(b - a) for a, b in itertools.pairwise(heights))
    law = [0] * (1 - 2 * least)
    for n in range(-last, last):
        law[heights[abs(n + 1)] - heights[abs(n)] - least] += _fixed(bounds[abs(n)][1] / whole, one, True)
    total, power, k = (0, [one], 0), (least, law, 0), cells
    while k:
        total, k = _folded(total, power, digits) if k & 1 else total, k >> 1
        power = _folded(power, power, digits) if k else power
    (start, chances, beyond), away = total, _repeated(bounds[last][1] / whole, cells)
    first = max(0, math.floor(epsilon / unit) + 1 - start)
    wide = 1 << BITS  # Of e^(epsilon - loss), which falls, each time rounded down.
    falls, gone = (epsilon - unit * (start + first), -unit), beyond * wide
    left, step = (_fixed(exp_up_down(each)[0], wide, False) for each in falls)
    for chance in chances[first:]:
        gone, left = gone + chance * (wide - left), left * step >> BITS
    return away + Fraction(gone, one * wide), away, -unit * least * cells


Law = tuple[int, list[int], int]  # The least loss, the chances from it on, and the chance of what lies beyond all.


def _folded(one: Law, other: Law, digits: int) -> Law:
    """The law of a sum, each chance rounded up: one product of two long numbers, each chance in a place of its own.
    Of each end less than _CUT is not carried on: the low one moves up to the next loss, the high one counts whole."""
    size, count, unit = 2 * digits + 8, len(one[1]) + len(other[1]) - 1, 10**digits  # A sum has fewer than 10^8 terms.
    if count > 1 << 18:
        raise ValueError("the losses of so many cells are too many to add up")
    first, second = (Decimal("".join([f"{each:0{size}d}" for each in law[1]])) for law in (one, other))
    text = str(EXACT.multiply(first, second)).zfill(size * count)
    law = [-(-int(text[i : i + size]) // unit) for i in range(0, size * count, size)]
    low = sum(each < _CUT for each in itertools.accumulate(law[:-1]))
    high = max(low + 1, count - sum(each < _CUT for each in itertools.accumulate(reversed(law))))
    return one[0] + other[0] + low, [sum(law[: low + 1]), *law[low + 1 : high]], one[2] + other[2] + sum(law[high:])


def _choices(draw: dict[str, Any], law: dict[str, Any], place: str) -> Given:
    levels = law.get("epsilons")
    if not isinstance(levels, list) or not levels:
        raise ValueError(f"{place}.noise.epsilons is not a list of numbers")
    each = [_number(level, f"{place}.noise.epsilons[{i}]") for i, level in enumerate(levels)]
    return sum(each, Fraction(0)) * _cells(draw, place), Fraction(0), Fraction(0)


LAWS = {"Geometric": _geometric, "IntegerStaircase": _staircase, "TruncatedStaircase": _truncated}
LAWS |= {"RoundedGaussian": _gaussian, "ShapedNoise": _shaped, "PermuteAndFlip": _choices}
LAWS |= dict.fromkeys(("DiscreteLaplace", "FixedTotal"), _steps)


def keeps(given: list[Given], epsilon: Fraction, delta: Fraction, place: str) -> None:
    """ValueError unless the draws together keep (epsilon, delta)."""
    (pure, mu), lost = (sum((each[part] for each in given), Fraction(0)) for part in (0, 2)), _lost(given)
    for name, found, most in (("epsilon", pure, epsilon), ("delta", lost, delta)):
        if found > most:
            raise ValueError(f"{place}.{name} is below what the draws give away, {_short(found)}")
    if mu and gaussian_delta(mu, epsilon - pure) > delta - lost:
        raise ValueError(f"{place} is below what the Gaussian draws give away")


def _lost(given: list[Given]) -> Fraction:
    return 1 - math.prod((1 - each[1] for each in given), start=Fraction(1))


def line(found: Any, plan: Any, given: list[Given]) -> tuple[int, str]:
    """The number of the ledger's line, and what it charges in words; ValueError unless it pays for these draws."""
    entry = _object(found, "witness.line")
    number = _whole(entry.get("sequence"), "witness.line.sequence", 1, 1 << 62)
    body, before = entry.get("body"), entry.get("previous")
    if not isinstance(body, str) or not isinstance(before, str):
        raise ValueError("witness.line.body or witness.line.previous is not a text")
    text = f"banister ledger 1\n{number}\n{before}\n{body}"
    if hashlib.sha256(text.encode("utf-8")).hexdigest() != entry.get("hash"):
        raise ValueError("witness.line.hash is not the hash of the line")
    try:
        charge = _object(json.loads(body), "witness.line.body")
    except json.JSONDecodeError:
        raise ValueError("witness.line.body is not a line of a ledger") from None
    if charge.get("kind") != "charge" or not plan or charge.get("plan") != plan:
        raise ValueError("witness.line.body is not the charge for claim.plan")
    lost = _number(charge.get("delta"), "witness.line.body.delta")
    if charge.get("epsilon") == "inf":
        if _lost(given) > lost or not any(each[2] for each in given):
            raise ValueError("witness.line.body charges less than the draws give away")
        if "keeps" in charge:
            asked = _object(charge["keeps"], "witness.line.body.keeps")
            level, but = (_number(asked.get(name), f"witness.line.body.keeps.{name}") for name in ("epsilon", "delta"))
            keeps(given, level, but, "witness.line.body.keeps")
        return number, "the Gaussian loss" + (f" and delta {_short(lost)}" if lost else "")
    epsilon = _number(charge.get("epsilon"), "witness.line.body.epsilon")
    largest = [(each[3], each[4], each[2]) if len(each) > 3 and lost < each[1] else each for each in given]
    keeps(largest, epsilon, lost, "witness.line.body")
    return number, f"epsilon {_short(epsilon)}" + (f", delta {_short(lost)}" if lost else "")


def gaussian_delta(mu_squared: Fraction, epsilon: Fraction) -> Fraction:
    """An upper bound of F(m/2 - e/m) - e^e F(-m/2 - e/m), which rises with m."""
    scale = 1 << (2 * BITS)
    m = Fraction(math.isqrt(-(-mu_squared.numerator * scale // mu_squared.denominator)) + 1, 1 << BITS)
    first, second = normal_tail(epsilon / m - m / 2), normal_tail(epsilon / m + m / 2)
    return min(Fraction(1), first[1] - exp_up_down(epsilon)[0] * second[0])


def normal_tail(x: Fraction) -> tuple[Fraction, Fraction]:
    """Two fractions with P(X ≥ x) between them, X normal: 1/2 - f(x) Σ x^(2k+1)/(1·3·…·(2k+1)), rounded outwards. The
    terms are positive and fall by half or more from k > x² on, so what is left is below the last."""
    if x < 0:
        low, high = normal_tail(-x)
        return 1 - high, 1 - low
    if x > LARGEST:
        return Fraction(0), normal_tail(Fraction(LARGEST))[1]
    bits = BITS + 2 * int(x * x)
    one = 1 << bits
    x = Fraction(x.numerator * one // x.denominator, one) if x.denominator > one else x
    x_up = x + Fraction(1, one)  # It covers the cut above.
    sums = []
    for value, up in ((x, False), (x_up, True)):
        square, term, total, k = value * value, _fixed(value, one, up), 0, 0
        while term > 1 or k <= 2 * int(square) + 2:
            total, k = total + term, k + 1
            term = _divided(term * square.numerator, square.denominator * (2 * k + 1), up)
        sums.append(total + (2 * term + 2 if up else 0))
    density = [_fixed(bound, one, up) for bound, up in zip(_density(x, x_up, bits), (False, True), strict=True)]
    least, most = Fraction(density[0] * sums[0], one * one), Fraction(density[1] * sums[1] + one, one * one)
    return max(Fraction(0), Fraction(1, 2) - most), Fraction(1, 2) - least


def _density(x: Fraction, x_up: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bounds of e^(-x²/2)/√(2 pi): below at the larger end, above at the smaller."""
    low, high = exp_up_down(-x_up * x_up / 2, bits)[0], exp_up_down(-x * x / 2, bits)[1]
    pi = pi_bounds(bits)
    root = [math.isqrt((2 * each) << bits) for each in pi]  # Of 2 pi, times 2^bits.
    return low * Fraction(1 << bits, root[1] + 1), high * Fraction(1 << bits, root[0])


def pi_bounds(bits: int) -> tuple[int, int]:
    """Whole numbers with 2^bits pi between them: 16 arctan(1/5) - 4 arctan(1/239)."""
    one = 1 << (bits + 20)

    def arctan(inverse: int) -> int:
        total, power, n, sign = 0, one // inverse, 1, 1
        while power:
            total, sign = total + sign * (power // n), -sign
            power, n = power // (inverse * inverse), n + 2
        return total

    value, off = 16 * arctan(5) - 4 * arctan(239), 20 * (bits + 40)  # Each of fewer than `bits` terms is off by one.
    return (value - off) >> 20, ((value + off) >> 20) + 1


def exp_up_down(x: Fraction, bits: int = BITS) -> tuple[Fraction, Fraction]:
    """Two fractions with e^x between them: a series for |x|/2^m, squared m times, rounded outwards."""
    if abs(x) > 5000:
        raise ValueError("an exponent is beyond 5000")
    size, halvings = abs(x), int(abs(x)).bit_length() + 3
    one = 1 << bits + 4 * int(size) + 4 * halvings + 40
    low = high = down = up = one
    small, n = size / 2**halvings, 0
    while up > 1 or n < 4:
        n += 1
        down = _divided(down * small.numerator, small.denominator * n, False)
        up = _divided(up * small.numerator, small.denominator * n, True)
        low, high = low + down, high + up
    high += 2  # The rest of the series is less than its last term.
    for _ in range(halvings):
        low, high = low * low // one, -(-high * high // one)
    low, high = (one * one // high, -(-one * one // low)) if x < 0 else (low, high)
    return Fraction(low, one), Fraction(high, one)


def _fixed(value: Fraction, one: int, up: bool) -> int:
    return _divided(value.numerator * one, value.denominator, up)


def _divided(above: int, below: int, up: bool) -> int:
    return -(-above // below) if up else above // below


def _cells(draw: dict[str, Any], place: str) -> int:
    return _whole(draw.get("cells"), f"{place}.cells", 1, 1 << 62)


def _object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is not an object")
    return value


def _number(value: Any, place: str) -> Fraction:
    """An exact number that is not below 0."""
    found = fraction(value, place)
    if found < 0:
        raise ValueError(f"{place} is below 0")
    return found


def _whole(value: Any, place: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{place} is not a whole number from {least} on" + (f" to {most}" if most < 10**6 else ""))
    return value


def _short(value: Fraction) -> str:
    """A fraction as it is, where that is short; else nine digits of it, rounded up."""
    text = str(value)
    return text if len(text) <= 12 else shown(value, ROUND_CEILING)
