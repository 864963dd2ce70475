"""A picture of answers: a dot for each, a line for its interval. It needs no plotting library."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from banister.release.planning.plan import Part
from banister.release.run import AnswerTable
from banister.show.charts import IntervalChart
from banister.show.page import write_page

STYLE = """<style>.banister-picture { --line: silver; --bar: #2f6f8f; max-width: 44rem; }
.banister-picture text { fill: currentColor; font: 12px system-ui, sans-serif; }
.banister-picture line { stroke: var(--line); } .banister-picture .bar { fill: var(--bar); opacity: .35; }
.banister-picture .dot { fill: var(--bar); }
.banister-picture .whisker { stroke: var(--bar); stroke-width: 3; stroke-linecap: round; }</style>"""


class AnswersPicture:
    """Answers as charts: a notebook shows it, and `save` writes it as a page that needs nothing else."""

    __slots__ = ("charts",)

    def __init__(self, charts: Sequence[IntervalChart]) -> None:
        self.charts = tuple(charts)

    def save(self, path: str | Path) -> Path:
        """Write the charts to an .html file."""
        return write_page(Path(path), "Private answers", self.charts)

    def _repr_html_(self) -> str:
        return f"<div class=banister-picture>{STYLE}{''.join(chart.html() for chart in self.charts)}</div>"

    def __repr__(self) -> str:
        return f"AnswersPicture({len(self.charts)} charts)"


def charts_of(table: AnswerTable, part: Part, confidence: float) -> list[IntervalChart]:
    """A chart for each answer that has ends and is no date. Bars stand for what adds up; a mean has no length."""
    bars = {each.name for each in part.formulas if each.aggregate.additive or each.aggregate.whole}
    labels = [", ".join(str(label) for label in row) or "all" for row in table.labels]
    return [
        IntervalChart(
            title=f"{name}, with {confidence:.0%} intervals",
            labels=labels,
            values=f.values.tolist(),
            low=f.low.tolist(),
            high=f.high.tolist(),
            bars=name in bars,
        )
        for name, f in table.answers.items()
        if name not in table.dates | table.moments and np.isfinite([f.values, f.low, f.high]).all()
    ]
