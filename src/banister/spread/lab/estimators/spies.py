"""Guesses from what spies saw: times, senders, and the counter in the message."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from banister.spread.lab.evidence import Floats, Ranking, SpyReports
from banister.spread.lab.graph import Nodes

Weigh = Callable[[Nodes], Nodes]
WIDEST = 300_000
"""Suspects of one branch beyond which it is left out: a guess among so many is worthless."""


def first_spy(reports: SpyReports) -> Ranking:
    """Suspect whoever sent the message to the spy that had it first; with several such spies, their senders.

    Works against every protocol, and is nearly the best against diffusion on graphs of high degree.
    """
    if len(reports.spies) == 0:
        return Ranking(np.empty(0, dtype=np.int64), np.empty(0))
    senders = np.unique(reports.senders[reports.times == reports.times[0]])
    honest = senders[~reports.marked[senders]]
    return Ranking(honest, np.zeros(len(honest)))


def pivot(reports: SpyReports, weigh: Weigh) -> Ranking:
    """Maximum likelihood against a token that always moves away, on trees, for spies that read its counter.

    Each report tells how far from the author its way leaves the token's path. The lowest such node, the pivot, is l
    hops from the author; suspects are the nodes at that distance in whose branch no spy would have heard and said
    nothing. Their likelihood is the chance of the path: 1/degree at the author, then that of each pass.

    Exact:  on regular trees, after many steps, it is right with `detection.spies_detection`. When all reports come
    from one branch the pivot is not certain, and all nodes where it can be are taken into account.
    """
    if len(reports.spies) == 0 or reports.leaves_at.min() < 0:
        return first_spy(reports)
    low = int(np.argmin(reports.leaves_at))
    hops = int(reports.leaves_at[low])
    below = int(reports.times[low]) - hops
    if below == 0:
        return _behind(reports, int(reports.spies[low]), reports.senders[[low]], hops, weigh)
    links, top = _links_of_pivot(reports, hops)
    if len(links) > 1:
        near = reports.contacts.gather(np.asarray([top]))[1]
        return _behind(reports, top, np.setdiff1d(near, links), hops, weigh)
    return _every_pivot(reports, int(reports.spies[low]), int(reports.senders[low]), below, hops, weigh)


def _links_of_pivot(reports: SpyReports, hops: int) -> tuple[Nodes, int]:
    """The links of the pivot through which spies heard, and the pivot: all ways to spies go through it."""
    at, left = reports.spies.copy(), reports.times - hops - 1
    while (left > 0).any():
        at[left > 0] = reports.parent[at[left > 0]]
        left = left - 1
    return np.unique(at), int(reports.parent[at[0]])


def _every_pivot(reports: SpyReports, spy: int, sender: int, below: int, hops: int, weigh: Weigh) -> Ranking:
    came, level = np.asarray([spy]), np.asarray([sender])
    for _ in range(below - 1):
        owner, target = reports.contacts.gather(level)
        onward = target != came[owner]
        came, level = level[owner[onward]], target[onward]
    parts = []
    for node, link in zip(level.tolist(), came.tolist(), strict=True):
        near = reports.contacts.gather(np.asarray([node]))[1]
        if not _is_spy(reports, np.asarray([node]))[0]:
            parts.append(_behind(reports, node, near[near != link], hops, weigh))
    if not parts:
        return Ranking(np.empty(0, dtype=np.int64), np.empty(0))
    return Ranking(np.concatenate([part.nodes for part in parts]), np.concatenate([part.log for part in parts]))


def _behind(reports: SpyReports, node: int, links: Nodes, hops: int, weigh: Weigh) -> Ranking:
    """Suspects `hops` away from the pivot behind the given links of it."""
    nodes, logs = [], []
    for link in links:
        found = _branch(reports, node, int(link), hops, weigh)
        if found is not None:
            nodes.append(found[0])
            logs.append(found[1])
    if not nodes:
        return Ranking(np.empty(0, dtype=np.int64), np.empty(0))
    return Ranking(np.concatenate(nodes), np.concatenate(logs))


def _branch(reports: SpyReports, node: int, link: int, hops: int, weigh: Weigh) -> tuple[Nodes, Floats] | None:
    """Walk one branch outwards, level by level; a silent spy there rules out the suspects it would have heard."""
    contacts = reports.contacts
    came, level, log = np.asarray([node]), np.asarray([link]), np.zeros(1)
    above: list[Nodes] = [np.zeros(1, dtype=np.int64)]  # For each level the places of the parents in the one before.
    silent: list[tuple[int, int]] = []
    for depth in range(1, hops + 1):
        silent += [(depth, int(place)) for place in np.flatnonzero(_is_spy(reports, level))]
        if (silent and reports.steps >= 2 * hops - 2) or len(level) > WIDEST:
            return None  # By then everybody in the branch has the message, and a spy would have said so.
        if depth == hops:
            break
        owner, target = contacts.gather(level)
        onward = target != came[owner]
        around = np.bincount(owner, weights=weigh(contacts.degrees[target]), minlength=len(level))
        owner, target = owner[onward], target[onward]
        passed = weigh(contacts.degrees[came])[owner] / (around[owner] - weigh(contacts.degrees[target]))
        log = log[owner] + np.log(passed)
        came, level = level[owner], target
        above.append(owner)
    free = np.ones(len(level), dtype=bool)
    for depth, place in silent:
        free &= _hops_to(above, depth, place) > reports.steps
    return level[free], (log - np.log(contacts.degrees[level]))[free]


def _hops_to(above: list[Nodes], depth: int, place: int) -> Nodes:
    """Hops from each node of the last level to one node of a branch, through where their ways part."""
    chain = [place]
    for level in range(depth - 1, 0, -1):
        chain.append(int(above[level][chain[-1]]))
    chain.reverse()
    shared = np.ones(1, dtype=np.int64)
    for level in range(1, len(above)):
        shared = shared[above[level]]
        if level < depth and shared[chain[level]] == level:
            shared[chain[level]] = level + 1
    return np.asarray(len(above) + depth - 2 * shared)


def _is_spy(reports: SpyReports, nodes: Nodes) -> NDArray[np.bool_]:
    known = nodes < len(reports.marked)
    marked = np.zeros(len(nodes), dtype=bool)
    marked[known] = reports.marked[nodes[known]]
    return marked


def timing(reports: SpyReports, *, mean: float, variance: float, most: int = 12) -> Ranking:
    """Gaussian likelihood of arrival times, for messages that take `mean` steps a hop with the given variance.

    For an author v the times at the earliest spies have means proportional to their distances, and a covariance
    proportional to what their ways share, (d(v,a) + d(v,b) - d(a,b))/2. The start is unknown and is fitted. Exact shape
    on trees, a heuristic on graphs ([PTV12]). Suspects are within reach of the earliest spy.
    """
    if len(reports.spies) == 0:
        return Ranking(np.empty(0, dtype=np.int64), np.empty(0))
    spies, times = reports.spies[:most], reports.times[:most].astype(float)
    reach = int(min(reports.times[0], 4))
    suspects = _within(reports, int(reports.spies[0]), reach)
    suspects = suspects[~_is_spy(reports, suspects)]
    far = np.column_stack([reports.contacts.hops(int(spy), suspects) for spy in spies]).astype(float)
    apart = np.column_stack([reports.contacts.hops(int(spy), spies) for spy in spies]).astype(float)
    shared = np.maximum((far[:, :, None] + far[:, None, :] - apart[None]) / 2, 0)
    cover = max(variance, 1e-3) * shared + 1e-2 * np.eye(len(spies))[None]
    resid = times[None, :] - mean * far
    solved = np.linalg.solve(cover, np.stack([resid, np.ones_like(resid)], axis=2))
    fit = (resid * solved[:, :, 0]).sum(1) - (resid * solved[:, :, 1]).sum(1) ** 2 / solved[:, :, 1].sum(1)
    log = -(fit + np.linalg.slogdet(cover)[1]) / 2
    side = reports.contacts.hops(int(reports.senders[0]), suspects) < far[:, 0]
    return Ranking(suspects[side], log[side])


def _within(reports: SpyReports, start: int, reach: int) -> Nodes:
    seen = front = np.asarray([start])
    for _ in range(reach):
        front = np.setdiff1d(reports.contacts.gather(front)[1], seen)
        seen = np.union1d(seen, front)
        if len(seen) > 5_000:
            break
    return seen
