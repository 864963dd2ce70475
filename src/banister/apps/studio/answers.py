"""The page of one release: its report, as it was kept, and its files."""

import base64
import hashlib
import re
from collections.abc import Sequence

from fastapi import Request
from markupsafe import Markup
from starlette.responses import Response

from banister.apps.studio.kept import PREFIX, KeptAnswer, KeptAnswers
from banister.apps.studio.same import same_release
from banister.apps.studio.till import StudioTill
from banister.apps.studio.workbench import Workbench
from banister.apps.web.pictures import picture, rows
from banister.apps.web.site import Site
from banister.errors import BadValue
from banister.show.charts import IntervalChart

_BODY = re.compile(r"<body><h1>.*?</h1>(.*)</body>", re.S)
_STYLE = re.compile(r"<style>(.*?)</style>", re.S)


class AnswerPages:
    """The routes of this page."""

    def __init__(self, site: Site, bench: Workbench, till: StudioTill) -> None:
        self.site = site
        self.bench = bench
        self.till = till
        add = site.app.add_api_route
        add("/answers/{key}", self.show, methods=["GET"], response_model=None)
        add("/answers/{key}/draw", self.draw, methods=["POST"], response_model=None)
        add("/answers/{key}/report.html", self.report, methods=["GET"], response_model=None)
        add("/answers/{key}/answers-{place}.csv", self.table, methods=["GET"], response_model=None)
        add("/answers/{key}/chart-{place:int}.{kind}", self.chart, methods=["GET"], response_model=None)
        add("/answers/{key}/answers.certificate", self.certificate, methods=["GET"], response_model=None)

    async def show(self, key: str) -> Response:
        """The report inside the studio; of what was paid for and never drawn, a way to draw it."""
        kept = KeptAnswers(self.bench.path)
        found, asked = kept.find(key), kept.asked(key)
        if found is None:
            question = asked.question if asked is not None and self._paid(key) else ""
            return self.site.page("undrawn.html", here="", title="Not drawn yet", key=key, question=question)
        same = same_release(asked, str(self.bench.path)) if asked is not None else None
        return self.site.page(
            "answers.html",
            here="",
            title="Private answers",
            key=key,
            kept=found,
            body=report_body(found.report),
            same=same,
        )

    async def draw(self, key: str, request: Request) -> Response:
        """Draw what was paid for under a key and never answered. What was not paid for is not begun here."""
        await self.site.form(request)
        asked = KeptAnswers(self.bench.path).asked(key)
        if asked is None or not self._paid(key):
            raise BadValue("Nothing was paid under this name, so there is nothing to draw. Ask anew.")
        return await self.site.computed(self.till.release, key, asked)

    def _paid(self, key: str) -> bool:
        with self.bench.dataset.ledger() as ledger:
            return any(entry.key == PREFIX + key for entry in ledger.history())

    def report(self, key: str) -> Response:
        """The report by itself, as `banister release --report` writes it."""
        return report_file(self._found(key).report)

    def table(self, key: str, place: int) -> Response:
        """The answers to one question as a CSV file."""
        tables = self._found(key).tables
        return table_file(tables, place)

    async def chart(self, key: str, place: int, kind: str) -> Response:
        """A picture of the report as a file, or the numbers behind it."""
        return await self.site.computed(chart_file, self._found(key).charts, place, kind)

    def certificate(self, key: str) -> Response:
        """What `banister verify` checks the files by, when it lies beside them."""
        found = self._found(key).certificate
        if not found:
            raise BadValue("This answer was kept before answers had certificates.")
        return certificate_file(found, "answers")

    def _found(self, key: str) -> KeptAnswer:
        found = KeptAnswers(self.bench.path).find(key)
        if found is None:
            raise BadValue("There is no answer under this name.")
        return found


def table_file(tables: Sequence[str], place: int) -> Response:
    """The answers to one question as a CSV file."""
    if not 1 <= place <= len(tables):
        raise BadValue(f"There is no table {place}: the release answered {len(tables)} questions.")
    headers = {"Content-Disposition": f'attachment; filename="answers-{place}.csv"'}
    return Response(tables[place - 1], media_type="text/csv; charset=utf-8", headers=headers)


def chart_file(charts: Sequence[IntervalChart], place: int, kind: str) -> Response:
    """A picture of a report as a file, or the numbers behind it."""
    if not 1 <= place <= len(charts):
        raise BadValue(f"There is no picture {place}: the report has {len(charts)} that are kept.")
    chart, name = charts[place - 1], f"picture-{place}"
    if kind == "csv":
        lines = zip(chart.labels, chart.values, chart.low, chart.high, strict=True)
        return rows(("cell", "value", "low", "high"), lines, name=name)
    from banister.show.intervals import draw_intervals

    return picture(lambda path: draw_intervals(chart, path), kind, name=name)


def certificate_file(certificate: str, name: str) -> Response:
    """A certificate as a file to be saved."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.certificate"'}
    return Response(certificate, media_type="application/json", headers=headers)


def report_file(report: str) -> Response:
    """A report as a file that may show its one style, named by its hash, and nothing else."""
    digests = [base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() for style in _STYLE.findall(report)]
    styles = " ".join(f"'sha256-{digest}'" for digest in digests)
    return Response(
        report,
        media_type="text/html; charset=utf-8",
        headers={
            "Content-Security-Policy": f"default-src 'none'; style-src {styles}; frame-ancestors 'none'",
            "Content-Disposition": 'attachment; filename="answers.html"',
        },
    )


def report_body(report: str) -> Markup:
    """What a report shows under its title. It is our own page, every text in it escaped when it was written."""
    found = _BODY.search(report)
    return Markup(found.group(1)) if found else Markup("")
