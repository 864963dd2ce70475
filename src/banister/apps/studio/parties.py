"""The page Parties: how accurate a joint decision will be, before anyone takes part."""

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from banister.apps.studio.same import Same
from banister.apps.web.pictures import picture
from banister.apps.web.site import Site
from banister.errors import BadValue
from banister.parties.forecast import Expected, GameForecast, forecast
from banister.parties.games.scores import accuracy_words
from banister.parties.request import MeetingRequest, names_of, read_levels

HERE = "/parties"
FUNCTIONS = ("xor", "and", "or", "majority", "threshold:3", "sum", "mean", "argmax", "x1 and (x2 or x3)")
COSTS = (
    ("zero-one", "the chance to be right"),
    ("absolute", "the expected size of the error"),
    ("squared", "the expected square of the error"),
)
MOST = 1001
"""Parties that the page works out; the command takes more."""
CURVE_MOST = 101
CURVE = ("0.1", "0.25", "0.5", "0.75", "1", "1.5", "2", "2.5", "3", "4", "5")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartiesWish:
    """What is asked about a meeting, as it is written in the page."""

    function: str = "majority"
    parties: str = "5"
    epsilon: str = "1"
    levels: str = ""
    cost: str = "zero-one"
    prior: str = "1/2"

    def asked(self, epsilon: str = "") -> MeetingRequest:
        """The question as the forecast takes it; at another level for all where one is given."""
        text = self.parties.strip()
        count = int(text) if text.isdecimal() and len(text) < 7 else None
        if not self.levels.strip() and count is None:
            raise BadValue(f"parties = {text[:20] or 'nothing'} must be a whole number, e.g. 5.")
        if self.levels.strip() and not epsilon:
            levels = read_levels(None, None, "0", self.levels)
        else:
            levels = read_levels(count or self._count(), epsilon or self.epsilon.strip() or None, "0", None)
        if len(levels) > MOST:
            raise BadValue(f"{len(levels)} parties take long: the page works out {MOST} at most. Use the command.")
        prior = self.prior.strip() or "1/2"
        names = names_of(None, len(levels))
        return MeetingRequest(function=self.function.strip(), levels=levels, names=names, cost=self.cost, prior=prior)

    def _count(self) -> int:
        return self.levels.count(",") + 1

    @property
    def drawn(self) -> bool:
        """Whether a curve over the level is drawn: the same level for all, and not too many of them."""
        return not self.levels.strip() and self.parties.strip().isdecimal() and int(self.parties) <= CURVE_MOST

    def same(self) -> Same:
        """The command and the Python that foretell the same."""
        levels, prior = self.levels.strip(), self.prior.strip() or "1/2"
        who = f"--levels {shlex.quote(levels)}"
        if not levels:
            who = f"--parties {shlex.quote(self.parties.strip())} --epsilon {shlex.quote(self.epsilon.strip())}"
        found = [str(level.epsilon) for level in self.asked().levels]
        given = f"[{found[0]!r}] * {len(found)}" if len(set(found)) == 1 else repr(found)
        return Same(
            command=f"banister parties plan --function {shlex.quote(self.function.strip())} {who} \\\n"
            f"  --cost {shlex.quote(self.cost)} --prior {shlex.quote(prior)}",
            python="import banister as bn\n\n"
            f"levels = {given}\n"
            f"question = bn.parties.function_of({self.function.strip()!r}, len(levels))\n"
            f"game = bn.parties.Game(question, levels, cost={self.cost!r}, prior={prior!r})\n"
            'print(game.accuracy("average"), game.accuracy("worst"))',
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyRow:
    """Who decides, and how well."""

    who: str
    average: str
    worst: str


class PartiesPages:
    """The routes of this page."""

    def __init__(self, site: Site) -> None:
        self.site = site
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/foretold", self.foretold, methods=["POST"], response_model=None)
        add(f"{HERE}/figure.{{kind}}", self.figure, methods=["GET"], response_model=None)

    def show(self) -> Response:
        """The form; what it comes to is asked for at once."""
        facts = {"wish": PartiesWish(), "functions": FUNCTIONS, "costs": COSTS}
        return self.site.page("parties.html", here=HERE, title="Parties", **facts)

    async def foretold(self, request: Request) -> Response:
        """The accuracies, while somebody types."""
        fields = await self.site.fields(request)
        known = {name: value for name, value in fields.items() if name in PartiesWish.__dataclass_fields__}
        return await self.site.computed(self._foretold, PartiesWish(**known))

    def _foretold(self, wish: PartiesWish) -> Response:
        found = forecast(wish.asked())
        facts = {
            "found": found,
            "wish": wish,
            "accuracy": accuracy_words(found.game.score.name),
            "rows": [_row(line) for line in found.lines],
            "reasons": _reasons(found),
            "pure": all(level.delta == 0 for level in found.game.levels),
            "query": urlencode(asdict(wish)),
            "same": wish.same(),
        }
        return self.site.page("foretold.html", **facts)

    async def figure(
        self, kind: str, function: str = "", parties: str = "", cost: str = "zero-one", prior: str = "1/2"
    ) -> Response:
        """The accuracy against the level of all parties."""
        wish = PartiesWish(function=function, parties=parties, cost=cost, prior=prior)
        return await self.site.computed(self._figure, wish, kind)

    def _figure(self, wish: PartiesWish, kind: str) -> Response:
        from banister.show.panels import CurvePanel, PanelLine, draw_panels

        if not wish.drawn:
            raise BadValue(f"The curve is drawn for up to {CURVE_MOST} parties of one level.")
        found = [forecast(wish.asked(epsilon)) for epsilon in CURVE]
        levels = [float(epsilon) for epsilon in CURVE]
        lines = [
            PanelLine(name, levels, [getattr(each.lines[0], name) for each in found])
            for name in ("average", "worst")
            if all(isinstance(getattr(each.lines[0], name), float) for each in found)
        ]
        lines.append(PanelLine("hearing nobody", levels, [each.blind for each in found], dashed=True))
        panel = CurvePanel(
            title=f"{found[0].game.function.name} of {wish.parties} parties, an observer decides",
            x_label="epsilon of every party",
            y_label=accuracy_words(found[0].game.score.name),
            lines=tuple(lines),
        )

        def draw(path: Path) -> None:
            draw_panels([panel], path)

        return picture(draw, kind, name="parties")


def _row(line: Expected) -> PartyRow:
    def said(value: float | str) -> str:
        return "–" if isinstance(value, str) else f"{value:.6f}"

    return PartyRow(who=line.who, average=said(line.average), worst=said(line.worst))


def _reasons(found: GameForecast) -> list[str]:
    """Why something is not told."""
    return list(dict.fromkeys(x for line in found.lines for x in (line.average, line.worst) if isinstance(x, str)))
