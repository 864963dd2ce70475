"""Adjacency matrices of SciPy, by what they can do."""

from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from banister.errors import BadValue
from banister.spread.lab.graph import Graph


class Coordinates(Protocol):
    """A sparse matrix as rows, columns and values."""

    @property
    def row(self) -> ArrayLike: ...

    @property
    def col(self) -> ArrayLike: ...

    @property
    def data(self) -> ArrayLike: ...

    @property
    def shape(self) -> tuple[int, ...]: ...


class SparseMatrix(Protocol):
    """What is asked of a sparse matrix."""

    def tocoo(self, copy: bool = ...) -> Coordinates: ...


def is_sparse(source: object) -> TypeGuard[SparseMatrix]:
    """Whether this is a sparse matrix of SciPy."""
    return type(source).__module__.startswith("scipy.sparse")


def read_sparse(source: SparseMatrix) -> Graph:
    """The graph with a link for each entry that is not 0; the matrix must be square and its pattern symmetric."""
    matrix = source.tocoo()
    rows, columns = matrix.shape
    if rows != columns:
        raise BadValue(f"The matrix is {rows} by {columns}; an adjacency matrix is square.")
    present = np.asarray(matrix.data) != 0
    one, other = (np.asarray(ends, dtype=np.int64)[present] for ends in (matrix.row, matrix.col))
    there, back = np.unique(one * rows + other), np.unique(other * rows + one)
    if len(there) != len(back) or (there != back).any():
        raise BadValue("The matrix is not symmetric, but contacts talk both ways. Give matrix + matrix.T instead.")
    upper = one <= other
    return Graph.of_pairs(np.column_stack([one[upper], other[upper]]), rows)
