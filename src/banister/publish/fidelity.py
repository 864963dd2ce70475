"""How far a private copy is from the table it was made of: one- and two-way marginals, the worst ones named.

What is computed here shows the true table. It is for the table's owner, and never for publication.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from banister.publish.noise import TableNoise
from banister.tables.domain import Attribute, Domain, Integers

PAIRS_LIMIT = 200
"""The most pairs of columns that are compared."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Marginal:
    """The counts over some columns, before and after."""

    attributes: tuple[Attribute, ...]
    before: Integers
    after: Integers
    deviation: float | None
    """Standard deviation that the noise alone gives one count, where it is known in advance."""

    @property
    def name(self) -> str:
        return " × ".join(attribute.name for attribute in self.attributes)

    @property
    def variation(self) -> float:
        """Total variation between the two, each as a share of its own total."""
        before, after = (x / max(int(x.sum()), 1) for x in (self.before, self.after))
        return float(np.abs(before - after).sum() / 2)

    def worst(self) -> tuple[str, int, int]:
        """The cell whose share is farthest off: its label, its counts before and after."""
        before, after = (x / max(int(x.sum()), 1) for x in (self.before, self.after))
        place = int(np.argmax(np.abs(before - after)))
        codes = np.unravel_index(place, tuple(a.size for a in self.attributes))
        label = ", ".join(a.label(int(code)) for a, code in zip(self.attributes, codes, strict=True))
        return label, int(self.before[place]), int(self.after[place])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fidelity:
    """Every one-way and two-way marginal before and after, and what other mechanisms would have cost."""

    one_way: tuple[Marginal, ...]
    two_way: tuple[Marginal, ...]
    records: int
    alternatives: tuple[tuple[str, float], ...]
    """Expected L1 error of other mechanisms at the same guarantee, before repair."""

    @classmethod
    def of_histograms(cls, domain: Domain, before: Integers, after: Integers, noise: TableNoise) -> "Fidelity":
        """Compare two histograms over one domain."""
        shape = domain.shape
        tables = [x.reshape(shape) for x in (before, after)]

        def marginal(axes: tuple[int, ...]) -> Marginal:
            rest = tuple(axis for axis in range(len(shape)) if axis not in axes)
            sums = [np.asarray(table.sum(axis=rest), dtype=np.int64).ravel() for table in tables]
            chosen = domain.cells // prod(shape[axis] for axis in axes)
            attributes = tuple(domain.attributes[axis] for axis in axes)
            return Marginal(attributes=attributes, before=sums[0], after=sums[1], deviation=noise.deviation(chosen))

        return cls._of(domain, marginal, int(before.sum()), alternatives(noise, int(before.sum())))

    @classmethod
    def of_codes(
        cls, domain: Domain, before: Sequence[Integers], after: Sequence[Integers], *, deviation: float
    ) -> "Fidelity":
        """Compare two tables of records given as codes; `deviation` is that of the noise on one value of a column."""
        shape = domain.shape

        def counts(codes: Sequence[Integers], axes: tuple[int, ...]) -> Integers:
            sizes = tuple(shape[axis] for axis in axes)
            flat = np.ravel_multi_index(tuple(codes[axis] for axis in axes), sizes)
            return np.bincount(flat, minlength=prod(sizes)).astype(np.int64)

        def marginal(axes: tuple[int, ...]) -> Marginal:
            return Marginal(
                attributes=tuple(domain.attributes[axis] for axis in axes),
                before=counts(before, axes),
                after=counts(after, axes),
                deviation=deviation if len(axes) == 1 else None,
            )

        return cls._of(domain, marginal, int(before[0].size), ())

    @classmethod
    def _of(
        cls,
        domain: Domain,
        marginal: Callable[[tuple[int, ...]], Marginal],
        records: int,
        alternatives: tuple[tuple[str, float], ...],
    ) -> "Fidelity":
        columns = range(len(domain.attributes))
        pairs = list(combinations(columns, 2))[:PAIRS_LIMIT]
        return cls(
            one_way=tuple(marginal((axis,)) for axis in columns),
            two_way=tuple(marginal(pair) for pair in pairs),
            records=records,
            alternatives=alternatives,
        )

    def mean_variation(self, marginals: Sequence[Marginal]) -> float:
        """Mean total variation of some marginals; 0 where there are none."""
        return float(np.mean([m.variation for m in marginals])) if marginals else 0.0

    def worst(self, count: int) -> tuple[Marginal, ...]:
        """The marginals that are farthest off."""
        return tuple(sorted((*self.one_way, *self.two_way), key=lambda m: -m.variation)[:count])


def alternatives(noise: TableNoise, records: int) -> tuple[tuple[str, float], ...]:
    """Expected L1 error, before repair, of this noise and of others at the same guarantee."""
    return ((noise.name, noise.distortion()), *noise.rivals(records))
