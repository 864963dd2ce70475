"""The second wave, from the store of the first."""

from collections.abc import Sequence
from pathlib import Path

from banister.apps.collect.book import ReportBook, Running
from banister.apps.collect.postgres import opened
from banister.errors import BadValue
from banister.local.collect.campaign import Campaign
from banister.local.collect.files import campaign_file
from banister.local.collect.tally import estimate
from banister.local.collect.waves import WaveGain, both_waves, error_a_person, likely_law, second_wave


def made_second(first: Path, store: str, *, people: int, until: str) -> tuple[Campaign, Sequence[WaveGain]]:
    """The campaign of the second wave, and its gains."""
    asked, book = campaign_file(first), opened(store)
    try:
        running = _found(book, asked.name)
        if running is None:
            raise BadValue(
                f"The store '{store if '://' not in store else 'given'}' does not hold the campaign '{first}'."
            )
        totals = [book.total(running.number, place) for place in range(len(asked.campaign.questions))]
    finally:
        book.close()
    return second_wave(asked, totals, people=people, until=until)


def together(book: ReportBook, running: Running, place: int) -> str:
    """Both waves of a question in words; nothing where there is no first wave in this store."""
    campaign = running.signed.campaign
    before = _found(book, campaign.after) if campaign.after else None
    if before is None:
        return ""
    pairs = [(before, before.signed.campaign), (running, campaign)]
    totals = [book.total(one.number, place) for one, _ in pairs]
    if not all(found.reports for found in totals):
        return ""
    asked = [one.questions[place].channel for _, one in pairs]
    seen = [
        estimate(channel, one.repetition, found) for channel, (_, one), found in zip(asked, pairs, totals, strict=True)
    ]
    law = likely_law(seen[0])
    one, other = (
        error_a_person(channel, found.repetition, law) for channel, (_, found) in zip(asked, pairs, strict=True)
    )
    both = both_waves(seen[0], seen[1], errors=(one, other))
    labels = campaign.questions[place].labels
    shares = zip(labels, both.frequencies, both.standard_errors, strict=True)
    words = "; ".join(f"{label} {100 * share:.1f} ± {196 * error:.1f}" for label, share, error in list(shares)[:12])
    return (
        f"With the first wave, {totals[0].reports + totals[1].reports:,} reports, in percent: {words} (95 %, by the "
        f"normal law). At what the first wave showed, a report of this one is worth {one / other:.2f} of it."
    )


def _found(book: ReportBook, name: str) -> Running | None:
    return next((one for one in book.campaigns() if one.signed.name == name), None)
