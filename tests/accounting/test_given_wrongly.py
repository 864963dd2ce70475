"""What is given in the wrong form is refused in words: which value, and what to write instead."""

from collections.abc import Callable

import pytest

import banister as bn
from banister.accounting import (
    each_by_corollary,
    gaussian_by_theorem,
    laplace_by_corollary,
)
from banister.accounting.plan import plan_for
from banister.errors import BadValue

PAIR = (1, 1e-6)

WITH_A_TOTAL: list[Callable[..., object]] = [
    lambda total: bn.calibrate(total=total, questions=3),
    lambda total: bn.calibrate_laplace(total=total, questions=3, sensitivity=1),
    lambda total: bn.calibrate_gaussian(total=total, questions=3, sensitivity=1),
    lambda total: each_by_corollary(total=total, questions=3),
    lambda total: laplace_by_corollary(total=total, questions=3, sensitivity=1),
    lambda total: gaussian_by_theorem(total=total, questions=3, sensitivity=1),
]


@pytest.mark.parametrize("ask", WITH_A_TOTAL)
@pytest.mark.parametrize("total", [PAIR, 1, "1, 1e-6", None])
def test_a_total_is_a_guarantee(ask: Callable[..., object], total: object) -> None:
    with pytest.raises(BadValue, match=r"must be a guarantee: write total=bn\.Guarantee\(epsilon, delta\)"):
        ask(total)
    ask(bn.Guarantee(*PAIR))


@pytest.mark.parametrize("item", [(1, 2, 3), (1, 1e-6), (bn.Guarantee(1),), (bn.Guarantee(1), 2, 3), ()])
def test_a_release_with_a_count_is_a_release_and_a_count(item: tuple[object, ...]) -> None:
    for take in (bn.compose, lambda items: plan_for(bn.Guarantee(9), items)):
        with pytest.raises(BadValue, match="is not a release with a count"):
            take([item])  # type: ignore[list-item]
    with pytest.raises(BadValue, match=r"count = 1\.5 must be a whole number"):
        bn.compose([(bn.Guarantee(1), 1.5)])  # type: ignore[list-item]


@pytest.mark.parametrize("releases", [bn.Guarantee(1), 3, "30 x (0.1, 0)"])
def test_releases_come_in_a_list(releases: object) -> None:
    with pytest.raises(BadValue, match="is not a list of releases"):
        bn.compose(releases)  # type: ignore[arg-type]


def test_what_cannot_be_explained_is_said() -> None:
    with pytest.raises(BadValue, match=r"\(1, 1e-06\) cannot be explained"):
        bn.explain(PAIR)  # type: ignore[arg-type]
