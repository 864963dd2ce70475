"""An adversary who controls some of the nodes."""

from dataclasses import dataclass
from typing import ClassVar

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.estimators.spies import first_spy, timing
from banister.spread.lab.evidence import Ranking


@dataclass(frozen=True, slots=True)
class SpyAdversary:
    """Controls each node but the author with chance `share`; its nodes follow the protocol and pool what they see.

    `estimator` is `ml` (the best attack known on the protocol), `first` or `timing` (one step a hop).

    >>> from banister.spread import Study
    >>> asked = {"protocols": ["adaptive:degree=3"], "steps": [4], "trials": 20}
    >>> study = Study("regular-tree:3", adversaries=[SpyAdversary(share=0.1)], **asked)
    >>> study.run(workers=1).rows[0].adversary
    'spies:0.1'
    """

    name: ClassVar[str] = "spies"
    forms: ClassVar[tuple[str, ...]] = ("spies:0.1", "spies:0.1:first")

    share: float
    estimator: str = "ml"

    def __post_init__(self) -> None:
        need.strictly_between("share", self.share, 0, 1)
        need.one_of("estimator", self.estimator, ("ml", "first", "timing"))

    @property
    def spec(self) -> str:
        return f"spies:{self.share:g}" + ("" if self.estimator == "ml" else f":{self.estimator}")

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        reports = scene.reports(self.share, chance)
        if self.estimator == "first":
            return first_spy(reports)
        if self.estimator == "timing":
            return timing(reports, mean=1, variance=1)
        return scene.protocol.spy_suspects(reports)
