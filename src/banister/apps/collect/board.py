"""What the dashboard shows, computed from running totals alone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from banister.apps.collect.book import ReportBook, Running
from banister.apps.collect.days import CONFIDENCE, DayRow, DayRows
from banister.apps.collect.profiles import ProfileView, profiles
from banister.apps.collect.waves import together
from banister.errors import BadValue
from banister.local.collect.campaign import Campaign, Hypotheses
from banister.local.collect.groups import GroupShare, shares_in_groups
from banister.local.collect.making import needed
from banister.local.collect.tally import Tally, estimate, told, verdict
from banister.local.estimates import Estimate
from banister.local.telling import ToldLaw
from banister.show.charts import IntervalChart


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLine:
    """An answer: its share with the interval, in percent."""

    label: str
    share: str
    low: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question on the dashboard."""

    place: int
    text: str
    reports: int
    worth: str
    lines: Sequence[BoardLine]
    chart: Markup
    doubt: str
    missing: str
    days: Sequence[DayRow]
    refusal: str = ""
    waves: str = ""
    groups: Sequence[GroupShare] = ()
    inside: bool = False
    """Whether it is one time of a series, which is shown as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """A campaign on the dashboard."""

    title: str
    asked_by: str
    until: str
    reports: int
    hour: int
    bars: Markup
    latest: str
    """The bars in words."""
    questions: Sequence[QuestionView]
    asides: Sequence[tuple[str, int]]
    verdict: str
    profiles: Sequence[ProfileView] = ()


def board(store: ReportBook, running: Running, now: int, rows: DayRows) -> BoardView:
    """The whole dashboard of a campaign, at an hour; days that are over are taken from the rows."""
    campaign = running.signed.campaign
    by_hour = [store.hours(running.number, place) for place in range(len(campaign.questions))]
    questions = [_question(store, running, place, rows, each) for place, each in enumerate(by_hour)]
    hours: dict[int, int] = {}
    for each in by_hour:
        for hour, found in each:
            hours[hour] = hours.get(hour, 0) + found.reports
    return BoardView(
        title=campaign.title,
        asked_by=campaign.asked_by,
        until=campaign.until,
        reports=sum(question.reports for question in questions),
        hour=hours.get(now, 0),
        bars=hour_bars(hours, now),
        latest=latest_words(hours, now),
        questions=questions,
        asides=tuple(store.asides(running.number).items()),
        verdict=_verdict(campaign, store.total(running.number, 0)),
        profiles=profiles(store, running),
    )


def estimates(store: ReportBook, running: Running) -> dict[str, list[object]]:
    """All estimates as columns, for a file."""
    columns: dict[str, list[object]] = {
        name: [] for name in ("question", "answer", "share", "low", "high", "confidence", "reports")
    }
    campaign = running.signed.campaign
    for place, asked in enumerate(campaign.questions):
        found = store.total(running.number, place)
        if not found.reports or campaign.hypotheses is not None:
            continue
        told = estimate(asked.channel, campaign.repetition, found)
        held = told.intervals(CONFIDENCE)
        for x, label in enumerate(asked.labels):
            row = (asked.question, label, told.frequencies[x], held.lower[x], held.upper[x], CONFIDENCE, found.reports)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(float(value) if isinstance(value, float) else value)
    return columns


def hour_bars(hours: dict[int, int], now: int) -> Markup:
    """Reports in each of the last 48 hours, as bars."""
    last = [hours.get(hour, 0) for hour in range(now - 47, now + 1)]
    top = max(last) or 1
    bars = "".join(
        f'<rect class="now" x="{100 * place / 48:.2f}%" width="1.7%" y="{60 - 60 * count / top:.1f}" '
        f'height="{60 * count / top:.1f}"/>'
        for place, count in enumerate(last)
    )
    # It holds numbers alone.
    return Markup(
        f'<svg class="chart" width="100%" height="60" role="img" aria-label="{latest_words(hours, now)}">{bars}</svg>'
    )


def latest_words(hours: dict[int, int], now: int) -> str:
    """What the bars show."""
    most = max(hours.get(hour, 0) for hour in range(now - 47, now + 1))
    return f"The last 48 hours, this one on the right; the most in one is {most:,}."


def _question(
    store: ReportBook, running: Running, place: int, rows: DayRows, hours: Sequence[tuple[int, Tally]]
) -> QuestionView:
    campaign = running.signed.campaign
    asked, found = campaign.questions[place], store.total(running.number, place)
    plain = QuestionView(
        place=place,
        text=asked.question,
        reports=found.reports,
        worth="",
        lines=(),
        chart=Markup(),
        doubt="",
        missing="",
        days=(),
    )
    if not found.reports or campaign.hypotheses is not None:
        return plain
    try:
        told = estimate(asked.channel, campaign.repetition, found)
    except BadValue as error:
        return QuestionView(
            place=place, text=asked.question, reports=found.reports, worth="", lines=(), chart=Markup(), doubt="",
            missing="", days=(), refusal=str(error),
        )  # fmt: skip
    inside = any(one.times > 1 and one.first <= place < one.first + one.times for one in campaign.series)
    held = told.intervals(CONFIDENCE)
    shares, low, high = (100 * values for values in (told.frequencies, held.lower, held.upper))
    middles, lows, highs = ([round(float(value), 1) for value in values.clip(0, 100)] for values in (shares, low, high))
    title = f"Shares in percent with intervals that each hold with {100 * CONFIDENCE:g} %"
    chart = IntervalChart(title, asked.labels, middles, lows, highs)
    return QuestionView(
        place=place,
        text=asked.question,
        reports=found.reports,
        worth=_worth(told),
        lines=[
            BoardLine(label=label, share=f"{shares[x]:.1f}", low=f"{low[x]:.1f}", high=f"{high[x]:.1f}")
            for x, label in enumerate(asked.labels)
        ],
        chart=Markup(chart.html()),  # A chart escapes its labels.
        doubt=told.doubt,
        missing=_missing(campaign, told, (held.upper - held.lower).max() / 2),
        days=() if inside else rows.of(running, place, hours),
        waves=together(store, running, place),
        groups=shares_in_groups(asked.labels, told, CONFIDENCE),
        inside=inside,
    )


def _worth(told: Estimate) -> str:
    worth = told.effective_people
    return (
        ""
        if not math.isfinite(worth)
        else f"worth {worth:,.0f} open answers"
        if worth >= 1
        else "worth less than one open answer"
    )


def _missing(campaign: Campaign, told: Estimate, half: float) -> str:
    """How many more reports bring the widest interval to what is wanted: widths fall like one over the square root."""
    wanted = campaign.accuracy
    if not wanted:
        return ""
    if half <= wanted:
        return f"The widest interval is ± {100 * half:.1f} points, as wanted (± {100 * wanted:g})."
    more = math.ceil(told.people * ((half / wanted) ** 2 - 1))
    return f"The widest interval is ± {100 * half:.1f} points; ± {100 * wanted:g} takes about {more:,} reports more."


def _verdict(campaign: Campaign, found: Tally) -> str:
    asked = campaign.hypotheses
    if asked is None:
        return ""
    wanted = needed(campaign)
    if not found.reports:
        return f"No reports yet. {wanted:,} people are needed for a power of {asked.power:g}."
    if len(asked.laws) > 2:
        return _likeliest(asked, told(campaign, found), wanted)
    seen = verdict(campaign, found)
    zero, one = asked.names
    held = one if seen.rejects_zero else zero
    errors = seen.errors
    return (
        f"The reports speak for “{held}” (p-value of “{zero}”: {seen.p_value:.2g}). With {found.reports:,} reports the "
        f"test is wrong with a chance of {errors.false_alarm:.2g} if “{zero}” holds, and of "
        f"{errors.missed_detection:.2g} if “{one}” does ({errors.method}). {wanted:,} people are needed for a power of "
        f"{asked.power:g}."
    )


def _likeliest(asked: Hypotheses, seen: ToldLaw, wanted: int | None) -> str:
    others = [(behind, name) for behind, name in zip(seen.behind, asked.names, strict=True)]
    rest = ", ".join(f"“{name}” is e^{behind:.1f} times less likely" for behind, name in sorted(others)[1:])
    words = "" if seen.errors.method == "exact" else "at most "
    wrong = ", ".join(
        f"{chance:.2g} if “{name}” holds" for chance, name in zip(seen.errors.wrong, asked.names, strict=True)
    )
    return (
        f"The reports speak for “{asked.names[seen.law]}”; {rest}. With {seen.errors.people:,} reports the likeliest "
        f"law is another than the true one with a chance of {words}{wrong}. {wanted:,} people are needed to name the "
        f"law that holds with a chance of {asked.power:g}, whichever it is."
    )
