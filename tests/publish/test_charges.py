"""What a plan for a whole table is charged is what its noise gives away, found a second time by enumeration."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from banister.accounting.filters import AsYouGo, Guard
from banister.accounting.ledger import Ledger
from banister.accounting.receipt import Receipt
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.publish.noise import FixedTotal, PerCell, Stated, TableNoise
from banister.publish.paying import Payable, pay
from banister.publish.sketches.cut import CutSketch
from banister.publish.sketches.sketch import SketchWish, sketch_graph, sketch_matrix
from banister.publish.sketches.variance import VarianceSketch
from banister.publish.table import plan_sanitize, sanitize
from banister.publish.wide import plan_wide, sanitize_wide
from banister.sampling.bits import SYSTEM, BitSource
from banister.tables.columns import Kind
from banister.tables.domain import Attribute, Domain

if TYPE_CHECKING:
    from banister.sampling.bits import Words

CELLS = 3
DOMAIN = Domain((Attribute(name="a", kind=Kind.CATEGORY, values=("x", "y", "z"), nulls=False),))
MOST = 40
"""Noise beyond this has a mass below 1e-8 in a cell at the levels of these tests."""
Cells = tuple[int, ...]


def geometric(epsilon: float, z: int) -> float:
    b = math.exp(-epsilon)
    return (1 - b) / (1 + b) * b ** abs(z)


def per_cell_law(epsilon: float, moved: int) -> Callable[[Cells], float]:
    return lambda z: math.prod(geometric(epsilon / moved, one) for one in z)


def fixed_total_law(epsilon: float) -> Callable[[Cells], float]:
    def weight(z: Cells) -> float:
        return math.exp(-epsilon * sum(map(abs, z)) / 2) if sum(z) == 0 else 0.0

    span = range(-MOST, MOST + 1)
    scale = sum(weight((a, b, -a - b)) for a, b in product(span, span))
    return lambda z: weight(z) / scale


def true_delta(law: Callable[[Cells], float], neighbours: Neighbours, epsilon: float, noise: TableNoise) -> float:
    """The hockey-stick divergence, over the worst pair of neighbouring tables, of the law that is drawn."""
    moves: list[Cells] = [(1, -1, 0)] if neighbours is Neighbours.REPLACE else [(1, 0, 0), (-1, 0, 0)]
    pairs = list(product(range(-MOST, MOST + 1), repeat=2))
    # Of independent cells the third never moves: its masses are the same on both sides and add up to 1.
    fixed = noise.publishes_total
    places: list[Cells] = [(a, b, -a - b if fixed else 0) for a, b in pairs]
    third = 1.0 if fixed else sum(law((0, 0, c)) for c in range(-MOST, MOST + 1)) / law((0, 0, 0))
    factor = math.exp(epsilon)
    return max(
        third * sum(max(law(z) - factor * law((z[0] - m[0], z[1] - m[1], z[2] - m[2])), 0.0) for z in places)
        for m in moves
    )


NOISES: list[tuple[TableNoise, Callable[[Cells], float]]] = [
    *(
        (
            PerCell(cells=CELLS, epsilon=Fraction(epsilon), neighbours=made),
            per_cell_law(epsilon, 1 if made is Neighbours.ADD_REMOVE else 2),
        )
        for made in Neighbours
        for epsilon in (1, 2)
    ),
    *((FixedTotal(cells=CELLS, epsilon=Fraction(epsilon)), fixed_total_law(epsilon)) for epsilon in (1, 2)),
]


@pytest.mark.parametrize("asked", list(Neighbours))
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(("noise", "law"), NOISES, ids=lambda value: "law" if callable(value) else str(value)[:60])
def test_a_plan_is_refused_or_charged_its_true_loss(
    noise: TableNoise, law: Callable[[Cells], float], level: int, asked: Neighbours
) -> None:
    worst = max(true_delta(law, asked, level, noise), 0.0)
    try:
        plan = plan_sanitize(DOMAIN, epsilon=level, neighbours=asked, noise=noise)
    except BadValue as error:
        words = str(error)
        assert "neighbours" in words or "epsilon" in words
        assert noise.neighbours is not asked or noise.epsilon != level
        return
    assert plan.neighbours is asked
    assert plan.guarantee == Guarantee(level)
    assert worst < 1e-7
    for share in ("0", "1/4", "1/2", "9/10"):
        epsilon = Fraction(share) * level
        claimed, true = plan.loss().delta_at(epsilon), true_delta(law, asked, float(epsilon), noise)
        # The law is cut at ±40, which leaves less than 1e-7 outside.
        assert float(claimed.up) == pytest.approx(true, abs=1e-6)
        assert float(claimed.down) == pytest.approx(true, abs=1e-6)


def test_the_loss_against_other_neighbours_is_twice_as_large_and_refused() -> None:
    noise = PerCell(cells=CELLS, epsilon=Fraction(1), neighbours=Neighbours.ADD_REMOVE)
    law = per_cell_law(1, 1)
    assert true_delta(law, Neighbours.REPLACE, 1.0, noise) > 0.1
    assert true_delta(law, Neighbours.REPLACE, 2.0, noise) < 1e-7
    with pytest.raises(BadValue, match="made for add-remove neighbours, the plan for replace"):
        plan_sanitize(DOMAIN, epsilon=1, neighbours=Neighbours.REPLACE, noise=noise)


@pytest.mark.parametrize("epsilon", [Fraction(50), Fraction(1, 2)])
def test_noise_of_another_level_is_refused(epsilon: Fraction) -> None:
    with pytest.raises(BadValue, match=r"made for epsilon = .*, and epsilon = 1 was asked for"):
        plan_sanitize(DOMAIN, epsilon=1, neighbours=Neighbours.REPLACE, noise=FixedTotal(cells=CELLS, epsilon=epsilon))


@dataclass(frozen=True)
class Boaster:
    """Noise that says epsilon 1, and whose loss is larger."""

    inner: FixedTotal
    cells: int = CELLS
    epsilon: Fraction = Fraction(1)
    neighbours: Neighbours = Neighbours.REPLACE
    name: str = "boaster"
    publishes_total: bool = True

    def loss(self) -> PrivacyLoss:
        return self.inner.loss()

    def stated(self) -> Stated:
        return self.inner.stated()

    def release(self, counts: NDArray[np.int64], bits: BitSource) -> NDArray[np.int64]:
        return self.inner.release(counts, bits)

    def distortion(self) -> float:
        return self.inner.distortion()

    def deviation(self, chosen: int) -> float:
        return self.inner.deviation(chosen)

    def mean_deviation(self, values: NDArray[np.float64], records: int) -> float:
        return self.inner.mean_deviation(values, records)

    def rate(self) -> float:
        return self.inner.rate()

    def rivals(self, records: int) -> tuple[tuple[str, float], ...]:
        return ()


def test_noise_whose_loss_exceeds_what_it_says_is_refused() -> None:
    noise = Boaster(FixedTotal(cells=CELLS, epsilon=Fraction(2)))
    with pytest.raises(BadValue, match="was asked for"):
        plan_sanitize(DOMAIN, epsilon=1, neighbours=Neighbours.REPLACE, noise=noise)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_ledger_is_charged_the_plans_loss(tmp_path: Path, neighbours: Neighbours) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a\nx\ny\n", encoding="utf-8")
    plan = plan_sanitize(DOMAIN, epsilon="9/10", neighbours=neighbours)
    ledger = Ledger.create("memory:", budget=Guarantee(1), neighbours=neighbours, questions=AsYouGo())
    sanitize(plan, table, ledger=ledger)
    assert ledger.remaining().charges == 1
    assert ledger.remaining().largest_epsilon <= Fraction(1, 10)


PLANS: list[Payable] = [
    *(plan_sanitize(DOMAIN, epsilon=1, neighbours=neighbours) for neighbours in Neighbours),
    *(plan_wide(DOMAIN, epsilon=1, delta="1e-6", neighbours=neighbours) for neighbours in Neighbours),
    CutSketch(epsilon=1, delta="1e-6", nodes=1000, rows=10),
    *(VarianceSketch(epsilon=1, delta="1e-6", columns=3, rows=10, neighbours=neighbours) for neighbours in Neighbours),
]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.label()[:40])
def test_whatever_is_published_states_its_loss_and_pays_for_it(plan: Payable) -> None:
    level = plan.guarantee
    assert level.epsilon == 1
    assert plan.loss().delta_at(level.epsilon).down <= level.delta
    assert plan.loss().delta_at("9/10").up > level.delta
    questions = AsYouGo(guard=Guard.BASIC, reserve="9/10")
    ledger = Ledger.create("memory:", budget=Guarantee(9, "0.01"), neighbours=plan.neighbours, questions=questions)
    before = ledger.remaining().largest_epsilon
    pay(plan, ledger)
    assert [entry.label for entry in ledger.history()] == [plan.label()]
    assert ledger.remaining().largest_epsilon < before


def test_a_wide_plan_cannot_claim_less_than_its_noise_gives_away() -> None:
    plan = plan_wide(DOMAIN, epsilon=1, delta="1e-6", neighbours=Neighbours.REPLACE)
    for make in (
        lambda: replace(plan, epsilon=Fraction(9, 10)),
        lambda: replace(plan, delta=Fraction(1, 10**7)),
        lambda: replace(plan, mu_squared=2 * plan.mu_squared),
    ):
        with pytest.raises(BadValue, match="gives away more than"):
            make()


def test_a_sketch_is_what_its_header_says() -> None:
    cut = CutSketch(epsilon=1, delta="1e-6", nodes=1000, rows=10)
    assert CutSketch.of_header(cut.header(), nodes=1000, rows=10) == cut
    variance = VarianceSketch(epsilon=1, delta="1e-6", columns=3, rows=10, neighbours=Neighbours.REPLACE)
    assert VarianceSketch.of_header(variance.header(), columns=3, rows=10) == variance


class Guarded:
    """Bits that are given only once a receipt has been used for a charge that is written."""

    def __init__(self, used: list[str]) -> None:
        self.used = used
        self.asked = 0

    def _check(self) -> None:
        assert self.used, "something is drawn before it is paid for"
        self.asked += 1

    def take(self, count: int) -> int:
        self._check()
        return SYSTEM.take(count)

    def words(self, count: int, width: int) -> "Words":
        self._check()
        return SYSTEM.words(count, width)


def _sanitize(folder: Path, ledger: Ledger, bits: BitSource) -> object:
    plan = plan_sanitize(DOMAIN, epsilon=1, neighbours=Neighbours.REPLACE)
    return sanitize(plan, folder / "t.csv", ledger=ledger, bits=bits)


def _wide(folder: Path, ledger: Ledger, bits: BitSource) -> object:
    plan = plan_wide(DOMAIN, epsilon=1, delta="1e-6", neighbours=Neighbours.REPLACE)
    return sanitize_wide(plan, folder / "t.csv", ledger=ledger, bits=bits)


def _graph(folder: Path, ledger: Ledger, bits: BitSource) -> object:
    names = [str(node) for node in range(300)]
    return sketch_graph(folder / "g.edges", folder / "g.sketch", WISH, ledger=ledger, nodes=names, bits=bits)


def _matrix(folder: Path, ledger: Ledger, bits: BitSource) -> object:
    target = folder / "m.sketch"
    return sketch_matrix(np.eye(3), target, WISH, ledger=ledger, neighbours=Neighbours.REPLACE, bits=bits)


WISH = SketchWish(epsilon=4, delta="1e-4", rows=10)


@pytest.mark.parametrize("release", [_sanitize, _wide, _graph, _matrix])
def test_nothing_is_drawn_before_a_receipt_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: Callable[[Path, Ledger, BitSource], object]
) -> None:
    (tmp_path / "t.csv").write_text("a\nx\ny\n", encoding="utf-8")
    (tmp_path / "g.edges").write_text("\n".join(f"{i} {(i + 1) % 300}" for i in range(300)), encoding="utf-8")
    questions = AsYouGo(guard=Guard.BASIC, reserve="9/10")
    ledger = Ledger.create("memory:", budget=Guarantee(9, "0.01"), neighbours=Neighbours.REPLACE, questions=questions)
    used: list[str] = []
    spend = Receipt.use

    def use(self: Receipt, *, plan: str = "") -> None:
        spend(self, plan=plan)
        assert ledger.remaining().charges == 1
        used.append(plan)

    monkeypatch.setattr(Receipt, "use", use)
    bits = Guarded(used)
    release(tmp_path, ledger, bits)
    assert bits.asked > 0
    assert len(used) == 1
    assert used[0] != ""
