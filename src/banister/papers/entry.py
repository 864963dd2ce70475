"""What a figure of a document is, and what is computed once for several of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from banister.local.gallery import Experiment
    from banister.spread.lab.drawn.figures import Bench
    from banister.work.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much chance is spent on figures that need it; what several figures show is computed once."""

    instances: int = 40
    """Random laws for each size, for the figures of local privacy."""
    trials: int = 200
    """Trials for each point, for the figures of spreading."""
    seed: int = 1
    workers: int = 0
    progress: "Progress | None" = field(default=None, compare=False)

    @cached_property
    def testing(self) -> "list[Experiment]":
        """KL divergences kept, for 3 to 6 categories."""
        from banister.local.gallery import run_testing

        return [run_testing(categories, self.instances) for categories in (3, 4, 5, 6)]

    @cached_property
    def information(self) -> "list[Experiment]":
        """Mutual information kept, for 3 to 6 categories."""
        from banister.local.gallery import run_information

        return [run_information(categories, self.instances) for categories in (3, 4, 5, 6)]

    @property
    def bench(self) -> "Bench":
        """Runs studies of spreading."""
        from banister.spread.lab.drawn.figures import Bench

        return Bench(self.trials, self.seed, self.workers, self.progress)


@dataclass(frozen=True, slots=True)
class PaperFigure:
    """One drawing, and the figures of the documents that it is: "G13 2.7" is Figure 2.7 of [G13]. Ours have none."""

    name: str
    numbers: tuple[str, ...]
    about: str
    draw: Callable[[Path, str, Effort], None]

    @property
    def caption(self) -> str:
        """The documents' numbers, then what is seen."""
        places = [_cited(*number.split()) for number in self.numbers] or ["Ours"]
        return f"{', '.join(places)}. {self.about}"


def _cited(document: str, number: str) -> str:
    return f"[{document}] Eq. {number}" if number.startswith("(") else f"[{document}] Figure {number}"
