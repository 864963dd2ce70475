"""The figures of the composition theorem, drawn from the exact account."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from banister.accounting.totals.closed_forms import closed_forms
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.core.privacy.region import PrivacyRegion
from banister.errors import BadValue


def draw_figures(folder: str | Path) -> tuple[Path, ...]:
    """Figures 1 to 3 of [KOV15], into a folder: the region, its growth for k = 1 to 5, the theorems compared."""
    where = Path(folder)
    if not where.is_dir():
        raise BadValue(f"There is no folder '{where}' for the figures. Make it first.")
    steps: tuple[tuple[str, Callable[[Path], None]], ...] = (
        ("region.svg", draw_region),
        ("composition.svg", draw_composition),
        ("theorems.svg", draw_theorems),
    )
    for name, draw in steps:
        draw(where / name)
    return tuple(where / name for name, _ in steps)


def draw_region(path: Path, caption: str = "") -> None:
    """One region, with its two lines: [KOV15] Figure 1."""
    from banister.show.regions import draw_guarantee

    guarantee = Guarantee(1, Fraction(1, 10))
    height, factor = 1 - float(guarantee.delta), math.e
    lines = [(height, factor, r"slope $-e^{\epsilon}$"), (height / factor, 1 / factor, r"slope $-e^{-\epsilon}$")]
    draw_guarantee(PrivacyRegion.of_guarantee(guarantee), lines, path, caption=caption)


def draw_composition(path: Path, caption: str = "") -> None:
    """Regions of one to five releases: [KOV15] Figure 2."""
    from banister.show.regions import draw_growth

    panels = {}
    for delta in (Fraction(0), Fraction(1, 10)):
        one = PrivacyLoss.of_guarantee(Guarantee(Fraction(2, 5), delta))
        regions = {f"k = {k}": PrivacyRegion.of_loss(one.times(k)) for k in range(1, 6)}
        panels[f"k releases at (0.4, {float(delta):g})"] = regions
    draw_growth(panels, path, caption=caption)


def draw_theorems(path: Path, caption: str = "") -> None:
    """Thirty releases at (0.1, 0.001): smaller is better. And a region as what its tangents leave."""
    from banister.show.regions import draw_tangents

    loss = PrivacyLoss.of_guarantee(Guarantee("0.1", "0.001")).times(30)
    deltas = [Fraction(3, 100) + Fraction(97, 100) * Fraction(i, 200) ** 2 for i in range(200)]
    regions = {
        name: _implied(loss, deltas, place) for place, name in ((0, "basic"), (1, "advanced"), (2, "simplified"))
    }
    regions["exact"] = PrivacyRegion.of_loss(loss)
    five = PrivacyLoss.pure(Fraction(2, 5)).times(5)
    tangents = [
        (1 - five.delta_at(t).up, math.exp(t), f"$-e^{{{float(t):g}}}$")
        for t in (Fraction(2, 5), Fraction(6, 5), Fraction(2))
    ]
    draw_tangents(regions, PrivacyRegion.of_loss(five), tangents, path, caption=caption)


def _implied(loss: PrivacyLoss, deltas: Sequence[Fraction], place: int) -> PrivacyRegion:
    """What a theorem leaves, when it is applied at every delta."""
    points = [(Fraction(closed_forms(loss, d)[place].epsilon), d, d) for d in deltas if _speaks(loss, d, place)]
    return PrivacyRegion.of_curve(points)


def _speaks(loss: PrivacyLoss, delta: Fraction, place: int) -> bool:
    return closed_forms(loss, delta)[place].epsilon < math.inf
