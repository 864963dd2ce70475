"""An adversary who sees all holders at one moment."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.estimators.centres import jordan, rumor
from banister.spread.lab.evidence import Ranking, TreeView

CENTRES: dict[str, Callable[[TreeView], Ranking]] = {"jordan": jordan, "rumor": rumor}


@dataclass(frozen=True, slots=True)
class SnapshotAdversary:
    """Sees all holders at one moment, and which links carried the message (undirected), on graphs also the virtual
    source. `estimator` is `ml` (the best attack known on the protocol), `rumor` or `jordan`.

    >>> from banister.spread import Study
    >>> asked = {"protocols": ["adaptive:degree=3"], "steps": [4], "trials": 20}
    >>> study = Study("regular-tree:3", adversaries=[SnapshotAdversary()], **asked)
    >>> study.run(workers=1).rows[0].adversary
    'snapshot'
    """

    name: ClassVar[str] = "snapshot"
    forms: ClassVar[tuple[str, ...]] = ("snapshot", "snapshot:rumor", "snapshot:jordan")

    estimator: str = "ml"

    def __post_init__(self) -> None:
        need.one_of("estimator", self.estimator, ("ml", *CENTRES))

    @property
    def spec(self) -> str:
        return "snapshot" if self.estimator == "ml" else f"snapshot:{self.estimator}"

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        snapshot = scene.snapshot()
        if self.estimator == "ml":
            return scene.protocol.suspects(snapshot)
        return CENTRES[self.estimator](snapshot.view)
