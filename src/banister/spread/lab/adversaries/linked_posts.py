"""An adversary who sees several posts of one author."""

from dataclasses import dataclass
from typing import ClassVar

from banister import need
from banister.sampling.simulation import Generator
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.evidence import Ranking, combined


@dataclass(frozen=True, slots=True)
class LinkedPosts:
    """Sees one snapshot for each of several posts, and knows that one author wrote them all.

    >>> from banister.spread import Study
    >>> asked = {"protocols": ["adaptive:degree=3"], "steps": [4], "trials": 20}
    >>> study = Study("regular-tree:3", adversaries=[LinkedPosts(posts=2)], **asked)
    >>> study.run(workers=1).rows[0].adversary
    'posts:2'
    """

    name: ClassVar[str] = "posts"
    forms: ClassVar[tuple[str, ...]] = ("posts:3",)

    posts: int

    def __post_init__(self) -> None:
        need.whole("posts", self.posts, least=1)

    @property
    def spec(self) -> str:
        return f"posts:{self.posts}"

    def suspects(self, scene: Scene, chance: Generator) -> Ranking:
        rankings = [scene.protocol.suspects(scene.snapshot())]
        for _ in range(self.posts - 1):
            other = scene.again(chance)
            rankings.append(scene.protocol.suspects(other.snapshot()))
        return combined(rankings)
