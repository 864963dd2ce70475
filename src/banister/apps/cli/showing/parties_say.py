"""How `banister parties` shows what it found, at 80 columns."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from banister.apps.cli.showing import consent_say
from banister.show.plain import plain

if TYPE_CHECKING:
    from banister.consent import Given
    from banister.core.exact.numbers import Number
    from banister.core.privacy.guarantee import Guarantee
    from banister.parties.forecast import GameForecast
    from banister.parties.games.game import Decision
    from banister.parties.games.views import View
    from banister.parties.meetings.conduct import MeetingVerdict, Outcome, PlanRequested
    from banister.parties.meetings.papers import Meeting

console = Console(width=80, highlight=False, markup=False, emoji=False)
SHOWN = 40
"""Parties of a plan that are listed."""


def say(line: str) -> None:
    """A line on the terminal, harmless whatever is in it."""
    typer.echo(plain(line))


def forecast(found: "GameForecast") -> None:
    from banister.parties.games.scores import accuracy_words

    game = found.game
    levels = {str(level): game.levels.count(level) for level in dict.fromkeys(game.levels)}
    told = ", ".join(f"{count} x {level}" for level, count in list(levels.items())[:6])
    say(f"{game.function.name} of {game.parties} parties; levels (epsilon, delta): {told}")
    table = Table(box=None, pad_edge=False, title=f"accuracy: {accuracy_words(game.score.name)}", title_justify="left")
    for name, side in (("who decides", "left"), ("on average", "right"), ("in the worst case", "right")):
        table.add_column(name, justify="right" if side == "right" else "left")
    for line in found.lines:
        table.add_row(Text(plain(line.who)), _number(line.average), _number(line.worst))
    table.add_row("without hearing anybody", f"{found.blind:.6f}", "", style="dim")
    console.print(table)
    for reason in dict.fromkeys(x for line in found.lines for x in (line.average, line.worst) if isinstance(x, str)):
        say(f"n/a: {reason}")
    if all(level.delta == 0 for level in game.levels):
        say("No protocol of these levels does better, however interactive.")
    else:
        say("No independent reports of these levels do better; with delta above 0 a public")
        say("coin may (bn.parties.public_coin).")


def invitation(meeting: "Meeting", path: Path) -> None:
    say(f"Plan for {len(meeting.members)} parties in {path}")
    say(f"identity {meeting.hash}")
    say("Send the file to every party, and the identity by another way. Each runs:")
    say(f"  banister parties respond {path.name} --party NAME --out NAME.json")


def meeting(found: "Meeting") -> None:
    """A plan as a party should read it."""
    from banister.consent import level_words

    consent_say.show((*_about(found), ("parties", len(found.members))))
    for member in found.members[:SHOWN]:
        consent_say.show([(f"  {plain(member.name)}", level_words(member.level))])
    if len(found.members) > SHOWN:
        say(f"  ... and {len(found.members) - SHOWN} more")


def asked(found: "PlanRequested", at_most: "Guarantee | None") -> list[tuple[str, object]]:
    """What a party should know before it agrees."""
    from banister.consent import level_text, level_words

    limits = [limit for limit in (found.ceiling, at_most) if limit is not None]
    least = [min(limit.epsilon for limit in limits), min(limit.delta for limit in limits)] if limits else []
    return [
        *_about(found.meeting),
        ("level", level_words(found.level)),
        ("before", found.given),
        ("ceiling", level_text(*least) if least else "none; --at-most sets one"),
    ]


def ceiling(party: str, given: "Given", limit: "Guarantee | None") -> None:
    """What a party has given, and may give."""
    from banister.consent import level_text

    say(f"'{plain(party)}' has given: {given}.")
    say("No ceiling is set." if limit is None else f"Ceiling: {level_text(limit.epsilon, limit.delta)}.")


def _about(found: "Meeting") -> list[tuple[str, object]]:
    by = f"{found.organiser}, {found.organiser_key}" if found.organiser else "nobody has signed this plan"
    return [
        ("question", found.title or "(none is stated)"),
        ("decides", f"{found.function} of the bits of {len(found.members)} parties, {found.measure} case"),
        ("asked by", by),
        ("identity", found.hash),
    ]


def outcome(done: "Outcome") -> None:
    from banister.parties.meetings.conduct import symbol_name

    say(f"Answer of '{done.answer.party}' in {done.path}: it says '{symbol_name(done.answer.symbol)}'.")
    say(f"It gives away at most (epsilon, delta) = {done.level} about the bit, whoever reads it.")
    if done.answered > 1:
        say(f"'{done.answer.party}' has now answered {done.answered} plans; together at most {done.total}.")


def verdict(meeting: "Meeting", found: "MeetingVerdict") -> None:
    from banister.core.exact.numbers import brief
    from banister.parties.games.scores import accuracy_words

    heard = len(meeting.members) - len(found.hearing.missing)
    say(f"{meeting.function}: {_answer(found.answer)}")
    if len(found.decision.chances) > 1:
        say("drawn by the best rule for the worst case: " + _chances(found.decision))
    words = accuracy_words(meeting.cost)
    label = words if meeting.measure == "average" else f"{words}, whatever the bits"
    say(f"{heard} of {len(meeting.members)} answers count; {label}: {found.accuracy:.6f}")
    if found.hearing.missing:
        say(f"with all answers it would have been {found.planned:.6f}")
    say(f"after these answers, if bits are 1 with chance {brief(meeting.prior)}: {found.decision.expected:.6f}")
    if found.hearing.missing:
        more = len(found.hearing.missing) - 12
        say("missing: " + ", ".join(found.hearing.missing[:12]) + (f" and {more} more" if more > 0 else ""))
    for file, reason in found.hearing.set_aside:
        say(f"set aside: {file}: {reason}")


def view(seen: "View", party: int, coalition: list[int], level: "Guarantee") -> None:
    who = ", ".join(str(member) for member in coalition) or "nobody else"
    say(f"What parties {who} learn about party {party}, whatever all other bits are:")
    table = Table(box=None, pad_edge=False)
    table.add_column("false alarm", justify="right")
    table.add_column("missed detection", justify="right")
    for alarm, missed in seen.region():
        table.add_row(f"{alarm:.6f}", f"{missed:.6f}")
    console.print(table)
    say(f"Corners of the best tests for its bit; the region of (epsilon, delta) = {level}.")
    say(f"From even odds the best guess is right with chance {(1 + seen.advantage()) / 2:.6f}.")


def _number(value: float | str) -> str:
    return "n/a" if isinstance(value, str) else f"{value:.6f}"


def _answer(value: "Number") -> str:
    from banister.core.exact.numbers import brief

    return brief(value) if isinstance(value, Fraction) else f"{float(value):.6g}"


def _chances(decision: "Decision") -> str:
    return ", ".join(f"{_answer(guess)} with chance {chance:.4f}" for guess, chance in decision.chances)
