"""Pictures of channels and of what they keep, with matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from banister.core.programs.linear import Floats
from banister.local.channels.base import Channel
from banister.local.estimates import Estimate
from banister.show.canvas import COLOURS as PALETTE
from banister.show.canvas import new_figure, save
from banister.show.panels import name_ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GREY = (PALETTE[place] for place in (0, 1, 2, 5))
COLOURS = (BLUE, ORANGE, GREEN, GREY)
_MOST_NAMES = 40


def draw_channel(channel: Channel, labels: Sequence[str], path: Path) -> None:
    """The channel as a heat map: one row per answer, one column per report."""
    figure, (axes,) = _figure(1, height=max(2.6, min(7.0, 0.35 * channel.categories + 1.4)))
    image = axes.imshow(channel.matrix, cmap="Blues", vmin=0, aspect="auto")
    axes.set_xlabel("report")
    axes.set_title(f"Chance of each report (level {channel.level:.4g})", loc="left", fontsize=10)
    if channel.categories <= _MOST_NAMES:
        axes.set_yticks(range(channel.categories), labels)
    else:
        axes.set_ylabel("answer")
    if channel.outputs <= _MOST_NAMES:
        axes.set_xticks(range(channel.outputs))
    if channel.categories * channel.outputs <= 80:
        top = float(channel.matrix.max())
        for (x, y), chance in np.ndenumerate(channel.matrix):
            # The map keeps its colours on a dark screen, so its numbers keep theirs: they are not in our ink.
            ink = "w" if chance > 0.6 * top else "#17212b"
            axes.text(y, x, f"{chance:.3f}", ha="center", va="center", fontsize=9, color=ink)
    figure.colorbar(image, ax=axes, label="chance")
    save(figure, path, dots=150)


def draw_errors(errors: Sequence[tuple[int, float]], path: Path) -> None:
    """The typical error of a share against the number of people."""
    figure, (axes,) = _figure(1, height=3.2)
    people, error = zip(*errors, strict=True) if errors else ((), ())
    axes.loglog(people, [100 * each for each in error], "o-", color=BLUE, ms=4)
    axes.set_xlabel("people")
    axes.set_ylabel("error of a share, %")
    axes.set_title("What so many people leave in doubt", loc="left", fontsize=10)
    save(figure, path, dots=150)


def draw_estimate(estimate: Estimate, labels: Sequence[str], confidence: float, path: Path) -> None:
    """Estimated frequencies, with an interval each."""
    held = estimate.intervals(confidence)
    k = estimate.frequencies.size
    figure, (axes,) = _figure(1, height=max(2.6, min(9.0, 0.22 * k + 1.4)) if k <= 80 else 3.6)
    place = np.arange(k)
    if k <= 80:
        # The whisker runs from bound to bound: an estimate below 0 or above 1 lies outside of it.
        middle, half = (held.lower + held.upper) / 2, (held.upper - held.lower) / 2
        axes.errorbar(middle, place, xerr=half, fmt="none", ecolor=GREY, capsize=2)
        axes.plot(estimate.frequencies, place, "o", color=BLUE, ms=4)
        axes.set_yticks(place, labels, fontsize=9)
        axes.invert_yaxis()
        axes.set_xlabel("frequency")
        axes.axvline(0, color=GREY, lw=0.6)
    else:
        axes.fill_between(place, held.lower, held.upper, color=BLUE, alpha=0.25, lw=0)
        axes.plot(place, estimate.frequencies, color=BLUE, lw=0.8)
        axes.set_xlabel("category")
        axes.set_ylabel("frequency")
    axes.set_title(
        f"{estimate.people:,} reports, {100 * confidence:g} % interval for each category", loc="left", fontsize=10
    )
    save(figure, path, dots=150)


def draw_average(
    epsilons: Sequence[float],
    names: Sequence[str],
    utilities: Floats,
    worth: Floats,
    what: str,
    path: Path,
    *,
    caption: str = "",
) -> None:
    """Left: the mean part of the whole that each channel keeps. Right: each instance against the optimum."""
    figure, (left, right) = _figure(2)
    means = [(values / worth).mean(axis=1) for values in utilities]
    for name, colour, mean in zip(names, COLOURS, means, strict=True):
        left.plot(epsilons, mean, color=colour, lw=2 if name == names[0] else 1.3)
    for colour, values in list(zip(COLOURS, utilities, strict=True))[1:3]:
        right.plot(epsilons, values / utilities[0], color=colour, lw=0.4, alpha=0.45)
    left.set_ylabel("kept, part of the whole")
    left.set_title(what, fontsize=9, loc="left")
    right.set_ylabel("part of the optimum")
    for axes in (left, right):
        axes.set_xlabel("epsilon")
        axes.set_xscale("log")
        axes.set_ylim(0, 1.03)
    broken = [name.replace(" ", "\n") for name in names]
    name_ends(left, [(name, epsilons, mean, c) for name, mean, c in zip(broken, means, COLOURS, strict=True)])
    parts = [(values / utilities[0]).mean(axis=1) for values in utilities[1:3]]
    name_ends(right, [(name, epsilons, y, c) for name, y, c in zip(broken[1:3], parts, COLOURS[1:3], strict=True)])
    save(figure, path, caption=caption, dots=150)


def draw_better(epsilons: Sequence[float], parts: dict[int, Floats], path: Path, *, caption: str = "") -> None:
    """The better of binary and randomized response against the optimum, instance by instance, one panel a size."""
    figure, panels = _figure(len(parts))
    for axes, (k, part) in zip(panels, parts.items(), strict=True):
        axes.plot(epsilons, part, color=BLUE, lw=0.4, alpha=0.5)
        axes.axhline(float(part.min()), color=ORANGE, lw=1, ls="--")
        axes.set_title(f"{k} categories: at least {100 * float(part.min()):.0f} %", fontsize=9, loc="left")
        axes.set_xscale("log")
        axes.set_ylim(0.5, 1.02)
        axes.set_xlabel("epsilon")
    panels[0].set_ylabel("part of the optimum")
    save(figure, path, caption=caption, dots=150)


def draw_fall(
    sizes: Sequence[int],
    worst: dict[str, list[float]],
    mean: dict[str, list[float]],
    path: Path,
    *,
    caption: str = "",
) -> None:
    """Our finding: the better of the two simple channels falls behind as the alphabet grows."""
    figure, (axes,) = _figure(1)
    for colour, name in zip((BLUE, ORANGE), worst, strict=True):
        axes.plot(sizes, worst[name], "o-", color=colour, label=f"{name}: worst instance and epsilon")
        axes.plot(sizes, mean[name], "o--", color=colour, alpha=0.6, label=f"{name}: mean, at its worst epsilon")
    axes.set_xlabel("categories")
    axes.set_ylabel("better of binary and randomized\nresponse, part of the optimum")
    axes.set_ylim(0.4, 1.02)
    axes.legend(frameon=False, fontsize=8)
    save(figure, path, caption=caption, dots=150)


def draw_scaling(
    small: tuple[Floats, Floats],
    large: tuple[Floats, Floats],
    names: Sequence[str],
    words: tuple[str, str, str],
    path: Path,
    *,
    caption: str = "",
) -> None:
    """Utilities against what they scale with, at epsilon 0.1 (left) and 10 (right); one dot an instance."""
    figure, panels = _figure(2)
    for axes, (scale, values), word, epsilon in zip(panels, (small, large), words[:2], (0.1, 10), strict=True):
        for name, colour, some in zip(names, COLOURS, values, strict=True):
            first = name == names[0]
            axes.plot(scale, some, "o", ms=6 if first else 3, color=colour, label=name, mfc="none" if first else colour)
        axes.set_xlabel(word)
        axes.set_title(f"epsilon = {epsilon}", fontsize=9, loc="left")
    panels[0].set_ylabel(words[2])
    panels[0].legend(frameon=False, fontsize=8)
    save(figure, path, caption=caption, dots=150)


def _figure(panels: int, height: float = 3.4) -> "tuple[Figure, list[Axes]]":
    figure = new_figure({1: 6.2, 2: 9.0}.get(panels, 2.6 * panels), height)
    grid = figure.subplots(1, panels, squeeze=False)
    axes = list(grid[0])
    for one in axes:
        one.spines[["top", "right"]].set_visible(False)
    return figure, axes
