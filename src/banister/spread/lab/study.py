"""Many trials of one protocol against several adversaries, and what they add up to."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banister import need
from banister.sampling.simulation import Generator, seeded
from banister.spread.lab.adversaries.base import Adversary, Scene
from banister.spread.lab.evidence import Ranking
from banister.spread.lab.graph import Contacts, Graph, Nodes
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.trace import Spread
from banister.spread.lab.trees import InfiniteTree

Floats = NDArray[np.float64]
COLUMNS = 2
"""Columns of a trial before those of the adversaries: holders, and contacts of the author."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One protocol for one number of steps, attacked by several adversaries on the same spreads."""

    graph: Graph | InfiniteTree
    protocol: SpreadProtocol
    steps: int
    adversaries: tuple[Adversary, ...]
    authors: Nodes | None = None
    """Who may write; everybody when None."""

    @property
    def label(self) -> str:
        return f"{self.protocol.spec} @ {self.steps}"


def run_trials(cell: Cell, seed: int, first: int, count: int) -> Floats:
    """Trials first … first + count - 1: one row each, with holders, contacts of the author, and for each adversary the
    chance that its guess is right and the expected hops from it to the author in the tree (NaN when it has no guess).

    Each trial has a generator of its own, so that any split into chunks gives the same rows.
    """
    rows = np.empty((count, COLUMNS + 2 * len(cell.adversaries)))
    for row in range(count):
        chance = seeded(seed, first + row, cell.steps)
        contacts, author = _place(cell, chance)
        spread = cell.protocol.run(contacts, author, steps=cell.steps, chance=chance)
        scene = Scene(cell.protocol, contacts, spread)
        rows[row, :COLUMNS] = spread.size, contacts.degrees[author]
        for place, adversary in enumerate(cell.adversaries):
            ranking = adversary.suspects(scene, chance)
            column = COLUMNS + 2 * place
            rows[row, column : column + 2] = ranking.chance_of(author), hops_off(spread, ranking)
    return rows


def _place(cell: Cell, chance: Generator) -> tuple[Contacts, int]:
    if isinstance(cell.graph, InfiniteTree):
        return cell.graph.grow(chance), 0
    if cell.authors is not None:
        return cell.graph, int(cell.authors[int(chance.integers(len(cell.authors)))])
    while True:  # Whoever has no contacts writes to nobody.
        author = int(chance.integers(cell.graph.count))
        if len(cell.graph.contacts(author)):
            return cell.graph, author


def hops_off(spread: Spread, ranking: Ranking) -> float:
    """Expected hops between the author and a guess among the best, in the tree of the spread."""
    best = ranking.best()
    best = best[(best < len(spread.time))]
    best = best[spread.time[best] >= 0]
    if len(best) == 0:
        return math.nan
    at, hops = best.copy(), np.zeros(len(best))
    while (going := spread.parent[at] >= 0).any():
        at[going] = spread.parent[at[going]]
        hops += going
    return float(hops.mean())


@dataclass(frozen=True, slots=True)
class MeasuredChance:
    """A mean of values from 0 to 1 with a 95 % interval.

    Wilson's interval for a binomial count; the values are chances, whose variance is no larger, so it is wide enough.

    >>> print(MeasuredChance.of(np.zeros(100)))
    0.000 [0.000, 0.037]
    """

    mean: float
    low: float
    high: float
    trials: int

    @classmethod
    def of(cls, values: Floats) -> "MeasuredChance":
        """From the values of all trials."""
        n, mean, z = len(values), float(np.mean(values)), 1.959964
        centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n))
        return cls(mean, max(0.0, centre - half), min(1.0, centre + half), n)

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


Estimate = MeasuredChance
"""The name at the door."""


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one protocol, number of steps and adversary.

    >>> row = Row("flooding", 4, "snapshot", 46.0, MeasuredChance.of(np.ones(100)), 0.0)
    >>> print(row.detection)
    1.000 [0.963, 1.000]
    """

    protocol: str
    steps: int
    adversary: str
    holders: float
    detection: MeasuredChance
    hops: float
    """Mean hops between guess and author, where there was a guess."""


def rows_of(cell: Cell, trials: Floats) -> tuple[Row, ...]:
    """One row for each adversary of a cell."""
    made = []
    for place, adversary in enumerate(cell.adversaries):
        chances, hops = trials[:, COLUMNS + 2 * place], trials[:, COLUMNS + 2 * place + 1]
        known = hops[~np.isnan(hops)]
        mean_hops = float(known.mean()) if len(known) else math.nan
        size = float(trials[:, 0].mean())
        made.append(Row(cell.protocol.spec, cell.steps, adversary.spec, size, MeasuredChance.of(chances), mean_hops))
    return tuple(made)


def by_degree(trials: Floats, adversary: int, parts: int = 4) -> tuple[tuple[int, int, MeasuredChance], ...]:
    """Detection by the author's number of contacts, in equal parts of the trials: (least, most, estimate)."""
    need.whole("parts", parts, least=1)
    order = np.argsort(trials[:, 1], kind="stable")
    made = []
    for part in np.array_split(order, parts):
        if len(part):
            degrees = trials[part, 1]
            chances = trials[part, COLUMNS + 2 * adversary]
            made.append((int(degrees.min()), int(degrees.max()), MeasuredChance.of(chances)))
    return tuple(made)
