"""A spread in the terminal, redrawn in place: dots for holders, the adversary's belief as colours, numbers beside."""

import math
from collections.abc import Mapping

from rich.console import Console
from rich.live import Live
from rich.text import Text

from banister import clock
from banister.spread.lab.drawn.movie import Frame, Movie, layout

SECONDS = 0.6
"""How long each step is shown."""
BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a braille sign, by row and column."""
TABLE = 41
"""Columns for the numbers."""
BAR = 12
"""The longest bar in them."""
BELIEF = ("grey62", "#f0a8a8", "#e06666", "#d01c1c")
"""Colours from not suspected to most suspected."""


def is_terminal() -> bool:
    """Whether there is a terminal to draw on."""
    return Console(markup=False).is_terminal


def watch(movie: Movie) -> None:
    """Show every step in place; the last stays."""
    console = Console(markup=False)
    width, height = min(console.width, 100) - 1, max(min(console.height, 40) - 6, 8)
    places = layout(movie)
    with Live(console=console, auto_refresh=False) as live:
        for shown in range(1, len(movie.frames) + 1):
            live.update(picture(movie, shown, places, width=width, height=height), refresh=True)
            clock.pause(SECONDS)


Cell = tuple[int, int]


def picture(movie: Movie, shown: int, places: Mapping[int, tuple[float, float]], *, width: int, height: int) -> Text:
    """The first `shown` steps: the holders as dots, the numbers of each step beside them, and what the signs mean."""
    across = max(min(width - TABLE, 2 * height), 8)  # A sign is about twice as high as it is wide, so this is a square.
    signs = _signs(movie, movie.frames[shown - 1], places, across, height)
    table = _table(movie, shown)[-height:]
    text = Text(f"{movie.title}\n", "bold")
    for row in range(height):
        for column in range(across):
            text.append(*signs.get((row, column), (" ", "not bold")))
        text.append(f"   {table[row]}\n" if row < len(table) else "\n", "not bold")
    text.append("●", "bold green").append(" author   ").append("◆", "bold blue").append(" virtual source   ")
    text.append("⣿", BELIEF[-1]).append(" suspected (darker: more)   ").append("⣿", BELIEF[0]).append(" not suspected")
    return text


def _signs(
    movie: Movie, frame: Frame, places: Mapping[int, tuple[float, float]], across: int, height: int
) -> dict[Cell, tuple[str, str]]:
    """A sign and its style for each cell with a holder in it."""
    dots: dict[Cell, int] = {}
    belief: dict[Cell, float] = {}
    marks: dict[Cell, tuple[str, str]] = {}
    for node, time_ in zip(movie.nodes, movie.times, strict=True):
        if time_ > frame.step:
            continue
        x, y = places[node]
        column, row = round((x + 1) / 2 * (2 * across - 1)), round((1 - y) / 2 * (4 * height - 1))
        cell = (row // 4, column // 2)
        dots[cell] = dots.get(cell, 0) | BRAILLE[row % 4][column % 2]
        belief[cell] = max(belief.get(cell, 0.0), frame.belief.get(node, 0.0))
        if node == frame.source:
            marks[cell] = ("◆", "bold blue")
        if node == movie.author:
            marks[cell] = ("●", "bold green")
    most = max(frame.belief.values(), default=0.0)
    shaded = {cell: (chr(0x2800 + dot), BELIEF[_shade(belief[cell], most)]) for cell, dot in dots.items()}
    return shaded | marks


def _table(movie: Movie, shown: int) -> list[str]:
    """The numbers of the steps so far, newest last."""
    lines = ["step  holders  guess right"]
    scale = BAR / math.log(max(len(movie.nodes), 2))
    for frame in movie.frames[:shown]:
        holders = sum(t <= frame.step for t in movie.times)
        chance = "-" if math.isnan(frame.detection) else f"{100 * frame.detection:.1f} %"
        lines.append(f"{frame.step:>4} {holders:>8,} {chance:>9}  {'█' * round(scale * math.log(holders))}".rstrip())
    return lines


def _shade(belief: float, most: float) -> int:
    return 0 if belief <= 0 else 1 + min(int(belief / most * 3), 2)
