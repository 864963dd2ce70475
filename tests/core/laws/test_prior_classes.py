"""Tables for a class of priors."""

import numpy as np
import pytest

from banister.core.laws.prior_classes import optimum_for_priors
from banister.core.laws.table_programs import histograms_of, optimum_for_prior
from banister.errors import BadValue


def test_with_every_prior_it_is_the_minimax_mechanism_of_a_count() -> None:
    """The minimax decoder of counts 0..10 at epsilon 0.2 errs by 2.560; two cells move by twice the count's error."""
    found = optimum_for_priors(10, 2, list(np.eye(11)), "1/5")
    assert found.distortion / 2 == pytest.approx(2.5597, abs=1e-4)
    assert 0 <= found.distortion - found.lower_bound < 1e-6
    far = np.abs(np.subtract.outer(np.arange(11), np.arange(11))) * 2
    assert (found.mechanism * far).sum(axis=1).max() <= found.distortion + 1e-9
    ratio = found.mechanism[1:] / found.mechanism[:-1]
    assert max(ratio.max(), 1 / ratio.min()) <= np.exp(0.2) * (1 + 1e-6)


def test_a_class_is_as_hard_as_its_worst_mixture_and_harder_than_its_members() -> None:
    rng = np.random.default_rng(2)
    priors = [rng.dirichlet(np.full(len(histograms_of(3, 3)), 0.3)) for _ in range(3)]
    found = optimum_for_priors(3, 3, priors, 1)
    assert found.distortion == pytest.approx(optimum_for_prior(3, 3, found.worst_prior, 1).distortion, rel=1e-6)
    assert found.distortion >= max(optimum_for_prior(3, 3, prior, 1).distortion for prior in priors) - 1e-9
    alone = optimum_for_priors(3, 3, priors[:1], 1)
    assert alone.distortion == pytest.approx(optimum_for_prior(3, 3, priors[0], 1).distortion, rel=1e-7)


def test_a_class_of_nothing_and_weights_that_are_none_are_refused() -> None:
    with pytest.raises(BadValue, match=r"0 priors were given\. A class is made of 1 to 64 of them"):
        optimum_for_priors(2, 2, [], 1)
    with pytest.raises(BadValue, match="A prior must be finite weights, none negative and not all 0"):
        optimum_for_priors(2, 2, [[1, -1, 1]], 1)
