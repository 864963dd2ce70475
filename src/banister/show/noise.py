"""The figure of `banister noise`."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from banister.show.canvas import COLOURS, new_figure, save, tidy


@dataclass(frozen=True, slots=True, eq=False)
class NoiseCurve:
    """One line of a figure."""

    name: str
    x: NDArray[np.float64]
    y: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoiseFigure:
    """What is drawn: laws on the left, expected costs against epsilon on the right."""

    title: str
    laws: tuple[NoiseCurve, ...]
    whole: bool
    costs: tuple[NoiseCurve, ...]
    cost_name: str
    epsilon: float


def save_noise_figure(drawn: NoiseFigure, path: Path) -> None:
    """Draw the two panels."""
    figure = new_figure(10.5, 4.2)
    left, right = figure.subplots(1, 2)
    colours = dict(zip(dict.fromkeys(curve.name for curve in (*drawn.laws, *drawn.costs)), COLOURS * 2, strict=False))
    for order, law in enumerate(drawn.laws):
        left.plot(
            law.x,
            law.y,
            label=law.name,
            color=colours[law.name],
            drawstyle="steps-mid" if drawn.whole else "default",
            linewidth=4 if order == 0 else 1.4,  # The best one is wide, so that one on top of it is seen.
            alpha=0.45 if order == 0 else 1,
        )
    left.set_title("the noise", loc="left", fontsize=11)
    left.set_xlabel("error")
    left.set_ylabel("probability" if drawn.whole else "density")
    left.set_ylim(bottom=0)
    for curve in drawn.costs:
        best = curve.name == drawn.laws[0].name
        right.plot(
            curve.x,
            curve.y,
            label=curve.name,
            color=colours[curve.name],
            linewidth=4 if best else 1.6,
            alpha=0.45 if best else 1,
        )
    right.axvline(drawn.epsilon, color="#6c757d", linewidth=0.9, linestyle=":")
    right.set_xscale("log")
    right.set_yscale("log")
    # Noise that is far off everywhere, such as uniform noise for a small delta, must not flatten all the others.
    right.set_ylim(top=min(right.get_ylim()[1], 100 * min(float(curve.y.max()) for curve in drawn.costs)))
    right.set_title(f"expected {drawn.cost_name}", loc="left", fontsize=11)
    right.set_xlabel("epsilon")
    for axes in (left, right):
        tidy(axes)
        axes.legend(frameon=False, fontsize=9)
    figure.suptitle(drawn.title, x=0.01, ha="left", fontsize=12)
    save(figure, path, title=drawn.title)
