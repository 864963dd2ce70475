"""`banister anonymity`: whether authors of posts are found more often than is stated."""

import json
from pathlib import Path
from typing import Annotated

import typer

from banister.apps.cli.say import fail, tell
from banister.errors import BanisterError

BROKEN, UNDONE = 1, 2


def register(app: typer.Typer) -> None:
    @app.command()
    def anonymity(
        graph: Annotated[str, typer.Argument(help="Who is whose friend: a file (.edges, .csv, .parquet).")],
        authors: Annotated[Path, typer.Option(help="Who wrote each post, CSV: post,author.")],
        stated: Annotated[str, typer.Option(help="How often the author of a post may be found, such as 0.2.")],
        spies: Annotated[Path | None, typer.Option(help="The spies' log, CSV: post,spy,sender,time.")] = None,
        capture: Annotated[Path | None, typer.Option(help="Frames on links, CSV: time,sender,receiver,bytes.")] = None,
        window: Annotated[str, typer.Option(help="How long before a post is heard of links are looked at.")] = "10",
        confidence: Annotated[str, typer.Option(help="Of what is shown, all ways to look together.")] = "0.99",
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
    ) -> None:
        """Suspect an author for each post of a run, and count who was right; exit codes as of `banister audit`.

        Example: banister anonymity friends.edges --authors authors.csv --spies spies.csv --capture links.csv
        --stated 0.2
        """
        from banister.audit import unmask
        from banister.audit.anonymity.records import read_authors, read_capture, read_spies
        from banister.errors import BadValue
        from banister.spread.lab.graph import Graph
        from banister.spread.lab.written import load_graph

        try:
            friends = load_graph(graph)
            if not isinstance(friends, Graph):
                raise BadValue(f"{graph} has no end; an audit needs the graph of a run that was.")
            found = unmask(
                friends,
                read_authors(authors),
                read_spies(spies) if spies else (),
                read_capture(capture) if capture else (),
                stated=stated,
                confidence=confidence,
                window=window,
            )
        except BanisterError as error:
            fail(error)
            raise typer.Exit(UNDONE) from None
        tell(json.dumps(found.as_record(), indent=2) if as_json else found)
        if found.broken:
            raise typer.Exit(BROKEN)
