"""A private sketch of a weighted graph, released once, that answers every cut.

What is drawn here is not charged to any ledger; `banister.publish.sketches.sketch` is the safe path.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister import need
from banister.accounting.protects import Protects
from banister.core.exact.numbers import BALL_BITS, Number, ball, brief, exp_ball, fraction_up, precision
from banister.core.exact.search import least_double, least_whole
from banister.core.laws.chi_square import wider
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.publish.noise import Stated
from banister.publish.sketches.files import header_number
from banister.publish.sketches.intervals import Answer, scale_of, turned
from banister.sampling.bits import BitSource
from banister.sampling.normals import near_normals
from banister.sampling.rounded import NormalSize, rounded_many

Floats = NDArray[np.float64]
Sketch = NDArray[np.float32]
Ints = NDArray[np.int64]

KIND = "cut"
FINE_BITS = 30
"""Edges speak in whole multiples of 2^-30, so that adding them up is exact."""
COARSE_BITS = 16
"""The release lies on multiples of 2^-16."""
NODES_LIMIT = 1 << 19
"""With more nodes, sums of edges could pass 2^53, where doubles stop being exact integers."""
_MOST_FLOOR = 0.8
"""A floor that is more than this share of the whole graph leaves nothing to see."""
_LAW = NormalSize()


@dataclass(frozen=True, slots=True, init=False)
class CutSketch:
    """Release r rows N(0, w I + (1 - w/n) L), L the graph's Laplacian, its weights in [0, 1].

    Private:  (epsilon, delta)-DP when the weight of one pair of nodes changes by at most 1; the nodes are public. An
              edge changes the covariance by at most the ratio 2(1 - w/n)/w in one direction (the empty graph and a
              unit edge), so that delta is that of `core.chi_square.wider`, certified. The seed's Lemma with
              composition ([KOV15] App. C.1) asks for a floor w over a hundred times larger.
    Exact:    an edge's normal numbers are doubles on a fine grid, added up as whole numbers; the floor's are ideal,
              rounded after the sum. Only the changed edge's own rounding can show, and it moves the law by at most
              `slack` in total variation, which is counted in delta.
    """

    epsilon: Fraction
    delta: Fraction
    nodes: int
    rows: int
    root: float
    """The square root of the floor w."""

    def __init__(self, *, epsilon: Number, delta: Number, nodes: int, rows: int) -> None:
        level = need.level("epsilon", epsilon)
        chance = need.strictly_between("delta", delta, 0, 1, "A Gaussian sketch needs some delta.")
        count = need.whole("nodes", nodes, least=2, most=NODES_LIMIT)
        size = need.whole("rows", rows, least=1, most=1 << 20)

        def private(root: Fraction) -> bool:
            if root * root >= count:  # The floor is the whole graph: nothing of the data is left.
                return True
            found = wider(size, _ratio(root, count), level)
            with precision(BALL_BITS):
                total = found + (1 + exp_ball(level)) * _slack(root, size)
            return bool(total <= ball(chance))

        root = least_double(private, start=Fraction(1))
        if root * root > _MOST_FLOOR * count:
            raise BadValue(
                f"{count} nodes are too few for this guarantee: the floor would hide every cut. Take a larger epsilon "
                f"or delta, or fewer rows than {size}."
            )
        for name, value in zip(self.__slots__, (level, chance, count, size, root), strict=True):
            object.__setattr__(self, name, value)

    @property
    def floor(self) -> float:
        """w: the weight that is added, spread over all pairs."""
        return self.root * self.root

    @property
    def slack(self) -> float:
        """The part of delta that pays for doubles."""
        with precision(BALL_BITS):
            up = fraction_up((1 + exp_ball(self.epsilon)) * _slack(Fraction(self.root), self.rows))
        return float(up)

    @property
    def neighbours(self) -> Neighbours:
        """One weight is exchanged for another."""
        return Neighbours.REPLACE

    @property
    def guarantee(self) -> Guarantee:
        return Guarantee(self.epsilon, self.delta)

    def loss(self) -> PrivacyLoss:
        return PrivacyLoss.of_guarantee(self.guarantee)

    @property
    def certificate(self) -> str:
        """The kind of its certificate."""
        return "sketch"

    def stated(self) -> tuple[Stated, ...]:
        """The law of the rows, as a certificate states it."""
        law: Stated = {"law": "CutSketch", "rows": self.rows, "nodes": self.nodes, "root": str(Fraction(self.root))}
        return ({"noise": law},)

    @property
    def protects(self) -> Protects:
        """One edge of the graph."""
        return Protects(unit="edge")

    def label(self) -> str:
        """One line for the ledger."""
        return f"sketch of all cuts of {self.nodes} nodes"

    def key(self) -> str:
        """A hash of everything that the release depends on."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def header(self) -> dict[str, str]:
        """What a file of the sketch says about it."""
        return {"kind": KIND, "epsilon": brief(self.epsilon), "delta": brief(self.delta), "root": repr(self.root)}

    @classmethod
    def of_header(cls, header: Mapping[str, str], *, nodes: int, rows: int) -> "CutSketch":
        """The sketch that a file holds; nothing is calibrated again."""
        found = cls.__new__(cls)
        level, chance, root = (header_number(header, name) for name in ("epsilon", "delta", "root"))
        if root * root > _MOST_FLOOR * nodes:
            raise BadValue("The sketch says that its floor is above the whole graph. It is damaged.")
        for name, value in zip(cls.__slots__, (level, chance, nodes, rows, float(root)), strict=True):
            object.__setattr__(found, name, value)
        return found

    def deviation(self, members: int, cut: float) -> float:
        """Standard deviation of the answer to a cut of that weight around so many nodes."""
        mixed = self.floor * members * (self.nodes - members) / self.nodes + (1 - self.floor / self.nodes) * cut
        return math.sqrt(2 / self.rows) * mixed / (1 - self.floor / self.nodes)

    def release(self, first: Ints, second: Ints, weights: Floats, bits: BitSource) -> Sketch:
        """The rows, each centred, for edges first[e] - second[e] of these weights."""
        scale = np.sqrt((1 - self.floor / self.nodes) * weights) * 2.0**FINE_BITS
        down = FINE_BITS - COARSE_BITS
        noise = Fraction(self.root) * 2**COARSE_BITS
        found = np.empty((self.rows, self.nodes), dtype=np.float32)
        for row in range(self.rows):
            normals = near_normals(first.size, bits)
            normals *= scale
            np.floor(normals + 0.5, out=normals)
            # Whole numbers below 2^53: the sums are exact in doubles, whatever their order.
            sums = np.bincount(first, normals, self.nodes) - np.bincount(second, normals, self.nodes)
            units = sums.astype(np.int64)
            whole = units >> down
            parts = (units & ((1 << down) - 1)).astype(np.float64) * 2.0**-down
            values = (whole + rounded_many(parts, noise, _LAW, bits)).astype(np.float64)
            found[row] = (values - values.mean()) * 2.0**-COARSE_BITS
        return found

    def answer(self, sketch: Sketch, members: Ints, *, confidence: Number) -> Answer:
        """The weight of the cut between `members` and the rest: estimate, and an interval of that confidence.

        Exact:  ‖Y 1_S‖² is (w s(n-s)/n + (1 - w/n) cut) times a chi-square number of r degrees.
        """
        count = need.whole("nodes in the set", int(members.size), least=1, most=self.nodes - 1)
        power = float(np.square(sketch[:, members].sum(axis=1, dtype=np.float64)).sum())
        added = self.floor * count * (self.nodes - count) / self.nodes
        found = scale_of(power, self.rows, confidence=confidence)
        return turned(found, less=added, factor=1 / (1 - self.floor / self.nodes))


def rows_for(error: Number, failure: Number) -> int:
    """The fewest rows with which a cut is off by a share of `error` at most, except with probability `failure`.

    >>> rows_for("0.1", "0.05")
    768
    """
    from scipy.special import chdtr, chdtrc

    eta = float(need.strictly_between("error", error, 0, 1))
    nu = float(need.strictly_between("failure", failure, 0, 1))

    def enough(rows: int) -> bool:
        return bool(chdtr(rows, rows * (1 - eta)) + chdtrc(rows, rows * (1 + eta)) <= nu)

    return least_whole(enough)


def _ratio(root: Fraction, nodes: int) -> Fraction:
    floor = root * root
    return 2 * (1 - floor / nodes) / floor


def _slack(root: Fraction, rows: int) -> arb:
    """Total variation between the released law and one that is exact in the changed edge.

    Given the rest, the changed edge's rounding (2^-31, and 2^-40 of a normal number) shifts the sum by at most
    √(2 rows) · 2^-30.9 in length, under ideal normal noise of deviation `root`: at most 0.4 length/deviation. Words in
    the tail, known to fewer bits, add less than rows · 2^-56.
    """
    return (
        ball(Fraction(1, 1 << FINE_BITS)) * arb(rows).sqrt() / ball(root) * ball(Fraction(2, 5))
        + arb(rows) * arb(2) ** -56
    )
