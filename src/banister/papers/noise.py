"""Figures about noise for a trusted curator, from [G13] and the second chapter of [K16]."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np

from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.core.privacy.region import PrivacyRegion
from banister.mechanisms.integers.integer_staircase import IntegerStaircase
from banister.mechanisms.line.laplace import Laplace
from banister.mechanisms.line.staircase import Staircase
from banister.mechanisms.vectors.radial import best_gamma as best_radial_gamma
from banister.mechanisms.vectors.vector_staircase import VectorStaircase
from banister.papers.entry import Effort, PaperFigure
from banister.show.canvas import COLOURS, new_figure, save, tidy
from banister.show.panels import CurvePanel, PanelLine, draw_panels
from banister.show.regions import draw_growth

_BS = np.concatenate([np.linspace(0.002, 0.05, 13), np.linspace(0.06, 0.99, 48)])


def regions_of_noise(path: Path, caption: str, effort: Effort) -> None:
    """What epsilon = 1 allows, and what Laplace and staircase noise at that level really give."""
    panels = {}
    for epsilon in (1, 3):
        panels[f"epsilon = {epsilon}"] = {
            "allowed": PrivacyRegion.of_guarantee(Guarantee(epsilon)),
            "staircase": PrivacyRegion.of_loss(Staircase(epsilon=epsilon, sensitivity=1).loss()),
            "Laplace": PrivacyRegion.of_loss(PrivacyLoss.laplace(Fraction(epsilon))),
        }
    draw_growth(panels, path, caption=caption)


def densities(path: Path, caption: str, effort: Effort) -> None:
    """Laplace and staircase noise; at a large epsilon on a logarithmic scale, where both can be seen."""
    panels = []
    for epsilon, reach, scale in ((1, 4.0, "linear"), (6, 2.5, "log")):
        x = np.linspace(-reach, reach, 2401)
        laplace, stairs = Laplace(epsilon=epsilon, sensitivity=1), Staircase(epsilon=epsilon, sensitivity=1)
        panels.append(
            CurvePanel(
                title=f"epsilon = {epsilon}" + (", logarithmic" if scale == "log" else ""),
                x_label="error, in units of the sensitivity",
                y_label="density",
                y_scale=scale,
                lines=(PanelLine("staircase", x, stairs.densities(x)), PanelLine("Laplace", x, laplace.densities(x))),
            )
        )
    draw_panels(panels, path, caption=caption)


def staircase_density(path: Path, caption: str, effort: Effort) -> None:
    """One staircase with its steps named."""
    epsilon, gamma = 1.0, 0.4
    noise = Staircase.with_gamma(epsilon=1, sensitivity=1, gamma="0.4")
    figure = new_figure(7.6, 3.9)
    axes = figure.subplots()
    x = np.linspace(-3, 3, 2401)
    y = noise.densities(x)
    axes.plot(x, y, color=COLOURS[0], linewidth=1.9)
    axes.fill_between(x, y, color=COLOURS[0], alpha=0.12, linewidth=0)
    top = noise.density(0)
    for k in range(3):
        words = "a" if k == 0 else f"a e$^{{-{'' if k == 1 else k}\\epsilon}}$"
        axes.annotate(
            words,
            (k - (1 - gamma) / 2 if k else gamma / 2, top * math.exp(-epsilon * k)),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
        )
    marks = [(0.0, "0"), (gamma, "γΔ"), (1.0, "Δ"), (1 + gamma, "(1+γ)Δ"), (2.0, "2Δ"), (2 + gamma, "(2+γ)Δ")]
    axes.set_xticks([place for place, _ in marks], labels=[words for _, words in marks])
    for place, _ in marks:
        axes.axvline(place, color=COLOURS[5], linewidth=0.6, linestyle=":")
    axes.set(xlim=(-3, 3), ylim=(0, 1.16 * top), xlabel="error", ylabel="density", title="")
    tidy(axes)
    save(figure, path, caption=caption)


def integer_staircase(path: Path, caption: str, effort: Effort) -> None:
    """One staircase on the integers."""
    noise = IntegerStaircase.with_step(epsilon=1, sensitivity=5, step_width=2)
    figure = new_figure(7.6, 3.6)
    axes = figure.subplots()
    points = np.arange(-16, 17)
    masses = [noise.mass(int(i)) for i in points]
    axes.vlines(points, 0, masses, color=COLOURS[0], linewidth=2.2)
    axes.plot(points, masses, "o", color=COLOURS[0], markersize=4)
    axes.annotate(
        "r = 2 points at the height a", (1, masses[17]), xytext=(26, 4), textcoords="offset points", fontsize=9
    )
    axes.annotate(
        "then steps of Δ = 5 points, each lower by e$^{-ε}$",
        (4, masses[20]),
        xytext=(14, 12),
        textcoords="offset points",
        fontsize=9,
    )
    axes.set(xlabel="error", ylabel="probability", ylim=(0, 1.15 * max(masses)))
    tidy(axes)
    save(figure, path, caption=caption)


def best_gammas(path: Path, caption: str, effort: Effort) -> None:
    """Where the step of the best staircase lies, over b = e^-epsilon, in one and in two dimensions."""
    levels = [Fraction(-math.log(b)).limit_denominator(10**6) for b in _BS]
    b = [math.exp(-float(level)) for level in levels]
    one = tuple(
        PanelLine(name, b, [Staircase(epsilon=level, sensitivity=1, cost=cost).gamma for level in levels])
        for name, cost in (("|x|", "absolute"), ("x²", "squared"))
    )
    two = PanelLine("l1 norm", b, [best_radial_gamma(level, 2, 1) for level in levels])

    def panel(title: str, lines: tuple[PanelLine, ...], top: float) -> CurvePanel:
        return CurvePanel(
            title=title,
            x_label="b = e^−epsilon",
            y_label="best γ",
            lines=lines,
            x_range=(0.0, 1.0),
            y_range=(0.0, top),
        )

    draw_panels(
        [panel("one number", one, 0.6), panel("two numbers, l1 sensitivity", (two,), 1.0)], path, caption=caption
    )


def gain(path: Path, caption: str, effort: Effort) -> None:
    """How many times more Laplace noise costs, for both costs."""
    levels = [Fraction(round(1000 * x), 1000) for x in np.linspace(0.1, 10, 67)]
    lines = []
    for name, cost in (("noise power, x²", "squared"), ("noise size, |x|", "absolute")):
        times = [
            Laplace(epsilon=e, sensitivity=1).risk_for(cost) / Staircase(epsilon=e, sensitivity=1, cost=cost).risk()
            for e in levels
        ]
        lines.append(PanelLine(f"{name}\n{times[-1]:.1f} at 10", [float(e) for e in levels], times))
    panel = CurvePanel(
        title="Laplace over staircase",
        x_label="epsilon",
        y_label="times the cost",
        y_scale="log",
        lines=tuple(lines),
        x_range=(0, 10),
    )
    draw_panels([panel], path, caption=caption, height=4.0)


def vector_density(path: Path, caption: str, effort: Effort) -> None:
    """The staircase for two numbers: heights over the plane, and along a line through the middle."""
    noise = VectorStaircase(epsilon=1, sensitivity=1, dimension=2)
    figure = new_figure(9.6, 4.3)
    left, right = figure.subplots(1, 2)
    places = np.linspace(-3, 3, 241)
    heights = np.array([[noise.density([float(x), float(y)]) for x in places] for y in places[:121]])
    heights = np.vstack([heights, heights[-2::-1]])  # It is symmetric.
    image = left.imshow(heights, extent=(-3, 3, -3, 3), cmap="Blues", origin="lower")
    left.set(xlabel="error of the first", ylabel="error of the second")
    figure.colorbar(image, ax=left, shrink=0.85).ax.set_title("density", fontsize=9)
    right.plot(places, heights[120], color=COLOURS[0], linewidth=1.9, drawstyle="steps-mid")
    right.annotate(
        f"γ = {noise.gamma:.3f}", (noise.gamma, heights[120].max()), xytext=(10, -4), textcoords="offset points"
    )
    right.set(xlabel="error of the first, where the second is 0", ylabel="density", ylim=(0, None))
    tidy(right)
    save(figure, path, caption=caption)


def three_regions(path: Path, caption: str, effort: Effort) -> None:
    """(epsilon, delta), (epsilon, 0) and (0, delta), side by side and over each other."""
    guarantees = {"(1, 0.2)": Guarantee(1, "0.2"), "(1, 0)": Guarantee(1), "(0, 0.2)": Guarantee(0, "0.2")}
    regions = {name: PrivacyRegion.of_guarantee(each) for name, each in guarantees.items()}
    draw_growth(
        {"over each other": regions} | {name: {name: each} for name, each in regions.items()}, path, caption=caption
    )


FIGURES = (
    PaperFigure(
        "noise-regions",
        ("G13 2.1", "G13 2.2"),
        "What a test between neighbours can reach: what epsilon allows, and what noise at that level gives away.",
        regions_of_noise,
    ),
    PaperFigure(
        "densities", ("G13 2.3",), "Laplace and the best staircase for |error|, at epsilon 1 and 6.", densities
    ),
    PaperFigure("staircase", ("G13 2.4",), "The staircase density with γ = 0.4, epsilon = 1.", staircase_density),
    PaperFigure(
        "best-gamma",
        ("G13 2.5", "G13 3.2", "K16 2.3"),
        "The best γ of the staircase; in two dimensions it tends to 1/2 + 1/(2√3) as epsilon falls.",
        best_gammas,
    ),
    PaperFigure("integer-staircase", ("G13 2.6",), "The staircase on the integers, Δ = 5, r = 2.", integer_staircase),
    PaperFigure("gain", ("G13 2.7",), "How much less the staircase costs than Laplace noise.", gain),
    PaperFigure(
        "vector-staircase",
        ("G13 3.1", "K16 2.2"),
        "The density for two numbers, constant on rings of the l1 norm; epsilon = 1.",
        vector_density,
    ),
    PaperFigure(
        "three-regions", ("G13 4.1",), "Regions of (epsilon, delta), (epsilon, 0) and (0, delta).", three_regions
    ),
)
