"""Random noises, costs and epsilons from 1e-18 to 400, against an independent computation with many digits.

    python -m tests.drills.noise --cases 10000

For each case the expected cost is computed by mpmath, on another road than the package's: the sums Σ_k b^k (k + a)^p
come from their expansion in Hurwitz zeta values for a small epsilon and term by term for a large one, and finite laws
are added up. Then lower bound ≤ expected cost ≤ what is stated, and both ends are within 1e-12 where a theorem gives
the optimum.
"""

import argparse
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from mpmath import mp, mpf

from banister.core.laws.cost import Cost
from banister.mechanisms.integers.discrete_laplace import DiscreteLaplace
from banister.mechanisms.integers.geometric import Geometric
from banister.mechanisms.integers.integer_noise import IntegerNoise
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.integers.lower_bounds import lower_bound
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.line.line_bounds import pure_bound_on_line
from banister.mechanisms.line.line_noise import LineNoise
from banister.mechanisms.line.staircase import Staircase

DIGITS = 60
NEAR = mpf(10) ** -12
EXPONENTS = (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(3), Fraction(7, 3))
Size = Callable[[Fraction], mpf]
_UNDRAWN = "Take a coarser grid or a larger epsilon"
"""A tiny epsilon has laws, and bounds, but no draws in 64 bits; such noise is refused when it is made."""


@dataclass(frozen=True)
class Judged:
    """One case: its words, the expected cost by mpmath, what is stated, and the bound where there is one."""

    words: str
    truth: mpf
    stated: float
    bound: float | None = None
    optimal: bool = False
    """Whether the truth is the optimum, so that the bound must be near as well."""

    def wrong(self) -> str:
        if not self.truth <= mpf(self.stated):
            return f"{self.words}: {mp.nstr(self.truth, 20)} is above the stated {self.stated!r}"
        if self.truth > mpf(10) ** -290 and mpf(self.stated) > self.truth * (1 + NEAR):
            return f"{self.words}: stated {self.stated!r}, far above {mp.nstr(self.truth, 20)}"
        if self.bound is None:
            return ""
        if mpf(self.bound) > self.truth:
            return f"{self.words}: the bound {self.bound!r} is above {mp.nstr(self.truth, 20)}"
        if self.optimal and self.truth > mpf(10) ** -290 and mpf(self.bound) < self.truth * (1 - NEAR):
            return f"{self.words}: the bound {self.bound!r} is far below the optimum {mp.nstr(self.truth, 20)}"
        return ""


@dataclass(frozen=True)
class Priced:
    """A cost in the package's words and in mpmath's: a power, or levels that change at a few edges."""

    cost: Cost
    size: Size
    exponent: Fraction | None
    last: Fraction
    """From here on the cost is that of a power, or no longer changes."""


def rational(x: Fraction) -> mpf:
    return mpf(x.numerator) / x.denominator


def a_cost(chance: random.Random) -> Priced:
    kind = chance.random()
    if kind < 0.6:
        p = chance.choice(EXPONENTS)
        return Priced(Cost.power(p), lambda x: rational(x) ** rational(p) if x else mpf(0), p, Fraction(0))
    if kind < 0.8:
        edge = Fraction(chance.randint(0, 24), 4)
        return Priced(Cost.beyond(edge), lambda x: mpf(x > edge), None, edge)
    if kind < 0.9:
        low, high = Fraction(chance.randint(0, 8), 4), Fraction(chance.randint(9, 30), 4)
        made = Cost.steps({low: 1, high: 5})
        return Priced(made, lambda x: mpf(5 if x > high else int(x > low)), None, high)
    degree, edge = chance.choice((1, 2)), Fraction(chance.randint(1, 24), 4)
    return Priced(Cost.capped(degree, at=edge), lambda x: rational(min(x, edge) ** degree), None, edge)


def an_epsilon(chance: random.Random) -> Fraction:
    return Fraction(repr(float(f"{10 ** chance.uniform(-18, 2.602):.6g}")))


@lru_cache(maxsize=30_000)
def hurwitz(exponent: mpf, start: mpf, precision: int) -> mpf:
    """The Hurwitz zeta value, kept for the next case: exponents and starts come again and again, epsilons do not."""
    assert precision == mp.prec
    return mp.zeta(exponent, start)


def power_series(epsilon: mpf, p: mpf, start: mpf) -> mpf:
    """Σ_k e^(-epsilon k) (start + k)^p."""
    if start == 0:
        return mp.exp(-epsilon) * power_series(epsilon, p, mpf(1))
    if epsilon > mpf("0.3"):
        total, k, once, decay = mpf(0), 0, mp.exp(-epsilon), mpf(1)
        while True:
            term = decay * (start + k) ** p
            total += term
            decay *= once  # Some hundred roundings in the sixtieth digit.
            k += 1
            if k > 8 * p / epsilon + 4 and term < total * mpf(10) ** (-DIGITS + 8):
                return total
    total, n, small = mp.gamma(p + 1) / epsilon ** (p + 1), 0, 0
    while True:
        term = (-epsilon) ** n / mp.factorial(n) * hurwitz(-p - n, start, mp.prec)
        total += term
        n += 1
        # Every second zeta value is 0 where p and the start are whole: one small term alone ends nothing.
        small = small + 1 if abs(term) < abs(total) * mpf(10) ** (-DIGITS + 12) else 0
        if n > p + 3 and small >= 2:
            return mp.exp(epsilon * start) * total


class Stairs:
    """Expected costs of staircases on the integers, with all step widths at once."""

    def __init__(self, epsilon: Fraction, period: int, unit: Fraction, priced: Priced) -> None:
        self.epsilon, self.period, self.priced, self.unit = rational(epsilon), period, priced, unit
        self.b = mp.exp(-self.epsilon)
        if priced.exponent is not None:
            p = rational(priced.exponent)
            scale = rational(self.unit * period) ** p
            self.columns = [scale * power_series(self.epsilon, p, mpf(j) / period) for j in range(period)]

    def peak(self, r: int) -> mpf:
        return (1 - self.b) / (2 * r + 2 * self.b * (self.period - r) - (1 - self.b))

    def mass(self, i: int, r: int) -> mpf:
        k, j = divmod(i, self.period)
        return self.peak(r) * self.b ** (k if j < r else k + 1)

    def cost(self, r: int) -> mpf:
        if self.priced.exponent is not None:
            return 2 * self.peak(r) * sum(x * (1 if j < r else self.b) for j, x in enumerate(self.columns))
        first = int(self.priced.last / self.unit) + 2
        # What is beyond is 1 minus what is inside: as many digits more as it is small.
        with mp.workdps(DIGITS + 10 + int(self.epsilon * (first / self.period + 2) / 2)):
            return self._by_edges(r, first)

    def _by_edges(self, r: int, first: int) -> mpf:
        self.b = mp.exp(-self.epsilon)
        top, total, inside = self.priced.size(first * self.unit), mpf(0), mpf(0)
        for i in range(first):
            share = self.mass(i, r) * (2 if i else 1)
            inside += share
            total += share * self.priced.size(i * self.unit)
        return total + top * (1 - inside)


def integer_case(chance: random.Random) -> Judged:
    epsilon, period, priced = an_epsilon(chance), chance.randint(1, 8), a_cost(chance)
    stairs = Stairs(epsilon, period, Fraction(1), priced)
    least = min(stairs.cost(r) for r in range(1, period + 1))
    bound = lower_bound(epsilon=epsilon, delta=0, sensitivity=period, cost=priced.cost)
    words = f"integers, epsilon {float(epsilon):g}, sensitivity {period}, {priced.cost.name}"
    try:
        noise: IntegerNoise
        if period == 1:
            noise = Geometric(epsilon=epsilon, cost=priced.cost)
        else:
            noise = IntegerStaircase(epsilon=epsilon, sensitivity=period, cost=priced.cost)
        stated = noise.risk()
    except ValueError as refused:
        if _UNDRAWN not in str(refused):
            raise
        return Judged(words + " (bound alone)", least, float("inf") if least > 1e300 else _up(least), bound, True)
    return Judged(words, least, stated, bound, True)


def _up(x: mpf) -> float:
    return float(x * (1 + mpf(10) ** -15))


def line_case(chance: random.Random) -> Judged:
    """A staircase on a user's grid: its risk, and the best gamma of the line by brute force around the claimed one."""
    epsilon, parts, priced = an_epsilon(chance), chance.randint(1, 8), a_cost(chance)
    reach = chance.choice((Fraction(1), Fraction(3), Fraction(1, 2)))
    stairs = Stairs(epsilon, parts, reach / parts, priced)
    words = f"line, epsilon {float(epsilon):g}, sensitivity {reach}, grid 1/{parts} of it, {priced.cost.name}"
    truth = min(stairs.cost(r) for r in range(1, parts + 1))
    try:
        noise: LineNoise = Staircase(epsilon=epsilon, sensitivity=reach, cost=priced.cost, grid=reach / parts)
    except ValueError as refused:
        if _UNDRAWN not in str(refused):
            raise
        return Judged(words + " (refused)", truth, _up(truth))
    return Judged(words, truth, noise.risk())


def gamma_case(chance: random.Random) -> Judged:
    """No staircase on the line is below the bound; with a power cost V = S_(p+1)(gamma) / ((p + 1) S_1(gamma))."""
    epsilon, p = an_epsilon(chance), chance.choice(EXPONENTS)
    e, q = rational(epsilon), rational(p)
    claimed = Staircase(epsilon=max(epsilon, Fraction(1, 100)), sensitivity=1, cost=Cost.power(p), grid=1).gamma
    near = [mpf(claimed) * (1 + mpf(chance.uniform(-1e-6, 1e-6))), mpf(chance.random()), mpf(claimed) / 2]
    values = [power_series(e, q + 1, g) / ((q + 1) * power_series(e, mpf(1), g)) for g in near]
    least = min(values)
    pieces = Cost.power(p).pieces
    assert pieces is not None
    bound = pure_bound_on_line(epsilon, Fraction(1), pieces)
    return Judged(f"line, any gamma, epsilon {float(epsilon):g}, {p}", least, _up(least), bound)


def laplace_case(chance: random.Random) -> Judged:
    epsilon, p = an_epsilon(chance), chance.choice(EXPONENTS)
    if chance.random() < 0.5:
        truth = mp.gamma(rational(p) + 1) / rational(epsilon) ** rational(p)
        noise: IntegerNoise | LineNoise = Laplace(epsilon=epsilon, sensitivity=1, cost=p)
        return Judged(f"Laplace, epsilon {float(epsilon):g}, {p}", truth, noise.risk())
    period = chance.randint(2, 9)
    epsilon = max(epsilon, Fraction(1, 10**12))
    stairs = Stairs(epsilon / period, 1, Fraction(1), Priced(Cost.power(p), rational, p, Fraction(0)))
    noise = DiscreteLaplace(epsilon=epsilon, sensitivity=period, cost=p)
    return Judged(f"discrete Laplace, epsilon {float(epsilon):g}, {period}, {p}", stairs.cost(1), noise.risk())


def bounded_case(chance: random.Random) -> Judged:
    """Truncated staircases and uniform noise, added up from their tails."""
    epsilon, delta = an_epsilon(chance), Fraction(chance.randint(4, 400), 1000)
    period, priced = chance.randint(1, 3), a_cost(chance)
    words = f"delta {float(delta):g}, epsilon {float(epsilon):g}, sensitivity {period}, {priced.cost.name}"
    if chance.random() < 0.2:
        flat = Uniform(delta=delta, sensitivity=period, cost=priced.cost)
        masses = [rational(flat.exact_mass(i)) for i in range(flat.edge + 1)]
        truth = sum(m * (2 if i else 1) * priced.size(Fraction(i)) for i, m in enumerate(masses))
        bound = _delta_bound(Fraction(0), delta, period, priced)
        return Judged("uniform, " + words, truth, flat.risk(), bound)
    noise = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=period, cost=priced.cost)
    # What lies beyond 0 is 1 minus the mass at 0: for a large epsilon as many digits more as it is small.
    with mp.workdps(DIGITS + 40 + int(2 * abs(mp.log10(rational(epsilon)))) + int(rational(epsilon))):
        e = rational(epsilon)
        stairs = Stairs(epsilon, period, Fraction(1), Priced(priced.cost, priced.size, None, priced.last))
        eta = rational(delta) / mp.expm1(e)
        tails, beyond = [mpf(1)], (1 - stairs.mass(0, noise.step_width)) / 2
        for i in range(1, noise.edge + 3):
            tails.append(2 * max(mpf(0), (1 + 2 * eta) * beyond - eta))
            beyond -= stairs.mass(i, noise.step_width)
        truth = sum((tails[i] - tails[i + 1]) * priced.size(Fraction(i)) for i in range(len(tails) - 1))
    bound = _delta_bound(epsilon, delta, period, priced)
    return Judged("truncated, " + words, +truth, noise.risk(), bound)


def _delta_bound(epsilon: Fraction, delta: Fraction, period: int, priced: Priced) -> float | None:
    if priced.exponent not in (1, 2):
        return None
    return lower_bound(epsilon=epsilon, delta=delta, sensitivity=period, cost=priced.cost)


KINDS = (integer_case, integer_case, line_case, gamma_case, laplace_case, bounded_case)


def judged(seed: int) -> Judged:
    """The case of that number."""
    chance = random.Random(seed)
    with mp.workdps(DIGITS):
        return chance.choice(KINDS)(chance)


def wrong(seed: int) -> str:
    """What is wrong with the case of that number, in words; empty where nothing is."""
    with mp.workdps(DIGITS):
        return judged(seed).wrong()


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cases", type=int, default=10_000)
    options.add_argument("--first", type=int, default=0)
    given = options.parse_args()
    failures = 0
    for seed in range(given.first, given.first + given.cases):
        if message := wrong(seed):
            failures += 1
            print(f"case {seed}: {message}", flush=True)
    print(f"{given.cases} cases, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
