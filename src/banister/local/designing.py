"""What `bn.local` offers: designs with the solver brought along, tests, and every kind of channel."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.utility import MUTUAL_INFORMATION, Divergence, divergence, hockey_stick, power
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.local.channels.base import Certificate, Channel, Reports
from banister.local.channels.hadamard import HadamardResponse
from banister.local.channels.matrix import MatrixChannel, geometric, quaternary
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.channels.unary import UnaryEncoding
from banister.local.designs.bounds import (
    binary_for_information,
    binary_for_testing,
    contraction,
    information_up,
    kl_up,
    one_bit_information_factor,
    one_bit_testing_factor,
    one_bit_threshold,
    total_variation_kept,
)
from banister.local.designs.convex import design_convex as _design_convex
from banister.local.designs.distortion import design_distortion as _design_distortion
from banister.local.designs.distortion import least_mistakes as _least_mistakes
from banister.local.designs.estimation import ESTIMATION, MOST_CATEGORIES, design_estimation, design_frequency
from banister.local.designs.information import design_information, information_cap
from banister.local.designs.partition import design_between, design_ranges
from banister.local.designs.priors import law, pair, positive_law, same_length
from banister.local.designs.several import design_average as _design_average
from banister.local.designs.several import design_robust as _design_robust
from banister.local.designs.several import design_worst as _design_worst
from banister.local.estimates import Estimate, Intervals, Likelihood
from banister.local.testing import Errors, Verdict, likelihood_ratio_test
from banister.local.testing import errors_with as _errors_with
from banister.local.testing import people_needed as _people_needed

if TYPE_CHECKING:
    from banister.core.programs.linear import LinearSolver

__all__ = [
    "Certificate",
    "Channel",
    "Divergence",
    "Errors",
    "Estimate",
    "HadamardResponse",
    "Intervals",
    "Likelihood",
    "MatrixChannel",
    "RandomizedResponse",
    "Reports",
    "SubsetSelection",
    "UnaryEncoding",
    "Verdict",
    "binary_for_information",
    "binary_for_testing",
    "contraction",
    "design",
    "design_average",
    "design_bins",
    "design_convex",
    "design_distortion",
    "design_robust",
    "design_worst",
    "errors_with",
    "geometric",
    "hockey_stick",
    "information_cap",
    "information_up",
    "kl_up",
    "least_mistakes",
    "one_bit_information_factor",
    "one_bit_testing_factor",
    "one_bit_threshold",
    "people_needed",
    "power",
    "quaternary",
    "test",
    "total_variation_kept",
]


def design(
    *,
    epsilon: Number,
    utility: str | Divergence,
    between: tuple[ArrayLike, ArrayLike] | None = None,
    prior: ArrayLike | None = None,
) -> RandomizedResponse | MatrixChannel | SubsetSelection:
    """The channel that keeps most of what you want to learn, with a certificate that nothing keeps more.

    `between` two laws: utility "kl", "total-variation", "chi-square", "hellinger", "jeffreys", "jensen-shannon",
    "reverse-kl", or a `Divergence` of your own. With a `prior`: "mutual-information", or "estimation" for the least
    error of estimated frequencies.

    >>> channel = design(epsilon=1, between=([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]), utility="kl")
    >>> channel.outputs, round(channel.utility, 6), channel.utility <= channel.upper_bound
    (2, 0.039997, True)
    """
    level = need.non_negative("epsilon", epsilon)
    if between is not None and prior is None:
        return design_between(level, *pair(between), _divergence(utility))
    if prior is None or between is not None:
        raise BadValue("Give either between=(p0, p1), two hypotheses, or prior=p, the law of the answers.")
    if utility == MUTUAL_INFORMATION:
        return design_information(level, positive_law("prior", prior), _solver())
    if utility == ESTIMATION:
        known = positive_law("prior", prior)
        if known.size > MOST_CATEGORIES:
            return design_frequency(level, known.size)
        return design_estimation(level, known, _solver())
    raise BadValue(
        f"utility = {utility!r} needs two hypotheses; with a prior it is {MUTUAL_INFORMATION} or {ESTIMATION}."
    )


def design_bins(
    *,
    epsilon: Number,
    masses: tuple[ArrayLike, ArrayLike],
    ratios: tuple[ArrayLike, ArrayLike],
    utility: str | Divergence,
) -> RandomizedResponse:
    """For continuous data cut into bins: the best channel on the bins, and a bound on every channel of the data itself.

    `masses` are the probabilities of the bins under both hypotheses, `ratios` the least and the greatest likelihood
    ratio p0/p1 inside each bin (the greatest may be infinite).

    >>> bins = design_bins(epsilon=1, masses=([0.5, 0.5], [0.3, 0.7]), ratios=([1, 0], [2, 1]), utility="kl")
    >>> bins.categories, bins.utility <= bins.upper_bound
    (2, True)
    """
    p0, p1 = pair(masses)
    low, high = (np.asarray(ratio, dtype=np.float64) for ratio in ratios)
    with np.errstate(divide="ignore"):
        inside = p0 / p1
    if low.shape != p0.shape or high.shape != p0.shape:
        raise BadValue(f"ratios must give a least and a greatest ratio for each of the {p0.size} bins.")
    if not np.all((low >= 0) & (low <= inside * (1 + 1e-9) + 1e-300) & (inside <= high * (1 + 1e-9) + 1e-300)):
        raise BadValue("In each bin the ratio of the masses must lie between the least and the greatest ratio.")
    return design_ranges(need.non_negative("epsilon", epsilon), p0, p1, low, high, _divergence(utility))


def design_average(*, epsilon: Number, hypotheses: Sequence[ArrayLike], utility: str | Divergence) -> MatrixChannel:
    """For several hypotheses: the largest mean divergence over ordered pairs. Up to 20 categories.

    >>> laws = [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]
    >>> design_average(epsilon=1, hypotheses=laws, utility="kl").outputs
    3
    """
    return _design_average(need.non_negative("epsilon", epsilon), hypotheses, _divergence(utility), _solver())


def design_worst(*, epsilon: Number, hypotheses: Sequence[ArrayLike], utility: str | Divergence) -> MatrixChannel:
    """For several hypotheses: the largest divergence of the worst ordered pair. Up to 20 categories."""
    return _design_worst(need.non_negative("epsilon", epsilon), hypotheses, _divergence(utility), _solver())


def design_robust(
    *, epsilon: Number, zero: Sequence[ArrayLike], one: Sequence[ArrayLike], utility: str | Divergence
) -> MatrixChannel:
    """For two hypotheses that are classes of laws: the largest divergence that is kept whichever laws are true."""
    return _design_robust(need.non_negative("epsilon", epsilon), zero, one, _divergence(utility), _solver())


def design_convex(
    *, epsilon: Number, zero: Sequence[ArrayLike], one: Sequence[ArrayLike], utility: str | Divergence
) -> MatrixChannel:
    """As `design_robust`, for convex classes: any mixture of the laws of a class may be the true one."""
    return _design_convex(need.non_negative("epsilon", epsilon), zero, one, _divergence(utility), _solver())


def design_distortion(*, epsilon: Number, prior: ArrayLike, distortion: ArrayLike) -> MatrixChannel:
    """The channel with the least expected distortion[x][y] of reporting y for x; its utility is minus that."""
    return _design_distortion(need.non_negative("epsilon", epsilon), law("prior", prior), distortion, _solver())


def least_mistakes(*, epsilon: float, prior: ArrayLike) -> tuple[float, int]:
    """The least chance of reporting a wrong category, and how many categories the best channel ever reports.

    >>> least_mistakes(epsilon=1, prior=[0.9, 0.05, 0.05])[1]
    1
    """
    return _least_mistakes(epsilon, law("prior", prior))


def test(reports: Reports, channel: Channel, p0: ArrayLike, p1: ArrayLike, *, size: float = 0.05) -> Verdict:  # noqa: PT028
    """The most powerful test of hypothesis 0 against 1 from reports, with its true errors.

    >>> p0, p1 = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    >>> channel = design(epsilon=2, between=(p0, p1), utility="kl")
    >>> test(channel.respond([0] * 60), channel, p0, p1).rejects_zero
    False
    """
    if reports.channel != channel.hash:
        raise BadValue("These reports come from another channel (the hash differs). Test with the one that made them.")
    return likelihood_ratio_test(reports, channel, *_hypotheses(p0, p1), size)


def errors_with(channel: Channel, p0: ArrayLike, p1: ArrayLike, *, people: int, size: float = 0.05) -> Errors:
    """How often the best test of the size errs with that many reports."""
    return _errors_with(channel, *_hypotheses(p0, p1), need.whole("people", people, least=1), size)


def people_needed(channel: Channel, p0: ArrayLike, p1: ArrayLike, *, power: float, size: float = 0.05) -> int:
    """How many reports the test needs for a wanted power."""
    return _people_needed(channel, *_hypotheses(p0, p1), size, power)


def _hypotheses(p0: ArrayLike, p1: ArrayLike) -> tuple[Floats, Floats]:
    first, second = same_length([law("p0", p0), law("p1", p1)])
    return first, second


def _divergence(utility: str | Divergence) -> Divergence:
    return divergence(utility) if isinstance(utility, str) else utility


def _solver() -> "LinearSolver":
    from banister.core.programs.highs import HighsSolver  # Imported late: it is heavy, and few designs need it.

    return HighsSolver()
