"""The page Noise: every noise that gives a guarantee, the least first, with its laws and its costs."""

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlencode

from starlette.responses import Response

from banister.apps.studio.same import Same
from banister.apps.web.pictures import picture, rows
from banister.apps.web.site import Site
from banister.errors import BadValue
from banister.mechanisms.comparison.least_noise import ASSUMED, Comparison, least_noise
from banister.mechanisms.offers import Over
from banister.release.answering.wording import number

HERE = "/noise"
COSTS = (("absolute", "size"), ("squared", "square"), ("zero-one", "being there at all"))


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseWish:
    """What is asked about noise, as it is written in the page."""

    epsilon: str = "1"
    delta: str = "0"
    sensitivity: str = "1"
    over: str = "reals"
    cost: str = "absolute"

    def compared(self) -> Comparison:
        """All that apply, the least first."""
        for name in ("epsilon", "sensitivity"):
            if not getattr(self, name).strip():
                raise BadValue(f"Give {name} as a number, e.g. 1.")
        return least_noise(
            epsilon=self.epsilon,
            delta=self.delta.strip() or "0",
            sensitivity=self.sensitivity,
            over=self.over,
            cost=self.cost,
        )

    @property
    def quick(self) -> bool:
        """Whether its figure is drawn in a second; on the line, with a delta, it takes half a minute."""
        return self.over == Over.INTEGERS.value or self.delta.strip() in ("", "0")

    def same(self) -> Same:
        """The command and the Python that compare the same."""
        whole = " --integer" if self.over == Over.INTEGERS.value else ""
        delta = self.delta.strip() or "0"
        words = [f"--{name} {shlex.quote(value)}" for name, value in self._given(delta)]
        python = ", ".join(f"{name}={value!r}" for name, value in (*self._given(delta), ("over", self.over)))
        return Same(
            command=f"banister noise {' '.join(words)}{whole} --figure noise.svg",
            python=f"import banister as bn\n\nfound = bn.least_noise({python})\n"
            "for each in found.contenders:\n    print(each.name, each.risk, each.optimal)",
        )

    def _given(self, delta: str) -> tuple[tuple[str, str], ...]:
        return ("epsilon", self.epsilon), ("delta", delta), ("sensitivity", self.sensitivity), ("cost", self.cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseRow:
    """One noise in the table."""

    name: str
    risk: str
    times: str
    interval: str
    optimal: str


class NoisePages:
    """The routes of this page."""

    def __init__(self, site: Site) -> None:
        self.site = site
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/compared", self.compared, methods=["GET"], response_model=None)
        add(f"{HERE}/figure.{{kind}}", self.figure, methods=["GET"], response_model=None)

    def show(self) -> Response:
        """The form; what it comes to is asked for at once."""
        return self.site.page("noise.html", here=HERE, title="Noise", wish=NoiseWish(), costs=COSTS)

    async def compared(
        self, epsilon: str = "", delta: str = "", sensitivity: str = "", over: str = "reals", cost: str = "absolute"
    ) -> Response:
        """The comparison, while somebody types."""
        wish = NoiseWish(epsilon=epsilon, delta=delta, sensitivity=sensitivity, over=over, cost=cost)
        return await self.site.computed(self._compared, wish)

    def _compared(self, wish: NoiseWish) -> Response:
        found = wish.compared()
        return self.site.page(
            "noises.html",
            wish=wish,
            query=urlencode(asdict(wish)),
            rows=_rows(found),
            cost=found.question.cost.in_words,
            verdict=_verdict(found),
            same=wish.same(),
        )

    async def figure(
        self,
        kind: str,
        epsilon: str = "",
        delta: str = "",
        sensitivity: str = "",
        over: str = "reals",
        cost: str = "absolute",
    ) -> Response:
        """The figure of `banister noise --figure`, or its numbers."""
        wish = NoiseWish(epsilon=epsilon, delta=delta, sensitivity=sensitivity, over=over, cost=cost)
        return await self.site.computed(self._figure, wish, kind)

    def _figure(self, wish: NoiseWish, kind: str) -> Response:
        from banister.mechanisms.comparison.figure import draw_noise

        found = wish.compared()
        if kind == "csv":
            lines = [(each.name, each.risk, each.interval, each.optimal) for each in found.contenders]
            return rows(("noise", "expected_cost", "interval_95", "optimal_by"), lines, name="noise")
        if not wish.quick:
            raise BadValue("This figure takes half a minute. Draw it with the command: banister noise --figure.")

        def draw(path: Path) -> None:
            draw_noise(found, path)

        return picture(draw, kind, name="noise")


def _rows(found: Comparison) -> list[NoiseRow]:
    """The table."""
    best = found.best.risk or 1.0
    return [
        NoiseRow(
            name=each.name,
            risk=number(each.risk),
            times=f"{each.risk / best:.3g}" if found.best.risk else "1",
            interval=number(each.interval),
            optimal=each.optimal,
        )
        for each in found.contenders
    ]


def _verdict(found: Comparison) -> str:
    """How far the best is from what any noise could do."""
    best, words = found.best, f"The least noise known here is {found.best.name}."
    words += "" if best.certified else " Its cost is numerical, not certified."
    if found.left_out:
        words += f" Left out, because it reaches too far to be drawn exactly: {', '.join(found.left_out)}."
    if best.optimal:
        return f"{words} No {ASSUMED} can do better with this guarantee ({best.optimal})."
    if found.lower_bound is None or found.gap is None:
        return words
    left = f"at most {found.gap:.2%}" if found.gap >= 1e-4 else "less than 0.01 %"
    kind = "certified" if found.certified else "numerical"
    return f"{words} No {ASSUMED}, is below {found.lower_bound:.6g} ({kind}): {left} is left."
