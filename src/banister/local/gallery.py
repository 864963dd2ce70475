"""The experiments of the source, recomputed: every channel against the optimum on random instances."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister.core.laws.utility import KL, divergence_after, entropy, mutual_information
from banister.core.programs.linear import Floats
from banister.local.channels.matrix import geometric
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.bounds import binary_for_information, binary_for_testing
from banister.local.designs.information import design_information
from banister.local.designs.partition import design_between
from banister.local.examples import stream

EPSILONS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
SIZES = (3, 4, 5, 6, 8, 10, 12)
NAMES = ("optimal", "binary", "randomized response", "geometric")
PARTS = ("average", "better", "scaling")
WORDS = {
    "testing": ("total variation", "KL divergence of the laws", "KL divergence of the reports"),
    "information": ("P(T) P(not T)", "entropy of the answer", "mutual information"),
}
"""What the utility scales with at small and at large epsilon, and what it is."""


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """Utilities by (channel, epsilon, instance), in the order of NAMES and EPSILONS, and what each instance is worth.

    `spread` is what the utility scales with at small epsilon: total variation, or P(T) P(not T).
    """

    name: str
    categories: int
    utilities: Floats
    worth: Floats
    spread: Floats

    @property
    def better_of_two(self) -> Floats:
        """The better of binary and randomized response, as a part of the optimum, by (epsilon, instance)."""
        result: Floats = self.utilities[1:3].max(axis=0) / self.utilities[0]
        return result


def dirichlet(name: str, instances: int, categories: int) -> Floats:
    """Laws drawn uniformly from the simplex, the same on every machine."""
    waits = -np.log(stream(f"{name}-{categories}", instances * categories)).reshape(instances, categories)
    laws: Floats = waits / waits.sum(axis=1, keepdims=True)
    return laws


def run_testing(categories: int, instances: int) -> Experiment:
    """KL divergence kept between two random laws."""
    p0, p1 = dirichlet("zero", instances, categories), dirichlet("one", instances, categories)
    found = np.empty((4, len(EPSILONS), instances))
    for i, epsilon in enumerate(EPSILONS):
        plain, smooth = RandomizedResponse(epsilon, categories).matrix, geometric(epsilon, categories).matrix
        for j, (one, other) in enumerate(zip(p0, p1, strict=True)):
            bit = binary_for_testing(epsilon, one, other).matrix
            found[0, i, j] = design_between(Fraction(epsilon), one, other, KL).utility
            found[1:, i, j] = [divergence_after(KL, matrix, one, other) for matrix in (bit, plain, smooth)]
    worth = np.array([float(KL.between(one, other)) for one, other in zip(p0, p1, strict=True)])
    return Experiment("testing", categories, found, worth, np.abs(p0 - p1).sum(axis=1) / 2)


def run_information(categories: int, instances: int) -> Experiment:
    """Mutual information kept for a random prior."""
    priors = dirichlet("prior", instances, categories)
    found = np.empty((4, len(EPSILONS), instances))
    halves = np.empty(instances)
    for i, epsilon in enumerate(EPSILONS):
        plain, smooth = RandomizedResponse(epsilon, categories).matrix, geometric(epsilon, categories).matrix
        for j, prior in enumerate(priors):
            bit = binary_for_information(epsilon, prior)
            half = float(prior[bit.cell_of == 1].sum())
            halves[j] = half * (1 - half)
            found[0, i, j] = design_information(Fraction(epsilon), prior).utility
            found[1:, i, j] = [mutual_information(prior, matrix) for matrix in (bit.matrix, plain, smooth)]
    return Experiment("information", categories, found, np.array([entropy(prior) for prior in priors]), halves)


def draw_part(part: str, runs: list[Experiment], path: Path, *, caption: str = "") -> None:
    """One figure from the experiments with 3, 4, 5 and 6 categories: average, better or scaling."""
    from banister.local import pictures as plots

    six = runs[3]
    words = WORDS[six.name]
    if part == "average":
        plots.draw_average(EPSILONS, NAMES, six.utilities, six.worth, words[2], path, caption=caption)
    elif part == "better":
        plots.draw_better(EPSILONS, {run.categories: run.better_of_two for run in runs}, path, caption=caption)
    else:
        small, large = six.utilities[:, EPSILONS.index(0.1)], six.utilities[:, EPSILONS.index(10.0)]
        plots.draw_scaling((six.spread, small), (six.worth, large), NAMES, words, path, caption=caption)


def draw_gallery(folder: Path, instances: int, sizes: tuple[int, ...] = SIZES) -> list[Path]:
    """The figures of [K16] 3.3 to 3.8 into a folder, and one of how the two simple channels fall behind."""
    from banister.local import pictures as plots

    few = max(2, instances // 4)
    runs = {
        "testing": [run_testing(k, instances if k <= 6 else few) for k in sizes],
        "information": [run_information(k, instances if k <= 6 else few) for k in sizes],
    }
    paths = []
    for name, found in runs.items():
        paths += [folder / f"local-{name}-{part}.svg" for part in PARTS]
        for part, path in zip(PARTS, paths[-3:], strict=True):
            draw_part(part, found[:4], path)
    paths.append(folder / "local-better-by-size.svg")
    worst = {name: [float(run.better_of_two.min()) for run in found] for name, found in runs.items()}
    mean = {name: [float(run.better_of_two.mean(axis=1).min()) for run in found] for name, found in runs.items()}
    plots.draw_fall(sizes, worst, mean, paths[-1])
    return paths
