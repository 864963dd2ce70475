"""Closed forms against every history, and against the numbers of the literature."""

from collections import defaultdict
from fractions import Fraction

import pytest

from banister.errors import BadValue
from banister.spread.lab import detection
from tests.spread.enumeration import adaptive_histories, snapshot_detection, tree_histories

CASES = [(2, 8), (3, 7), (4, 6), (5, 5)]


@pytest.mark.parametrize(("degree", "last"), CASES)
def test_adaptive_detection_equals_that_of_all_histories(degree: int, last: int) -> None:
    for steps in range(1, last + 1):
        assert snapshot_detection(adaptive_histories(degree), degree, steps) == detection.adaptive_detection(
            degree, steps
        )


@pytest.mark.parametrize(("degree", "last"), [(2, 7), (3, 6), (4, 5), (5, 4)])
def test_tree_detection_equals_that_of_all_histories(degree: int, last: int) -> None:
    for steps in range(1, last + 1):
        assert snapshot_detection(tree_histories, degree, steps) == detection.tree_detection(degree, steps)


def test_the_printed_bound_fails_at_odd_steps() -> None:
    assert detection.adaptive_detection(3, 3) == Fraction(5, 18) > Fraction(1, 5)
    assert detection.adaptive_detection(2, 3) == Fraction(1, 2) > Fraction(1, 3)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_line_detection_and_distance_equal_those_of_uniform_ends(steps: int) -> None:
    chance = Fraction(1, (steps + 1) ** 2)
    by_size: dict[int, int] = defaultdict(int)
    right, distance = Fraction(0), Fraction(0)
    for left in range(steps + 1):
        for right_end in range(steps + 1):
            by_size[left + right_end] += 1
    for left in range(steps + 1):
        for right_end in range(steps + 1):
            size = left + right_end
            first = max(0, size - steps)
            possible = range(first, first + by_size[size])
            assert left in possible
            right += chance / by_size[size]
            distance += chance * sum(abs(left - guess) for guess in possible) / by_size[size]
    assert right == detection.line_detection(steps)
    assert distance == detection.line_distance(steps)


def test_diffusion_on_a_line() -> None:
    assert detection.line_diffusion_detection(2, "1/2") == Fraction(5, 8)
    assert float(detection.line_diffusion_detection(10, "1/2")) == pytest.approx(0.336, abs=5e-4)


def test_diffusion_size_corrects_the_printed_one() -> None:
    assert detection.diffusion_size(3, 2, "1/2") == Fraction(19, 4)
    assert detection.diffusion_size(4, 3, 1) == detection.ball_size(4, 3)
    assert detection.diffusion_size(2, 3, "1/2") == 4


@pytest.mark.parametrize(("degree", "limit"), [(3, 0.25), (4, 0.2732), (5, 0.2829), (10, 0.297), (10_000, 0.30685)])
def test_diffusion_limit(degree: int, limit: float) -> None:
    assert detection.diffusion_limit(degree) == pytest.approx(limit, abs=1e-4)


@pytest.mark.parametrize(
    ("degree", "spies", "chance"),
    [(3, 0.1, 0.431), (4, 0.1, 0.314), (10, 0.1, 0.184), (20, 0.1, 0.149), (50, 0.1, 0.120), (10, 0.05, 0.107)],
)
def test_spies_detection(degree: int, spies: float, chance: float) -> None:
    assert detection.spies_detection(degree, spies) == pytest.approx(chance, abs=5e-4)
    assert detection.spies_detection(degree, spies) > spies


def test_sizes_and_times() -> None:
    assert [detection.tree_size(2, t) for t in range(5)] == [1, 2, 3, 4, 5]
    assert detection.steps_to_reach(3, 46) == 8
    assert detection.steps_to_reach(3, 47) == 10


def test_impossible_parameters_are_refused() -> None:
    with pytest.raises(BadValue, match="degree = 1 must be a whole number, 2 or above"):
        detection.ball_size(1, 3)
    with pytest.raises(BadValue, match="On a line the chance falls"):
        detection.diffusion_limit(2)
    with pytest.raises(BadValue, match="steps = 0 must be a whole number, 1 or above"):
        detection.adaptive_detection(3, 0)
    with pytest.raises(BadValue, match="spies = 1 must be a number above 0 and below 1"):
        detection.spies_detection(3, 1)


@pytest.mark.parametrize(("degree", "steps"), [(2, 4), (2, 6), (3, 2), (3, 4), (3, 6), (4, 4)])
def test_the_distance_of_adaptive_diffusion_is_that_of_two_random_holders(degree: int, steps: int) -> None:
    """By walking over a ball: both ends uniform on it, without its centre."""
    nodes: list[tuple[int, ...]] = [()]
    for node in nodes:
        if len(node) < steps // 2:
            nodes.extend((*node, i) for i in range(degree - bool(node)))

    def hops(a: tuple[int, ...], b: tuple[int, ...]) -> int:
        shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        return len(a) + len(b) - 2 * shared

    found = [hops(a, b) for a in nodes[1:] for b in nodes[1:]]
    assert detection.adaptive_distance(degree, steps) == Fraction(sum(found), len(found))
    leaves = [node for node in nodes if len(node) == steps // 2]
    apart = [hops(a, b) for a in leaves for b in leaves]
    assert detection.tree_distance(degree, steps) == Fraction(sum(apart), len(apart))


@pytest.mark.parametrize(("degree", "steps"), [(2, 5), (3, 3), (3, 5), (4, 3)])
def test_odd_sizes_and_their_mean_are_those_of_all_histories(degree: int, steps: int) -> None:
    mean, sizes = Fraction(0), set()
    for history in adaptive_histories(degree)(lambda node: regular_neighbours(degree, node), (), steps):
        sizes.add(len(history.holders))
        mean += history.chance * len(history.holders)
    assert sizes == set(detection.adaptive_sizes(degree, steps))
    assert mean == detection.adaptive_mean_size(degree, steps)


def regular_neighbours(degree: int, node: object) -> list[tuple[int, ...]]:
    """The regular tree, a node named by the way to it from the author."""
    assert isinstance(node, tuple)
    up = [node[:-1]] if node else []
    return [*up, *((*node, i) for i in range(degree - len(up)))]


def test_an_odd_step_has_no_flat_likelihood() -> None:
    with pytest.raises(BadValue, match="steps = 3 must be even: at odd steps the likelihood is not flat"):
        detection.adaptive_distance(3, 3)
