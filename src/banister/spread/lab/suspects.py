"""Who was it? Suspects for a list of holders on a graph."""

import textwrap
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banister import need
from banister.errors import BadValue
from banister.spread.lab.estimators.centres import centres, jordan, rumor
from banister.spread.lab.evidence import TIE, Ranking, Snapshot, TreeView
from banister.spread.lab.graph import Graph
from banister.spread.lab.logs import read_log, reports_of
from banister.spread.lab.protocols import SpreadProtocol
from banister.spread.lab.written import GraphSource, load_graph, parse_protocol

ESTIMATORS = ("rumor", "jordan", "ml")


@dataclass(frozen=True, slots=True)
class Suspect:
    """One suspect: its name, the logarithm of its likelihood, and its share when all were equally likely before.

    >>> best = locate([(1, 2), (2, 3), (3, 4), (4, 5)], [1, 2, 3], estimators=["rumor"])[0].suspects[0]
    >>> best.name, round(best.share, 3)
    (2, 0.5)
    """

    name: Hashable
    log: float
    share: float


@dataclass(frozen=True, slots=True)
class Located:
    """What one estimator says, best first, and what to keep in mind about it.

    >>> found = locate([(1, 2), (2, 3), (3, 4), (4, 5)], [1, 2, 3], estimators=["jordan"])[0]
    >>> found.estimator, [suspect.name for suspect in found.suspects]
    ('jordan', [2, 1, 3])
    """

    estimator: str
    suspects: tuple[Suspect, ...]
    notes: tuple[str, ...]

    def text(self, top: int) -> str:
        """The best suspects as lines of text."""
        best = self.suspects[0].log if self.suspects else 0.0
        ties = sum(suspect.log >= best - TIE for suspect in self.suspects)
        lines = [f"{self.estimator}: {len(self.suspects)} holders, {ties} at the top"]
        for place, suspect in enumerate(self.suspects[:top], start=1):
            score = (
                f"log-likelihood {suspect.log:.4g}"
                if self.estimator != "jordan"
                else f"{-suspect.log:.0f} hops at most"
            )
            share = f"{100 * suspect.share:6.2f} %  " if self.estimator != "jordan" else ""
            lines.append(f"{place:>5}. {str(suspect.name)[:30]:<30} {share}{score}")
        notes = [textwrap.fill(note, 80, initial_indent=" " * 7, subsequent_indent=" " * 7) for note in self.notes]
        return "\n".join([*lines, *notes])


def locate(
    graph: GraphSource,
    holders: Sequence[Hashable],
    *,
    estimators: Sequence[str] = ESTIMATORS,
    protocol: SpreadProtocol | str = "adaptive",
    steps: int = 0,
) -> list[Located]:
    """Rank the holders by how likely each is to be the author.

    `rumor` assumes ordinary diffusion, `jordan` only that the author is in the middle, and `ml` the protocol, after
    `steps` steps (0: twice the radius of the holders).

    >>> [found.suspects[0].name for found in locate([(1, 2), (2, 3), (3, 4), (4, 5)], [1, 2, 3], estimators=["rumor"])]
    [2]
    """
    loaded = load_graph(graph)
    if not isinstance(loaded, Graph):
        raise BadValue(
            "An endless tree has no names to look up; give a graph from a file or a generator of a finite one."
        )
    view, is_tree = TreeView.of_holders(loaded, loaded.numbers_of(holders))
    way = parse_protocol(protocol) if isinstance(protocol, str) else protocol
    length = centres(view)[1]
    time = need.whole("steps", steps, least=0) or 2 * ((length + 1) // 2)
    tree_note = (
        ()
        if is_tree
        else (
            "Which links carried the message is not known. A breadth-first tree stands in for them, so take the order "
            "as a hint and the shares with a pinch of salt.",
        )
    )
    found = []
    for estimator in estimators:
        need.one_of("estimator", estimator, ESTIMATORS)
        if estimator == "ml":
            ranking = way.suspects(Snapshot(loaded, view, time))
            notes = (*tree_note, f"Assumes {way.spec} after {time} steps.", *_nobody(ranking))
        else:
            ranking = rumor(view) if estimator == "rumor" else jordan(view)
            notes = tree_note
        found.append(Located(estimator, _sorted(loaded, ranking), notes))
    return found


def locate_by_spies(
    graph: GraphSource, log: str | Path, *, protocol: SpreadProtocol | str = "frames", steps: int = 0
) -> list[Located]:
    """Rank everybody by what spies wrote down about each post: who sent them copies, when, and what the copies told.

    `log` is a CSV file with the columns post, spy, sender, step, climbing, level and age (`lab.logs`); whoever is in
    the column of spies is one. `steps` is how long it has spread (0: as long as the log tells).
    """
    loaded = load_graph(graph)
    if not isinstance(loaded, Graph):
        raise BadValue("An endless tree has no names to look up; give a graph from a file or a generator.")
    way = parse_protocol(protocol) if isinstance(protocol, str) else protocol
    seen = read_log(log, loaded)
    marked = np.zeros(loaded.count, dtype=bool)
    marked[[each.node for found in seen.values() for each in found]] = True
    made = []
    for post, found in seen.items():
        last = need.whole("steps", steps, least=0) or max(each.age for each in found)
        reports = reports_of(loaded, found, marked, last)
        ranking = way.spy_suspects(reports)
        notes = (f"Post {post}, heard by {len(reports.spies)} spies; assumes {way.spec}.", *_nobody(ranking))
        made.append(Located("spies", _sorted(loaded, ranking), notes))
    return made


def _nobody(ranking: Ranking) -> tuple[str, ...]:
    if len(ranking.best()):
        return ()
    return ("No holder can have started this under that protocol and number of steps: check both.",)


def _sorted(graph: Graph, ranking: Ranking) -> tuple[Suspect, ...]:
    shares = ranking.posterior()
    order = np.argsort(-ranking.log, kind="stable")
    return tuple(Suspect(graph.name_of(int(ranking.nodes[k])), float(ranking.log[k]), float(shares[k])) for k in order)
