"""Graphs of igraph, by what they can do; the library itself is not needed."""

from typing import Protocol, TypeGuard

import numpy as np

from banister.errors import BadValue
from banister.spread.lab.graph import Graph


class VertexSequence(Protocol):
    """The vertices of an igraph graph."""

    def attributes(self) -> list[str]: ...

    def __getitem__(self, name: str) -> list[str]: ...


class IGraphGraph(Protocol):
    """What is asked of an igraph graph."""

    @property
    def vs(self) -> VertexSequence: ...

    def is_directed(self) -> bool: ...

    def get_edgelist(self) -> list[tuple[int, int]]: ...

    def vcount(self) -> int: ...


def is_igraph(source: object) -> TypeGuard[IGraphGraph]:
    """Whether this is a graph of igraph."""
    return type(source).__module__.partition(".")[0] == "igraph"


def read_igraph(source: IGraphGraph) -> Graph:
    """The contact graph, with the attribute `name` of the vertices where there is one."""
    if source.is_directed():
        raise BadValue("The graph is directed, but contacts talk both ways. Call graph.to_undirected() first.")
    names = tuple(source.vs["name"]) if "name" in source.vs.attributes() else None
    return Graph.of_pairs(np.asarray(source.get_edgelist(), dtype=np.int64), source.vcount(), names=names)
