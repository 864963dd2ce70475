"""Is the author of a post found more often than is stated?

Were each author found with a chance of at most p, whatever was found before, then the number found among n posts would
be at most a Bin(n, p) number in law. So Clopper and Pearson's lower bound holds for posts that depend on one another
through one run, as long as the stated figure is meant for each of them; several ways to look share the risk.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from banister import need
from banister.audit.anonymity.records import FrameSeen, SpySaw
from banister.audit.anonymity.suspecting import BY_LINKS, BY_SPIES
from banister.audit.attacks.bounds import chance_down
from banister.core.exact.numbers import Number, brief
from banister.errors import BadValue
from banister.sampling.bits import SYSTEM, BitSource
from banister.sampling.uniform import uniform_below
from banister.spread.lab.graph import Graph

LEAST_POSTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AnonymityFinding:
    """How often authors were found, and by what; wrong with a chance of at most 1 - confidence.

    >>> from banister.audit import unmask
    >>> ring = Graph.of_edges([(str(i), str((i + 1) % 9)) for i in range(9)])
    >>> told = [SpySaw(str(post), "0", "1", 1.0) for post in range(40)]
    >>> found = unmask(ring, {str(post): "1" for post in range(40)}, told, stated="0.5")
    >>> found.broken, found.way, found.hits
    (True, "the first spy's sender", 40)
    """

    stated: Fraction
    confidence: Fraction
    shown: float
    """Authors are found at least so often, with the confidence stated."""
    way: str
    """How they were found."""
    hits: int
    posts: int
    ways: Mapping[str, int]
    """Authors found in each of the ways that were tried."""

    @property
    def broken(self) -> bool:
        """Whether authors are found more often than was stated."""
        return self.shown > self.stated

    def __str__(self) -> str:
        head = "BROKEN, authors are found more often than" if self.broken else "nothing found against"
        tried = "; ".join(f"{way}: {hits:,}" for way, hits in self.ways.items())
        return (
            f"{head} the stated {brief(self.stated)}. Shown: at least {self.shown:.4g} of posts (confidence "
            f"{float(self.confidence):.6g}).\nBy {self.way} the authors of {self.hits:,} of {self.posts:,} posts were "
            f"found.\nTried: {tried}."
        )

    def as_record(self) -> dict[str, object]:
        """For programs."""
        exact = {"stated": str(self.stated), "confidence": str(self.confidence)}
        counts = {"hits": self.hits, "posts": self.posts, "ways": dict(self.ways)}
        return {"broken": self.broken, **exact, "shown": self.shown, "way": self.way, **counts}


def unmask(
    graph: Graph,
    authors: Mapping[str, str],
    spies: Sequence[SpySaw] = (),
    capture: Sequence[FrameSeen] = (),
    *,
    stated: Number,
    confidence: Number = "0.99",
    window: Number = 10,
    bits: BitSource = SYSTEM,
) -> AnonymityFinding:
    """Suspect an author for every post from what spies and watched links saw, and count who was right.

    `stated` is the chance with which the author of a post may be found at most; `window` is how long before a post was
    first heard of a watcher looks at the links. Among equal suspects one is drawn. Spies must not be authors.

    >>> line = Graph.of_edges([("a", "b"), ("b", "c")])
    >>> unmask(line, {str(post): "a" for post in range(20)}, [SpySaw("0", "c", "b", 1)], stated="0.2").broken
    False
    """
    figure = need.between("stated", stated, 0, 1)
    sure = need.strictly_between("confidence", confidence, 0, 1)
    width = float(need.positive("window", window))
    if len(authors) < LEAST_POSTS:
        raise BadValue(f"{len(authors)} posts with known authors are too few; at least {LEAST_POSTS} are needed.")
    if not spies and not capture:
        raise BadValue("Nothing was seen: give the spies' log, a capture of links, or both.")
    by_post: dict[str, list[SpySaw]] = {post: [] for post in authors}
    for each in spies:
        by_post.setdefault(each.post, []).append(each)
    suspects = _suspected(graph, list(authors), by_post, capture, width)
    ways = {
        way: sum(_drawn(named, bits) == authors[post] for post, named in zip(authors, each, strict=True))
        for way, each in suspects.items()
    }
    best = max(ways, key=lambda way: ways[way])
    shown = float(chance_down(ways[best], len(authors), float(1 - sure) / len(ways)))
    return AnonymityFinding(
        stated=figure, confidence=sure, shown=shown, way=best, hits=ways[best], posts=len(authors), ways=ways
    )


def _suspected(
    graph: Graph, posts: list[str], seen: dict[str, list[SpySaw]], capture: Sequence[FrameSeen], window: float
) -> dict[str, list[list[str]]]:
    """The suspects for each post, in each of the ways for which there is something to see."""
    found: dict[str, list[list[str]]] = {}
    if any(seen.values()):
        found |= {way: [look(seen[post], graph) for post in posts] for way, look in BY_SPIES.items()}
    if capture:
        last = max(each.time for each in capture)
        ends = [min((each.time for each in seen[post]), default=last) for post in posts]
        found |= {way: watch(capture, ends, window) for way, watch in BY_LINKS.items()}
    return found


def _drawn(named: list[str], bits: BitSource) -> str | None:
    return named[uniform_below(len(named), bits)] if named else None
