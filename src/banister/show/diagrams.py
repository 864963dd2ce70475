"""Boxes and arrows, trees and graphs: pictures of how things hang together."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from banister.show.canvas import COLOURS, INK, PAPER, SOFT, checked, new_figure, save
from banister.show.narrow import NARROW_INCHES, folded, is_narrow

if TYPE_CHECKING:
    from matplotlib.axes import Axes


BOX_INCHES = 0.82
"""What words in a box have where three boxes stand beside each other on a narrow screen."""


@dataclass(frozen=True, slots=True)
class Box:
    """Words in a box around a place."""

    name: str
    x: float
    y: float
    words: str
    accent: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another; a soft one stands back. Words stand beside it."""

    start: str
    end: str
    words: str = ""
    soft: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A node of a graph: its place, what is written in it, its colour in the palette (-1 for paper)."""

    x: float
    y: float
    words: str = ""
    colour: int = -1
    ring: bool = False


@dataclass(frozen=True, slots=True)
class Network:
    """A graph with its dots by name and its links; a link may be dashed."""

    title: str
    dots: Mapping[Hashable, Dot]
    links: Sequence[tuple[Hashable, Hashable]]
    dashed: Sequence[tuple[Hashable, Hashable]] = ()


def draw_boxes(
    boxes: Sequence[Box], arrows: Sequence[Arrow], path: Path, *, caption: str, size: tuple[float, float]
) -> None:
    """The boxes, and arrows between them."""
    checked(path)
    if is_narrow():  # Downwards rather than to the right.
        boxes = [
            replace(box, x=-box.y, y=-box.x, words=folded(box.words.replace("\n", " "), 9, BOX_INCHES)) for box in boxes
        ]
        size = (NARROW_INCHES, size[0] / 2)
    figure = new_figure(*size)
    axes = figure.subplots()
    places, frames = {box.name: box for box in boxes}, {}
    for box in boxes:
        edge = COLOURS[1] if box.accent else COLOURS[0]
        shape = {"boxstyle": "round,pad=0.5", "facecolor": PAPER, "edgecolor": edge, "linewidth": 1.5}
        words = axes.text(box.x, box.y, box.words, ha="center", va="center", fontsize=9.5, bbox=shape, zorder=3)
        frames[box.name] = words.get_bbox_patch()
    for arrow in arrows:
        one, other = places[arrow.start], places[arrow.end]
        style = {
            "arrowstyle": "-|>",
            "color": SOFT if arrow.soft else INK,
            "linewidth": 0.9 if arrow.soft else 1.3,
            "patchA": frames[arrow.start],
            "patchB": frames[arrow.end],
            "shrinkA": 4,
            "shrinkB": 4,
            "linestyle": ":" if arrow.soft else "-",
        }
        axes.annotate("", (other.x, other.y), xytext=(one.x, one.y), arrowprops=style, zorder=1)
        if arrow.words:
            middle = ((one.x + other.x) / 2, (one.y + other.y) / 2)
            axes.annotate(arrow.words, middle, xytext=(0, 8), textcoords="offset points", ha="center", fontsize=8.5)
    xs, ys = [box.x for box in boxes], [box.y for box in boxes]
    axes.set(xlim=(min(xs) - 1.1, max(xs) + 1.1), ylim=(min(ys) - 0.9, max(ys) + 0.9))
    axes.axis("off")
    save(figure, path, caption=caption)


def draw_networks(
    panels: Sequence[Network], path: Path, *, caption: str, height: float = 4.2, size: float = 230
) -> None:
    """Graphs side by side, all on one scale."""
    checked(path)
    figure = new_figure(4.6 * len(panels), height)
    dots = [dot for panel in panels for dot in panel.dots.values()]
    xs, ys = [dot.x for dot in dots], [dot.y for dot in dots]
    margin = 0.12 * max(max(xs) - min(xs), max(ys) - min(ys), 1.0)
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        draw_network(axes, panel, size)
        axes.set(xlim=(min(xs) - margin, max(xs) + margin), ylim=(min(ys) - margin, max(ys) + margin))
    save(figure, path, caption=caption)


def draw_network(axes: "Axes", panel: Network, size: float) -> None:
    """One graph: links below, dots above, words inside or beside."""
    for links, style in ((panel.links, "-"), (panel.dashed, (0, (3, 2)))):
        for one, other in links:
            a, b = panel.dots[one], panel.dots[other]
            axes.plot([a.x, b.x], [a.y, b.y], color=SOFT, linewidth=1.1, linestyle=style, zorder=1)
    for dot in panel.dots.values():
        face = PAPER if dot.colour < 0 else COLOURS[dot.colour]
        edge = COLOURS[1] if dot.ring else SOFT
        axes.scatter(
            [dot.x], [dot.y], s=size, color=face, edgecolors=edge, linewidths=2.2 if dot.ring else 0.9, zorder=2
        )
        if dot.words:
            ink = INK if dot.colour < 0 else PAPER
            axes.text(dot.x, dot.y, dot.words, ha="center", va="center", fontsize=7.5, color=ink, zorder=3)
    axes.set_title(panel.title, loc="left", fontsize=10.5)
    axes.set_aspect("equal")
    axes.axis("off")
