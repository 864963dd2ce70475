"""Suspects for protocols that leave a mark other than a balanced tree."""

import math

import numpy as np

from banister.spread.lab.estimators.centres import jordan, rumor
from banister.spread.lab.estimators.likelihood import path_law
from banister.spread.lab.evidence import Ranking, Snapshot


def line_suspects(snapshot: Snapshot) -> Ranking:
    """For Protocol 1 on a line: equal for all from whom both ends are at most `steps` hops away, and nobody else.

    Exact:  each end is uniform on 0 … steps hops, so every possible author has likelihood 1/(steps + 1)².
    """
    ranking = jordan(snapshot.view)
    if snapshot.view.link_counts.max(initial=0) > 2 or snapshot.contacts.degrees.max() > 2:
        return ranking
    possible = -ranking.log <= snapshot.steps
    return Ranking(ranking.nodes, np.where(possible, -2 * math.log(snapshot.steps + 1), -np.inf))


def ring_suspects(snapshot: Snapshot, *, hops: int) -> Ranking:
    """Who is exactly so many hops from the virtual source (or the rumor centre), by the chance of the way to it."""
    centre = snapshot.centre if snapshot.centre >= 0 else int(np.argmax(rumor(snapshot.view).log))
    path, away = path_law(snapshot.view, snapshot.degrees, centre, None)
    return Ranking(snapshot.view.nodes, np.where(away == min(hops, int(away.max())), path, -np.inf))


def walk_suspects(snapshot: Snapshot, *, fluff: float) -> Ranking:
    """For a walk that ends with chance `fluff` at each node and diffuses from there: h hops from the rumor centre the
    likelihood is fluff (1 - fluff)^(h-1) times the chance of the way; the centre itself is not the author."""
    centre = int(np.argmax(rumor(snapshot.view).log))
    path, hops = path_law(snapshot.view, snapshot.degrees, centre, None)
    log = path + (hops - 1) * math.log1p(-fluff) if fluff < 1 else np.where(hops == 1, path, -np.inf)
    return Ranking(snapshot.view.nodes, np.where(hops > 0, log, -np.inf))
