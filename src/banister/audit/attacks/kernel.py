"""Outputs of many parts: a classifier learns which neighbour they come from, and its score is cut where it shows most.

Ridge regression on the parts, their squares, and random cosines of them, which stand for a Gaussian kernel. It learns
on one half of what it is shown and chooses the cut on the other, so that the cut is not one that was learnt by heart.
"""

from collections.abc import Callable

import numpy as np

from banister.audit.attacks.bounds import Floats
from banister.audit.attacks.columns import number
from banister.audit.attacks.event import Marks, Outputs, ProposedEvent, best_cut, of_numbers
from banister.sampling.simulation import seeded

NAME = "kernel"

_LEAST_PARTS = 5
"""Of fewer parts the numbers and their differences are tried one by one."""
_MOST_PARTS = 64
_COSINES = 100
_LEAST = 200
"""Outputs of a side below which nothing is learnt."""
_LEARNT_FROM = 20_000
_AT_ONCE = 100_000
"""Outputs that are scored together: each has a hundred features and more."""

Score = Callable[[Floats], Floats]


def propose(first: Outputs, second: Outputs, delta: float) -> list[ProposedEvent]:
    """A high score, and a low one; nothing where outputs have few parts."""
    names = _parts(first, second)
    if len(names) < _LEAST_PARTS or min(len(first), len(second)) < _LEAST:
        return []
    both = [_table(each[:_LEARNT_FROM], names) for each in (first, second)]
    half = min(map(len, both)) // 2
    score = _learnt(both[0][:half], both[1][:half])
    scores = [score(each[half:]) for each in both]
    found = []
    for side, sign in ((0, 1.0), (1, -1.0)):
        values = np.unique(np.concatenate(scores))[:: -1 if sign > 0 else 1]
        hits, others = (_counted(scores[place], values) for place in (side, 1 - side))
        cut = best_cut(hits, others, draws=len(scores[side]), delta=delta)
        if cut is not None:
            found.append(_event(score, names, side, sign, float(values[cut])))
    return found


def _parts(first: Outputs, second: Outputs) -> list[object]:
    """The places or keys at which outputs have numbers."""
    if of_numbers(first, parts=True):
        return list(range(min(np.asarray(first).shape[1], _MOST_PARTS)))
    if isinstance(first, np.ndarray):
        return []
    seen = [*first[:500], *second[:500]]
    length = max((len(each) for each in seen if isinstance(each, list)), default=0)
    keys = sorted({key for each in seen if isinstance(each, dict) for key in each})
    return [*range(min(length, _MOST_PARTS)), *keys[:_MOST_PARTS]]


def _table(outputs: Outputs, names: list[object]) -> Floats:
    """The parts as numbers; what is missing or no number is 0, and what is huge is cut."""
    if of_numbers(outputs, parts=True):
        found = np.asarray(outputs, dtype=float)[:, : len(names)]
    else:
        rows = [[_part(each, name) for name in names] for each in outputs]
        found = np.array(rows, dtype=float).reshape(len(outputs), len(names))
    return np.asarray(np.nan_to_num(np.clip(found, -1e12, 1e12)), dtype=float)


def _part(value: object, name: object) -> float:
    if isinstance(value, dict):
        return number(value.get(name))
    if isinstance(value, list) and isinstance(name, int) and name < len(value):
        part = value[name]
        return float(part) if isinstance(part, bool) else number(part)
    return float("nan")


def _learnt(one: Floats, other: Floats) -> Score:
    """A score that is high on the first and low on the second."""
    both = np.concatenate([one, other])
    middle = np.median(both, axis=0)
    spread = np.median(np.abs(both - middle), axis=0)
    scale = np.where(spread > 0, 1.4826 * spread, 1.0)
    chance = seeded(0)
    ways = chance.normal(size=(both.shape[1], _COSINES)) / np.sqrt(both.shape[1])
    turns = chance.uniform(0, 2 * np.pi, _COSINES)

    def features(table: Floats) -> Floats:
        x = np.clip((table - middle) / scale, -30, 30)
        return np.hstack([np.ones((len(x), 1)), x, x * x, np.cos(x @ ways + turns)])

    z = features(both)
    goal = np.concatenate([np.ones(len(one)), -np.ones(len(other))])
    weights = np.linalg.solve(z.T @ z + 1e-3 * len(z) * np.eye(z.shape[1]), z.T @ goal)
    return lambda table: np.asarray(features(table) @ weights, dtype=float)


def _counted(scores: Floats, values: Floats) -> Floats:
    """How many scores each of the values is."""
    names, counts = np.unique(scores, return_counts=True)
    places = np.searchsorted(names, values)
    there = (places < len(names)) & (names[np.minimum(places, len(names) - 1)] == values)
    return np.where(there, counts[np.minimum(places, len(names) - 1)], 0).astype(float)


def _event(score: Score, names: list[object], side: int, sign: float, limit: float) -> ProposedEvent:
    def holds(outputs: Outputs) -> Marks:
        marks = np.empty(len(outputs), dtype=bool)
        for start in range(0, len(outputs), _AT_ONCE):
            found = score(_table(outputs[start : start + _AT_ONCE], names))
            marks[start : start + _AT_ONCE] = sign * found >= sign * limit
        return marks

    words = f"a classifier's score of all {len(names)} parts of the answer is at {'least' if sign > 0 else 'most'}"
    return ProposedEvent(words=f"{words} {limit:.6g}", side=side, holds=holds)
