"""What is wished of a channel, in files: two hypotheses or more, classes of them, bins, or a distance to keep small."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.linear import Floats
from banister.errors import BadValue
from banister.local.channels.base import Channel
from banister.local.designing import DesignRequest
from banister.local.designs.distortion import design_distortion
from banister.local.designs.exponent import CHERNOFF, design_chernoff
from banister.local.designs.partition import design_bins
from banister.local.designs.several import design_average, design_robust, design_worst
from banister.local.document import Survey
from banister.local.files import NamedLaws, read_matrix, read_named_laws

DISTORTION = "distortion"
RATIOS = ["least", "greatest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignWish:
    """A design as it is asked for on a command line; files hold the laws."""

    epsilon: Number
    utility: str
    prior: Path | None = None
    between: Path | None = None
    aim: str = ""
    """For more than two hypotheses: "average" over pairs, or the "worst" pair."""
    zero: str = ""
    one: str = ""
    """Columns of the file, joined by commas: the laws that hypothesis 0 and hypothesis 1 may be."""
    distance: str = ""
    """"hamming", "absolute", or a CSV file of distances: what a report may cost."""

    def survey(self, *, question: str = "", asked_by: str = "") -> Survey:
        """The best channel for it, with the labels of the file and the words that people read."""
        if (self.prior is None) == (self.between is None):
            raise BadValue("Give either --prior, the rough law of the answers, or --between, two hypotheses or more.")
        path = self.prior or self.between
        assert path is not None
        laws = read_named_laws(path)
        channel = self._for_prior(laws) if self.prior is not None else self._between(laws)
        return Survey(channel, laws.labels, question, asked_by)

    def _for_prior(self, laws: NamedLaws) -> Channel:
        (prior,) = laws.exactly(1)
        self._unused("--prior", ("aim", "zero", "one"))
        if self.utility != DISTORTION:
            self._unused(f"--utility {self.utility}", ("distance",))
            return DesignRequest(self.epsilon, self.utility, prior=prior).channel()
        return design_distortion(self.epsilon, prior, distortion=self._distances(len(laws.labels)))

    def _between(self, laws: NamedLaws) -> Channel:
        self._unused("--between", ("distance",))
        if laws.names[-2:] == RATIOS:
            p0, p1, least, greatest = laws.exactly(4)
            masses, ratios = (p0, p1), (least, greatest)
            return design_bins(epsilon=self.epsilon, masses=masses, ratios=ratios, utility=self.utility)
        if self.zero or self.one:
            self._unused("--zero and --one", ("aim",))
            return design_robust(self.epsilon, laws.named(self.zero), laws.named(self.one), utility=self.utility)
        if len(laws.columns) > 2:
            aim = need.one_of("aim", self.aim, ("average", "worst"))
            several = design_average if aim == "average" else design_worst
            return several(self.epsilon, laws.columns, utility=self.utility)
        self._unused("two hypotheses", ("aim",))
        p0, p1 = laws.exactly(2)
        if self.utility == CHERNOFF:
            return design_chernoff(self.epsilon, p0, p1)
        return DesignRequest(self.epsilon, self.utility, between=(p0, p1)).channel()

    def _distances(self, size: int) -> Floats:
        apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
        if self.distance == "absolute":
            return apart
        if self.distance == "hamming":
            return (apart > 0).astype(np.float64)
        if not self.distance:
            raise BadValue("--utility distortion needs --distance: hamming, absolute, or a CSV file of distances.")
        return read_matrix(Path(self.distance))

    def _unused(self, what: str, names: Sequence[str]) -> None:
        for name in names:
            if getattr(self, name):
                raise BadValue(f"--{name} says nothing about {what}. Leave it out.")
