"""The page Local: a channel for people who trust nobody, as a heat map with its bound, and the error it leaves."""

import csv
import io
import json
import math
import shlex
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from fastapi import Request
from starlette.responses import Response

from banister import need
from banister.apps.studio.same import Same
from banister.apps.web.pictures import picture, rows
from banister.apps.web.site import Site
from banister.core.laws.utility import MUTUAL_INFORMATION
from banister.errors import BadValue
from banister.local.designing import Designed, DesignRequest
from banister.local.designs.estimation import ESTIMATION
from banister.release.answering.wording import number

HERE = "/local"
MOST = 30
"""Answers that the page takes; a heat map of more cannot be read."""
PEOPLE = (100, 1_000, 10_000, 100_000, 1_000_000)
UTILITIES = ((ESTIMATION, "the frequency of each answer"), (MUTUAL_INFORMATION, "as much as can be told at all"))
FIRST = "never, 0.5\nsometimes, 0.3\noften, 0.15\ndaily, 0.05"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalWish:
    """What is asked about a survey: what people may answer, roughly how often, and what is to be learnt."""

    epsilon: str = "1"
    utility: str = ESTIMATION
    answers: str = FIRST

    def read(self) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        """The names of the answers and their rough shares, which are brought to 1 in total."""
        names, shares = [], []
        for place, line in enumerate(self.answers.strip().splitlines(), start=1):
            name, comma, share = line.rpartition(",")
            if not (comma and name.strip()):
                raise BadValue(f"Line {place} must be an answer, a comma and a share above 0, e.g. often, 0.15.")
            names.append(name.strip())
            shares.append(need.positive(f"The share in line {place}", share.strip().removesuffix("%")))
        if not 2 <= len(names) <= MOST or len(set(names)) < len(names):
            raise BadValue(f"Give 2 to {MOST} answers, each on a line of its own and each once.")
        return tuple(names), tuple(share / sum(shares) for share in shares)

    def channel(self) -> Designed:
        """The best channel, with its certificate."""
        _, shares = self.read()
        if not self.epsilon.strip():
            raise BadValue("Give an epsilon for each report, e.g. 1.")
        return DesignRequest(self.epsilon, self.utility, prior=[float(share) for share in shares]).channel()

    def same(self) -> Same:
        """The command and the Python that design the same."""
        names, shares = self.read()
        table = io.StringIO()
        written = csv.writer(table, lineterminator="\n")
        written.writerow(("category", "probability"))
        written.writerows((name, float(share)) for name, share in zip(names, shares, strict=True))
        level, utility = shlex.quote(self.epsilon), shlex.quote(self.utility)
        return Same(
            command=f"cat > prior.csv <<'END'\n{table.getvalue()}END\n"
            f"banister local design --epsilon {level} --prior prior.csv --utility {utility} \\\n"
            "  --out survey.channel.json --figure channel.svg",
            python="import banister as bn\n\n"
            f"prior = {[float(share) for share in shares]}\n"
            f"channel = bn.local.design(epsilon={self.epsilon!r}, utility={self.utility!r}, prior=prior)\n"
            "print(channel.matrix)",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftError:
    """What so many people's reports leave in doubt about the share of an answer, typically."""

    people: str
    error: str


class LocalPages:
    """The routes of this page."""

    def __init__(self, site: Site) -> None:
        self.site = site
        add = site.app.add_api_route
        add(HERE, self.show, methods=["GET"], response_model=None)
        add(f"{HERE}/designed", self.designed, methods=["POST"], response_model=None)
        add(f"{HERE}/channel.{{kind}}", self.figure, methods=["GET"], response_model=None)
        add(f"{HERE}/error.{{kind}}", self.error, methods=["GET"], response_model=None)

    def show(self) -> Response:
        """The form; what it comes to is asked for at once."""
        return self.site.page("local.html", here=HERE, title="Local", wish=LocalWish(), utilities=UTILITIES)

    async def designed(self, request: Request) -> Response:
        """The channel, while somebody types."""
        fields = await self.site.fields(request)
        wish = LocalWish(
            epsilon=fields.get("epsilon", ""), utility=fields.get("utility", ""), answers=fields.get("answers", "")
        )
        return await self.site.computed(self._designed, wish)

    def _designed(self, wish: LocalWish) -> Response:
        channel = wish.channel()
        found = errors_left(channel, PEOPLE)
        return self.site.page(
            "channel.html",
            wish=wish,
            channel=channel,
            proof=certificate_words(channel),
            errors=[LeftError(people=number(n), error=f"± {100 * error:.2g} %") for n, error in found],
            curve=json.dumps([[n for n, _ in found], [100 * error for _, error in found]]),
            same=wish.same(),
        )

    async def figure(self, kind: str, epsilon: str = "", utility: str = "", answers: str = "") -> Response:
        """The figure of `banister local design --figure`, or the channel's numbers."""
        return await self.site.computed(
            self._figure, LocalWish(epsilon=epsilon, utility=utility, answers=answers), kind
        )

    async def error(self, kind: str, epsilon: str = "", utility: str = "", answers: str = "") -> Response:
        """What so many people leave in doubt, as a picture or as its numbers."""
        return await self.site.computed(self._error, LocalWish(epsilon=epsilon, utility=utility, answers=answers), kind)

    def _error(self, wish: LocalWish, kind: str) -> Response:
        from banister.local.pictures import draw_errors

        found = errors_left(wish.channel(), PEOPLE)
        if kind == "csv":
            return rows(("people", "typical_error"), found, name="error")
        return picture(lambda path: draw_errors(found, path), kind, name="error")

    def _figure(self, wish: LocalWish, kind: str) -> Response:
        from banister.local.pictures import draw_channel

        (names, _), channel = wish.read(), wish.channel()
        if kind == "csv":
            header = ("answer", *(f"report_{place}" for place in range(channel.outputs)))
            lines = [(name, *map(float, line)) for name, line in zip(names, channel.matrix, strict=True)]
            return rows(header, lines, name="channel")

        def draw(path: Path) -> None:
            draw_channel(channel, names, path)

        return picture(draw, kind, name="channel")


def errors_left(channel: Designed, people: tuple[int, ...]) -> list[tuple[int, float]]:
    """(people, typical error of a share), from the certified sum of squared errors; nothing where there is none."""
    proof = channel.certificate
    if proof is None or proof.utility >= 0:
        return []
    return [(n, math.sqrt(-proof.utility / (n * channel.categories))) for n in people]


def certificate_words(channel: Designed) -> str:
    """What the channel keeps, and what none can exceed."""
    proof = channel.certificate
    if proof is None:
        return ""
    if proof.utility < 0:  # A cost: its utility is minus it.
        reached, least = f"{-proof.utility:.6g}", f"{-proof.upper_bound:.6g}"
        return (
            f"People times squared error, over all answers: {reached}. No channel at this level has less than {least}."
        )
    kept, most = f"{proof.utility:.6g} ({proof.utility_name})", f"{proof.upper_bound:.6g}"
    return f"It keeps {kept}. No channel at this level keeps more than {most}."
