"""Vector noise on the reals: the table of best steps, the law by quadrature, and privacy after rounding."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from banister.core.exact.numbers import ball, precision
from banister.errors import BadValue
from banister.mechanisms.line.grid import Grid
from banister.mechanisms.vectors.independent import laplace_vector_risk
from banister.mechanisms.vectors.radial import best_gamma, radial_risk, slope
from banister.mechanisms.vectors.vector_staircase import VectorStaircase, examples, units_of_vector_sensitivity

# gamma and expected absolute error for sensitivity 1, evaluated independently with 40 digits; epsilon 1, 2, 5, 10, 20.
KNOWN = {
    1: [(0.37754, 0.959517), (0.26894, 0.425459), (0.07586, 0.0826418), (0.006693, 0.00673825), (4.54e-5, 4.54e-5)],
    2: [(0.66708, 1.98615), (0.53705, 0.954558), (0.22987, 0.265511), (0.04488, 0.0459370), (0.001603, 0.00160470)],
    3: [(0.89767, 2.99630), (0.76864, 1.47738), (0.39899, 0.478464), (0.11143, 0.115923), (0.008894, 0.00892014)],
    4: [(0.09604, 3.99921), (0.96962, 1.99010), (0.56706, 0.698641), (0.19365, 0.204175), (0.02446, 0.0246101)],
    5: [(0.31909, 4.99985), (0.15635, 2.49622), (0.72995, 0.919013), (0.28395, 0.302591), (0.04797, 0.0484354)],
    6: [(0.54823, 5.99997), (0.35475, 2.99864), (0.88656, 1.13730), (0.37839, 0.406730), (0.07795, 0.0789942)],
    8: [(0.9993, 8.0), (0.75961, 3.99983), (0.18105, 1.56561), (0.57233, 0.623366), (0.15162, 0.154615)],
    10: [(0.44840, 10.0), (0.16161, 4.99998), (0.46584, 1.98301), (0.76749, 0.844266), (0.23680, 0.242725)],
}


@pytest.mark.parametrize("dimension", KNOWN)
def test_best_gamma_and_its_cost_are_the_known_ones(dimension: int) -> None:
    for epsilon, (gamma, risk) in zip((1, 2, 5, 10, 20), KNOWN[dimension], strict=True):
        found = best_gamma(Fraction(epsilon), dimension, 1)
        assert found == pytest.approx(gamma, abs=1.01e-5, rel=6e-4)
        assert radial_risk(Fraction(epsilon), dimension, 1, found) == pytest.approx(risk, rel=6e-6)


@pytest.mark.parametrize("exponent", [1, 2])
@pytest.mark.parametrize("dimension", [1, 2, 3, 7])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3), Fraction(12)])
def test_gamma_solves_its_condition_and_beats_the_whole_circle(
    epsilon: Fraction, dimension: int, exponent: int
) -> None:
    gamma = best_gamma(epsilon, dimension, exponent)
    with precision(400):
        residual = float(slope(epsilon, dimension, exponent, ball(Fraction(gamma))))
        beside = float(slope(epsilon, dimension, exponent, ball(Fraction(gamma) + Fraction(1, 1000))))
    assert abs(residual) < 1e-9 * max(1.0, abs(beside)) or abs(residual) < 1e-6 * abs(beside)
    least = radial_risk(epsilon, dimension, exponent, gamma)
    circle = [radial_risk(epsilon, dimension, exponent, g) for g in np.linspace(0, 1, 101)]
    assert least <= min(circle) * (1 + 1e-15)


def test_small_epsilon_puts_gamma_where_the_bernoulli_polynomial_is_least() -> None:
    epsilon = Fraction(1, 1000)
    assert best_gamma(epsilon, 2, 1) == pytest.approx(0.5 + 1 / (2 * math.sqrt(3)), abs=1e-3)
    assert best_gamma(epsilon, 5, 1) == pytest.approx(0.5, abs=1e-3)
    assert min(best_gamma(epsilon, 3, 1), 1 - best_gamma(epsilon, 3, 1)) < 1e-3


def test_large_epsilon_follows_its_asymptotics() -> None:
    epsilon = Fraction(40)
    for d in (2, 3):
        b = math.exp(-40.0)
        assert best_gamma(epsilon, d, 1) == pytest.approx((d * b) ** (1 / (d + 1)), rel=1e-3)
    risk = radial_risk(epsilon, 2, 1, best_gamma(epsilon, 2, 1))
    # Cor 3.2 with its base e: 2^(1/3) e^(-epsilon/3), and 2^(-1/3) e^(-2 epsilon/3) next.
    first = 2 ** (1 / 3) * math.exp(-40 / 3)
    assert risk == pytest.approx(first + 2 ** (-1 / 3) * math.exp(-80 / 3), rel=1e-9)


@pytest.mark.parametrize("noise", examples())
def test_density_has_mass_one_and_the_stated_norm(noise: VectorStaircase) -> None:
    d, delta = noise.dimension, float(noise.sensitivity)
    edges = np.concatenate([[0], (np.arange(60) + noise.gamma) * delta])
    axis = np.zeros(d)
    total = magnitude = 0.0
    surface = 2**d / math.factorial(d)
    for low, high in pairwise(edges):
        axis[0] = (low + high) / 2
        density = noise.density(axis)
        total += density * surface * (high**d - low**d)
        magnitude += density * surface * d / (d + 1) * (high ** (d + 1) - low ** (d + 1))
    assert total == pytest.approx(1, rel=1e-12)
    # The risk is that of the noise on the grid, for d - 1 steps more of sensitivity than the ideal law has.
    assert noise.risk_for("absolute") == pytest.approx(magnitude, rel=1e-6)
    assert noise.norm_beyond(0) == 1
    assert noise.norm_beyond(noise.interval(0.8) - d * noise.grid.step / 2) == pytest.approx(0.2, rel=1e-5)


@given(
    st.lists(st.tuples(st.fractions(-5, 5), st.fractions(-2, 2)), min_size=1, max_size=5),
    st.fractions(Fraction(1, 8), 3),
)
def test_rounding_moves_a_vector_by_no_more_than_counted(
    moves: list[tuple[Fraction, Fraction]], step: Fraction
) -> None:
    grid = Grid(step)
    moved = sum((abs(move) for _, move in moves), Fraction(0)) or Fraction(1, 100)
    apart = sum(abs(grid.unit(x + move) - grid.unit(x)) for x, move in moves)
    assert apart <= units_of_vector_sensitivity(grid, moved, len(moves))


def test_the_count_of_steps_is_attained() -> None:
    grid = Grid(1)
    assert units_of_vector_sensitivity(grid, Fraction(1), 2) == 2
    apart = sum(abs(grid.unit(Fraction(3, 4)) - grid.unit(Fraction(1, 4))) for _ in range(2))
    assert apart == 2


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 10])
@pytest.mark.parametrize("dimension", [1, 2, 10])
@pytest.mark.parametrize("cost", ["absolute", "squared"])
def test_the_fine_grid_costs_less_than_a_hundredth_of_a_percent(epsilon: Fraction, dimension: int, cost: str) -> None:
    noise = VectorStaircase(epsilon=epsilon, sensitivity=3, dimension=dimension, cost=cost)
    step = float(noise.grid.step)
    exponent = 1 if cost == "absolute" else 2
    # Rounding an answer adds at most half a step to each coordinate, and its square to the power.
    drawn = noise.lattice.risk() * step**exponent + dimension * (step / 2) ** exponent
    assert drawn <= noise.risk() * 1.0001


def test_a_vector_beats_laplace_where_theory_says() -> None:
    noise = VectorStaircase(epsilon=10, sensitivity=1, dimension=2)
    gain = laplace_vector_risk(epsilon=10, sensitivity=1, dimension=2) / noise.risk()
    assert gain == pytest.approx(4.354, abs=5e-4)


def test_releases_are_on_the_grid_and_cost_what_theory_says() -> None:
    noise = VectorStaircase(epsilon=2, sensitivity=1, dimension=3)
    answers = np.tile([0.1, -7.3, 1e6], (20_000, 1))
    errors = np.abs(noise.release(answers) - answers).sum(axis=1)
    assert abs(errors.mean() - noise.risk()) < 6 * errors.std() / np.sqrt(errors.size)
    one = noise.release([1.0, 2.0, 3.0])
    assert one.shape == (3,)
    assert not np.any(np.ldexp(one, -int(noise.grid.power_of_two())) % 1)


def test_a_grid_of_ones_own_is_kept() -> None:
    noise = VectorStaircase(epsilon=1, sensitivity=1, dimension=2, grid="1/10")
    assert noise.grid.step == Fraction(1, 10)
    assert noise.lattice.sensitivity == 11
    assert noise.release([0.3, 0.3]).shape == (2,)
    assert noise.loss().epsilon_at(0).up == pytest.approx(1)


@pytest.mark.parametrize(("epsilon", "dimension"), [("1/100000", 2), ("1/100", 20), (1, 40)], ids=str)
def test_extreme_parameters_are_released_at_their_cost(epsilon: str, dimension: int) -> None:
    noise = VectorStaircase(epsilon=epsilon, sensitivity=1, dimension=dimension)
    errors = np.abs(noise.release(np.zeros((2000, dimension)))).sum(axis=1)
    assert abs(errors.mean() - noise.risk()) < 6 * errors.std() / np.sqrt(errors.size)


@pytest.mark.parametrize(("epsilon", "dimension"), [(60, 1), (100, 1), (60, 3), (500, 2)])
def test_for_a_huge_epsilon_the_grid_is_as_fine_as_64_bits_allow(epsilon: int, dimension: int) -> None:
    # Much of the cost is in draws rarer than a test could see, so the law is compared and not a sample.
    noise = VectorStaircase(epsilon=epsilon, sensitivity=1, dimension=dimension)
    step = float(noise.grid.step)
    assert noise.lattice.risk() * step <= noise.risk() * 1.0001 + dimension * step
    assert np.all(np.abs(noise.release(np.zeros((1000, dimension)))) < 0.5)


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadValue, match=r"dimension = 0 must be a whole number from 1 to 128"):
        VectorStaircase(epsilon=1, sensitivity=1, dimension=0)
    with pytest.raises(BadValue, match=r"sensitivity = inf must be a finite number above 0"):
        VectorStaircase(epsilon=1, sensitivity=float("inf"), dimension=2)
    with pytest.raises(BadValue, match=r"The answer at position 1 is not a finite number"):
        examples()[0].release([1.0, float("nan")])
    with pytest.raises(BadValue, match=r"have the shape \(2, 3\)"):
        examples()[0].release(np.zeros((2, 3)))
