"""Maximum likelihood by EM, with a proof of how far from the maximum it can be."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from banister.core.programs.linear import Floats
from banister.errors import BadValue, Uncertified
from banister.local.estimates import Likelihood

MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Operators:
    """The reports as shares of each output, the law of outputs of a prior, and Q applied to output weights."""

    shares: Floats
    forward: Callable[[Floats], Floats]
    backward: Callable[[Floats], Floats]
    categories: int
    people: int


def maximise(reports: Operators, gap: float) -> Likelihood:
    """The most likely law on the simplex.

    With g(x) = Σ_y share_y Q(y|x)/(PQ)(y), EM multiplies P by g. The log-likelihood is concave and Σ P g = 1, so
    no law is likelier than P by more than max g - 1 nats per report: that is the gap that is reported.

    Steps are paired and extrapolated; an extrapolation that lowers the likelihood is not taken.
    """
    if not 0 < gap < 1:
        raise BadValue(f"gap = {gap} must be a number above 0 and below 1; it is in nats per report.")
    law = np.full(reports.categories, 1 / reports.categories)
    for step in range(MOST_STEPS):
        score = _score(law, reports)
        reached = float(score.max() - 1)
        if reached <= gap:
            return Likelihood(law, reached, 2 * step, reports.people)
        once = law * score
        twice = once * _score(once, reports)
        law = _extrapolated(law, once, twice, reports)
    raise Uncertified(
        f"EM came within {reached:.3g} nats per report of the maximum, not {gap:g}. Ask for a larger gap."
    )


def _score(law: Floats, reports: Operators) -> Floats:
    output = reports.forward(law)
    return reports.backward(np.where(reports.shares > 0, reports.shares / np.maximum(output, 1e-300), 0.0))


def _log_likelihood(law: Floats, reports: Operators) -> float:
    output = reports.forward(law)
    used = reports.shares > 0
    return float((reports.shares[used] * np.log(np.maximum(output[used], 1e-300))).sum())


def _extrapolated(law: Floats, once: Floats, twice: Floats, reports: Operators) -> Floats:
    """Where two steps of EM point to, if that is likelier than the second step itself."""
    first, bend = once - law, twice - 2 * once + law
    size = float(np.linalg.norm(bend))
    if size < 1e-14:
        return twice
    stride = max(1.0, float(np.linalg.norm(first)) / size)
    far = np.maximum(law + 2 * stride * first + stride * stride * bend, twice * 1e-3)
    far /= far.sum()
    return far if _log_likelihood(far, reports) >= _log_likelihood(twice, reports) else twice
