"""How `banister parties` shows what it found, at 80 columns."""

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from banister.core.exact.numbers import Number
    from banister.core.privacy.guarantee import Guarantee
    from banister.parties.forecast import GameForecast
    from banister.parties.games.game import Decision
    from banister.parties.games.views import View
    from banister.parties.meetings.conduct import MeetingVerdict, Outcome
    from banister.parties.meetings.papers import Meeting

console = Console(width=80, highlight=False)


def forecast(found: "GameForecast") -> None:
    from banister.parties.games.scores import accuracy_words

    game = found.game
    levels = {str(level): game.levels.count(level) for level in dict.fromkeys(game.levels)}
    told = ", ".join(f"{count} x {level}" for level, count in list(levels.items())[:6])
    typer.echo(f"{game.function.name} of {game.parties} parties; levels (epsilon, delta): {told}")
    table = Table(box=None, pad_edge=False, title=f"accuracy: {accuracy_words(game.score.name)}", title_justify="left")
    for name, side in (("who decides", "left"), ("on average", "right"), ("in the worst case", "right")):
        table.add_column(name, justify="right" if side == "right" else "left")
    for line in found.lines:
        table.add_row(line.who, _number(line.average), _number(line.worst))
    table.add_row("without hearing anybody", f"{found.blind:.6f}", "", style="dim")
    console.print(table)
    for reason in dict.fromkeys(x for line in found.lines for x in (line.average, line.worst) if isinstance(x, str)):
        typer.echo(f"n/a: {reason}")
    typer.echo(
        "No protocol of these levels does better, however interactive."
        if all(level.delta == 0 for level in game.levels)
        else "No independent reports of these levels do better; with delta above 0 a public\ncoin may "
        "(bn.parties.public_coin)."
    )


def invitation(meeting: "Meeting", path: Path) -> None:
    typer.echo(f"Plan for {len(meeting.members)} parties in {path}")
    typer.echo(f"identity {meeting.hash}")
    typer.echo("Send the file to every party, and the identity by another way. Each runs:")
    typer.echo(f"  banister parties respond {path.name} --party NAME --out NAME.json")


def outcome(done: "Outcome") -> None:
    from banister.parties.meetings.conduct import symbol_name

    typer.echo(f"Answer of '{done.answer.party}' in {done.path}: it says '{symbol_name(done.answer.symbol)}'.")
    typer.echo(f"It gives away at most (epsilon, delta) = {done.level} about the bit, whoever reads it.")
    if done.answered > 1:
        typer.echo(f"'{done.answer.party}' has now answered {done.answered} plans; together at most {done.total}.")


def verdict(meeting: "Meeting", found: "MeetingVerdict") -> None:
    from banister.core.exact.numbers import brief
    from banister.parties.games.scores import accuracy_words

    heard = len(meeting.members) - len(found.hearing.missing)
    typer.echo(f"{meeting.function}: {_answer(found.answer)}")
    if len(found.decision.chances) > 1:
        typer.echo("drawn by the best rule for the worst case: " + _chances(found.decision))
    words = accuracy_words(meeting.cost)
    label = words if meeting.measure == "average" else f"{words}, whatever the bits"
    typer.echo(f"{heard} of {len(meeting.members)} answers count; {label}: {found.accuracy:.6f}")
    if found.hearing.missing:
        typer.echo(f"with all answers it would have been {found.planned:.6f}")
    typer.echo(f"after these answers, if bits are 1 with chance {brief(meeting.prior)}: {found.decision.expected:.6f}")
    if found.hearing.missing:
        more = len(found.hearing.missing) - 12
        typer.echo("missing: " + ", ".join(found.hearing.missing[:12]) + (f" and {more} more" if more > 0 else ""))
    for file, reason in found.hearing.set_aside:
        typer.echo(f"set aside: {file}: {reason}")


def view(seen: "View", party: int, coalition: list[int], level: "Guarantee") -> None:
    who = ", ".join(str(member) for member in coalition) or "nobody else"
    typer.echo(f"What parties {who} learn about party {party}, whatever all other bits are:")
    table = Table(box=None, pad_edge=False)
    table.add_column("false alarm", justify="right")
    table.add_column("missed detection", justify="right")
    for alarm, missed in seen.region():
        table.add_row(f"{alarm:.6f}", f"{missed:.6f}")
    console.print(table)
    typer.echo(f"Corners of the best tests for its bit; the region of (epsilon, delta) = {level}.")
    typer.echo(f"From even odds the best guess is right with chance {(1 + seen.advantage()) / 2:.6f}.")


def _number(value: float | str) -> str:
    return "n/a" if isinstance(value, str) else f"{value:.6f}"


def _answer(value: "Number") -> str:
    from banister.core.exact.numbers import brief

    return brief(value) if isinstance(value, Fraction) else f"{float(value):.6g}"


def _chances(decision: "Decision") -> str:
    return ", ".join(f"{_answer(guess)} with chance {chance:.4f}" for guess, chance in decision.chances)
