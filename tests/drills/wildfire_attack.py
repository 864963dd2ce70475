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
    """One attack: what it found in the drill, and what was foretold for an honest crowd and for one in which as many
    friends give nothing on; and how many had a post at the deadline."""

    attack: str
    found: MeasuredChance
    foretold: MeasuredChance
    with_silent: MeasuredChance
    holders: tuple[float, float, float]

    @property
    def holds(self) -> bool:
        """Whether the drill gives away no more than was foretold, as far as so many posts can tell."""
        return self.found.low <= max(self.foretold.high, self.with_silent.high)

    def words(self) -> str:
        verdict = "not above what was foretold" if self.holds else "ABOVE what was foretold"
        holders = " / ".join(f"{each:.1f}" for each in self.holders)
        return (
            f"{self.attack:<24} found {self.found}; foretold {self.foretold}, with silent friends {self.with_silent}: "
            f"{verdict} ({holders} holders)"
        )


def attacked(
    graph: Graph,
    heard: Mapping[int, Sequence[Heard]],
    posts: Sequence[Posted],
    *,
    seed: int,
    silent: int = 0,
    trials: int = 400,
) -> list[Attacked]:
    """Each attack on each post, and on as many posts as wanted of the laboratory's own, without and with so many silent
    friends."""
    adversaries, frames = [parse_adversary(each) for each in ATTACKS], Frames()
    hits: dict[str, list[float]] = {each: [] for each in ATTACKS}
    holders: list[int] = []
    for number, post in enumerate(posts):
        chance = seeded(seed, number)
        mine = {node: [each for each in seen if each.name == post.name] for node, seen in heard.items()}
        spread = spread_heard(post.author, post.name, mine, chance.random(graph.count), steps=SWITCH, begin=post.begin)
        scene = Scene(frames, graph, spread)
        holders.append(spread.size)
        for name, adversary in zip(ATTACKS, adversaries, strict=True):
            hits[name].append(adversary.suspects(scene, chance).chance_of(post.author))
    rows = []
    for protocol in (frames, Frames(drop=silent / graph.count)):
        study = Study(graph, protocols=[protocol], adversaries=list(ATTACKS), steps=[SWITCH], trials=trials, seed=seed)
        rows.append({row.adversary: row for row in study.run(workers=1, progress=lambda *_: None).rows})
    mean = float(np.mean(holders))
    return [
        Attacked(
            each,
            MeasuredChance.of(np.asarray(hits[each])),
            rows[0][each].detection,
            rows[1][each].detection,
            (mean, rows[0][each].holders, rows[1][each].holders),
        )
        for each in ATTACKS
    ]
