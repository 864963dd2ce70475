"""`banister conform`: the questions of a guideline, answered from files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from banister.apps.cli.say import tell


def register(app: typer.Typer) -> None:
    @app.command()
    def conform(
        schema: Annotated[Path, typer.Argument(help="The schema file; the ledger that it names is read too.")],
        to: Annotated[str, typer.Option(help="nist-800-226, or dpia for an impact assessment's technical part.")],
        releases: Annotated[
            Path | None, typer.Option(help="The folder of the certificates; the schema's own where not said.")
        ] = None,
        out: Annotated[Path | None, typer.Option(help="Write a page to sign (.html).")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of sentences.")] = False,
    ) -> None:
        """Answer the questions of a guideline with evidence, and list those that the owner must answer.

        Example: banister conform health.toml --to nist-800-226 --out conform.html
        """
        from banister.audit import conform as answered
        from banister.files import check_target

        if out is not None:
            check_target(out, (".html",))
        found = answered(schema, to=to, releases=releases)
        tell(json.dumps(found.as_record(), indent=2) if as_json else found if out is None else found.summary())
        if out is not None:
            tell(f"Wrote {found.write(out)}")
