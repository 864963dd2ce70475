"""Every history of a spread on a small tree with its exact chance: the slow road that the fast ones are held to."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from banister.spread.schedule import keep_probability

Neighbours = Callable[[Hashable], Sequence[Hashable]]


@dataclass(frozen=True, slots=True)
class History:
    """One way in which a spread can have gone."""

    chance: Fraction
    times: dict[Hashable, int]
    parents: dict[Hashable, Hashable]

    @property
    def holders(self) -> frozenset[Hashable]:
        return frozenset(self.times)


Law = Callable[[Neighbours, Hashable, int], Iterator[History]]


def adaptive_histories(degree: int | None) -> Law:
    """Adaptive diffusion with keep probabilities made for `degree`, or always passing where it is None."""

    def law(neighbours: Neighbours, author: Hashable, steps: int) -> Iterator[History]:
        start = {author: 0}
        if steps == 0:
            yield History(Fraction(1), start, {})
            return
        first_links = neighbours(author)
        for first in first_links:
            times, parents = {author: 0, first: 1}, {first: author}
            if steps >= 2:
                _tell(neighbours, [first], 2, times, parents)
            chance = Fraction(1, len(first_links))
            yield from _rounds(neighbours, History(chance, times, parents), (first, author, 1), 2, steps, degree)

    return law


def _rounds(
    neighbours: Neighbours,
    so_far: History,
    token: tuple[Hashable, Hashable, int],
    now: int,
    steps: int,
    degree: int | None,
) -> Iterator[History]:
    if now >= steps:
        yield so_far
        return
    holder, came_from, hops = token
    kept = Fraction(0) if degree is None else keep_probability(degree=degree, time=now, hops=hops)
    if kept > 0:
        times, parents = dict(so_far.times), dict(so_far.parents)
        _tell(neighbours, _leaves(holder, None, parents, times), now + 1, times, parents)
        yield from _rounds(neighbours, History(so_far.chance * kept, times, parents), token, now + 2, steps, degree)
    links = [link for link in _tree_links(holder, so_far.parents, so_far.times) if link != came_from]
    for link in links:
        times, parents = dict(so_far.times), dict(so_far.parents)
        for step in range(now + 1, min(now + 2, steps) + 1):
            _tell(neighbours, _leaves(link, holder, parents, times), step, times, parents)
        chance = so_far.chance * (1 - kept) / len(links)
        yield from _rounds(
            neighbours, History(chance, times, parents), (link, holder, hops + 1), now + 2, steps, degree
        )


def _tree_links(node: Hashable, parents: dict[Hashable, Hashable], times: dict[Hashable, int]) -> list[Hashable]:
    below = [child for child, parent in parents.items() if parent == node]
    return [*([parents[node]] if node in parents else []), *below]


def _leaves(
    node: Hashable, behind: Hashable | None, parents: dict[Hashable, Hashable], times: dict[Hashable, int]
) -> list[Hashable]:
    """The ends of the tree that a wave from `node` reaches when it does not go to `behind`."""
    onward = [link for link in _tree_links(node, parents, times) if link != behind]
    if not onward:
        return [node]
    return [leaf for link in onward for leaf in _leaves(link, node, parents, times)]


def _tell(
    neighbours: Neighbours,
    leaves: Iterable[Hashable],
    now: int,
    times: dict[Hashable, int],
    parents: dict[Hashable, Hashable],
) -> None:
    for leaf in list(leaves):
        for contact in neighbours(leaf):
            if contact not in times:
                times[contact] = now
                parents[contact] = leaf


def tree_histories(neighbours: Neighbours, author: Hashable, steps: int) -> Iterator[History]:
    """The tree protocol with its climbing counter."""
    yield from _climb(neighbours, History(Fraction(1), {author: 0}, {}), author, {author: 0}, 1, steps)


def _climb(
    neighbours: Neighbours, so_far: History, top: Hashable, level: dict[Hashable, int], now: int, steps: int
) -> Iterator[History]:
    if now > steps:
        yield so_far
        return
    free = [contact for contact in neighbours(top) if contact not in so_far.times]
    for above in free:
        times, parents, levels = dict(so_far.times), dict(so_far.parents), dict(level)
        times[above], parents[above], levels[above] = now, top, level[top] + 1
        tellers = [node for node, s in level.items() if s > 0]
        for node in tellers:
            _tell(neighbours, [node], now, times, parents)
        for node in times:
            if node not in levels:
                levels[node] = level[parents[node]] - 1
        for node in (*tellers, top):
            levels[node] = 0
        chance = so_far.chance / len(free)
        yield from _climb(neighbours, History(chance, times, parents), above, levels, now + 1, steps)


Seen = Callable[[History], Hashable]
"""What an adversary sees of a history."""


def seen_law(law: Law, neighbours: Neighbours, author: Hashable, steps: int, seen: Seen) -> dict[Hashable, Fraction]:
    """The exact law of what is seen, for one author."""
    total: dict[Hashable, Fraction] = defaultdict(Fraction)
    for history in law(neighbours, author, steps):
        total[seen(history)] += history.chance
    return dict(total)


def exact_posterior(
    law: Law, neighbours: Neighbours, authors: Sequence[Hashable], steps: int, seen: Seen, observed: Hashable
) -> dict[Hashable, Fraction]:
    """What was seen, for each author: the posterior when all were equally likely before."""
    likelihood = {v: seen_law(law, neighbours, v, steps, seen).get(observed, Fraction(0)) for v in authors}
    total = sum(likelihood.values())
    return {v: value / total if total else value for v, value in likelihood.items()}


Word = tuple[int, ...]


def regular_tree(degree: int) -> Neighbours:
    """The endless regular tree: nodes are words in `degree` letters in which no letter follows itself.

    >>> regular_tree(3)((0, 1))
    [(0, 1, 0), (0,), (0, 1, 2)]
    """

    def neighbours(node: Hashable) -> Sequence[Hashable]:
        word = node if isinstance(node, tuple) else ()
        return [word[:-1] if word and word[-1] == letter else (*word, letter) for letter in range(degree)]

    return neighbours


def seen_from(word: Word, origin: Word) -> Word:
    """Where `word` lies when `origin` is carried to the empty word, by a symmetry of the regular tree."""
    common = 0
    while common < min(len(word), len(origin)) and word[common] == origin[common]:
        common += 1
    return tuple(reversed(origin[common:])) + word[common:]


def snapshot_detection(law: Law, degree: int, steps: int) -> Fraction:
    """Detection by the best guess from the holders alone, on the regular tree, from all histories.

    >>> snapshot_detection(adaptive_histories(3), 3, 4)
    Fraction(1, 9)
    """
    chances = seen_law(law, regular_tree(degree), (), steps, lambda history: history.holders)
    total = Fraction(0)
    for holders, chance in chances.items():
        words = holders if isinstance(holders, frozenset) else frozenset()
        likelihood = {v: chances.get(frozenset(seen_from(w, v) for w in words), Fraction(0)) for v in words}
        best = [v for v, value in likelihood.items() if value == max(likelihood.values())]
        if () in best:
            total += chance / len(best)
    return total
