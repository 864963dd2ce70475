"""`banister audit`: try to show that a mechanism gives away more than it says."""

import json
from pathlib import Path
from typing import Annotated

import typer

from banister.apps.cli.say import fail, tell
from banister.errors import BadValue, BanisterError

BROKEN, UNDONE = 1, 2
_FOR_TIME = 2000
"""Calls of each input whose time is taken, at most."""


def register(app: typer.Typer) -> None:
    @app.command()
    def audit(
        target: Annotated[
            str,
            typer.Argument(
                help="python:package.module:function, command:LINE, channel:FILE, sql:ADDRESS, release:SCHEMA, or "
                "noise of ours, such as geometric."
            ),
        ],
        epsilon: Annotated[str, typer.Option(help="What the mechanism claims, such as 0.5 or 1/2.")],
        delta: Annotated[str, typer.Option(help="The claimed chance of a larger loss; 0 for pure privacy.")] = "0",
        neighbours: Annotated[
            Path | None, typer.Option(help="A JSON list of pairs of inputs that differ in one person.")
        ] = None,
        schema: Annotated[
            str, typer.Option(help="Search for neighbours among the tables (lists of rows) that this schema allows.")
        ] = "",
        questions: Annotated[str, typer.Option(help="The questions of release:SCHEMA, a file of SQL.")] = "",
        draws: Annotated[
            int, typer.Option(help="Outputs of each input at most; a broken one is found with fewer.")
        ] = 50_000,
        confidence: Annotated[str, typer.Option(help="Of what is shown, all events together.")] = "0.99",
        seconds: Annotated[float, typer.Option(help="How long a batch of calls, or one command, may take.")] = 60.0,
        figure: Annotated[
            str, typer.Option(help="Draw the region shown and the region claimed into this file (.svg, .png or .pdf).")
        ] = "",
        time: Annotated[
            bool, typer.Option(help="Also say what the time that calls take tells; it breaks no claim.")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
    ) -> None:
        """Attack a mechanism: exit code 0 when nothing is found, 1 when its claim is broken, 2 when it cannot be run.

        Example: banister audit geometric --epsilon 1 --draws 20000
        """
        from banister.audit import attack, attack_time
        from banister.foreign import read_json

        try:
            pairs = None if neighbours is None else _pairs(read_json(neighbours, "a list of pairs of inputs"))
            watched = None
            if time:
                watched = attack_time(
                    target, epsilon=epsilon, pairs=pairs, draws=min(draws, _FOR_TIME), confidence=confidence,
                    seconds=seconds, schema=schema,
                )  # fmt: skip
            found = attack(
                target,
                epsilon=epsilon,
                delta=delta,
                pairs=pairs,
                draws=draws,
                confidence=confidence,
                seconds=seconds,
                schema=schema,
                questions=questions,
            )
            if figure:
                found.draw(figure)
        except BanisterError as error:
            fail(error)
            raise typer.Exit(UNDONE) from None
        if as_json:
            tell(json.dumps(found.as_record() | ({"time": watched.of_time_as_record()} if watched else {}), indent=2))
        else:
            tell(f"{found}\n{watched.of_time()}" if watched else found)
        if found.broken:
            raise typer.Exit(BROKEN)


def _pairs(told: object) -> list[list[object]]:
    """The pairs of a file; whether each has two inputs is asked later, for all callers alike."""
    if not isinstance(told, list):
        raise BadValue("--neighbours must be a list of pairs, each a list of two inputs, such as [[3, 4], [0, 1]].")
    return told
