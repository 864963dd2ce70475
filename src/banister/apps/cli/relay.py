"""`banister relay`: hold a meeting of parties through a relay that can neither read, forge nor drop unnoticed."""

from pathlib import Path
from typing import Annotated

import typer

Link = Annotated[str, typer.Argument(help="The link of the room; what stands behind # is its secret.")]


def register(app: typer.Typer) -> None:
    relay = typer.Typer(help="Meet through a relay that cannot read, forge or drop unnoticed.", no_args_is_help=True)
    for command in (begin, visit):
        relay.command()(command)
    app.add_typer(relay, name="relay")


def begin(
    plan: Annotated[Path, typer.Argument(help="The signed plan, as `banister parties invite` writes it.")],
    at: Annotated[str, typer.Option(help="The relay's address, e.g. https://ask.example.org.")],
) -> None:
    """Open a room with a plan in it, and print the link for all parties.

    Example: banister relay begin meeting/plan.json --at https://ask.example.org
    """
    from banister.apps.collect.relaying.carrying import open_room

    typer.echo(open_room(plan, at).text)


def visit(
    link: Link,
    into: Annotated[Path, typer.Option(help="The folder for all papers of the meeting.")],
    party: Annotated[str, typer.Option(help="Who visits: a party of the plan, or its organiser.")],
    send: Annotated[
        list[Path] | None, typer.Option(help="Papers to leave in the room, such as the own answer.")
    ] = None,
    home: Annotated[
        Path | None, typer.Option(help="The party's folder; $BANISTER_HOME or ~/.banister if not given.")
    ] = None,
) -> None:
    """Leave papers, take everybody's, and sign a roll of what was seen; says what the relay keeps back.

    Example: banister relay visit "LINK" --into meeting --party clinic-3 --send clinic-3.json
    """
    from banister.apps.collect.relaying.carrying import RoomLink, visit
    from banister.parties.meetings.conduct import home_of

    found = visit(RoomLink.of(link), into, party=party, home=home_of(home), send=send or [])
    for line in found.in_words:
        typer.echo(line)
    raise typer.Exit(3 if found.amiss else 0)
