"""Laplace losses, and finitely many atoms beside them, composed in closed form.

With t = s + ½ and u = 1/(2t) one Laplace loss of epsilon has E[e^(sL)] = ½·e^(−epsilon/2)·(e^(epsilon·t)·(1 + u) +
e^(−epsilon·t)·(1 − u)), and an atom of mass m at v has m·e^(−v/2)·e^(v·t). So the composition has Σ e^(a·t)·Q(u)
with one polynomial Q for each sum a of ends, and term by term

    delta(g) = e^(g/2) · Σ over a > g, m ≥ 0 of Q_m · S_m((a − g)/2),     S_m(z) = 2·Σ z^(m + n)/(m + n)! over odd n.

A finite sum with signs that nearly cancel: it is taken with as many bits as that needs.
Proof: docs/math/composition.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb, arb_mat, arb_poly

from banister.core.composition import saddle
from banister.core.composition.contour import Terms, total_top
from banister.core.exact.descent import crossing
from banister.core.exact.numbers import BALL_BITS, Bracket, ball, exp_ball, precision
from banister.core.exact.search import least_epsilon
from banister.errors import Uncertified

MOST_WORK = 26_000
"""So many sums of ends times Laplace losses at most: the bits and the terms grow with them."""
ENOUGH_BITS = 64
"""The sum is taken with more and more bits until it is known so well, relatively."""
MOST_BITS = 1 << 14


@dataclass(frozen=True, slots=True, eq=False)
class Exponentials:
    """The composition as a sum of exponentials times polynomials; see the module."""

    terms: Terms
    rows: dict[int, list[tuple[Fraction, list[arb]]]] = field(default_factory=dict)
    """The polynomials at each precision that was asked for, ends in falling order."""

    def delta(self, point: Fraction) -> arb:
        """A ball around delta(point) of the finite losses."""
        top = total_top(self.terms)
        if top is not None and point >= top:
            return arb(0)
        bits = BALL_BITS + 4 * sum(count for _, count in self.terms)
        while True:
            found = self._delta(point, bits)
            if found.rel_accuracy_bits() >= ENOUGH_BITS or bits >= MOST_BITS:
                return found
            bits *= 2

    def epsilon(self, goal: arb) -> Bracket:
        """The least epsilon ≥ 0 at which delta comes down to the goal."""
        if self.delta(Fraction(0)) <= goal:
            return Bracket(0.0, 0.0)
        plan, top = saddle.for_log_delta(self.terms, float(goal.mid().log())), total_top(self.terms)
        try:
            return crossing(self.delta, self.delta, goal, start=plan.point, rate=plan.tilt, top=top)
        except Uncertified:  # Next to the largest loss the curve bends too much for secants.
            return least_epsilon(self.delta, goal, top=top)

    def _delta(self, point: Fraction, bits: int) -> arb:
        with precision(bits):
            if bits not in self.rows:
                self.rows[bits] = list(_rows(self.terms))
            total = arb(0)
            for end, row in self.rows[bits]:
                if end <= point:
                    break
                steps = _steps(ball((end - point) / 2), len(row), bits)
                total += (arb_mat(1, len(row), row) * arb_mat(len(row), 1, steps))[0, 0]
            return arb.max(total * exp_ball(point / 2), arb(0))


def fits(terms: Terms) -> bool:
    """Whether the laws have such a form, and few enough terms for it to be quick."""
    ends, losses = 1, sum(count for law, count in terms if law.atoms() is None)
    if losses == 0:
        return False
    for law, count in terms:
        size = law.breaks(count)
        if size is None:
            return False
        ends *= size
        if ends * losses > MOST_WORK:
            return False
    return True


def _rows(terms: Terms) -> Iterator[tuple[Fraction, list[arb]]]:
    total = {Fraction(0): arb_poly([1])}
    for law, count in terms:
        found: dict[Fraction, arb_poly] = {}
        for end, factor in law.exponentials(count).items():
            for before, row in total.items():
                found[before + end] = found.get(before + end, arb_poly([0])) + row * factor
        total = found
    for end in sorted(total, reverse=True):
        yield end, total[end].coeffs()


def _steps(z: arb, count: int, bits: int) -> list[arb]:
    """S_0(z), …, S_(count−1)(z): sums of every second z^r/r!, added up from the smallest."""
    powers, tiny = [arb(1)], arb(2) ** -bits
    while len(powers) <= count + 1 or not (2 * z < len(powers) and powers[-1] < powers[count] * tiny):
        powers.append(powers[-1] * z / len(powers))
    rest = arb(0).union(powers[-1])  # From here on each power is less than half of the one before.
    sums = [rest, rest]
    for power in reversed(powers[1:]):
        sums.append(sums[-2] + power)
    # sums[-1] adds z/1! + z³/3! + …, the one before it z²/2! + …: S_m starts at the power m + 1.
    return [2 * sums[len(sums) - 1 - m] for m in range(count)]
