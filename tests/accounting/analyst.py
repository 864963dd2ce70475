"""The worst adaptive analyst, by dynamic programming.

After every answer the analyst may ask any question of a menu, under any description of it that is true, or stop. The
accountant, driven by nothing but what it accepts, refuses and reports as its totals, is all that holds her back. Among
all her ways this finds the one with the largest Σ (p₀ − e^epsilon·p₁)⁺ over full runs, which a budget
(epsilon, delta) promises to keep at most delta.

Whatever is found can be reached, up to the rounding of sums of positive doubles: losses of answers are whole numbers of
STEP, exactly for randomized responses; Gaussian and Laplace answers are read off coarsely, in cells whose masses have a
ratio of e^(j·STEP), which is a post-processing that she may make; and what runs off the table is rounded down.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from banister.accounting.charge import Charge, Cost
from banister.accounting.terms import Accountant, Totals
from banister.core.exact.numbers import BALL_BITS, ball, exp_ball, precision
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss

STEP = Fraction(1, 8)
MOST_STATES = 30_000
"""A sound filter has far fewer totals in these tests; one that charges nothing has no end of them."""
ROUNDING = 1 - 1e-11
"""Sums of positive doubles along a path of a thousand answers are off by less."""

Values = NDArray[np.float64]
Atoms = dict[int, float]
"""The mass, if the first neighbour is the true one, of each loss in steps."""


@dataclass(frozen=True)
class Tell:
    """What an answer tells if the first neighbour is the true one: finite losses, and the chance to tell all."""

    atoms: Atoms
    escape: float = 0.0

    def then(self, other: "Tell") -> "Tell":
        """Both answers at once."""
        atoms: Atoms = {}
        for a, p in self.atoms.items():
            for b, q in other.atoms.items():
                atoms[a + b] = atoms.get(a + b, 0.0) + p * q
        return Tell(atoms, self.escape + other.escape - self.escape * other.escape)


@dataclass(frozen=True)
class Question:
    """What may be asked: its true descriptions, and what its answer tells in either order of the neighbours."""

    costs: tuple[Cost, ...]
    forth: Tell
    back: Tell

    def also(self, *costs: Cost) -> "Question":
        """The same question with further descriptions, all of them true."""
        return Question((*self.costs, *costs), self.forth, self.back)

    def only(self, *costs: Cost) -> "Question":
        """The same question under these descriptions instead."""
        return Question(costs, self.forth, self.back)

    def mirrored(self) -> "Question":
        """The same with the neighbours' places changed, in its losses too."""
        return Question(tuple(_turned(cost) for cost in self.costs), self.back, self.forth)


def together(*questions: Question) -> Question:
    """All of them in one charge for what they give away together."""
    losses = [Charge.of(one.costs[0], label="x", neighbours=Neighbours.REPLACE).loss for one in questions]
    forth, back = questions[0].forth, questions[0].back
    for one in questions[1:]:
        forth, back = forth.then(one.forth), back.then(one.back)
    return Question((PrivacyLoss.nothing().with_(*losses),), forth, back)


def response(steps: int, delta: Fraction = Fraction(0)) -> Question:
    """The worst question of (steps·STEP, delta): all is told with the chance delta, else randomized response."""
    size = float(steps * STEP)
    heads = (1 - float(delta)) / (1 + math.exp(-size))
    tell = Tell({steps: heads, -steps: heads * math.exp(-size)} if steps else {0: 1 - float(delta)}, float(delta))
    return Question((Guarantee(steps * STEP, delta),), tell, tell)


def gaussian(mu_squared: Fraction) -> Question:
    """Gaussian noise, its answer read off in cells."""
    square = float(mu_squared)
    mu = math.sqrt(square)

    def beyond(x: float) -> tuple[float, float]:
        return float(ndtr((square / 2 - x) / mu)), float(ndtr((-square / 2 - x) / mu))

    tell = _mirrored_cells(beyond, square / 2 + 9 * mu)
    return Question((PrivacyLoss.gaussian(mu_squared),), tell, tell)


def laplace(steps: int) -> Question:
    """Laplace noise of epsilon = steps·STEP: two atoms, and what lies between them in cells."""
    epsilon = float(steps * STEP)

    def between(x: float) -> tuple[float, float]:
        x = min(x, epsilon)
        return -math.expm1((x - epsilon) / 2) / 2, (math.exp(-(x + epsilon) / 2) - math.exp(-epsilon)) / 2

    inner = _mirrored_cells(between, epsilon).atoms
    atoms = dict(inner)
    for end, mass in ((steps, 0.5), (-steps, math.exp(-epsilon) / 2)):
        atoms[end] = atoms.get(end, 0.0) + mass
    tell = Tell(atoms)
    return Question((PrivacyLoss.laplace(steps * STEP), Guarantee(steps * STEP)), tell, tell)


def lopsided(up: int, down: int, *, escape: Fraction = Fraction(0), idle: Fraction = Fraction(0)) -> Question:
    """Two finite losses, `up` and −`down`; tells all with the chance `escape` if the first neighbour is the true one,
    and nothing at all with the chance `idle`, whoever is."""
    with precision(BALL_BITS):
        top, bottom, asks = exp_ball(-up * STEP), exp_ball(down * STEP), ball(1 - idle)
        high = (bottom * ball(1 - escape) - 1) / (bottom - top)
        masses = {up: asks * high, -down: asks * (ball(1 - escape) - high)} | ({0: ball(idle)} if idle else {})
        told = asks * ball(escape)
    loss = PrivacyLoss.of_one_sided_atoms([(s * STEP, m) for s, m in masses.items()], infinite=told)
    forth = {s: float(m) for s, m in masses.items()}
    back = {-s: m * math.exp(-s * float(STEP)) for s, m in forth.items()}
    return Question((loss,), Tell(forth, float(told)), Tell(back))


def _mirrored_cells(beyond: Callable[[float], tuple[float, float]], end: float) -> Tell:
    """Pool the answers of a symmetric pair without atoms into cells that lie on the grid.

    `beyond` gives the mass of losses above x ≥ 0 under either neighbour. Each cell reaches so far that its masses have
    the ratio e^(j·STEP); what is beyond the last one is pooled, and its ratio rounded down.
    """
    step = float(STEP)
    atoms: Atoms = {}
    low = min(step / 2, end / 2)
    atoms[0] = sum(beyond(0.0)) - sum(beyond(low))
    while True:
        j = math.floor(low / step) + 1
        edge = _edge(beyond, low, j * step)
        if edge is None or edge > end:
            break
        _put(atoms, j, beyond(low)[0] - beyond(edge)[0], beyond(low)[1] - beyond(edge)[1])
        low = edge
    p, q = beyond(low)
    if q > 0:
        _put(atoms, math.floor(math.log(p / q) / step), p, q)
    return Tell(atoms)


def _put(atoms: Atoms, j: int, p: float, q: float) -> None:
    atoms[j] = atoms.get(j, 0.0) + p
    # The mirror image has the mass q under the first neighbour, and the loss −log(p/q), rounded down as well.
    mirror = -math.ceil(math.log(p / q) / float(STEP) - 1e-9)
    atoms[mirror] = atoms.get(mirror, 0.0) + q


def _edge(beyond: Callable[[float], tuple[float, float]], low: float, target: float) -> float | None:
    """Where the cell from `low` on has pooled the ratio e^target; nothing if it never does."""

    def ratio(high: float) -> float:
        (a, b), (c, d) = beyond(low), beyond(high)
        return (a - c) / (b - d) if b > d else 0.0

    left, right = target, target + 1
    if not ratio(right) > math.exp(target):
        return None
    for _ in range(60):
        middle = (left + right) / 2
        left, right = (left, middle) if ratio(middle) > math.exp(target) else (middle, right)
    return right


@dataclass
class Analyst:
    """Who knows the accountant's totals and her own answers, and plays on."""

    accountant: Accountant
    menu: Sequence[Question]
    epsilon: Fraction
    reach: int = 64
    """Losses from −reach to reach steps are on the table."""
    backwards: bool = False
    values: dict[Totals, Values] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._moves = [
            (question.back if self.backwards else question.forth, self.accountant.prepare(_charge(cost)))
            for question in self.menu
            for cost in question.costs
        ]
        losses = np.arange(-self.reach, self.reach + 1) * float(STEP)
        self._stop = np.maximum(0.0, -np.expm1(float(self.epsilon) - losses))

    def best(self) -> float:
        """The largest delta that she reaches."""
        return float(self._value(self.accountant.start(), 0)[self.reach])

    def _value(self, totals: Totals, depth: int) -> Values:
        """Her best share of p₀ from here on, for each loss so far."""
        known = self.values.get(totals)
        if known is not None:
            return known
        assert depth < 400, "the accountant lets her ask for ever"
        assert len(self.values) < MOST_STATES, "the accountant leaves her more ways than a limit can"
        best: Values = self._stop
        for tell, place in self._moves:
            after = place(totals)
            if after is None:
                continue
            assert after != totals, "the accountant took a question and charged nothing"
            best = np.maximum(best, self._ask(tell, self._value(after, depth + 1)))
        self.values[totals] = best
        return best

    def _ask(self, tell: Tell, after: Values) -> Values:
        """Her share if she asks this; a loss above the table counts as its end, one below it as worthless."""
        far = max(abs(loss) for loss in tell.atoms)
        padded = np.concatenate([np.zeros(far), after, np.full(far, after[-1])])
        found = np.full_like(after, tell.escape)
        for loss, mass in tell.atoms.items():
            found += mass * padded[far + loss : far + loss + len(after)]
        return found


def worst(accountant: Accountant, menu: Sequence[Question], epsilon: Fraction, *, reach: int = 64) -> float:
    """The largest delta over both orders of the neighbours."""
    ways = (False, True) if any(question.forth != question.back for question in menu) else (False,)
    return max(Analyst(accountant, menu, epsilon, reach, backwards).best() for backwards in ways)


def _turned(cost: Cost) -> Cost:
    if not isinstance(cost, PrivacyLoss):
        return cost  # A guarantee speaks about both orders.
    return PrivacyLoss.of_terms((law.reverse(), count) for law, count in cost.terms)


def _charge(cost: Cost) -> Charge:
    return Charge.of(cost, label="x", neighbours=Neighbours.REPLACE)
