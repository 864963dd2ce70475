"""Figures about sanitized tables, from [PKS20]."""

import math
from collections.abc import Hashable
from itertools import pairwise
from pathlib import Path

from banister.core.laws.histograms import points_at, points_within_distance
from banister.core.laws.table_programs import program_optimum
from banister.core.programs.default import SOLVER
from banister.papers.entry import Effort, PaperFigure
from banister.publish.distortion_figure import draw_distortion
from banister.show.canvas import COLOURS, INK, PAPER, SOFT, new_figure, save
from banister.show.diagrams import Arrow, Box, Dot, Network, draw_boxes, draw_networks
from banister.show.narrow import folded, is_narrow

Histogram = tuple[int, int, int]
RECORDS = (
    ("zip code", "ethnicity", "income", "health", "monthly spending"),
    ("77840", "asian", "70 000", "no heart ailment", "500"),
    ("77840", "caucasian", "70 000", "no heart ailment", "1200"),
    ("47906", "hispanic", "85 000", "heart ailment", "900"),
    ("47907", "caucasian", "200 000", "heart ailment", "2200"),
    ("77841", "asian", "85 000", "no heart ailment", "700"),
    ("47906", "asian", "200 000", "no heart ailment", "2000"),
)


def sanitizing(path: Path, caption: str, effort: Effort) -> None:
    """One private table becomes one public copy."""
    boxes = [
        Box("table", 0.5, 1.0, "private table"),
        Box("noise", 3.2, 1.0, "sanitizer\nat epsilon", accent=True),
        Box("copy", 5.9, 1.0, "sanitized copy"),
        Box("a", 8.6, 2.2, "question 1"),
        Box("b", 8.6, 1.0, "question 2"),
        Box("c", 8.6, -0.2, "question …"),
    ]
    arrows = [
        Arrow("table", "noise", "once"),
        Arrow("noise", "copy"),
        Arrow("copy", "a"),
        Arrow("copy", "b"),
        Arrow("copy", "c"),
    ]
    draw_boxes(boxes, arrows, path, caption=caption, size=(9.2, 3.2))


def cascade(path: Path, caption: str, effort: Effort) -> None:
    """Noise first, then a map that may know the law."""
    boxes = [
        Box("h", 0.5, 1.0, "histogram h"),
        Box("u", 3.2, 1.0, "U: lattice noise\nthe same for every law", accent=True),
        Box("b", 6.2, 1.0, "whole numbers\nof sum n"),
        Box("v", 9.0, 1.0, "V: repair\nmay know the law"),
        Box("g", 11.6, 1.0, "histogram g"),
    ]
    names = [box.name for box in boxes]
    draw_boxes(boxes, [Arrow(a, b) for a, b in pairwise(names)], path, caption=caption, size=(10.6, 2.4))


def lattice_points(path: Path, caption: str, effort: Effort) -> None:
    """Hexagons of radius 1, 2 and 4 with the whole points in them."""
    rings = {z: max(abs(z[0]), abs(z[1]), abs(z[2])) for z in _zero_sums(4)}
    colours = {0: 1, 1: 0, 2: 2, 4: 3}
    dots: dict[Hashable, Dot] = {z: Dot(*_flat(z), "", colours.get(ring, -1)) for z, ring in rings.items()}
    links = []
    for radius in (1, 2, 4):
        corners = [(radius, 0, -radius), (0, radius, -radius), (-radius, radius, 0)]
        corners += [tuple(-x for x in corner) for corner in corners]  # type: ignore[misc]
        links += list(zip(corners, [*corners[1:], corners[0]], strict=True))
    words = ", ".join(f"{points_at(3, d)} at {d} ({points_within_distance(3, d)} within)" for d in (1, 2, 4))
    draw_networks(
        [Network(f"K = 3, points at a distance:\n{words}", dots, links)], path, caption=caption, height=4.6, size=70
    )


def example_table(path: Path, caption: str, effort: Effort) -> None:
    """Six records of five attributes."""
    few = is_narrow()  # Then words stand in several lines of a cell, which is taller.
    figure = new_figure(8.6, 4.2 if few else 2.9)
    axes = figure.subplots()
    axes.axis("off")
    cells = [[folded(word, 9, 0.62) if few else word for word in record] for record in RECORDS]
    table = axes.table(cellText=cells[1:], colLabels=cells[0], loc="center", cellLoc="left")
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    table.scale(1, 2.9 if few else 1.35)
    for cell in table.get_celld().values():
        cell.set(edgecolor=SOFT, facecolor=PAPER, linewidth=0.6)
        cell.get_text().set_color(INK)  # Words of a table are not among the figure's own.
    save(figure, path, caption=caption)


def distortion(path: Path, caption: str, effort: Effort) -> None:
    """The limit of the distortion."""
    draw_distortion(path, caption=caption)


def path_graph(path: Path, caption: str, effort: Effort) -> None:
    """Two cells: histograms in a row."""
    boxes = [
        Box(str(i), 2.2 * i, 0.0, words)
        for i, words in enumerate(("(0, n)", "(1, n−1)", "(2, n−2)", "…", "(n−1, 1)", "(n, 0)"))
    ]
    links = [Arrow(str(i), str(i + 1), "2") for i in range(5)]
    draw_boxes(boxes, links + [Arrow(link.end, link.start) for link in links], path, caption=caption, size=(10.4, 1.9))


def triangle_graph(path: Path, caption: str, effort: Effort) -> None:
    """Three cells, five records: which histograms are neighbours."""
    places = _histograms(5)
    dots: dict[Hashable, Dot] = {h: Dot(*_triangle(h), "".join(str(x) for x in h)) for h in places}
    draw_networks(
        [Network("histograms of 5 records in 3 cells", dots, _neighbours(places))],
        path,
        caption=caption,
        height=4.8,
        size=420,
    )


def two_rows(path: Path, caption: str, effort: Effort) -> None:
    """The best mechanism for two records in three cells, from two neighbouring histograms."""
    best = program_optimum(2, ["1/3"] * 3, math.log(2), solver=SOLVER)
    order = {h: place for place, h in enumerate(best.histograms)}
    places = _histograms(2)
    panels = []
    for origin in ((1, 1, 0), (1, 0, 1)):
        row = best.mechanism[order[origin]]
        dots: dict[Hashable, Dot] = {
            g: Dot(*_triangle(g), f"{''.join(map(str, g))}\n{abs(row[order[g]]):.3f}", 0 if g == origin else -1)
            for g in places
        }
        panels.append(Network(f"W(· | {origin[0]}{origin[1]}{origin[2]}), θ = 1/2", dots, _neighbours(places)))
    draw_networks(panels, path, caption=caption, size=1500)


def distances(path: Path, caption: str, effort: Effort) -> None:
    """How many histograms lie at each distance: whole rings in the middle, cut ones at the edge."""
    panels = []
    for centre, title in (((5, 5, 5), "in the middle: 6, 12, 18, …"), ((12, 2, 1), "at the edge: fewer")):
        dots: dict[Hashable, Dot] = {}
        for h in _histograms(15):
            away = sum(abs(x - y) for x, y in zip(h, centre, strict=True)) // 2
            dots[h] = Dot(*_triangle(h), "", 1 if away == 0 else away % 4 + 2 if away <= 4 else -1)
        far = [sum(abs(x - y) for x, y in zip(h, centre, strict=True)) // 2 for h in _histograms(15)]
        counts = [far.count(d) for d in range(1, 5)]
        panels.append(Network(f"{title}\nat 1 to 4: {counts}", dots, []))
    draw_networks(panels, path, caption=caption, height=4.4, size=42)


def remap(path: Path, caption: str, effort: Effort) -> None:
    """What the source's map does with noisy histograms: near ones stay, far ones become the expected one."""
    records, centre = 12, (4, 4, 4)
    reach = 8
    figure = new_figure(6.4, 4.9)
    axes = figure.subplots()
    for first in range(-5, 18):
        for second in range(-5, 18):
            h = (first, second, records - first - second)
            if not -5 <= h[2] <= 17:
                continue
            far = sum(abs(x - y) for x, y in zip(h, centre, strict=True))
            place = _triangle(h)
            stays, real = far <= reach, min(h) >= 0
            axes.plot(
                *place,
                "o",
                markersize=5,
                color=COLOURS[0] if stays else COLOURS[5] if real else SOFT,
                fillstyle="full" if real else "none",
                alpha=1 if stays else 0.45,
            )
    middle = _triangle(centre)
    for start in ((12, 0, 0), (0, 12, 0), (0, 0, 12), (14, -4, 2)):
        style = {"arrowstyle": "-|>", "color": COLOURS[1], "linewidth": 1.3}
        axes.annotate("", middle, xytext=_triangle(start), arrowprops=style)
    leader = {"arrowstyle": "-", "color": INK, "linewidth": 0.7}
    axes.annotate("np", middle, xytext=(-130, 105), textcoords="offset points", color=INK, arrowprops=leader)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title("blue stays; all else becomes np; hollow: not a histogram", loc="left", fontsize=10.5)
    save(figure, path, caption=caption)


def _zero_sums(radius: int) -> list[Histogram]:
    span = range(-radius, radius + 1)
    return [(a, b, -a - b) for a in span for b in span if abs(a + b) <= radius]


def _histograms(records: int) -> list[Histogram]:
    return [(a, b, records - a - b) for a in range(records + 1) for b in range(records + 1 - a)]


def _neighbours(places: list[Histogram]) -> list[tuple[Hashable, Hashable]]:
    return [(g, h) for g in places for h in places if g < h and sum(abs(x - y) for x, y in zip(g, h, strict=True)) == 2]


def _flat(z: Histogram) -> tuple[float, float]:
    """Three numbers of sum 0 as a point of the plane, all steps of one length."""
    return float(z[0] + z[1] / 2), float(z[1] * math.sqrt(3) / 2)


def _triangle(h: Histogram) -> tuple[float, float]:
    return _flat((h[0], h[1], 0))


FIGURES = (
    PaperFigure(
        "sanitizing", ("PKS20 1",), "A table is sanitized once; all questions go to the copy, without end.", sanitizing
    ),
    PaperFigure(
        "lattice-points",
        ("PKS20 2",),
        "Whole points in dilations of a hexagon; the source counts their boundaries.",
        lattice_points,
    ),
    PaperFigure(
        "example-table", ("PKS20 3",), "Six records of five attributes, as in Example 1: 44 064 cells.", example_table
    ),
    PaperFigure(
        "distortion",
        ("PKS20 4", "PKS20 5", "PKS20 6", "PKS20 7"),
        "The limit of the expected L1 error over θ, with the formulas corrected.",
        distortion,
    ),
    PaperFigure("cascade", ("PKS20 8",), "Noise that knows nothing of the law, then a repair that may.", cascade),
    PaperFigure(
        "two-cells-graph", ("PKS20 9",), "Two cells: each histogram has two neighbours, at L1 distance 2.", path_graph
    ),
    PaperFigure(
        "three-cells-graph", ("PKS20 10",), "Three cells, five records: neighbours are joined.", triangle_graph
    ),
    PaperFigure(
        "two-rows",
        ("PKS20 11",),
        "The least distorting mechanism for two records, from two neighbours: values at a node differ by 2 at most.",
        two_rows,
    ),
    PaperFigure("distances", ("PKS20 12",), "Distances in the middle and at the edge; colours mark rings.", distances),
    PaperFigure(
        "remap",
        ("PKS20 13",),
        "The map V of the source, n = 12. It needs far more records to be of use (n p³ large).",
        remap,
    ),
)
