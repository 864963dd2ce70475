"""Figures for narrow screens: panels under each other, names of curves above them, no word cut.

Every figure passes `canvas.save`. So what draws one need not know how wide it is shown: within `narrowed` the finished
figure is rearranged before it is written. The wish travels in a variable of the context, which a thread has for itself.
"""

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NARROW_INCHES = 3.4
"""A figure of so many inches fits a phone of 360 pixels beside its margins."""
_EM = 0.52
"""The width of a letter, as a part of its height."""
_NUMBERS_APART = 6
"""In more columns than these, numbers in the fields of a map stand upright."""

_wished: ContextVar[bool] = ContextVar("narrow", default=False)


@contextmanager
def narrowed() -> Iterator[None]:
    """Figures that are saved meanwhile are drawn for a narrow screen."""
    token = _wished.set(True)
    try:
        yield
    finally:
        _wished.reset(token)


def is_narrow() -> bool:
    """Whether a narrow figure is wished for."""
    return _wished.get()


def rearrange(figure: "Figure", least_points: float) -> None:
    """Make a finished figure narrow; no words in it are to be smaller than `least_points`."""
    height = float(figure.get_figheight())
    _scales_below(figure)
    panels = [axes for axes in figure.axes if not hasattr(axes, "_colorbar")]
    rows = _stacked(figure, panels)
    added = [_named_above(axes, least_points) for axes in panels]
    tall = max(min(height, 1.1 * NARROW_INCHES), 2.4) if rows > 1 else min(height, 1.3 * NARROW_INCHES)
    keys = sum(lines * 1.45 * least_points / 72 for lines in added)
    figure.set_size_inches(NARROW_INCHES, rows * tall + keys)
    title = figure._suptitle  # type: ignore[attr-defined]
    if title is not None:
        title.set_text(folded(title.get_text(), title.get_fontsize()))
    for axes in panels:
        _upright_numbers(axes)
        _upright_marks(axes, least_points)
        for words in axes.texts:
            words.set_text(
                folded(words.get_text(), max(float(words.get_fontsize()), least_points), NARROW_INCHES / 2.6)
            )
        axes.set_ylabel(folded(axes.get_ylabel(), 11, tall))


def folded(words: str, points: float, inches: float = NARROW_INCHES) -> str:
    """The words in lines that fit so many inches."""
    room = int(72 * inches / (_EM * points))
    return "\n".join(textwrap.fill(line, room) for line in words.split("\n"))


def _stacked(figure: "Figure", panels: "list[Axes]") -> int:
    """Panels of one row, under each other; how many rows there are then."""
    places = [axes.get_subplotspec() for axes in panels]
    grids = {id(place.get_gridspec()) for place in places if place is not None}
    if len(panels) < 2 or None in places or len(grids) > 1:
        return 1
    below = figure.add_gridspec(len(panels), 1)
    for row, axes in enumerate(panels):
        axes.set_subplotspec(below[row])
    return len(panels)


def _scales_below(figure: "Figure") -> None:
    """A scale of colours under its map rather than beside it."""
    for axes in list(figure.axes):
        scale = getattr(axes, "_colorbar", None)
        if scale is None:
            continue
        parents, mapped = axes._colorbar_info["parents"], scale.mappable  # type: ignore[attr-defined]
        words = axes.get_ylabel() or axes.get_title()
        scale.remove()
        figure.colorbar(mapped, ax=parents, orientation="horizontal", label=words, aspect=30)


def _named_above(axes: "Axes", least_points: float) -> int:
    """The title and the names of the curves above the panel, where neither takes from its width; how many lines."""
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    named: list[tuple[Artist, str]] = []
    for words in list(axes.texts):
        if isinstance(words, Annotation) and words.xycoords == "axes fraction" and words.xy[0] > 1:
            colour = words.get_color()
            alike = [line for line in axes.get_lines() if line.get_color() == colour]
            style = alike[0].get_linestyle() if alike else "-"
            named.append((Line2D([], [], color=colour, linestyle=style, linewidth=1.9), words.get_text()))
            words.remove()
    named.reverse()  # They were laid from the lowest curve upwards.
    old = axes.get_legend()
    if old is not None:
        handles, labels = axes.get_legend_handles_labels()
        named += list(zip(handles, labels, strict=True))
        old.remove()
    place = "left" if axes.get_title(loc="left") else "center"
    size = {"left": axes._left_title, "center": axes.title}[place].get_fontsize()  # type: ignore[attr-defined]
    title = folded(axes.get_title(loc=place), size, NARROW_INCHES - 0.9)  # type: ignore[arg-type]
    axes.set_title(title, loc=place, fontsize=size)  # type: ignore[arg-type]
    if not named:
        return title.count("\n")
    texts = [folded(name.replace("\n", " "), least_points, NARROW_INCHES - 0.9) for _, name in named]
    axes.set_title("", loc=place)  # type: ignore[arg-type]
    legend = axes.legend(
        [handle for handle, _ in named],
        texts,
        title=title or None,
        title_fontsize=size,
        fontsize=least_points,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        borderpad=0.1,
        handlelength=1.6,
        frameon=False,
        alignment="left",
    )
    legend.set_in_layout(True)
    return sum(1 + text.count("\n") for text in texts) + title.count("\n")


def _upright_numbers(axes: "Axes") -> None:
    fields = [np.asarray(image.get_array()) for image in axes.get_images()]
    columns = max((field.shape[1] for field in fields), default=0)
    if columns > _NUMBERS_APART:
        for words in axes.texts:
            words.set_rotation(90)


def _upright_marks(axes: "Axes", least_points: float) -> None:
    """Marks that were named by hand stand upright where their names would run into each other."""
    from matplotlib.ticker import FixedLocator

    if not isinstance(axes.xaxis.get_major_locator(), FixedLocator):
        return
    low, high = axes.get_xlim()
    inch = (NARROW_INCHES - 0.7) / (abs(high - low) or 1.0)
    marks = [(place, label.get_text()) for place, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)]
    for (one, word), (other, next_word) in pairwise(marks):
        if _EM * least_points / 72 * (len(word) + len(next_word) + 2) / 2 > abs(other - one) * inch:
            axes.tick_params(axis="x", rotation=90)
