"""`banister studio`: the same in a browser."""

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    @app.command()
    def studio(
        table: Annotated[
            str, typer.Argument(help="A table, its schema (.toml), or demo; without it the page asks.")
        ] = "",
        port: Annotated[int, typer.Option(help="The port on this machine; 0 takes one that is free.", min=0)] = 0,
        browser: Annotated[bool, typer.Option(help="Open a browser where there is one.")] = True,
    ) -> None:
        """Ask, pay and show the account in a browser, on this machine only.

        Example: banister studio health.toml
        """
        from banister.errors import MissingExtra

        try:
            from banister.apps.studio.site import UPLOAD_BYTES
            from banister.apps.studio.site import studio as make
            from banister.apps.web.gate import Place
            from banister.apps.web.serve import serve, take_port
        except ModuleNotFoundError as error:
            raise MissingExtra.naming(str(error.name), "web") from error
        taken = take_port(port)
        place = Place.loopback(taken.getsockname()[1], most_bytes=UPLOAD_BYTES)
        serve(make(place, table), taken, browser=browser, say=typer.echo)
