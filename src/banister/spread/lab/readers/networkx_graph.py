"""Graphs of NetworkX, by what they can do; the library itself is not needed."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol, TypeGuard

from banister.errors import BadValue
from banister.spread.lab.graph import Graph


class NetworkXGraph(Protocol):
    """What is asked of a NetworkX graph."""

    def is_directed(self) -> bool: ...

    def edges(self) -> Iterable[Sequence[Hashable]]: ...

    def number_of_nodes(self) -> int: ...


def is_networkx(source: object) -> TypeGuard[NetworkXGraph]:
    """Whether this is a graph of NetworkX."""
    return type(source).__module__.partition(".")[0] == "networkx"


def read_networkx(source: NetworkXGraph) -> Graph:
    """The contact graph; nodes without contacts are left out, and that is said."""
    if source.is_directed():
        raise BadValue("The graph is directed, but contacts talk both ways. Give graph.to_undirected() instead.")
    graph = Graph.of_edges([tuple(edge[:2]) for edge in source.edges()])
    alone = source.number_of_nodes() - graph.count
    note = (
        (f"{alone:,} node{'s'[: alone > 1]} without contacts {'were' if alone > 1 else 'was'} left out.",)
        if alone
        else ()
    )
    return Graph(graph.starts, graph.links, graph.names, graph.notes + note)
