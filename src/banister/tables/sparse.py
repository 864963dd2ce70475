"""Sparse matrices of SciPy, by what they can do: graphs come as such to several contexts."""

from typing import Protocol, TypeGuard

from numpy.typing import ArrayLike


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
