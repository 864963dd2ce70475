"""The comparison names the right winner and tells the truth about the limit."""

import json
from fractions import Fraction

import pytest

from banister.apps.cli.noise import _verdict
from banister.errors import BadValue, Undrawable
from banister.mechanisms.comparison.least_noise import as_record, least_noise
from banister.mechanisms.integers.truncated_staircase import TruncatedStaircase
from banister.mechanisms.integers.uniform import Uniform
from banister.mechanisms.offers import Over, Touches


def names(found) -> list[str]:
    return [each.name for each in found.contenders]


def test_pure_privacy_on_the_line_is_won_by_the_staircase() -> None:
    found = least_noise(epsilon=10, sensitivity=1, cost="squared")
    assert names(found) == ["staircase", "Laplace"]
    assert found.contenders[1].risk / found.best.risk == pytest.approx(23.6069, abs=1e-4)
    assert found.best.optimal == "[G13] Thm 2.4"
    assert found.lower_bound is not None
    assert found.lower_bound <= found.best.risk
    assert found.gap == pytest.approx(0, abs=1e-6)


def test_counts_get_geometric_noise() -> None:
    found = least_noise(epsilon=1, sensitivity=1, over="integers")
    assert names(found) == ["geometric"]
    assert isinstance(found.noise.release(5), int)  # type: ignore[arg-type]


def test_everything_that_applies_is_compared() -> None:
    found = least_noise(epsilon=1, delta=1e-6, sensitivity=30, over=Over.INTEGERS, cost="squared")
    assert set(names(found)) >= {"truncated staircase", "staircase", "discrete Laplace", "uniform", "discrete Gaussian"}
    assert found.best.risk == min(each.risk for each in found.contenders)
    line = least_noise(epsilon=1, delta=1e-6, sensitivity=3, cost="squared")
    assert set(names(line)) == {"truncated staircase", "staircase", "Laplace", "uniform", "Gaussian"}
    assert names(line)[0] == "truncated staircase"


def test_without_epsilon_uniform_noise_is_best() -> None:
    found = least_noise(epsilon=0, delta=Fraction(1, 10), sensitivity=4, over="integers")
    assert found.best.name == "uniform"
    uniform = next(each for each in found.contenders if each.name == "uniform")
    assert uniform.risk == found.best.risk
    assert uniform.optimal == "1/(2 delta) whole: [G13] Thm 4.3"
    assert least_noise(epsilon=0, delta=Fraction(1, 10), sensitivity=4).best.name == "uniform"


@pytest.mark.parametrize("cost", ["absolute", "squared"])
def test_the_optimum_by_linear_program_closes_the_gap(cost: str) -> None:
    found = least_noise(epsilon=1, delta=1e-6, sensitivity=3, over="integers", cost=cost)
    assert found.best.name == "linear program"
    assert found.gap is not None
    assert found.gap < 1e-6
    large = least_noise(epsilon=Fraction(1, 20), delta=1e-6, sensitivity=30, over="integers")
    assert "linear program" not in names(large)
    assert large.gap is not None
    assert 0 < large.gap < 0.001


def test_vectors_are_judged_by_what_a_neighbour_can_move() -> None:
    both = least_noise(epsilon=5, sensitivity=1, dimension=2)
    assert both.best.name == "staircase on the l1 ball"
    assert both.best.risk == pytest.approx(0.265511, abs=1e-6)
    assert both.best.optimal == "[G13] Thm 3.1"
    one = least_noise(epsilon=5, sensitivity=1, dimension=2, touches=Touches.ONE)
    assert one.best.name == "staircase, each alone"
    assert one.best.risk == pytest.approx(2 * 0.0826418, abs=1e-6)
    histogram = least_noise(epsilon=1, sensitivity=1, dimension=100, touches="one", over="integers")
    assert histogram.best.risk == pytest.approx(85.092, abs=1e-3)
    mixed = least_noise(epsilon=1, delta=1e-6, sensitivity=2, dimension=3, over="integers")
    assert {"staircase on the l1 ball", "rounded Gaussian, each alone"} <= set(names(mixed))
    assert mixed.lower_bound is not None
    assert mixed.lower_bound <= mixed.best.risk


def test_what_gives_the_guarantee_each_alone_is_offered_for_vectors_too() -> None:
    found = least_noise(epsilon=0, delta=Fraction(1, 10), sensitivity=2, dimension=2, over="integers")
    assert found.best.name == "uniform cube"
    assert found.gap == pytest.approx(0, abs=1e-12)
    # Whole moves that add up to 1 are one move, so what is optimal for a count is so for all.
    counts = least_noise(epsilon=1, sensitivity=1, dimension=3, over="integers")
    assert {each.name: each.optimal for each in counts.contenders}["geometric, each alone"] == "[G13] Thm 2.12"
    assert counts.gap == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("over", Over)
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_a_certain_delta_of_one_is_answered(over: Over, sensitivity: int) -> None:
    assert least_noise(epsilon=1, delta=1, sensitivity=sensitivity, over=over).best.name == "uniform"


def test_a_users_own_cost_is_judged_too() -> None:
    found = least_noise(epsilon=1, delta=1e-3, sensitivity=2, cost=lambda x: float(abs(x) > 3))
    assert found.best.risk <= min(each.risk for each in found.contenders)
    assert 0 < found.best.risk < 1


def test_the_record_is_plain_json() -> None:
    record = as_record(least_noise(epsilon="1/3", sensitivity=2, over="integers"))
    assert json.loads(json.dumps(record))["epsilon"] == "1/3"
    assert record["format"] == "banister.noise/1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0, "sensitivity": 1}, "epsilon = 0 and delta = 0 allow no answer at all"),
        ({"epsilon": 1, "delta": -0.1, "sensitivity": 1}, r"delta = -0\.1 must be a number from 0 to 1"),
        ({"epsilon": 1, "sensitivity": 1, "over": "words"}, "over = 'words' must be one of: reals, integers"),
        ({"epsilon": 1, "sensitivity": 1, "touches": "some"}, "touches = 'some' must be one of: one, all"),
        ({"epsilon": 1, "sensitivity": 1, "dimension": 0}, "dimension = 0 must be a whole number, 1 or above"),
        ({"epsilon": 1, "sensitivity": 1.5, "over": "integers"}, r"sensitivity = 1\.5 must be a whole number"),
    ],
)
def test_bad_questions_are_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        least_noise(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("over", Over)
@pytest.mark.parametrize("delta", ["0.04", "1e-15"])
def test_a_tiny_epsilon_beside_a_delta_is_as_good_as_none(over: Over, delta: str) -> None:
    """What cannot be drawn is left out and named, and the grid of what ends is as fine as its delta allows."""
    found = least_noise(epsilon="2e-18", delta=delta, sensitivity=3, over=over)
    flat = least_noise(epsilon=0, delta=delta, sensitivity=3, over=over)
    assert found.lower_bound is not None
    assert found.lower_bound <= found.best.risk <= flat.best.risk * (1 + 1e-9)
    assert found.best.risk == pytest.approx(3 / (4 * float(delta)), rel=0.005)
    assert found.gap == pytest.approx(0, abs=2e-3)
    assert "staircase" in found.left_out
    assert as_record(found)["left_out"] == list(found.left_out)
    assert "Left out, because it reaches too far to be drawn exactly: " in _verdict(found)


def test_noise_that_reaches_too_far_is_refused_where_there_is_no_other() -> None:
    with pytest.raises(Undrawable, match=r"reaches beyond 64-bit integers\. Take a coarser grid or a larger epsilon"):
        least_noise(epsilon="2e-18", sensitivity=3, over="integers")
    assert least_noise(epsilon=0, delta="1e-18", sensitivity=1).best.name == "Gaussian"
    with pytest.raises(Undrawable, match=r"sensitivity / delta = .* grid steps reach beyond 64-bit integers"):
        Uniform(delta=Fraction(1, 10**400), sensitivity=1)
    for epsilon, delta in (("1e-20", "1e-20"), ("1e-18", "1e-25")):  # Before anybody has paid for a draw.
        with pytest.raises(Undrawable, match="reaches beyond 64-bit integers"):
            TruncatedStaircase(epsilon=epsilon, delta=delta, sensitivity=1)
