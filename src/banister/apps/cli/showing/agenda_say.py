"""How `banister agenda` shows what it found, at 80 columns."""

from fractions import Fraction
from pathlib import Path

from rich.table import Table
from rich.text import Text

from banister.apps.cli.showing.parties_say import SHOWN, console, say
from banister.consent import level_text
from banister.core.exact.numbers import brief
from banister.core.privacy.guarantee import Guarantee
from banister.parties.meetings.agenda import Agenda, AgendaItem, NumberItem
from banister.parties.meetings.agenda_conduct import AgendaResults, ItemResult
from banister.parties.meetings.home import PartyHome
from banister.show.plain import plain

_DELTAS = ("1e-6", "0.01")


def agenda(found: Agenda, path: Path) -> None:
    """What an agenda asks and gives away."""
    say(f"{found.title or 'Agenda'}: {len(found.items)} questions to {len(found.members)} parties, in {path}")
    say(f"asked by {found.organiser}; identity {found.hash}")
    table = Table(box=None, pad_edge=False)
    for name in ("round", "question", "about", "levels"):
        table.add_column(name)
    for item in found.items:
        levels = ", ".join(str(level) for level in dict.fromkeys(item.levels))
        table.add_row(str(item.round), Text(plain(item.name)), Text(plain(_about(item))), Text(levels))
    console.print(table)
    for name, _ in found.members[:SHOWN]:
        say(f"{name} gives away in all: {_total(found, name)}")


def asked(
    found: Agenda, party: str, round_: int | None, place: PartyHome, at_most: Guarantee | None
) -> list[tuple[str, object]]:
    """What a party should know before it opens its secret (no round) or answers a round."""
    number = found.place(party)
    items = found.tossed if round_ is None else tuple(i for i in found.asked_in(round_) if i.coin is None)
    given = [item.given(number) for item in items]
    limits = [limit for limit in (place.ceilings.of(party), at_most) if limit is not None]
    return [
        ("agenda", found.title or "(none is stated)"),
        ("questions", ", ".join(item.name for item in items) or "(paid by opening)"),
        ("asked by", found.organiser),
        ("identity", found.hash),
        ("level", " and ".join(level_text(level.epsilon, level.delta) for level in given) or "nothing more"),
        ("in all rounds", _total(found, party)),
        ("before", place.given(party)),
        ("ceiling", " and ".join(level_text(x.epsilon, x.delta) for x in limits) or "none; --at-most sets one"),
    ]


def results(found: AgendaResults) -> None:
    """What each question came to."""
    for result in found.results:
        say(_result(result))
        if result.missing:
            say(f"  missing: {', '.join(result.missing[:SHOWN])}")
        if result.openly:
            say(f"  openly, by the coin: {', '.join(result.openly[:SHOWN])}")
    for file, reason in found.set_aside:
        say(f"set aside: {file}: {reason}")


def _about(item: AgendaItem) -> str:
    if isinstance(item, NumberItem):
        return f"sum and mean, numbers from {brief(item.reports[0].low)} to {brief(item.reports[0].high)}"
    return item.function + (", with a coin" if item.coin is not None else "")


def _total(found: Agenda, party: str) -> str:
    """The exact composition at the delta that the questions have, and at a larger one."""
    total, number = found.total(party), found.place(party)
    own = sum((item.given(number).delta for item in found.items), Fraction(0))
    told = [f"epsilon {total.epsilon(delta=delta):.4g} at delta {delta}" for delta in _DELTAS if float(delta) > own]
    most = sum((item.given(number).epsilon for item in found.items), Fraction(0))
    return ", ".join([level_text(most, min(own, Fraction(1))), *told])


def _result(result: ItemResult) -> str:
    if result.decision is not None:
        return f"{result.name}: {result.decision.answer} (expected score {result.decision.expected:.6f})"
    if result.estimate is None:
        return f"{result.name}: no answers yet"
    low, high = result.estimate.sum_interval
    mean = result.estimate.mean_interval
    return (
        f"{result.name}: sum {result.estimate.sum:.6g}, with {100 * result.estimate.confidence:g} % from {low:.6g} to "
        f"{high:.6g}; mean {result.estimate.mean:.6g}, from {mean[0]:.6g} to {mean[1]:.6g}"
    )
