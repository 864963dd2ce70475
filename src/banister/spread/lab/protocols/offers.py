"""How a set of holders gives the message to their contacts in one step, with a limit for each of them."""

import numpy as np

from banister.sampling.simulation import Generator
from banister.spread.lab.graph import Nodes
from banister.spread.lab.trace import Growth, choose_links


def offer(growth: Growth, nodes: Nodes, now: int, cap: int | None, chance: Generator) -> Nodes:
    """Each node gives it to all contacts without it, or to `cap` of them drawn at random. Returns the new nodes."""
    if cap is None:
        owner, target = growth.fresh_links(nodes)
        return growth.infect_fairly(nodes[owner], target, now, chance)
    return offer_quota(growth, nodes, np.full(len(nodes), cap, dtype=np.int64), now, chance)


def offer_quota(growth: Growth, nodes: Nodes, quota: Nodes, now: int, chance: Generator) -> Nodes:
    """As `offer`, with a limit of its own for each node.

    When two choose the same contact one of them is told that it came too late, and asks another; so nobody stays
    below the limit who still had somebody to ask.
    """
    found: list[Nodes] = []
    quota = quota.copy()
    owner, target = growth.fresh_links(nodes)
    while len(target):
        counts = np.bincount(owner, minlength=len(nodes))
        begin = np.cumsum(counts) - counts
        order = np.argsort(owner, kind="stable")
        owner, target = owner[order], target[order]
        row, position = choose_links(counts, quota, chance)
        new = growth.infect_fairly(nodes[row], target[begin[row] + position], now, chance)
        if len(new) == 0:
            break
        found.append(new)
        quota -= np.bincount(_position(nodes, growth.parent[new].astype(np.int64)), minlength=len(nodes))
        still = (growth.time[target] < 0) & (quota[owner] > 0)
        owner, target = owner[still], target[still]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def _position(nodes: Nodes, wanted: Nodes) -> Nodes:
    order = np.argsort(nodes, kind="stable")
    return order[np.searchsorted(nodes[order], wanted)]
