"""A snapshot and spies at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from banister.spread.lab.estimators.centres import centres
from banister.spread.lab.estimators.conflicts import hops_from
from banister.spread.lab.evidence import Ranking, Snapshot, SpyReports, combined
from banister.spread.lab.graph import Nodes

Keep = Callable[[int, int], float]
"""Chance to keep the token at (time, hops)."""
LONGEST = 24
"""Steps up to which all histories of a token that may rest are gone through: 2^11 of them."""


def never(time: int, hops: int) -> float:
    """A token that always moves."""
    return 0.0


def agree(snapshot: Snapshot, reports: SpyReports, ranking: Ranking, keep: Keep) -> Ranking:
    """The suspects of a snapshot, each with the chance that its histories bring the message to the spies when it came.

    For one author the way of the token is known, from it to the last virtual source; what is not is when it rested.
    Each history of keeping and passing fixes when everybody got the message, by where their way leaves the token's. So
    P(snapshot and reports | v) = P(snapshot | v) · P(history fits the reports | snapshot, v), summed over histories.

    Exact:  on trees, when the ranking is. On graphs with cycles as good as the ranking; when nobody is left there (the
    token had to rest) nothing is ruled out. Beyond `LONGEST` steps a token that may rest is not followed.
    """
    honest = ~reports.marked[ranking.nodes]
    alive = np.flatnonzero((ranking.log > -np.inf) & honest)
    if len(alive) == 0:  # The protocol cannot have made this snapshot, on a finite graph: everybody is as good.
        return Ranking(ranking.nodes[honest], np.zeros(int(honest.sum())))
    if len(reports.spies) == 0 or (keep is not never and snapshot.steps > LONGEST):
        return Ranking(ranking.nodes[alive], ranking.log[alive])
    fits = np.zeros(len(alive))
    middles = _middles(snapshot)
    hops = hops_from(snapshot, int(middles[0]), alive)
    end = np.where(hops[:, middles[0]] > hops[:, middles[-1]], middles[0], middles[-1])
    last_pass = None if snapshot.steps % 2 == 0 or snapshot.steps == 1 else len(middles) == 2
    places = Places.of_reports(snapshot, reports, hops, end)
    for length in np.unique(places.length):
        histories = [h for h in _histories(snapshot.steps, int(length), keep) if last_pass in (None, h.ends_with_pass)]
        total = sum(history.chance for history in histories)
        for history in histories:
            fits += np.where(places.length == length, places.fit(history.times(snapshot.steps)), 0) * history.chance
        fits[places.length == length] /= total or 1
    left = alive[fits > 0] if (fits > 0).any() else alive
    shares = fits[fits > 0] if (fits > 0).any() else np.ones(len(alive))
    return Ranking(ranking.nodes[left], ranking.log[left] + np.log(shares))


def _middles(snapshot: Snapshot) -> Nodes:
    """Where the token is: one place, or after an odd step in which it moved the two ends of the link that it went."""
    return np.asarray([snapshot.centre]) if snapshot.centre >= 0 else centres(snapshot.view)[0]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """For each suspect (rows) and spy (columns): how far along the token's way the spy's way leaves it, and how far the
    spy is from there; whether its sender lies on its way; and how long the token's way is."""

    along: Nodes
    beside: Nodes
    times: Nodes
    straight: np.ndarray[tuple[int], np.dtype[np.bool_]]
    length: Nodes

    @classmethod
    def of_reports(
        cls, snapshot: Snapshot, reports: SpyReports, hops: np.ndarray[tuple[int, int], np.dtype[np.int16]], end: Nodes
    ) -> "Places":
        view = snapshot.view
        spies, senders = np.searchsorted(view.nodes, reports.spies), np.searchsorted(view.nodes, reports.senders)
        ends = np.unique(end)
        from_end = hops_from(snapshot, int(ends[0]), ends)[np.searchsorted(ends, end)]
        rows = np.arange(len(end))
        along = (hops[:, spies] + hops[rows, end][:, None] - from_end[:, spies]) // 2
        straight = (hops[:, senders] == hops[:, spies] - 1).all(axis=1)
        return cls(
            along.astype(np.int64),
            (hops[:, spies] - along).astype(np.int64),
            reports.times,
            straight,
            hops[rows, end].astype(np.int64),
        )

    def fit(self, table: Nodes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which suspects' spies got the message when they say, in a history with this table of times."""
        inside = (self.along < table.shape[0]) & (self.beside < table.shape[1])
        when = table[np.where(inside, self.along, 0), np.where(inside, self.beside, 0)]
        return np.asarray((inside & (when == self.times)).all(axis=1) & self.straight)


@dataclass(frozen=True, slots=True)
class History:
    """When the token moved: at which even times, and with what chance."""

    chance: float
    passes: tuple[bool, ...]

    @property
    def ends_with_pass(self) -> bool:
        return self.passes[-1:] == (True,)

    def times(self, steps: int) -> Nodes:
        """When somebody gets it whose way leaves the token's after `row` hops, and is `column` hops from there."""
        size = steps + 2
        row, column = np.mgrid[0:size, 0:size]
        table = np.full((size, size), -1, dtype=np.int64)
        table[0, 0], table[1, 0] = 0, 1
        holder = 1
        if steps >= 2:
            _fill(table, 2, abs(row - 1) + column == 1)
        for turn, moved in enumerate(self.passes, start=1):
            now = 2 * turn
            if not moved:
                _fill(table, now + 1, abs(row - holder) + column == turn + 1)
                continue
            holder += 1
            _fill(table, now + 1, (row >= holder) & (row - holder + column == turn))
            if now + 2 <= steps:
                _fill(table, now + 2, (row >= holder) & (row - holder + column == turn + 1))
        return table


def _fill(table: Nodes, time: int, where: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> None:
    table[where & (table < 0)] = time


def _histories(steps: int, length: int, keep: Keep) -> Iterator[History]:
    """All ways to keep and pass at the times 2, 4, … below `steps` that bring the token `length` hops away."""
    turns = max(0, (steps - 1) // 2)

    def go(turn: int, hops: int, chance: float, passes: tuple[bool, ...]) -> Iterator[History]:
        if chance == 0 or hops > length or hops + turns - turn < length:
            return
        if turn == turns:
            yield History(chance, passes)
            return
        kept = keep(2 * turn + 2, hops)
        yield from go(turn + 1, hops, chance * kept, (*passes, False))
        yield from go(turn + 1, hops + 1, chance * (1 - kept), (*passes, True))

    yield from go(0, 1, 1.0, ())


def both(reports: SpyReports, from_snapshot: Ranking, from_spies: Ranking) -> Ranking:
    """A heuristic where no joint likelihood is known: add the two, and keep the snapshot's where they exclude all."""
    free = ~reports.marked[from_snapshot.nodes]
    ours = Ranking(from_snapshot.nodes[free], from_snapshot.log[free])
    together = combined([ours, from_spies])
    return together if len(together.best()) else ours
