"""`banister refine`, and `banister release` with --rungs or --refine: answers that get finer."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from banister.errors import BadValue

if TYPE_CHECKING:
    from banister.release.dataset import Dataset
    from banister.release.finer import RungTables


def register(app: typer.Typer) -> None:
    @app.command()
    def refine(
        sealed: Annotated[Path, typer.Argument(help="The sealed file that the first release wrote.")],
        ledger: Annotated[str, typer.Option(help="The ledger that paid for it.")],
    ) -> None:
        """Open the next rung of sealed answers, and charge what it takes beyond the last one.

        Example: banister refine wards.rungs --ledger wards.ledger
        """
        from banister.accounting.ledger import Ledger
        from banister.core.exact.numbers import brief
        from banister.release import refine_rungs
        from banister.release.finer import holds_tables, refine_rungs_of_table

        with Ledger.open(ledger) as book:
            if holds_tables(sealed):
                _show(refine_rungs_of_table(sealed, ledger=book), [], json=False)
                return
            found = refine_rungs(sealed, ledger=book)
        typer.echo(f"epsilon {brief(found.epsilon)}, charge {found.charge}: {' '.join(str(x) for x in found.values)}")
        if found.finer:
            typer.echo(f"still sealed: epsilon {', '.join(brief(each) for each in found.finer)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RungRelease:
    """A release in rungs, as it was asked for on the command line."""

    dataset: "Dataset"
    unfit: dict[str, bool]
    """Options of a plain release, which say nothing about rungs."""
    out: str
    for_spreadsheets: bool
    json: bool

    def release(self, question: str, rungs: str, *, sealed: str, confidence: str, dialect: str) -> None:
        """Plan, draw all rungs, and show the coarsest."""
        from banister.apps.cli.say import share
        from banister.apps.cli.showing.release_say import progress

        self._check("--rungs")
        if not question:
            raise BadValue("The question is missing. Give SQL, or the path of a .sql file.")
        epsilons = [each.strip() for each in rungs.split(",")]
        sure = share("confidence", confidence)
        plan = self.dataset.plan_rungs(question, epsilons=epsilons, confidence=sure, dialect=dialect or None)
        with progress() as tell:
            found = self.dataset.release_rungs(plan, sealed=sealed or None, tell=tell)
        self._deliver(found)

    def refine(self, sealed: str, question: str, rungs: str) -> None:
        """Open the next rung and show it."""
        self._check("--refine")
        if question or rungs:
            raise BadValue("--refine opens what was drawn before: leave the question and --rungs out.")
        self._deliver(self.dataset.refine(sealed))

    def _check(self, option: str) -> None:
        if wrong := [f"--{name}" for name, value in self.unfit.items() if value]:
            raise BadValue(f"{wrong[0]} does not go with {option}. Leave it out, or release without rungs.")
        if self.out:
            self.dataset.check_output(Path(self.out))

    def _deliver(self, found: "RungTables") -> None:
        written = found.write(self.out, for_spreadsheets=self.for_spreadsheets) if self.out else []
        _show(found, written, json=self.json)


def _show(found: "RungTables", written: list[Path], *, json: bool) -> None:
    from banister.apps.cli.showing.json_say import print_document, rungs_document
    from banister.apps.cli.showing.release_say import show_rungs

    if json:
        print_document(rungs_document(found))
    else:
        show_rungs(found, written)
