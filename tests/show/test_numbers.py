"""The numbers behind a figure are those that it shows, whatever it is made of."""

import csv
from pathlib import Path

import numpy as np
import pytest

from banister.local.designing import DesignRequest
from banister.local.pictures import draw_channel
from banister.show.canvas import new_figure, save
from banister.show.numbers import numbers_text
from banister.show.panels import CurvePanel, PanelLine, draw_panels


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_curves_come_with_their_names(tmp_path: Path) -> None:
    lines = (PanelLine("one, two", [1, 2], [3, 4]), PanelLine("other", [1, 2], [5, 6], dashed=True))
    draw_panels([CurvePanel(title="T", x_label="x", y_label="y", lines=lines)], tmp_path / "curves.csv")
    found = [(row["panel"], row["series"], float(row["x"]), float(row["y"])) for row in rows(tmp_path / "curves.csv")]
    assert found == [("T", "one, two", 1, 3), ("T", "one, two", 2, 4), ("T", "other", 1, 5), ("T", "other", 2, 6)]


def test_a_heat_map_gives_every_square(tmp_path: Path) -> None:
    channel = DesignRequest("1", "estimation", prior=[0.5, 0.3, 0.2]).channel()
    draw_channel(channel, ("a", "b", "c"), tmp_path / "channel.csv")
    found = sorted(float(row["value"]) for row in rows(tmp_path / "channel.csv") if row["value"])
    assert found == pytest.approx(sorted(float(x) for line in channel.matrix for x in line))


def test_bars_and_marks_are_read_off_as_drawn(tmp_path: Path) -> None:
    figure = new_figure(3, 3)
    axes = figure.subplots()
    axes.bar([1.0, 2.0], [3.0, 4.0], label="bars")
    axes.scatter(np.array([5.0, 6.0]), np.array([7.0, 8.0]), label="marks")
    axes.axhline(1.5)
    text = numbers_text(figure)
    assert "1,bars,1.0,3.0,\n1,bars,2.0,4.0,\n" in text
    assert "1,marks,5.0,7.0,\n1,marks,6.0,8.0,\n" in text
    assert "1.5" not in text, "a rule across the panel is no series"
    save(figure, tmp_path / "deep" / "figure.csv")
    assert (tmp_path / "deep" / "figure.csv").read_text() == text
