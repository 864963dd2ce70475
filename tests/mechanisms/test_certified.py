"""What is called certified is: bound ≤ expected cost ≤ what is stated, by an independent computation."""

import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from banister.apps.cli.noise import _verdict
from banister.core.exact.numbers import Number
from banister.core.laws.cost import Cost, CostLike, Floats
from banister.core.laws.pieces import CostPiece, Pieces
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.mechanisms import (
    ALL,
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Independent,
    IntegerStaircase,
    IntegerVectorStaircase,
    Laplace,
    MoveBound,
    OnGrid,
    RoundedGaussian,
    Staircase,
    TabulatedNoise,
    TruncatedStaircase,
    Uniform,
    VectorStaircase,
)
from banister.mechanisms.comparison.least_noise import as_record, least_noise
from banister.mechanisms.integers.lower_bounds import pure_bound
from banister.mechanisms.line.grid import Grid
from tests.drills.line_bounds import POINTS, at, wide
from tests.drills.noise import wrong
from tests.seeded import SeededBits
from tests.sizes import sized


@pytest.mark.parametrize("block", range(sized(4, 10)))  # 80 cases, or 200
def test_random_noises_and_costs_lie_between_their_bound_and_what_is_stated(block: int) -> None:
    # `python -m tests.drills.noise --cases 10000` is the long run of this.
    assert [message for seed in range(20 * block, 20 * block + 20) if (message := wrong(seed))] == []


def test_a_threshold_at_a_large_epsilon_has_its_true_optimum() -> None:
    for epsilon in (19, 25):
        found = least_noise(epsilon=epsilon, sensitivity=1, cost=Cost.beyond("1/2"))
        # With gamma = 1/2, P(|X| ≤ 1/2) = (1 - b)/(1 + b).
        truth = 2 * math.exp(-epsilon) / (1 + math.exp(-epsilon))
        assert found.best.risk == pytest.approx(truth, rel=1e-6)
        assert found.lower_bound is not None
        assert found.best.risk * (1 - 1e-12) <= found.lower_bound <= found.best.risk
        assert found.certified


def test_costs_with_broken_exponents_are_bounded_from_below_and_never_negative() -> None:
    line = least_noise(epsilon="1/2", sensitivity=1, cost=2.5)
    assert line.lower_bound is not None
    assert line.lower_bound <= line.best.risk <= line.lower_bound * (1 + 1e-12)
    for epsilon in (34, 40):
        noise = IntegerStaircase(epsilon=epsilon, sensitivity=8, cost=1.5)
        # At so large an epsilon nearly all is at 0, and one period holds b on each of its other places.
        once = 2 * math.exp(-epsilon) * (sum(i**1.5 for i in range(1, 9)))
        assert noise.risk() == pytest.approx(once, rel=1e-9)
        assert 0 < pure_bound(epsilon=epsilon, sensitivity=8, cost=1.5) <= noise.risk()
        assert noise.risk_for(lambda x: abs(x) ** 1.5) == pytest.approx(once, rel=1e-6)


def test_a_function_is_numerical_in_the_value_the_record_and_the_words() -> None:
    found = least_noise(epsilon=1, sensitivity=2, over="integers", cost=lambda x: abs(x) ** 1.5)
    assert not found.certified
    assert not any(each.certified for each in found.contenders)
    record = as_record(found)
    assert record["lower_bound_is"] == "numerical"
    assert "numerical, not certified" in _verdict(found)
    written = least_noise(epsilon=1, sensitivity=2, over="integers", cost=1.5)
    assert written.certified
    assert as_record(written)["lower_bound_is"] == "certified"
    assert "numerical" not in _verdict(written)
    with pytest.raises(BadValue, match="nothing can be proven about it"):
        pure_bound(epsilon=1, sensitivity=2, cost=lambda x: abs(x) ** 1.5)


def two_levels(x: Floats) -> Floats:
    return 1.0 * (np.abs(x) > 2.75) + 4.0 * (np.abs(x) > 4.5)


@pytest.mark.parametrize(
    ("epsilon", "function", "written"),
    [
        (25, lambda x: abs(x) > 0.5, Cost.beyond("1/2")),  # The step lies at the jump, to the last digit.
        ("32.66", two_levels, Cost.steps({"2.75": 1, "4.5": 5})),  # The jump lies where Laplace noise has 1e-40.
        ("7.178", lambda x: abs(x) > 2, Cost.beyond(2)),  # Every step is equal on the line, but not on the grid.
    ],
)
def test_a_function_is_judged_like_the_same_cost_written_down(
    epsilon: Number, function: CostLike, written: Cost
) -> None:
    """It was 33 times off, and its numerical bound 33 times above what another noise reached."""
    told = least_noise(epsilon=epsilon, sensitivity=1, cost=function)
    known = least_noise(epsilon=epsilon, sensitivity=1, cost=written)
    assert [each.name for each in told.contenders] == [each.name for each in known.contenders]
    for one, other in zip(told.contenders, known.contenders, strict=True):
        assert one.risk == pytest.approx(other.risk, rel=1e-6)
    assert told.lower_bound is not None
    assert 1 - 2e-6 < told.lower_bound / known.best.risk < 1


def test_the_words_say_for_which_noise_a_bound_holds() -> None:
    assert "answer of any size and does not depend on it can do better" in _verdict(
        least_noise(epsilon="1/2", sensitivity=1, over="integers")
    )
    assert "does not depend on it, is below" in _verdict(least_noise(epsilon=1, delta=1e-3, sensitivity=1))


ROOT = Path(__file__).parents[2]
PAGES = ("geometric", "staircase", "integer-staircase", "truncated-staircase", "uniform")


def test_nothing_is_called_optimal_without_what_it_assumes() -> None:
    """Geometric noise clamped to 0 … 5 at epsilon 0.5 errs by 1.352, where 1.919 is least for all answers."""
    kinds = {offer.kind for module in ALL for offer in module.OFFERS}
    told = {kind.__name__: re.findall(r"Optimal:(.*?)(?=\n\n|\Z)", kind.__doc__ or "", re.DOTALL) for kind in kinds}
    for page in PAGES:
        text = (ROOT / "docs" / "math" / f"{page}.md").read_text(encoding="utf-8")
        told[page] = re.findall(r"\*\*Optimal\.\*\*(.*?)(?=\n\n|\Z)", text, re.DOTALL)
        assert told[page], page
    for name, claims in told.items():
        for claim in claims:
            assert claim.lstrip().startswith(("no;", "not claimed")) or "ignore" in claim, name
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for claim in re.findall(r"[^.:]*certified bound on what any noise[^.:]*", readme):
        assert "ignores an unbounded answer" in " ".join(claim.split())
    assert "ignores an unbounded answer" in " ".join(readme.split())


@pytest.mark.parametrize(("delta", "most"), [("0.001", 0.001), ("0.01", 0.006), ("0.05", 0.03)])
@pytest.mark.parametrize("epsilon", ["0.3", "1", "3"])
def test_the_truncated_staircase_is_as_near_to_the_optimum_as_it_says(epsilon: str, delta: str, most: float) -> None:
    for reach, cost in ((2, "absolute"), (5, "absolute"), (5, "squared")):
        found = least_noise(epsilon=epsilon, delta=delta, sensitivity=reach, over="integers", cost=cost)
        assert found.lower_bound is not None
        cut = TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=reach, cost=cost)
        assert cut.risk() <= found.lower_bound * (1 + most)


@pytest.mark.parametrize("epsilon", ["1e-18", "1e-9", "1e-30"])
def test_a_truncated_staircase_at_a_tiny_epsilon_is_nearly_uniform(epsilon: str) -> None:
    noise = TruncatedStaircase(epsilon=epsilon, delta="1/50", sensitivity=1)
    flat = Uniform(delta="1/50", sensitivity=1)
    assert noise.risk() == pytest.approx(12.5, rel=1e-6)
    assert noise.interval("0.95") == flat.interval("0.95")
    assert float(noise.at_least(np.array([10.0]))[0]) == pytest.approx(float(flat.at_least(np.array([10.0]))[0]))


def test_a_staircase_takes_the_best_step_of_its_grid_and_tells_the_law_it_draws() -> None:
    noise = Staircase(epsilon=2, sensitivity=1, grid="1/5")
    assert noise.lattice.step_width == 2
    assert noise.risk() == pytest.approx(0.41556, abs=1e-5)
    drawn = np.abs(noise.release(np.zeros(40_000), SeededBits(14)))
    assert drawn.mean() == pytest.approx(noise.risk(), rel=0.03)
    assert (drawn <= noise.interval("0.95")).mean() >= 0.945
    # Where the grid does not divide the sensitivity, the noise is for more than the sensitivity, and costs more.
    assert Staircase(epsilon=2, sensitivity=1, grid="2/3").risk() > Staircase(epsilon=2, sensitivity=1).risk()


def test_a_vector_on_a_coarse_grid_stays_within_its_interval() -> None:
    noise = VectorStaircase(epsilon=1, sensitivity=1, dimension=5, grid=1)
    norms = np.abs(noise.release(np.zeros((4000, 5)), SeededBits(14))).sum(axis=1)
    assert (norms <= noise.interval(0.95)).mean() >= 0.94
    assert norms.mean() == pytest.approx(noise.risk(), rel=0.05)


def test_confidence_near_one_is_taken_exactly() -> None:
    nearly = "0.99999999999999999999"
    assert Geometric(epsilon=1).interval(nearly) == 46
    assert Laplace(epsilon=1, sensitivity=1).interval(nearly) == pytest.approx(20 * math.log(10), abs=1e-5)
    assert Gaussian.with_sigma(sigma=1, sensitivity=1).interval(nearly) == pytest.approx(9.336, abs=1e-3)
    assert Gaussian.with_sigma(sigma=1, sensitivity=1).interval(1 - Fraction(1, 10**400)) < 43.0
    assert Staircase(epsilon=1, sensitivity=1).interval(nearly) == pytest.approx(46, abs=1)
    assert Geometric(epsilon=1).quantile(1 - Fraction(1, 10**400)) == pytest.approx(400 * math.log(10), abs=2)


def test_a_delta_of_one_needs_no_noise() -> None:
    for noise in (TruncatedStaircase(epsilon=1, delta=1, sensitivity=3), Uniform(delta=1, sensitivity=3)):
        assert noise.risk() == 0
        assert noise.release(7, SeededBits(1)) == 7


@pytest.mark.parametrize("kind", [DiscreteGaussian, RoundedGaussian])
def test_gaussians_on_the_integers_agree_with_their_sums_in_doubles(kind: type[DiscreteGaussian]) -> None:
    noise = kind.with_sigma(sigma=Fraction(7, 2), sensitivity=1)
    for cost in ("absolute", 2.5, Cost.beyond(3), Cost.capped(2, at=4)):
        size = Cost.of(cost).size
        doubles = sum(noise.mass(i) * float(size(np.array([abs(float(i))]))[0]) for i in range(-60, 61))
        assert noise.risk_for(cost) == pytest.approx(doubles, rel=1e-12)
    assert kind.with_sigma(sigma=1000, sensitivity=1).risk_bracket("absolute") is None


def test_the_program_is_asked_without_epsilon_too() -> None:
    found = least_noise(epsilon=0, delta="1/10", sensitivity=3, over="integers", cost="squared")
    assert found.best.name == "linear program"
    assert found.best.risk == pytest.approx(75.1207, abs=1e-4)
    assert found.lower_bound == pytest.approx(found.best.risk, rel=1e-9)


BOUNDED = ("zero-one", Cost.beyond(2), Cost.capped(2, at=5), Cost.steps({1: 1, 6: 9}))


@pytest.mark.parametrize("cost", ["squared", 1.5, "1/2", 4, *BOUNDED])
def test_the_program_without_epsilon_is_near_its_bound_for_every_cost(cost: CostLike) -> None:
    found = least_noise(epsilon=0, delta="1/10", sensitivity=3, over="integers", cost=cost)
    assert found.best.name == "linear program"
    assert found.certified
    assert found.gap is not None
    # A cost that ends has no best noise, only ever wider ones that come nearer to it.
    assert found.gap < (0.01 if cost in BOUNDED else 1e-9)
    assert found.noise.loss().keeps(Guarantee(0, "1/10"))


@pytest.mark.parametrize("cost", ["absolute", "squared", 1.5, 2.5, "zero-one", 4])
@pytest.mark.parametrize(("epsilon", "delta"), [(3, "1e-6"), (1, "1e-9"), ("0.3", "0.01")])
def test_real_noise_with_delta_is_bounded_by_rounding(cost: object, epsilon: object, delta: str) -> None:
    found = least_noise(epsilon=epsilon, delta=delta, sensitivity=2, cost=cost)  # type: ignore[arg-type]
    assert found.certified
    assert found.lower_bound is not None
    assert found.gap is not None
    assert found.lower_bound <= found.best.risk
    if cost in ("absolute", "squared", 1.5):
        assert found.gap < 0.012


def test_sixty_points_are_within_a_percent_of_their_bound() -> None:
    # `python -m tests.drills.line_bounds` goes through all of them; this is a sample.
    assert len(POINTS) == 60
    for point in [*POINTS[2::13], ("1", "1e-6", "squared"), ("3", "1e-6", "squared")]:
        assert not wide(at(point)), point


def test_noise_on_a_grid_adds_up_as_what_it_places_there_once_rounding_is_paid() -> None:
    grid, delta = Grid("1/8"), Fraction(1, 10)
    paid = OnGrid(Uniform(delta=delta, sensitivity=10), grid, sensitivity=1)
    assert Independent(noise=paid, dimension=3, touches=3, bound=MoveBound.TOTAL).loss() == paid.loss()
    # Three coordinates that move by a third of a step each may all be rounded away: 10 steps and not 8.
    unpaid = OnGrid(Uniform(delta=delta, sensitivity=8), grid, sensitivity=1)
    assert not unpaid.counts_once(3)
    assert unpaid.counts_once(1)
    assert not OnGrid(IntegerStaircase(epsilon=1, sensitivity=99), grid, sensitivity=1).counts_once(3)
    with pytest.raises(BadValue, match=r"more than 8 steps of 0\.125"):
        OnGrid(Uniform(delta=delta, sensitivity=8), grid, sensitivity=2)
    offered = least_noise(epsilon=0, delta=delta, sensitivity=1, dimension=3)
    assert offered.best.name == "uniform, each alone"
    assert offered.noise.loss().delta_at(Fraction(0)).up <= delta * Fraction(1 + 2**-40)


def test_what_is_not_asked_rightly_is_answered_in_words() -> None:
    with pytest.raises(BadValue, match=r"value = 1\.5 must be a whole number"):
        Geometric(epsilon=1).mass(1.5)  # type: ignore[arg-type]
    for noise in (Geometric(epsilon=1), Laplace(epsilon=1, sensitivity=1), Staircase(epsilon=1, sensitivity=1)):
        with pytest.raises(BadValue, match="beyond ±"):
            noise.release(10**400)
    lattice = IntegerVectorStaircase(epsilon=1, sensitivity=2, dimension=2)
    with pytest.raises(BadValue, match=r"value = 1\.5 must be a whole number"):
        lattice.mass([1.5, 2])  # type: ignore[list-item]
    with pytest.raises(BadValue, match="has 3 numbers, and this noise 2"):
        lattice.mass([1, 2, 3])
    for flat in (Uniform(delta="1/10", sensitivity=2), TabulatedNoise(masses=[1], epsilon=0, sensitivity=1)):
        with pytest.raises(BadValue, match=r"value = 1\.5 must be a whole number"):
            flat.exact_mass(1.5)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"Write touches=1 for a histogram .* touches=3"):
        Independent(noise=Geometric(epsilon=1), dimension=3)


def test_costs_are_written_piece_by_piece() -> None:
    steps = Cost.steps({"1/2": 1, 2: 5})
    assert steps.size(np.array([0.5, 0.6, 2.0, 2.1])).tolist() == [0, 1, 1, 5]
    assert Cost.capped(2, at=3).size(np.array([2.0, 3.0, 4.0])).tolist() == [4, 9, 9]
    assert Cost.zero_one().size(np.array([0.0, 1e-9])).tolist() == [0, 1]
    with pytest.raises(BadValue, match=r"The cost falls at an error of 2\. A larger error must never cost less"):
        Cost.steps({1: 5, 2: 1})
    with pytest.raises(BadValue, match="must begin at 0"):
        Pieces(Fraction(0), (CostPiece(Fraction(1), Fraction(1)),))
    with pytest.raises(BadValue, match="a factor of 0 or more"):
        Pieces(Fraction(0), (CostPiece(Fraction(0), Fraction(1), Fraction(-1)),))
    with pytest.raises(BadValue, match="must follow each other"):
        Pieces(Fraction(0), (CostPiece(Fraction(0), Fraction(1)), CostPiece(Fraction(0), Fraction(1))))
