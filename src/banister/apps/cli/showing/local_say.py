"""How `banister local` shows its answers, at 80 columns."""

from pathlib import Path

from rich.table import Table
from rich.text import Text

from banister.consent import level_text, level_words
from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Guarantee
from banister.local.comparison import FrequencyComparison
from banister.local.estimates import Estimate
from banister.local.home import OWNER, LocalHome
from banister.local.survey import Survey
from banister.local.testing import Verdict
from banister.show.plain import plain
from banister.show.terminal import console

_MOST_ROWS = 60
_WIDE_GAP = 0.01
"""Part of the bound from which on a reader is told that the certificate leaves room."""


def survey(found: Survey, path: Path) -> None:
    """What a channel file promises and keeps."""
    channel = found.channel
    table = _table("", "", header=False)
    table.add_row("file", Text(plain(path)))
    table.add_row("kind", Text(plain(channel.kind)))
    table.add_row("categories, reports", f"{channel.categories}, {channel.outputs}")
    table.add_row("promise", f"(epsilon, delta) = {channel.guarantee}")
    table.add_row("true level", f"{channel.level:.9g}")
    table.add_row("question", Text(plain(found.question or "(none is stated)")))
    table.add_row("asked by", Text(plain(found.asked_by or "(nobody is named)")))
    table.add_row("hash", found.identity[:16])
    if channel.certificate is not None:
        proof = channel.certificate
        by = plain(f"({proof.utility_name}, by {proof.method})")
        if proof.utility < 0:  # A cost: its utility is minus it.
            table.add_row("people x squared error", Text(f"{-proof.utility:.9g}  {by}"))
            table.add_row("no channel has", f"less than {-proof.upper_bound:.9g}")
        else:
            table.add_row("keeps", Text(f"{proof.utility:.9g}  {by}"))
            table.add_row("no channel keeps", f"more than {proof.upper_bound:.9g}")
    console().print(table)
    if channel.certificate is not None and channel.certificate.gap > _WIDE_GAP:
        console().print(
            f"The bound is {100 * channel.certificate.gap:.3g} % better than this channel: it may be far from the "
            "best, or the bound far from the truth."
        )
    if channel.level == 0:
        console().print("It says nothing: every answer gives the same law of reports.")
    elif channel.rank < channel.categories:
        console().print(
            f"It tells {channel.rank} groups apart, so the frequencies of {channel.categories} categories cannot be "
            "estimated from it. For that, design with --utility estimation."
        )


def asked(found: Survey, place: LocalHome, at_most: Guarantee | None) -> list[tuple[str, object]]:
    """What a person should know before answering."""
    limits = [limit for limit in (place.ceilings.of(OWNER), at_most) if limit is not None]
    least = [min(limit.epsilon for limit in limits), min(limit.delta for limit in limits)] if limits else []
    shown = ", ".join(found.labels[:8]) + (", ..." if len(found.labels) > 8 else "")
    return [
        ("question", found.question or "(none is stated)"),
        ("answers", shown),
        ("asked by", found.asked_by or "(nobody is named)"),
        ("identity", found.identity),
        ("level", level_words(found.channel.guarantee)),
        ("before", place.given()),
        ("ceiling", level_text(*least) if least else "none; --at-most sets one"),
    ]


def ceiling(place: LocalHome) -> None:
    """What was given, and may be."""
    limit = place.ceilings.of(OWNER)
    say(f"Given so far: {place.given()}.")
    say("No ceiling is set." if limit is None else f"Ceiling: {level_text(limit.epsilon, limit.delta)}.")


def say(line: str) -> None:
    """A line on the terminal, harmless whatever is in it."""
    console().print(plain(line), soft_wrap=True)


def estimate(found: Estimate, labels: list[str], confidence: float) -> None:
    """Frequencies with errors; the tail of a long alphabet is left to the figure."""
    held = found.intervals(confidence)
    table = _table("category", "estimate", "standard error", f"{100 * confidence:g} % interval", "on simplex")
    simplex = found.on_simplex()
    for x, label in list(enumerate(labels))[:_MOST_ROWS]:
        table.add_row(
            Text(plain(label)),
            f"{found.frequencies[x]:.4f}",
            f"{found.standard_errors[x]:.4f}",
            f"{held.lower[x]:.4f} to {held.upper[x]:.4f}",
            f"{simplex[x]:.4f}",
        )
    console().print(table)
    if len(labels) > _MOST_ROWS:
        console().print(f"... and {len(labels) - _MOST_ROWS} more categories.")
    console().print(
        f"{found.people:,} reports, worth {found.effective_people:,.0f} open answers. Each interval holds on its own."
    )
    if found.doubt:
        console().print(found.doubt)


def aside(words: str) -> None:
    """How many lines were no reports of the channel, where some were not."""
    if words:
        console().print(words)


def verdict(found: Verdict, needed: int, power: float) -> None:
    """The decision, and how often it errs."""
    errors = found.errors
    table = _table("", "", header=False)
    table.add_row("decision", "reject hypothesis 0" if found.rejects_zero else "keep hypothesis 0")
    table.add_row("log-likelihood ratio", f"{found.statistic:.4f}  (rejects from {errors.threshold:.4f} on)")
    table.add_row("p-value", f"{found.p_value:.4g}")
    table.add_row("chance of a false alarm", f"{errors.false_alarm:.4g}")
    table.add_row("chance of a missed detection", f"{errors.missed_detection:.4g}")
    table.add_row("errors by", errors.method)
    table.add_row(f"people for power {power:g}", f"{needed:,}")
    console().print(table)


def comparison(found: FrequencyComparison) -> None:
    """Channels for frequencies, best first."""
    asked = f"epsilon {brief(found.epsilon)}, {found.people:,} people, {found.categories:,} categories"
    console().print(f"A frequency of 1/{found.categories}: {asked}.")
    table = _table("channel", "standard error", "people x variance", "bits per report")
    for candidate in found.candidates:
        table.add_row(
            candidate.name if candidate.quick else f"{candidate.name} (slow to decode)",
            f"{candidate.standard_error:.3g}",
            f"{candidate.scaled_variance:.4g}",
            f"{candidate.report_bits:,}",
        )
    console().print(table)
    console().print(f"No channel has people x variance below {found.least_scaled_variance:.4g} there.")


def wrote(path: Path) -> None:
    say(f"Figure in {path}.")


def _table(*columns: str, header: bool = True) -> Table:
    table = Table(show_header=header, box=None, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 or not header else "right", overflow="fold")
    return table
