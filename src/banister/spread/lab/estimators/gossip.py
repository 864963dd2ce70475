"""Who started an ordinary diffusion, from one snapshot: the likelihood that uses its rate and the number of steps."""

import math

import numpy as np

from banister.spread.lab.evidence import Ranking, Snapshot, TreeView
from banister.spread.lab.graph import Nodes

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
_CELLS = 20_000_000
"""Holders times steps up to which the likelihood is computed; 160 MB an array."""


def fits(snapshot: Snapshot) -> bool:
    """Whether there is room for one number for each holder and step."""
    return snapshot.view.count * (snapshot.steps + 1) <= _CELLS


def diffusion_suspects(snapshot: Snapshot, *, rate: float) -> Ranking:
    """log P(the holders after T steps | author), for each holder.

    Told at t, a holder is silent for T - t steps towards each contact without the message, and passes it to each
    neighbour of the tree at some later step s ≤ T, with chance q (1 - q)^(s-t-1). With G_u(t) the chance of all that
    lies beyond u, seen from the author, G_u(t) = (1 - q)^((T-t)·silent) ∏ Σ_s q (1 - q)^(s-t-1) G_child(s); the
    likelihood of v is G_v(0) with v as the root. Two sweeps over the tree give it for all holders.

    Exact:  where the contacts form a tree. With cycles, links between holders that did not carry the message are left
            out of account.
    """
    view, steps = snapshot.view, snapshot.steps
    order, parent, edges = view.walk(0)
    silence = np.multiply.outer(_silent(snapshot).astype(float), np.arange(steps, -1, -1.0))
    own = silence * _log(1 - rate) if rate < 1 else np.where(silence > 0, -np.inf, 0.0)
    below = np.zeros((view.count, steps + 1))  # Finite logs of all branches below; `none` counts impossible ones.
    none = np.zeros((view.count, steps + 1), dtype=np.int64)
    up = np.zeros_like(below)  # What a branch says to its parent.
    for level in range(len(edges) - 2, 0, -1):
        nodes = order[edges[level] : edges[level + 1]]
        up[nodes] = _passed(_joined(own[nodes] + below[nodes], none[nodes]), rate)
        _add(below, none, parent[nodes], up[nodes])
    for level in range(1, len(edges) - 1):
        nodes = order[edges[level] : edges[level + 1]]
        via = parent[nodes]
        finite, impossible = np.isfinite(up[nodes]), ~np.isfinite(up[nodes])
        rest = own[via] + below[via] - np.where(finite, up[nodes], 0.0)
        down = _passed(_joined(rest, none[via] - impossible), rate)
        _add(below, none, nodes, down)
    return Ranking(view.nodes, _joined(own + below, none)[:, 0])


def _silent(snapshot: Snapshot) -> Nodes:
    """How many contacts of each holder have no message."""
    view: TreeView = snapshot.view
    if not snapshot.contacts.cyclic:
        return np.asarray(snapshot.degrees - view.link_counts)
    owner, contact = snapshot.contacts.gather(view.nodes)
    outside = ~np.isin(contact, view.nodes)
    return np.bincount(owner[outside], minlength=view.count).astype(np.int64)


def _passed(log: Floats, rate: float) -> Floats:
    """log Σ_(s > t) q (1 - q)^(s-t-1) G(s), from the last step back."""
    found = np.full_like(log, -np.inf)
    for time in range(log.shape[1] - 2, -1, -1):
        found[:, time] = np.logaddexp(_log(rate) + log[:, time + 1], _log(1 - rate) + found[:, time + 1])
    return found


def _add(below: Floats, none: Nodes, nodes: Nodes, logs: Floats) -> None:
    finite = np.isfinite(logs)
    np.add.at(below, nodes, np.where(finite, logs, 0.0))
    np.add.at(none, nodes, (~finite).astype(np.int64))


def _joined(finite: Floats, none: Nodes) -> Floats:
    return np.where(none > 0, -np.inf, finite)


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf
