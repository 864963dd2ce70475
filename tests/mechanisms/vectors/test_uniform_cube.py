"""Uniform noise on a cube: the thesis' costs, and what the command line says about it."""

import json
from fractions import Fraction
from itertools import product

import pytest
from typer.testing import CliRunner

from banister.apps.cli import build
from banister.errors import BadValue
from banister.mechanisms import Independent, MoveBound, Uniform
from banister.mechanisms.comparison.least_noise import least_noise
from banister.mechanisms.vectors.uniform_cube import UniformCube

ASKED = ["--epsilon", "0", "--delta", "0.1", "--sensitivity", "3", "--integer", "--dimension", "2", "--touches", "all"]


@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_costs_are_those_of_the_thesis(dimension: int) -> None:
    # [G13] Thm 4.19 and 4.20: dΔ/(4 delta) where that is whole, d(Δ²/(12 delta²) + 1/6).
    delta, reach = Fraction(1, 10), 3
    cube = UniformCube(delta=delta, sensitivity=reach, dimension=dimension)
    assert cube.risk() == dimension * reach / (4 * delta)
    squared = dimension * (Fraction(reach**2) / (12 * delta**2) + Fraction(1, 6))
    assert cube.risk_for("squared") == pytest.approx(float(squared), rel=1e-12)


def test_the_command_line_offers_it_with_its_bound_and_whole_releases() -> None:
    told = CliRunner().invoke(build(), ["noise", *ASKED, "--json"])
    record = json.loads(told.stdout)
    assert record["best"] == "uniform cube"
    assert record["contenders"][0]["expected_cost"] == record["lower_bound"] == 15.0
    assert record["lower_bound_is"] == "certified"
    assert record["gap"] == 0
    names = [each["name"] for each in record["contenders"]]
    assert "uniform, each alone" not in names
    shown = CliRunner().invoke(build(), ["noise", *ASKED]).stdout
    assert "does not depend on it can do better" in " ".join(shown.split())
    for each in least_noise(epsilon=0, delta="0.1", sensitivity=3, over="integers", dimension=2).contenders:
        assert isinstance(each.noise, Independent | UniformCube)
        assert each.noise.release([3, 4]).dtype.kind == "i"


def test_a_cube_is_uniform_noise_on_every_coordinate() -> None:
    cube = UniformCube(delta="2/7", sensitivity=2, dimension=3, cost=1.5)
    alone = Independent(noise=cube.side, dimension=3, touches=3, bound=MoveBound.TOTAL)
    assert cube.risk() == alone.risk()
    assert cube.loss() == alone.loss() == Uniform(delta="2/7", sensitivity=2).loss()
    assert cube.exact_mass([0, 1, 2]) == cube.side.exact_mass(0) * cube.side.exact_mass(1) * cube.side.exact_mass(2)


def test_its_interval_holds_for_all_coordinates_at_once() -> None:
    cube = UniformCube(delta="1/4", sensitivity=1, dimension=2)
    size = cube.interval("0.7")

    def within(most: int) -> Fraction:
        places = product(range(-most, most + 1), repeat=2)
        return sum((cube.exact_mass(place) for place in places), Fraction(0))

    assert within(size) >= Fraction(7, 10) > within(size - 1)


def test_what_it_cannot_take_is_said() -> None:
    with pytest.raises(BadValue, match="dimension = 0"):
        UniformCube(delta="1/4", sensitivity=1, dimension=0)
    with pytest.raises(BadValue, match="has 1 numbers, and this noise 2"):
        UniformCube(delta="1/4", sensitivity=1, dimension=2).exact_mass([1])
    with pytest.raises(BadValue, match="beyond 64 bits, or not numbers"):
        UniformCube(delta="1/4", sensitivity=1, dimension=2).release([10**400, 2])


def test_costs_that_no_ball_is_made_for_are_answered_coordinate_by_coordinate() -> None:
    found = least_noise(epsilon=1, sensitivity=3, dimension=2, cost=1.5)
    assert found.best.name == "Laplace, each alone"
    assert found.certified
    assert found.lower_bound is not None
    assert found.lower_bound <= found.best.risk
