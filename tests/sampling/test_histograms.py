"""The lattice noise: its law exactly, piece by piece, and as a whole."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest

from banister.core.exact.numbers import precision
from banister.core.laws.histograms import cell_variance, lattice_weights, limit_distortion
from banister.errors import BadValue
from banister.sampling.bits import SYSTEM
from banister.sampling.histograms import (
    LatticeDraw,
    keep_chance,
    lattice_draw,
    total_mode,
    uniform_composition,
    uniform_subset,
)
from tests.tape import Tape, exact_mass


@pytest.mark.parametrize("cells", [2, 3, 4])
def test_difference_of_two_compositions_has_exactly_the_lattice_law(cells: int) -> None:
    """The sampling theorem with θ = 1/7, in rational arithmetic: what is left open is the tail of the total."""
    theta, most = Fraction(1, 7), 9 if cells < 4 else 7
    weights = [comb(s + cells - 1, s) ** 2 * theta**s for s in range(most + 1)]
    scale = sum(comb(cells - 1, j) ** 2 * theta**j for j in range(cells)) / (1 - theta) ** (2 * cells - 1)
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for s in range(most + 1):
        parts = list(_compositions(s, cells))
        for x in parts:
            for y in parts:
                law[tuple(a - b for a, b in zip(x, y, strict=True))] += weights[s] / scale / len(parts) ** 2
    left_open = 1 - sum(law.values())
    at_zero = lattice_weights(cells, theta, 0)[0]
    for z, mass in law.items():
        exact = at_zero * theta ** (sum(map(abs, z)) // 2)
        assert 0 <= exact - mass <= left_open < Fraction(1, 10**3)


def _compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    found = []
    for bars in combinations(range(total + parts - 1), parts - 1):
        edges = (-1, *bars, total + parts - 1)
        found.append(tuple(b - a - 1 for a, b in pairwise(edges)))
    return found


@pytest.mark.parametrize("cells", [2, 3])
def test_privacy_ratio_is_exactly_theta_and_attained(cells: int) -> None:
    """Neighbours differ by e_i - e_j; over all outputs in a box the ratio of masses is in [θ, 1/θ] and reaches both."""
    theta = Fraction(1, 3)
    at_zero = lattice_weights(cells, theta, 0)[0]
    box = list(np.ndindex(*([13] * (cells - 1))))
    ratios = set()
    for head in box:
        z = [x - 6 for x in head]
        z.append(-sum(z))
        moved = [z[0] + 1, *z[1:-1], z[-1] - 1]
        ratios.add((at_zero * theta ** (sum(map(abs, z)) // 2)) / (at_zero * theta ** (sum(map(abs, moved)) // 2)))
    assert min(ratios) == theta
    assert max(ratios) == 1 / theta


@pytest.mark.parametrize(("total", "cells"), [(2, 2), (1, 3), (2, 3), (0, 3), (3, 2)])
def test_compositions_are_uniform_on_every_tape(total: int, cells: int) -> None:
    def draw(bits: Tape) -> tuple[int, ...]:
        return tuple(uniform_composition(total, cells, bits, width=2).tolist())

    mass, undecided = exact_mass(lambda bits: draw(Narrow(bits)), depth=16)
    ways = comb(total + cells - 1, total)
    assert len(mass) == ways
    for value in mass.values():
        assert abs(value - Fraction(1, ways)) <= undecided < Fraction(1, 8)


class Narrow(Tape):
    """A tape on which a wide word is a whole number below 12, so that it is uniform modulo 2, 3 and 4 with few bits."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def take(self, count: int) -> int:
        return self._tape.take(count)

    def words(self, count: int, width: int) -> np.ndarray:
        if width <= 3:
            return self._tape.words(count, width)
        kind = {16: np.uint16, 32: np.uint32, 64: np.uint64}[width]
        return np.array([self._below_twelve() for _ in range(count)], dtype=kind)

    def _below_twelve(self) -> int:
        while (value := self._tape.take(4)) >= 12:
            pass
        return value


def test_subsets_have_their_size_and_order() -> None:
    for places, size in [(5, 5), (5, 0), (1000, 3), (1000, 999), (1_000_000, 1000), (3000, 1000)]:
        found = uniform_subset(places, size, SYSTEM)
        assert found.size == size == np.unique(found).size
        assert np.all(np.diff(found) > 0)
        assert found.size == 0 or (found[0] >= 0 and found[-1] < places)


@pytest.mark.parametrize(("cells", "rate"), [(2, Fraction(1)), (5, Fraction(1, 10)), (1000, Fraction(3))])
def test_keep_chance_equals_the_ratio_of_masses(cells: int, rate: Fraction) -> None:
    mode = total_mode(cells, rate)
    decay = np.exp(-float(rate) / 2)
    with precision(128):
        for total in {0, 1, mode - 1 if mode else 0, mode, mode + 1, mode + 7}:
            ratio = Fraction(comb(total + cells - 1, total), comb(mode + cells - 1, mode))
            value = float(keep_chance(cells, rate, total, mode)())
            assert value == pytest.approx(float(ratio) * decay ** (total - mode), rel=1e-9)
            assert value <= 1


def test_the_sum_is_zero_and_one_cell_has_no_noise() -> None:
    assert LatticeDraw(1, Fraction(1)).draw(SYSTEM).tolist() == [0]
    for cells in (2, 3, 1000):
        for rate in (Fraction(1, 1000), Fraction(1), Fraction(20)):
            assert lattice_draw(cells, rate).draw(SYSTEM).sum() == 0
    assert not lattice_draw(10, Fraction(80)).draw(SYSTEM).any()


def test_too_small_an_epsilon_is_refused() -> None:
    with pytest.raises(BadValue, match="is too small for 1000000 cells"):
        LatticeDraw(1_000_000, Fraction(1, 10**10))


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "theta"), [(2, 0.5), (3, 0.4), (4, 0.3), (5, 0.2)])
def test_every_atom_has_its_frequency(cells: int, theta: float) -> None:
    """Chi-square on all atoms of radius up to 2, the rest as one; 6 standard deviations are allowed."""
    rate = Fraction(-np.log(theta))
    draw, count = lattice_draw(cells, rate), 15_000
    seen: dict[tuple[int, ...], int] = defaultdict(int)
    for _ in range(count):
        seen[tuple(draw.draw(SYSTEM).tolist())] += 1
    scale = sum(comb(cells - 1, j) ** 2 * theta**j for j in range(cells)) / (1 - theta) ** (cells - 1)
    chi, atoms, rest, rest_seen = 0.0, 0, 1.0, count
    for z in np.ndindex(*([5] * (cells - 1))):
        full = [x - 2 for x in z]
        full.append(-sum(full))
        radius = sum(map(abs, full)) // 2
        if radius > 2:
            continue
        expected = theta**radius / scale
        rest, rest_seen = rest - expected, rest_seen - seen[tuple(full)]
        chi += (seen[tuple(full)] - count * expected) ** 2 / (count * expected)
        atoms += 1
    chi += (rest_seen - count * rest) ** 2 / (count * rest)
    assert abs(chi - atoms) < 6 * np.sqrt(2 * atoms)


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "rate"), [(50_000, Fraction(1)), (50_000, Fraction(1, 50)), (20_000, Fraction(6))])
def test_size_and_variance_of_large_vectors(cells: int, rate: Fraction) -> None:
    """Both branches of the composition; the mean of 12 vectors is within 6 deviations of D and of v."""
    draws = np.array([lattice_draw(cells, rate).draw(SYSTEM) for _ in range(12)])
    spread = 6 / np.sqrt(12 * cells) * 4
    assert np.abs(draws).sum(axis=1).mean() == pytest.approx(limit_distortion(cells, rate), rel=spread)
    assert draws.var() == pytest.approx(cell_variance(cells, rate), rel=2 * spread)
