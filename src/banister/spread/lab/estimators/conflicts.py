"""The choice among contacts in the likelihood of a snapshot, on graphs with cycles and a cap."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from banister.spread.lab.evidence import Floats, Snapshot
from banister.spread.lab.graph import Nodes

BROKEN = 20.0
"""What a broken rule takes off the logarithm of a likelihood: nearly impossible, but a token may have rested."""
PROBE = 1500
"""Links on which suspects are tried first, when there are many of both."""
BLOCK = 4_000_000
"""Table entries worked on at once."""


def choice_penalty(snapshot: Snapshot, middle: int, wanted: NDArray[np.bool_], cap: int | None) -> Floats:
    """For each wanted author v: -Σ_x log C(u_x, c_x) over the holders x that told c_x contacts, less `BROKEN` for each
    contact that x would have told and did not.

    When the token always moves, a holder gets the message as many steps after the author as it is hops away in the
    tree, and tells one step later; u_x is the number of contacts of x that are not holders by then. Who told fewer than
    the cap has told everybody: all contacts of x are holders one step later.
    """
    view = snapshot.view
    penalty = np.zeros(view.count)
    told = view.link_counts - 1
    inner = np.flatnonzero(told > 0)
    owner, target = snapshot.contacts.gather(view.nodes[inner])
    place = np.minimum(np.searchsorted(view.nodes, target), view.count - 1)
    known = view.nodes[place] == target
    owner, place = owner[known], place[known]
    generous = np.ones(len(inner), dtype=bool) if cap is None else told[inner] < cap
    suspects = np.flatnonzero(wanted)
    strict = np.flatnonzero(generous[owner])
    if len(strict) > PROBE and len(strict) * len(suspects) > BLOCK:  # A few of the rules rule out nearly everybody.
        few = strict[:: len(strict) // PROBE]
        for block, hops in _blocks(snapshot, middle, suspects, len(few)):
            penalty[block] = -BROKEN * (hops[:, place[few]] > hops[:, inner[owner[few]]] + 1).sum(axis=1)
        suspects = suspects[penalty[suspects] == penalty[suspects].max()]
    table = None if cap is None else _log_choose_table(snapshot.degrees[inner], told[inner])
    for block, hops in _blocks(snapshot, middle, suspects, len(place)):
        other, own = hops[:, place], hops[:, inner[owner]]
        penalty[block] = -BROKEN * (other[:, strict] > own[:, strict] + 1).sum(axis=1)
        if table is not None:
            free = snapshot.degrees[inner] - _sum_by_owner(other <= own, owner, len(inner))
            penalty[block] -= table[np.arange(len(inner)), free].sum(axis=1)
    return penalty


def _blocks(snapshot: Snapshot, middle: int, suspects: Nodes, width: int) -> Iterator[tuple[Nodes, NDArray[np.int16]]]:
    rows = max(1, BLOCK // max(1, width, snapshot.view.count))
    for begin in range(0, len(suspects), rows):
        block = suspects[begin : begin + rows]
        yield block, hops_from(snapshot, middle, block)


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
