"""The figures of the guide and of the mathematics, each from fresh trials or from exact formulas."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from banister.spread.lab.detection import adaptive_detection, ball_size, diffusion_limit, spies_detection
from banister.spread.lab.drawn.pictures import Panel, Series, draw_charts
from banister.spread.lab.studies import Study, StudyResult
from banister.spread.lab.study import Row
from banister.work.progress import Progress

SOCIAL = "social:10000:20"
"""The graph on which friendship graphs are imitated."""
SMALL = "social:2000:16"
"""The same, for attacks that take longer."""


def draw_all(
    folder: str | Path, *, trials: int, seed: int, workers: int = 0, progress: Progress | None = None
) -> list[Path]:
    """Draw every figure into a folder."""
    target = Path(folder)
    run = Bench(trials, seed, workers, progress)
    made = {
        "spread-line.svg": [posterior_on_a_line(101), line_on_trees(run)],
        "spread-trees.svg": [irregular_trees(run), regular_trees()],
        "spread-social.svg": social_graph(run),
        "spread-exposure.svg": [by_contacts(run), linked_posts(run)],
        "spread-spies.svg": [spies(run), spies_on_a_graph(run)],
    }
    for name, charts in made.items():
        draw_charts(charts, target / name)
    return [target / name for name in made]


class Bench:
    """Runs studies with common settings."""

    def __init__(self, trials: int, seed: int, workers: int, progress: Progress | None) -> None:
        self.trials, self.seed, self.workers, self.progress = trials, seed, workers, progress

    def study(
        self, graph: str, protocols: Sequence[str], adversaries: Sequence[str], steps: Sequence[int], share: float = 1
    ) -> StudyResult:
        """Trials on one graph; `share` of the usual number for costly ones."""
        trials = max(20, int(self.trials * share))
        study = Study(graph, protocols=protocols, adversaries=adversaries, steps=steps, trials=trials, seed=self.seed)
        return study.run(workers=self.workers, progress=self.progress)


def posterior_on_a_line(size: int) -> Panel:
    """Figure 2.2 of [K15]: who wrote it, given that the holders are a row of `size` people. Exact."""
    steps = size - 1
    log = np.cumsum(np.concatenate([[0.0], np.log(np.arange(1, steps + 1))]))
    left = np.arange(size)
    weight = np.exp(2 * (log[steps] - log[left] - log[steps - left] - steps * np.log(2)))
    return Panel(
        title=f"Line, {size} holders: what the adversary believes",
        x_label="place in the row",
        y_label="posterior",
        series=(
            Series("Protocol 1", (left + 1).tolist(), [1 / size] * size),
            Series("diffusion, rate 1/2", (left + 1).tolist(), (weight / weight.sum()).tolist()),
        ),
    )


def line_on_trees(run: Bench) -> Panel:
    """Figure 2.3 of [K15]: Protocol 1 off the line, by the Jordan centre."""
    series = []
    for degree, steps in ((2, (4, 8, 16, 32)), (3, (3, 5, 7, 9)), (4, (3, 4, 5, 6)), (5, (2, 3, 4, 5))):
        rows = run.study(f"regular-tree:{degree}", ["line"], ["snapshot:jordan"], steps, 0.5).rows
        series.append(_series(f"degree {degree}", rows))
    return _over_holders("Protocol 1 on regular trees, Jordan centre", series)


def irregular_trees(run: Bench) -> Panel:
    """Figure 2.7 of [K15]: always passing on random trees, by maximum likelihood."""
    series = []
    for choices, steps in (("3,4", (4, 6, 8, 10)), ("3,6", (4, 6, 8)), ("3,10", (4, 6))):
        rows = run.study(f"galton-watson:{choices}", ["adaptive"], ["snapshot"], steps).rows
        series.append(_series(f"degrees {choices} alike", rows))
    rows = run.study("galton-watson:3,10", ["preferential"], ["snapshot"], (4, 6)).rows
    series.append(_series("degrees 3,10, preferential", rows))
    return _over_holders("Random trees: slower than 1/holders", series)


def regular_trees() -> Panel:
    """Exact detection on regular trees, at even and odd steps."""
    series = []
    for degree in (3, 4, 6):
        sizes = [ball_size(degree, k) for k in range(1, 6)]
        chances = [float(adaptive_detection(degree, 2 * k)) for k in range(1, 6)]
        series.append(Series(f"adaptive, degree {degree}", sizes, chances))
    sizes = [ball_size(3, k) for k in range(1, 9)]
    series.append(Series("diffusion, degree 3 (limit)", sizes, [diffusion_limit(3)] * len(sizes)))
    return _over_holders("Regular trees at even steps: exact", series)


def social_graph(run: Bench) -> list[Panel]:
    """Figures 2.8 and 2.9 of [K15], on a made graph with communities and a heavy tail."""
    steps = (4, 6, 8, 10)
    hidden = run.study(SOCIAL, ["adaptive:cap=3", "tree:cap=3"], ["snapshot"], steps).rows
    open_ = run.study(SOCIAL, ["diffusion:0.05"], ["snapshot", "snapshot:jordan"], (2, 4, 6), 0.5).rows
    series = [
        _series(name, [row for row in hidden if row.protocol == name]) for name in ("adaptive:cap=3", "tree:cap=3")
    ]
    series += [
        _series(f"diffusion, {row}", [r for r in open_ if r.adversary == spec])
        for row, spec in (("rumor centre", "snapshot"), ("Jordan centre", "snapshot:jordan"))
    ]
    hops = [
        Series(name, [r.steps for r in hidden if r.protocol == name], [r.hops for r in hidden if r.protocol == name])
        for name in ("adaptive:cap=3", "tree:cap=3")
    ]
    far = Panel(title="Hops between guess and author", x_label="steps", y_label="hops in the tree", series=tuple(hops))
    return [_over_holders("Social-like graph, 10 000 people", series), far]


def by_contacts(run: Bench) -> Panel:
    """Detection by the number of contacts of the author."""
    result = run.study(SOCIAL, ["adaptive:cap=3"], ["snapshot"], (4, 6, 8), 2)
    series = []
    for _, steps, _, parts in result.by_degree(6):
        middle = [(low * high) ** 0.5 for low, high, _ in parts]
        ends = ([e.mean for _, _, e in parts], [e.low for _, _, e in parts], [e.high for _, _, e in parts])
        series.append(Series(f"{steps} steps", middle, *ends))
    return Panel(
        title="Few contacts, much exposure",
        x_label="contacts of the author",
        y_label="detection",
        series=tuple(series),
        x_scale="log",
        y_floor=0,
        x_ticks=(5, 7, 10, 15, 20, 30, 50),
    )


def linked_posts(run: Bench) -> Panel:
    """Detection when one author's posts can be linked."""
    posts = (1, 2, 3, 4, 5)
    adversaries = [f"posts:{count}" for count in posts]
    series = []
    for graph, protocol in (
        ("regular-tree:3", "adaptive:degree=3"),
        ("regular-tree:4", "adaptive:degree=4"),
        (SOCIAL, "adaptive:cap=3"),
    ):
        rows = run.study(graph, [protocol], adversaries, (8,), 0.3).rows
        label = "social-like graph" if graph == SOCIAL else graph.replace(":", " ")
        e = [row.detection for row in rows]
        series.append(Series(label, posts, [x.mean for x in e], [x.low for x in e], [x.high for x in e]))
    return Panel(
        title="Linked posts, 8 steps each",
        x_label="posts",
        y_label="detection",
        series=tuple(series),
        y_floor=0,
        x_ticks=posts,
    )


def spies(run: Bench) -> Panel:
    """Detection by spies over the degree: closed form, trials, and diffusion."""
    degrees = (3, 4, 6, 10)
    lines = tuple(range(3, 21))
    series = [Series("tree, closed form", lines, [spies_detection(d, 0.1) for d in lines], dashed=True)]
    for protocol, label, steps in (("tree", "tree, pivot rule", 6), ("diffusion:0.5", "diffusion, first spy", 4)):
        spec = "spies:0.1" if protocol == "tree" else "spies:0.1:first"
        rows = [run.study(f"regular-tree:{d}", [protocol], [spec], (steps,), 0.5).rows[0] for d in degrees]
        e = [row.detection for row in rows]
        series.append(Series(label, degrees, [x.mean for x in e], [x.low for x in e], [x.high for x in e]))
    series.append(Series("no protocol is below", lines, [0.1] * len(lines), dashed=True))
    return Panel(
        title="One contact in ten is a spy (regular trees)",
        x_ticks=(3, 4, 6, 8, 10, 15, 20),
        x_label="links of each node",
        y_label="detection",
        series=tuple(series),
        y_floor=0,
    )


def spies_on_a_graph(run: Bench) -> Panel:
    """Detection by spies over their share, on a graph with cycles: all walks, and who told the first spy."""
    shares = (0.02, 0.05, 0.1, 0.2, 0.3)
    adversaries = [f"spies:{share}{rule}" for rule in ("", ":first") for share in shares]
    rows = run.study(SMALL, ["adaptive:cap=3", "diffusion:0.2"], adversaries, (6,), 0.5).rows
    series = []
    for label, protocol, rule in (
        ("adaptive, all walks", "adaptive:cap=3", ""),
        ("adaptive, first spy", "adaptive:cap=3", ":first"),
        ("diffusion, timing", "diffusion:0.2", ""),
        ("diffusion, first spy", "diffusion:0.2", ":first"),
    ):
        specs = [f"spies:{share:g}{rule}" for share in shares]
        e = [row.detection for row in rows if row.protocol == protocol and row.adversary in specs]
        series.append(Series(label, shares, [x.mean for x in e], [x.low for x in e], [x.high for x in e]))
    series.append(Series("no protocol is below", shares, shares, dashed=True))
    return Panel(
        title="A social-like graph of 2 000 people, 6 steps",
        x_label="share of spies",
        y_label="detection",
        series=tuple(series),
        y_floor=0,
    )


def _series(label: str, rows: Sequence[Row]) -> Series:
    e = [row.detection for row in rows]
    least = 1e-5
    return Series(
        label,
        [row.holders for row in rows],
        [max(x.mean, least) for x in e],
        [max(x.low, least) for x in e],
        [max(x.high, least) for x in e],
    )


def _over_holders(title: str, series: list[Series]) -> Panel:
    largest = max(max(line.x) for line in series)
    guide = [2 * (largest / 2) ** (k / 20) for k in range(21)]
    series = [*series, Series("1/holders", guide, [1 / size for size in guide], dashed=True)]
    return Panel(
        title=title,
        x_label="holders",
        y_label="detection",
        series=tuple(series),
        x_scale="log",
        y_scale="log",
        y_floor=max(1e-4, 0.5 / largest),
    )
