"""The choice among contacts in the likelihood of a snapshot, on graphs with cycles and a cap."""

import numpy as np
from numpy.typing import NDArray

from banister.spread.evidence import Floats, Snapshot
from banister.spread.graph import Nodes

BLOCK = 8_000_000
"""Table entries worked on at once."""


def choice_penalty(snapshot: Snapshot, middle: int, wanted: NDArray[np.bool_]) -> Floats:
    """For each wanted author v: -Σ_x log C(u_x, c_x) over the holders x that told c_x contacts.

    When the token always moves, a holder gets the message as many steps after the author as it is hops away in the
    tree; u_x is then the number of contacts of x that are not holders by the time x tells.
    """
    view = snapshot.view
    penalty = np.zeros(view.count)
    suspects = np.flatnonzero(wanted)
    told = view.link_counts - 1
    inner = np.flatnonzero(told > 0)
    owner, target = snapshot.contacts.gather(view.nodes[inner])
    place = np.minimum(np.searchsorted(view.nodes, target), view.count - 1)
    known = view.nodes[place] == target
    owner, place = owner[known], place[known]
    table = _log_choose_table(snapshot.degrees[inner], told[inner])
    rows = max(1, BLOCK // max(1, len(place), view.count))
    for begin in range(0, len(suspects), rows):
        block = suspects[begin : begin + rows]
        hops = hops_from(snapshot, middle, block)
        early = hops[:, place] <= hops[:, inner[owner]]
        free = snapshot.degrees[inner] - _sum_by_owner(early, owner, len(inner))
        penalty[block] = -table[np.arange(len(inner)), free].sum(axis=1)
    return penalty


def hops_from(snapshot: Snapshot, middle: int, suspects: Nodes) -> NDArray[np.int16]:
    """Hops in the tree from each suspect (rows) to each holder (columns)."""
    view = snapshot.view
    order, parent, edges = view.walk(middle)
    above = np.zeros((len(suspects), view.count), dtype=bool)
    at, rows = suspects.copy(), np.arange(len(suspects))
    while len(at):
        above[rows, at] = True
        going = parent[at] >= 0
        at, rows = parent[at[going]], rows[going]
    hops = np.zeros((len(suspects), view.count), dtype=np.int16)
    hops[:, middle] = above.sum(axis=1) - 1
    for level in range(1, len(edges) - 1):
        new = order[edges[level] : edges[level + 1]]
        hops[:, new] = hops[:, parent[new]] + 1 - 2 * above[:, new].astype(np.int16)
    return hops


def _sum_by_owner(flags: NDArray[np.bool_], owner: Nodes, count: int) -> Nodes:
    ends = np.searchsorted(owner, np.arange(count + 1))
    running = np.concatenate([np.zeros((len(flags), 1), dtype=np.int64), np.cumsum(flags, axis=1)], axis=1)
    return np.asarray(running[:, ends[1:]] - running[:, ends[:-1]])


def _log_choose_table(most: Nodes, told: Nodes) -> Floats:
    """log C(u, told[i]) for u = 0 … most[i]; rows are padded."""
    width = int(most.max()) + 1 if len(most) else 1
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, width)))]) if width > 1 else np.zeros(1)
    u = np.arange(width)[None, :]
    c = np.minimum(told[:, None], u)  # Fewer free contacts than were told cannot be; it costs nothing.
    return np.asarray(logs[u] - logs[c] - logs[u - c])
