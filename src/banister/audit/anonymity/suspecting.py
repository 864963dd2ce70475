"""Whom somebody suspects who has the spies' logs, or has watched the links: one function for each way to look."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from banister.audit.anonymity.records import FrameSeen, SpySaw
from banister.spread.lab.estimators.spies import timing
from banister.spread.lab.evidence import SpyReports
from banister.spread.lab.graph import Graph

Suspects = Callable[[Sequence[SpySaw], Graph], list[str]]


def first_sender(seen: Sequence[SpySaw], graph: Graph) -> list[str]:
    """Whoever gave the post to the spy that had it first."""
    spies = {each.spy for each in seen}
    early = min((each.time for each in seen), default=0.0)
    return sorted({each.sender for each in seen if each.time == early} - spies)


def by_times(seen: Sequence[SpySaw], graph: Graph) -> list[str]:
    """The likeliest starting point for the times at which the earliest spies had it, a step a hop ([PTV12])."""
    first: dict[str, SpySaw] = {}
    for each in sorted(seen, key=lambda each: each.time):
        first.setdefault(each.spy, each)
    if not first:
        return []
    begin = next(iter(first.values())).time
    marked = np.zeros(graph.count, dtype=bool)
    spies, senders = (graph.numbers_of(getattr(each, name) for each in first.values()) for name in ("spy", "sender"))
    marked[spies] = True
    # Only differences of times mean anything to it; a first report at 3 lets it look three hops around.
    times = np.array([round(each.time - begin) + 3 for each in first.values()])
    reports = SpyReports(
        graph, marked, spies, times, senders, np.full(len(spies), -1), np.full(graph.count, -1, dtype=np.int32),
        int(times[-1]),
    )  # fmt: skip
    return [str(graph.name_of(int(each))) for each in timing(reports, mean=1, variance=1).best()]


def busiest(frames: Sequence[FrameSeen], ends: Sequence[float], window: float) -> list[list[str]]:
    """For each post whoever sent most above her own average in the time before it was first heard of."""
    names = sorted({each.sender for each in frames})
    times = np.array([each.time for each in frames])
    sizes = np.array([each.size for each in frames])
    known = {name: place for place, name in enumerate(names)}
    who = np.array([known[each.sender] for each in frames], dtype=np.int64)
    order = np.argsort(times, kind="stable")
    times, sizes, who = times[order], sizes[order], who[order]
    length = max(float(times[-1] - times[0]), window) if len(times) else window
    usual = np.bincount(who, sizes, len(names)) * window / length
    found = []
    for end in ends:
        part = slice(*np.searchsorted(times, [end - window, end]))
        above = np.bincount(who[part], sizes[part], len(names)) - usual
        found.append([names[place] for place in np.flatnonzero(above >= above.max() - 1e-9)] if len(names) else [])
    return found


def odd_frames(frames: Sequence[FrameSeen], ends: Sequence[float], window: float) -> list[list[str]]:
    """For each post whoever sent the first frame of an unusual size in the time before it was first heard of."""
    usual = Counter(each.size for each in frames).most_common(1)[0][0] if frames else 0.0
    odd = [each for each in frames if each.size != usual]
    found = []
    for end in ends:
        near = [each for each in odd if end - window <= each.time <= end]
        early = min((each.time for each in near), default=0.0)
        found.append(sorted({each.sender for each in near if each.time == early}))
    return found


BY_SPIES: dict[str, Suspects] = {"the first spy's sender": first_sender, "the times at the spies": by_times}
BY_LINKS = {"the busiest sender": busiest, "the first frame of an unusual size": odd_frames}
