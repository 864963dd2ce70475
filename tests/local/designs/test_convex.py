from fractions import Fraction

import numpy as np
import pytest

from banister.core.laws.utility import CHI_SQUARE, DIVERGENCES, KL, Divergence, divergence_after
from banister.core.programs.highs import HighsSolver
from banister.errors import BadValue
from banister.local.designs.convex import design_convex, least_divergence
from banister.local.designs.partition import design_between
from banister.local.designs.several import design_robust

SOLVER, ONE = HighsSolver(), Fraction(1)


def classes(seed: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    near, far = np.array([8.0, 2, 1, 1, 1]), np.array([1.0, 1, 1, 2, 8])
    return list(rng.dirichlet(near, size=3)), list(rng.dirichlet(far, size=3))


@pytest.mark.parametrize("kind", [KL, CHI_SQUARE], ids=lambda kind: kind.name)
def test_no_mixture_keeps_less_than_the_utility(kind: Divergence) -> None:
    zero, one = classes(0)
    channel = design_convex(ONE, zero, one, utility=kind)
    rng = np.random.default_rng(1)
    kept = [
        divergence_after(kind, channel.matrix, rng.dirichlet(np.ones(3)) @ zero, rng.dirichlet(np.ones(3)) @ one)
        for _ in range(3000)
    ]
    assert min(kept) >= channel.utility
    assert channel.upper_bound <= channel.utility * (1 + 2e-4) + 1e-7
    assert channel.upper_bound <= design_robust(ONE, zero, one, utility=kind).upper_bound + 1e-12


def test_mixtures_may_be_worse_than_every_listed_law() -> None:
    zero, one = [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]], [[0.1, 0.8, 0.1]]
    convex = design_convex(Fraction(3), zero, one, utility=KL)
    finite = design_robust(Fraction(3), zero, one, utility=KL)
    assert convex.upper_bound < finite.utility * 0.9
    assert convex.utility == pytest.approx(convex.upper_bound, rel=2e-4)
    middle = divergence_after(KL, convex.matrix, np.array([0.45, 0.1, 0.45]), np.array(one[0]))
    assert convex.utility <= middle


def test_single_laws_are_the_plain_design() -> None:
    zero, one = classes(2)
    channel = design_convex(ONE, zero[:1], one[:1], utility=KL)
    assert channel.utility == pytest.approx(design_between(ONE, zero[0], one[0], KL).utility, rel=2e-4)


@pytest.mark.parametrize("kind", DIVERGENCES, ids=lambda kind: kind.name)
def test_the_tangent_bound_is_below_every_mixture(kind: Divergence) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.dirichlet(np.full(4, 3.0), size=3), rng.dirichlet(np.full(4, 3.0), size=2)
    low, _ = least_divergence(kind, first, second)
    for _ in range(2000):
        m0, m1 = rng.dirichlet(np.ones(3)) @ first, rng.dirichlet(np.ones(2)) @ second
        assert float(kind.between(m0, m1)) >= low


def test_classes_that_meet_keep_nothing() -> None:
    zero, one = classes(4)
    assert design_convex(ONE, [*zero, one[0]], one, utility=KL).utility == 0


def test_an_empty_class_is_refused() -> None:
    with pytest.raises(BadValue, match="Each class needs at least one law"):
        design_convex(ONE, [], [[0.5, 0.5]], utility=KL)
