"""Adjacency matrices of SciPy, by what they can do."""

import numpy as np

from banister.errors import BadValue
from banister.spread.lab.graph import Graph
from banister.tables.sparse import SparseMatrix


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
