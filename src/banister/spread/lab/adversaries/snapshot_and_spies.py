"""An adversary who sees all holders at one moment and controls some of the nodes."""

from dataclasses import dataclass
from typing import ClassVar

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.evidence import Ranking


@dataclass(frozen=True, slots=True)
class SnapshotAndSpies:
    """A snapshot and spies at once; exact for a virtual source on trees, and a sum of both views elsewhere.

    >>> from banister.spread import Study
    >>> asked = {"protocols": ["adaptive:degree=3"], "steps": [4], "trials": 20}
    >>> study = Study("regular-tree:3", adversaries=[SnapshotAndSpies(share=0.1)], **asked)
    >>> study.run(workers=1).rows[0].adversary
    'snapshot+spies:0.1'
    """

    name: ClassVar[str] = "snapshot+spies"
    forms: ClassVar[tuple[str, ...]] = ("snapshot+spies:0.1",)

    share: float

    def __post_init__(self) -> None:
        need.strictly_between("share", self.share, 0, 1)

    @property
    def spec(self) -> str:
        return f"snapshot+spies:{self.share:g}"

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        return scene.protocol.joint_suspects(scene.snapshot(), scene.reports(self.share, chance))
