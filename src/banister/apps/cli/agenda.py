"""`banister agenda`: several questions to the same parties, about bits and numbers, in rounds."""

from pathlib import Path
from typing import Annotated

import typer

from banister.apps.cli.parties import AtMost, Home, Yes

AgendaFile = Annotated[Path, typer.Argument(help="The agenda that every party received: meeting/agenda.json.")]
Party = Annotated[str, typer.Option(help="Who answers.")]
Out = Annotated[Path, typer.Option(help="Where to write the file for the others.")]
Openings = Annotated[list[Path] | None, typer.Option(help="Everybody's opening, where there is a coin; once each.")]


def register(app: typer.Typer) -> None:
    agenda = typer.Typer(help="Several questions, bits and numbers, in rounds, with coins.", no_args_is_help=True)
    for command in (invite, show, commit, reply, decide):
        agenda.command()(command)
    agenda.command("open")(reveal)
    app.add_typer(agenda, name="agenda")


def invite(
    plan: Annotated[Path, typer.Argument(help="The questions and parties as TOML; see docs/guide/parties.md.")],
    out: Annotated[Path, typer.Option(help="Folder for the agenda that every party receives.")],
    keys: Annotated[Path, typer.Option(help="Lines as `banister parties key` prints them, one per party.")],
    organiser: Annotated[str, typer.Option(help="Who asks, as the parties will read it.")] = "organiser",
    home: Home = None,
) -> None:
    """Make the agenda that every party receives, signed with the organiser's key.

    Example: banister agenda invite agenda.toml --keys keys.txt --out meeting/
    """
    from banister.apps.cli.showing import agenda_say
    from banister.parties.meetings import agenda_conduct, conduct

    known, place = conduct.read_keys(keys), conduct.home_of(home)
    made, path = agenda_conduct.invite_agenda(plan, out, keys=known, organiser=organiser, home=place)
    agenda_say.agenda(made, path)


def show(agenda: AgendaFile) -> None:
    """Check an agenda and say what it asks, of whom, at which levels, and what it gives away in all.

    Example: banister agenda show meeting/agenda.json
    """
    from banister.apps.cli.showing import agenda_say
    from banister.parties.meetings import agenda_conduct

    agenda_say.agenda(agenda_conduct.open_agenda(agenda), agenda)


def commit(agenda: AgendaFile, party: Party, out: Out, home: Home = None) -> None:
    """Draw a secret for the coins of an agenda and commit to it; nothing private is in what is written.

    Example: banister agenda commit meeting/agenda.json --party clinic-3 --out clinic-3.commitment.json
    """
    from banister.parties.meetings import agenda_conduct, conduct

    path = agenda_conduct.commit(agenda, party=party, out=out, home=conduct.home_of(home))
    typer.echo(f"Commitment in {path}. Next: `open`, once everybody's commitment is there.")


def reveal(
    agenda: AgendaFile,
    commitments: Annotated[list[Path], typer.Argument(help="Everybody's commitment.")],
    party: Party,
    out: Out,
    home: Home = None,
    at_most: AtMost = "",
    yes: Yes = False,
) -> None:
    """Open your secret once all commitments are there; the questions with a coin are charged now.

    Example: banister agenda open meeting/agenda.json *.commitment.json --party a --out a.opening.json
    """
    from banister.apps.cli.showing import agenda_say, consent_say
    from banister.consent import read_level
    from banister.parties.meetings import agenda_conduct, conduct

    place, most = conduct.home_of(home), read_level(at_most) if at_most else None
    asked = agenda_say.asked(agenda_conduct.open_agenda(agenda), party, None, place, most)
    consent_say.agree(asked, yes=yes, at_most=at_most)
    path = agenda_conduct.open_secret(agenda, commitments, party=party, out=out, home=place, at_most=most)
    typer.echo(f"Opening in {path}. Next: `reply`, once everybody's opening is there.")


def reply(
    agenda: AgendaFile,
    party: Party,
    out: Out,
    value: Annotated[list[str], typer.Option(help="name=value, once for each question of the round.")],
    round_: Annotated[int, typer.Option("--round", help="Which round is answered.")] = 1,
    opening: Openings = None,
    home: Home = None,
    at_most: AtMost = "",
    yes: Yes = False,
) -> None:
    """Answer all questions of a round, once, signed. A second answer is refused.

    Example: banister agenda reply meeting/agenda.json --party a --value flu=1 --value age=41 --out a.json
    """
    from banister.apps.cli.showing import agenda_say, consent_say
    from banister.consent import read_level
    from banister.parties.meetings import agenda_conduct, conduct

    place, most = conduct.home_of(home), read_level(at_most) if at_most else None
    asked = agenda_say.asked(agenda_conduct.open_agenda(agenda), party, round_, place, most)
    consent_say.agree(asked, yes=yes, at_most=at_most)
    values = agenda_conduct.read_values(value)
    path = agenda_conduct.reply(
        agenda, party=party, values=values, out=out, round_=round_, openings=opening or (), home=place, at_most=most
    )
    typer.echo(f"Answers in {path}, each drawn at its level.")


def decide(
    agenda: AgendaFile,
    replies: Annotated[list[Path], typer.Argument(help="The parties' replies, of all rounds so far.")],
    opening: Openings = None,
) -> None:
    """Check the replies and say what each question came to, who is missing, and what was set aside.

    Example: banister agenda decide meeting/agenda.json replies/*.json
    """
    from banister.apps.cli.showing import agenda_say
    from banister.parties.meetings import agenda_conduct

    agenda_say.results(agenda_conduct.decide_agenda(agenda, replies, openings=opening or ()))
