"""`banister serve` and `banister team add|code|log|backup|restore`."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from banister.apps.team.people import TeamPeople
    from banister.apps.team.store import TeamStore

Settings = Annotated[str, typer.Argument(help="The settings of the team, such as team.toml.", metavar="TEAM")]
Name = Annotated[str, typer.Argument(help="The name of the account.")]


def register(app: typer.Typer) -> None:
    family = typer.Typer(no_args_is_help=True, help="A team that shares one budget: accounts, log and back-up.")
    app.add_typer(family, name="team")

    @app.command()
    def serve(team: Settings) -> None:
        """Serve a team: accounts, shares of one budget, requests that wait for an owner, an HTTP interface.

        Example: banister serve team.toml
        """
        from banister.errors import MissingExtra

        try:
            from banister.apps.team.serve import serve as run
        except ModuleNotFoundError as error:
            raise MissingExtra.naming(str(error.name), "team") from error
        run(team, say=typer.echo)

    @family.command()
    def add(
        team: Settings,
        name: Name,
        role: Annotated[str, typer.Option(help="owner, analyst or auditor.")],
    ) -> None:
        """Make an account, and print the code with which its password is set, once.

        Example: banister team add team.toml olga --role owner
        """
        from banister.apps.cli.say import chosen
        from banister.apps.team.people import Role

        people, _ = _opened(team, make=True)
        typer.echo(f"{name} sets a password within a day by this code: {people.add(name, chosen('role', role, Role))}")

    @family.command()
    def code(team: Settings, name: Name) -> None:
        """A new code for somebody who lost the password; setting it ends all sessions and keys of the account.

        Example: banister team code team.toml ana
        """
        people, _ = _opened(team)
        typer.echo(f"{name} sets a password within a day by this code: {people.code(name)}")

    @family.command()
    def log(
        team: Settings, last: Annotated[int, typer.Option(min=1, help="Show only so many, the latest.")] = 1000
    ) -> None:
        """Check the team's log from its first line, and show it.

        Example: banister team log team.toml --last 20
        """
        import json

        _, store = _opened(team)
        lines = store.lines()
        for line in lines[-last:]:
            said = json.loads(line.body)
            typer.echo(f"{line.sequence:6} {said['at'][:19]} {said['who'] or '-':12} {said['status']} {said['what']}")
        typer.echo(f"Clean: {len(lines)} lines, each with the hash of the one before it.")

    @family.command()
    def backup(team: Settings, target: Annotated[str, typer.Argument(help="A file that is not there yet.")]) -> None:
        """Copy the team's accounts, requests and log into a new file, while the server runs; the ledger has its own.

        Example: banister team backup team.toml team-june.db
        """
        _, store = _opened(team)
        store.back_up(target)
        typer.echo(f"Wrote {target}. It holds answers and hashes of secrets: keep it as you keep the table.")

    @family.command()
    def restore(
        team: Settings, copy: Annotated[str, typer.Argument(help="What `banister team backup` wrote.")]
    ) -> None:
        """Put a back-up in place of a lost file; all passwords, sessions and keys of it end, since some ended since.

        Example: banister team restore team.toml team-june.db
        """
        from banister.apps.team.people import TeamPeople
        from banister.apps.team.settings import TeamSettings
        from banister.apps.team.store import TeamStore

        settings = TeamSettings.of_file(team)

        def settle(store: TeamStore) -> dict[str, str]:
            return TeamPeople(store, session_hours=settings.session_hours).begin_anew()

        for name, secret in TeamStore.put_back(copy, settings.store, settle).items():
            typer.echo(f"{name} sets a password within a day by this code: {secret}")
        typer.echo("Everybody else gets a code from an owner. What was asked since the back-up is in the ledger alone.")


def _opened(team: str, *, make: bool = False) -> "tuple[TeamPeople, TeamStore]":
    from banister.apps.team.people import TeamPeople
    from banister.apps.team.settings import TeamSettings
    from banister.apps.team.store import TeamStore

    settings = TeamSettings.of_file(team)
    store = TeamStore(settings.store, make=make)
    return TeamPeople(store, session_hours=settings.session_hours), store
