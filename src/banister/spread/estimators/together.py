"""A snapshot and spies at once."""

import numpy as np

from banister.spread.estimators.centres import centres
from banister.spread.estimators.conflicts import hops_from
from banister.spread.evidence import Ranking, Snapshot, SpyReports, combined


def agree(snapshot: Snapshot, reports: SpyReports, ranking: Ranking) -> Ranking:
    """The suspects of a snapshot that the reports do not rule out, for a token that always moves.

    Everybody then gets the message as many steps after the author as there are hops between them in the tree, so each
    spy knows its distance. When nobody is left (on graphs with cycles the token may have rested) nothing is ruled out.
    """
    view = snapshot.view
    middle = snapshot.centre if snapshot.centre >= 0 else int(centres(view)[0][0])
    alive = np.flatnonzero((ranking.log > -np.inf) & ~reports.marked[ranking.nodes])
    hops = hops_from(snapshot, middle, alive)
    spies, senders = np.searchsorted(view.nodes, reports.spies), np.searchsorted(view.nodes, reports.senders)
    fits = (hops[:, spies] == reports.times).all(axis=1) & (hops[:, senders] == reports.times - 1).all(axis=1)
    left = alive[fits] if fits.any() else alive
    return Ranking(ranking.nodes[left], ranking.log[left])


def honest(reports: SpyReports, ranking: Ranking) -> Ranking:
    """The ranking without the spies, none of whom is the author."""
    free = ~reports.marked[ranking.nodes]
    return Ranking(ranking.nodes[free], ranking.log[free])


def both(reports: SpyReports, from_snapshot: Ranking, from_spies: Ranking) -> Ranking:
    """A heuristic where no joint likelihood is known: add the two, and keep the snapshot's where they exclude all."""
    ours = honest(reports, from_snapshot)
    together = combined([ours, from_spies])
    return together if len(together.best()) else ours
