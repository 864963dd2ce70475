"""How likely a snapshot is for each author, when a virtual source walked away from it."""

import math

import numpy as np

from banister.errors import BadValue
from banister.spread.lab.estimators.centres import centres
from banister.spread.lab.estimators.conflicts import choice_penalty
from banister.spread.lab.evidence import Floats, Ranking, Snapshot, TreeView
from banister.spread.lab.graph import Nodes
from banister.spread.schedule import keep_chance


def token_suspects(snapshot: Snapshot, *, degree: float, cap: int | None, weights: Nodes | None = None) -> Ranking:
    """log P(snapshot | author) for every holder; the virtual source itself is never the author.

    On trees this is exact, at even times ([K15] Prop. 2.4.1 and Algorithm 4, corrected) and at odd ones. `degree` is
    the one for which the keep probabilities are made. `weights` are those by which the next holder is drawn, one for
    each holder, and equal when not given.

    On graphs with cycles it is an approximation: holders that lost a race for a contact and walks that cross are left
    out; the choice among contacts is counted for a token that always moves.
    """
    view, steps = snapshot.view, snapshot.steps
    if view.count == 1:
        return Ranking(view.nodes, np.zeros(1))
    if steps == 1:
        return Ranking(view.nodes, -np.log(snapshot.degrees))
    if steps % 2 and snapshot.contacts.cyclic:
        raise BadValue(
            f"steps = {steps} must be even: on graphs with cycles the likelihood is known at even steps only."
        )
    if snapshot.centre >= 0 or steps % 2 == 0:
        middle = snapshot.centre if snapshot.centre >= 0 else int(centres(view)[0][0])
        log = _even(snapshot, middle, steps // 2, degree, weights)
        if math.isinf(degree) and snapshot.contacts.cyclic:
            log += choice_penalty(snapshot, middle, log > -np.inf, cap)
        return Ranking(view.nodes, log)
    return Ranking(view.nodes, _odd(snapshot, steps // 2, degree, weights))


def _even(snapshot: Snapshot, middle: int, k: int, degree: float, weights: Nodes | None) -> Floats:
    path, hops = path_law(snapshot.view, snapshot.degrees, middle, weights)
    if hops.max() > k:  # Nobody is farther than k hops from the virtual source.
        return np.full(len(hops), -np.inf)
    if hops.max() < k and math.isinf(degree):  # On a finite graph the token had to rest; the farthest are suspected.
        k = int(hops.max())
    return path + log_hops_law(hops, k, degree)


def _odd(snapshot: Snapshot, k: int, degree: float, weights: Nodes | None) -> Floats:
    """After a keep there is one centre; after a pass there are two, and the token went to the one farther away."""
    view = snapshot.view
    middle, _ = centres(view)
    if len(middle) == 1:
        path, hops = path_law(view, snapshot.degrees, int(middle[0]), weights)
        return path + log_hops_law(hops, k, degree) + _log_keep(hops, k, degree)
    log = np.full(view.count, -np.inf)
    for here, there in ((middle[0], middle[1]), (middle[1], middle[0])):
        path, hops = path_law(view, snapshot.degrees, int(here), weights)
        path = path + _last_pass(view, int(here), int(there), weights)
        value = path + log_hops_law(hops, k, degree) + _log_pass(hops, k, degree)
        side = _side(view, int(here), int(there)) & (hops > 0)
        log[side] = value[side]
    return log


def path_law(view: TreeView, degrees: Nodes, middle: int, weights: Nodes | None) -> tuple[Floats, Nodes]:
    """log of the chance that a token which always moves goes straight from each node to the middle; and the hops."""
    order, parent, edges = view.walk(middle)
    log = np.zeros(view.count)
    hops = np.zeros(view.count, dtype=np.int64)
    weight = np.ones(view.count) if weights is None else weights.astype(float)
    around = np.zeros(view.count)  # Weight of all tree neighbours.
    owner, target = view.gather(np.arange(view.count))
    np.add.at(around, owner, weight[target])
    for level in range(1, len(edges) - 1):
        new = order[edges[level] : edges[level + 1]]
        via = parent[new]
        hops[new] = level
        log[new] = -np.log(degrees[new])
        if level > 1:
            through = np.log(weight[parent[via]]) - np.log(around[via] - weight[new])
            log[new] += log[via] + np.log(degrees[via]) + through
    return log, hops


def log_hops_law(hops: Nodes, k: int, degree: float) -> Floats:
    """log P(the virtual source is `hops` away) after k rounds; minus infinity where that cannot be."""
    possible = (hops >= 1) & (hops <= k)
    if math.isinf(degree):
        return np.where(hops == k, 0.0, -np.inf)
    if degree == 2:
        return np.where(possible, -math.log(k), -np.inf)
    log = math.log(degree - 1)
    value = math.log((degree - 2) / (degree - 1)) + (hops - k) * log - math.log(-math.expm1(-k * log))
    return np.where(possible, value, -np.inf)


def _log_keep(hops: Nodes, k: int, degree: float) -> Floats:
    chance = np.asarray([_keep(h, k, degree) for h in range(int(hops.max()) + 1)])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(chance)[hops])


def _log_pass(hops: Nodes, k: int, degree: float) -> Floats:
    chance = np.asarray([1 - _keep(h, k, degree) for h in range(int(hops.max()) + 1)])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(chance)[hops])


def _keep(hops: int, k: int, degree: float) -> float:
    return keep_chance(degree=degree, time=2 * k, hops=hops) if 1 <= hops <= k else 0.0


def _last_pass(view: TreeView, here: int, there: int, weights: Nodes | None) -> Floats:
    """log of the chance that `here` passed the token to `there`, for an author behind each link of `here`."""
    near = view.gather(np.asarray([here]))[1]
    weight = np.ones(view.count) if weights is None else weights.astype(float)
    value = np.zeros(view.count)
    for link in near[near != there]:
        branch = _side(view, int(link), here)
        value[branch] = math.log(weight[there]) - math.log(weight[near].sum() - weight[link])
    return value


def _side(view: TreeView, node: int, away_from: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which nodes lie on the side of `node` of its link to `away_from`."""
    return np.asarray(view.depths(node) < view.depths(away_from))
