"""One way in to every design: what is to be learnt, at which level, and the channel that keeps most of it."""

from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.utility import MUTUAL_INFORMATION, Divergence, divergence
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearSolver
from banister.errors import BadValue
from banister.local.channels.every_set import EverySet
from banister.local.channels.hadamard import HadamardResponse
from banister.local.channels.matrix import MatrixChannel
from banister.local.channels.response import RandomizedResponse
from banister.local.channels.subset import SubsetSelection
from banister.local.designs.estimation import ESTIMATION, MOST_CATEGORIES, design_estimation, design_frequency
from banister.local.designs.information import design_information
from banister.local.designs.partition import design_between
from banister.local.designs.priors import pair, positive_law

Designed = RandomizedResponse | MatrixChannel | SubsetSelection | EverySet | HadamardResponse
"""What a design comes out as."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class DesignRequest:
    """What is asked of a design: the level, what is to be learnt, and two hypotheses or the law of the answers.

    It is checked when it is made, and handed on whole.

    >>> asked = DesignRequest(1, "estimation", prior=[0.5, 0.3, 0.2])
    >>> asked.channel().categories
    3
    """

    epsilon: Fraction
    utility: str | Divergence
    between: tuple[Floats, Floats] | None
    prior: Floats | None

    def __init__(
        self,
        epsilon: Number,
        utility: str | Divergence,
        *,
        between: tuple[ArrayLike, ArrayLike] | None = None,
        prior: ArrayLike | None = None,
    ) -> None:
        if (between is None) == (prior is None):
            raise BadValue("Give either between=(p0, p1), two hypotheses, or prior=p, the law of the answers.")
        if between is None and utility not in (MUTUAL_INFORMATION, ESTIMATION):
            raise BadValue(
                f"utility = {utility!r} needs two hypotheses; with a prior it is {MUTUAL_INFORMATION} or {ESTIMATION}."
            )
        object.__setattr__(self, "epsilon", need.non_negative("epsilon", epsilon))
        object.__setattr__(self, "utility", utility if between is None else divergence(utility))
        object.__setattr__(self, "between", None if between is None else pair(between))
        object.__setattr__(self, "prior", None if prior is None else positive_law("prior", prior))

    def channel(self, solver: LinearSolver = SOLVER) -> Designed:
        """The best channel, with its certificate."""
        if self.between is not None:
            return design_between(self.epsilon, *self.between, divergence(self.utility))
        assert self.prior is not None  # One of the two is there, or the value could not have been made.
        if self.utility == MUTUAL_INFORMATION:
            return design_information(self.epsilon, self.prior, solver)
        if self.prior.size > MOST_CATEGORIES:
            return design_frequency(self.epsilon, self.prior)
        return design_estimation(self.epsilon, self.prior, solver)


def design(
    *,
    epsilon: Number,
    utility: str | Divergence,
    between: tuple[ArrayLike, ArrayLike] | None = None,
    prior: ArrayLike | None = None,
) -> Designed:
    """The channel that keeps most of what you want to learn, with a certificate that nothing keeps more.

    `between` two laws: utility "kl", "total-variation", "chi-square", "hellinger", "jeffreys", "jensen-shannon",
    "reverse-kl", or a `Divergence` of your own. With a `prior`: "mutual-information", or "estimation" for the least
    error of estimated frequencies.

    >>> channel = design(epsilon=1, between=([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]), utility="kl")
    >>> channel.outputs, round(channel.utility, 6), channel.utility <= channel.upper_bound
    (2, 0.039997, True)
    """
    return DesignRequest(epsilon, utility, between=between, prior=prior).channel()
