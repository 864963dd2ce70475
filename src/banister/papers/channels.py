"""Figures about local privacy, from the third chapters of [K16] and [K15], and about several parties."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from banister.core.laws.utility import KL, divergence_after, entropy, mutual_information
from banister.core.privacy.region import PrivacyRegion
from banister.local.channels.matrix import quaternary
from banister.local.channels.response import RandomizedResponse
from banister.local.designs.bounds import binary_for_testing
from banister.local.designs.thresholds import response_information_slope, response_kl_slope
from banister.local.gallery import draw_part
from banister.papers.entry import Effort, PaperFigure
from banister.show.canvas import new_figure, save
from banister.show.diagrams import Arrow, Box, draw_boxes
from banister.show.panels import CurvePanel, PanelLine, draw_panels
from banister.show.regions import draw_regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from banister.core.programs.linear import Floats

P0, P1 = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.2, 0.6])
PRIOR = np.array([0.5, 0.3, 0.2])


def client_server(path: Path, caption: str, effort: Effort) -> None:
    """People randomize before anybody sees anything."""
    boxes = [Box("server", 6.2, 2.0, "collector\nsees reports only", accent=True)]
    arrows = []
    for place, y in enumerate((3.6, 2.0, 0.4)):
        name = ("1", "2", "n")[place]
        boxes += [Box(f"x{name}", 0.4, y, f"answer X{name}"), Box(f"q{name}", 2.9, y, f"channel Q{name}\nat epsilon")]
        arrows += [Arrow(f"x{name}", f"q{name}"), Arrow(f"q{name}", "server", f"Y{name}")]
    draw_boxes(boxes, arrows, path, caption=caption, size=(8.4, 3.8))


def two_staircases(path: Path, caption: str, effort: Effort) -> None:
    """One bit, and randomized response, as matrices."""
    bit = np.where(np.arange(4)[:, None] // 2 == np.arange(2), math.e, 1.0) / (1 + math.e)
    _matrices([("one bit: which half", bit), ("randomized response", RandomizedResponse(1, 4).matrix)], path, caption)


def four_symbols(path: Path, caption: str, effort: Effort) -> None:
    """The quaternary channel."""
    _matrices([("(1, 0.1): sure 0, likely 0, likely 1, sure 1", quaternary(1, "0.1").matrix)], path, caption)


def _matrices(panels: "list[tuple[str, Floats]]", path: Path, caption: str) -> None:
    figure = new_figure(4.6 * len(panels) + (2 if len(panels) == 1 else 0), 3.6)
    for axes, (title, matrix) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _matrix(axes, title, matrix)
    save(figure, path, caption=caption)


def _matrix(axes: "Axes", title: str, matrix: "Floats") -> None:
    axes.imshow(matrix, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for (x, y), chance in np.ndenumerate(matrix):
        axes.text(y, x, f"{chance:.3f}", ha="center", va="center", fontsize=9, color="w" if chance > 0.5 else "#17212b")
    axes.set_xticks(range(matrix.shape[1]))
    axes.set_yticks(range(matrix.shape[0]))
    axes.set(xlabel="report", ylabel="answer")
    axes.set_title(title, loc="left", fontsize=10.5)


def testing_average(path: Path, caption: str, effort: Effort) -> None:
    draw_part("average", effort.testing, path, caption=caption)


def testing_better(path: Path, caption: str, effort: Effort) -> None:
    draw_part("better", effort.testing, path, caption=caption)


def testing_scaling(path: Path, caption: str, effort: Effort) -> None:
    draw_part("scaling", effort.testing, path, caption=caption)


def information_average(path: Path, caption: str, effort: Effort) -> None:
    draw_part("average", effort.information, path, caption=caption)


def information_better(path: Path, caption: str, effort: Effort) -> None:
    draw_part("better", effort.information, path, caption=caption)


def information_scaling(path: Path, caption: str, effort: Effort) -> None:
    draw_part("scaling", effort.information, path, caption=caption)


def large_levels(path: Path, caption: str, effort: Effort) -> None:
    """What randomized response loses at large epsilon, times e^epsilon: measured, corrected, printed."""
    levels = np.linspace(1, 12, 56)
    channels = [RandomizedResponse(float(level), 3).matrix for level in levels]
    whole, most = float(KL.between(P0, P1)), entropy(PRIOR)
    kl = [(whole - divergence_after(KL, q, P0, P1)) * math.exp(e) for e, q in zip(levels, channels, strict=True)]
    told = [(most - mutual_information(PRIOR, q)) * math.exp(e) for e, q in zip(levels, channels, strict=True)]
    printed = float(((1 - P0) * np.log(P1 / P0)).sum())
    flat = np.ones_like(levels)
    draw_panels(
        [
            CurvePanel(
                title="KL divergence lost, times e^epsilon",
                x_label="epsilon",
                y_label="",
                lines=(
                    PanelLine("measured", levels, kl),
                    PanelLine("G, corrected", levels, response_kl_slope(P0, P1) * flat, dashed=True),
                    PanelLine("G, as printed", levels, printed * flat, dashed=True),
                ),
                x_range=(1, 12),
            ),
            CurvePanel(
                title="information lost, times e^epsilon",
                x_label="epsilon",
                y_label="",
                lines=(
                    PanelLine("measured", levels, told),
                    PanelLine("corrected", levels, 2 * levels + response_information_slope(PRIOR), dashed=True),
                    PanelLine("as printed", levels, 2 * levels, dashed=True),
                ),
                x_range=(1, 12),
            ),
        ],
        path,
        caption=caption,
    )


def better_by_size(path: Path, caption: str, effort: Effort) -> None:
    """How the better of the two simple channels falls behind as answers grow."""
    from banister.local.gallery import run_information, run_testing
    from banister.local.pictures import draw_fall

    few = max(2, effort.instances // 4)
    runs = {
        "testing": [*effort.testing, *(run_testing(k, few) for k in (8, 10, 12))],
        "information": [*effort.information, *(run_information(k, few) for k in (8, 10, 12))],
    }
    worst = {name: [float(run.better_of_two.min()) for run in found] for name, found in runs.items()}
    mean = {name: [float(run.better_of_two.mean(axis=1).min()) for run in found] for name, found in runs.items()}
    draw_fall((3, 4, 5, 6, 8, 10, 12), worst, mean, path, caption=caption)


def two_mechanisms(path: Path, caption: str, effort: Effort) -> None:
    """Regions of the reports of two hypotheses: one bit includes all others while epsilon is small."""
    regions = {}
    for name, matrix in (
        ("one bit", binary_for_testing("0.9", P0, P1).matrix),
        ("randomized response", RandomizedResponse("0.9", 3).matrix),
    ):
        zero, one = ([round(float(x), 12) for x in law @ matrix] for law in (P0, P1))
        regions[name] = PrivacyRegion.of_pair(_exact(zero), _exact(one))
    draw_regions(regions, path, caption=caption)


def _exact(law: list[float]) -> list[str]:
    """The law as decimals that add up to 1."""
    parts = [round(x * 10**12) for x in law[:-1]]
    return [f"{part}/{10**12}" for part in (*parts, 10**12 - sum(parts))]


def several_bits(path: Path, caption: str, effort: Effort) -> None:
    """Two parties with several bits each."""
    from banister.parties.pairs import draw_figure

    draw_figure(path, 81, caption=caption)


FIGURES = (
    PaperFigure("client-server", ("K16 3.1", "K15 3.1"), "Answers are randomized where they arise.", client_server),
    PaperFigure(
        "channels", ("K16 3.2", "K15 3.2"), "Two staircase channels at epsilon 1, four answers.", two_staircases
    ),
    PaperFigure(
        "testing-average",
        ("K16 3.3", "K15 3.3"),
        "KL divergence kept, six answers. Left: on average. Right: each instance against the optimum.",
        testing_average,
    ),
    PaperFigure(
        "testing-better",
        ("K16 3.4", "K15 3.4"),
        "The better of one bit and randomized response against the optimum. It falls with the number of answers.",
        testing_better,
    ),
    PaperFigure(
        "testing-scaling",
        ("K16 3.5", "K15 3.5"),
        "KL divergence against what it scales with, six answers.",
        testing_scaling,
    ),
    PaperFigure(
        "information-average",
        ("K16 3.6", "K15 3.6"),
        "Mutual information kept, six answers. Left: on average. Right: each instance against the optimum.",
        information_average,
    ),
    PaperFigure(
        "information-better",
        ("K16 3.7", "K15 3.7"),
        "The better of one bit and randomized response against the optimum.",
        information_better,
    ),
    PaperFigure(
        "information-scaling",
        ("K16 3.8", "K15 3.8"),
        "Mutual information against what it scales with, six answers.",
        information_scaling,
    ),
    PaperFigure(
        "quaternary", ("K16 3.9", "K15 3.9"), "The quaternary channel for one bit and (epsilon, delta).", four_symbols
    ),
    PaperFigure(
        "two-parties",
        ("K16 4.2",),
        "Two parties with several bits: an interactive protocol is better than randomizing every bit, and the best "
        "second message better still. The distance starts at 1.5 and tends to 2.",
        several_bits,
    ),
    PaperFigure(
        "one-bit-includes",
        ("K16 B.1",),
        "What tests on the reports can reach at epsilon 0.9, below the threshold of 0.98 up to which one bit is best.",
        two_mechanisms,
    ),
    PaperFigure(
        "large-epsilon",
        ("K16 (3.18)", "K16 (3.24)"),
        "The two expansions for large epsilon, corrected, beside what is printed; three answers.",
        large_levels,
    ),
    PaperFigure("better-by-size", (), "The better of the two simple channels falls behind.", better_by_size),
)
