"""How campaigns look on a terminal."""

import textwrap
from typing import TYPE_CHECKING

import typer

from banister.apps.cli.showing.consent_say import show
from banister.consent import level_text, level_words
from banister.local.collect.campaign import Campaign, SignedCampaign
from banister.local.collect.repeat import people_a_report
from banister.local.collect.sharing import Shared
from banister.show.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from banister.apps.collect.answering import AnswerSession
    from banister.apps.collect.worked import Worked
    from banister.local.collect.person import Person
    from banister.local.collect.waves import WaveGain

_MOST = 8


def campaign(signed: SignedCampaign) -> None:
    """Everything that a person agrees to."""
    show(lines(signed))


def lines(signed: SignedCampaign) -> list[tuple[str, object]]:
    """The same, as names and values."""
    asked = signed.campaign
    found: list[tuple[str, object]] = [
        ("campaign", asked.title),
        ("asked by", asked.asked_by),
        ("about", asked.about or "-"),
        ("until", asked.until),
        ("kept", asked.keeps),
        ("you answer", asked.share.in_words if len(asked.questions) > 1 else "one question"),
        ("level", level_words(asked.over_all_rounds)),
    ]
    for place, question in enumerate(asked.questions, start=1):
        shared = people_a_report(question.channel, asked.people)
        several = question.labels[:_MOST] + ["..."] * (len(question.labels) > _MOST)
        found += [
            (f"question {place}", question.question),
            ("  answers", ", ".join(several)),
            ("  rounds", asked.repetition.in_words(question.channel)),
            (
                "  a report",
                f"is shared by {float(shared):.3g} people" if shared >= 1 else "is one of more than there are people",
            ),
        ]
    return [*found, ("signed by", signed.key), ("name", signed.name)]


def shared(asked: Campaign, found: Shared, people: int | None) -> None:
    """How the level was shared out, and what the other way would give."""
    if len(asked.questions) > 1:
        parts = ", ".join(level_text(level, level * 0)[8:] for level in found.levels)
        say(
            f"The level is shared out as {parts}. People x squared error over all questions: {found.error_all:.4g} if "
            f"everybody answers all, {found.error_one:.4g} if each answers one that chance picks."
        )
    if people is not None:
        say(f"{people:,} people are needed for the power that is wanted.")


def gains(found: "Sequence[WaveGain]") -> None:
    """What the second wave gains over the first."""
    for one in found:
        say(
            f"{plain(one.question)}: a person of the second wave is worth {one.expected:.2f} of the first, where the "
            f"shares are as estimated, and {one.least:.2f} to {one.most:.2f} over all that the first wave leaves open."
        )


def asked(answering: "AnswerSession") -> list[tuple[str, object]]:
    """What a person agrees to, with what she gave before and what this adds."""
    cost = answering.cost
    adds = level_text(cost.epsilon, cost.delta) if cost.epsilon or cost.delta else "nothing: it is a kept report"
    return [*lines(answering.signed), ("given before", answering.person.given()), ("this adds", adds)]


def given(person: "Person") -> None:
    """A person's ledger."""
    for one in person.ledger():
        cost = level_text(one.charge.epsilon, one.charge.delta) if one.charge.epsilon else "nothing more: a kept report"
        waits = f", {len(one.waiting)} not sent yet" if one.waiting else ""
        say(f"{plain(one.title)}, asked by {plain(one.asked_by)}: {cost}; {len(one.rounds)} rounds taken{waits}")
    say(f"All answers from here: {person.given()}.")


def worked(found: "Worked") -> None:
    """A worked campaign, line by line."""
    for line in found.lines:
        say(line)


def say(text: str) -> None:
    """A text at 80 columns."""
    first = text[: len(text) - len(text.lstrip())]
    for line in textwrap.wrap(text, 80, subsequent_indent=first + "  ") if not text.startswith("  ") else [text]:
        typer.echo(line)
