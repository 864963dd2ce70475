"""The laboratory's attacks on what spies among real processes wrote down.

Every process writes down each copy that comes: from whom, when, and what it told. For each post some people are drawn
to be spies, as in the laboratory, and the attacks are shown what these wrote, or who had the post at the deadline, or
both. How often they name the author is held against what the laboratory foretells for that very graph, with frames.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from banister.sampling.simulation import seeded
from banister.spread import Study
from banister.spread.lab.adversaries.base import Scene
from banister.spread.lab.frames import Frames
from banister.spread.lab.graph import Graph
from banister.spread.lab.logs import Heard, spread_heard
from banister.spread.lab.study import MeasuredChance
from banister.spread.lab.written import parse_adversary
from banister.spread.node.wildfire import SWITCH

SPIES = "0.1667"
ATTACKS = ("snapshot", f"spies:{SPIES}:first", f"spies:{SPIES}:timing", f"spies:{SPIES}", f"snapshot+spies:{SPIES}")


@dataclass(frozen=True, slots=True)
class Posted:
    """Who wrote a post, and at which step of the drill."""

    author: int
    name: bytes
    begin: float


@dataclass(frozen=True, slots=True)
class Attacked:
    """One attack: what it found in the drill, and what was foretold."""

    attack: str
    found: MeasuredChance
    foretold: MeasuredChance

    @property
    def holds(self) -> bool:
        """Whether the drill gives away no more than was foretold, as far as so many posts can tell."""
        return self.found.low <= self.foretold.high

    def words(self) -> str:
        verdict = "not above what was foretold" if self.holds else "ABOVE what was foretold"
        return f"{self.attack:<24} found {self.found}; foretold {self.foretold}: {verdict}"


def attacked(
    graph: Graph, heard: Mapping[int, Sequence[Heard]], posts: Sequence[Posted], *, seed: int, trials: int = 400
) -> list[Attacked]:
    """Each attack on each post, and on as many posts as wanted of the laboratory's own."""
    adversaries, frames = [parse_adversary(each) for each in ATTACKS], Frames()
    hits: dict[str, list[float]] = {each: [] for each in ATTACKS}
    for number, post in enumerate(posts):
        chance = seeded(seed, number)
        mine = {node: [each for each in seen if each.name == post.name] for node, seen in heard.items()}
        spread = spread_heard(post.author, post.name, mine, chance.random(graph.count), steps=SWITCH, begin=post.begin)
        scene = Scene(frames, graph, spread)
        for name, adversary in zip(ATTACKS, adversaries, strict=True):
            hits[name].append(adversary.suspects(scene, chance).chance_of(post.author))
    study = Study(graph, protocols=["frames"], adversaries=list(ATTACKS), steps=[SWITCH], trials=trials, seed=seed)
    rows = {row.adversary: row.detection for row in study.run(workers=1, progress=lambda *_: None).rows}
    return [Attacked(each, MeasuredChance.of(np.asarray(hits[each])), rows[each]) for each in ATTACKS]
