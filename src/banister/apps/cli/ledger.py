"""`banister ledger create|show|history|verify|import|export`."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger

Address = Annotated[str, typer.Argument(help="A file, or postgresql://host/database#name.", metavar="LEDGER")]
Figure = Annotated[str, typer.Option(help="Draw the budget over time into this file (.svg, .png or .pdf).")]


def register(app: typer.Typer) -> None:
    family = typer.Typer(no_args_is_help=True, help="Keep a budget on disk: every charge, before anything is drawn.")
    app.add_typer(family, name="ledger")

    @family.command()
    def create(
        ledger: Address,
        epsilon: Annotated[str, typer.Option(help="The budget's epsilon.")],
        delta: Annotated[str, typer.Option(help="The budget's delta; 0 for pure privacy.")],
        neighbours: Annotated[str, typer.Option(help="add-remove or replace.")],
        questions: Annotated[int, typer.Option(help="So many equal questions, planned now.", min=0)] = 0,
        plan: Annotated[str, typer.Option(help='A list of questions, e.g. "30 x (0.1, 0), 5 x laplace(0.2)".')] = "",
        as_you_go: Annotated[str, typer.Option(help="A filter: renyi, basic, zcdp, gdp or units.")] = "",
        reserve: Annotated[str, typer.Option(help="Share of delta kept for charges with their own.")] = "1/10",
        unit: Annotated[str, typer.Option(help="Epsilon of one unit, for --as-you-go units.")] = "0",
        witness: Annotated[
            str, typer.Option(help="A second place for the head of the chain: a file, or a server.")
        ] = "",
    ) -> None:
        """Make a ledger, for a plan (--questions, --plan) or as you go. What is there already is never overwritten.

        Example: banister ledger create a.ledger --epsilon 1 --delta 1e-6 --neighbours replace --as-you-go renyi
        """
        from banister.accounting.ledger import AsYouGo, Guard, Ledger
        from banister.accounting.totals.written import read_questions
        from banister.apps.cli.say import chosen
        from banister.core.privacy.guarantee import Guarantee, Neighbours

        _one_of_three(questions, plan, as_you_go)
        guard = AsYouGo(guard=chosen("as-you-go", as_you_go or "renyi", Guard), reserve=reserve, unit=unit)
        listed = [(question.loss, question.count) for question in read_questions(plan)] if plan else []
        relation = chosen("neighbours", neighbours, Neighbours)
        budget = Guarantee(epsilon, delta)
        asked = questions or listed or guard
        with Ledger.create(ledger, budget=budget, neighbours=relation, questions=asked, witness=witness) as made:
            _show(made)

    @family.command()
    def show(ledger: Address, figure: Figure = "") -> None:
        """Show the terms of a ledger, what is used, and what still fits.

        Example: banister ledger show hospital.ledger --figure budget.svg
        """
        from banister.accounting.ledger import Ledger

        with Ledger.open(ledger) as opened:
            _show(opened)
            if figure:
                opened.plot(figure)
                typer.echo(f"\nWrote {figure}")

    @family.command()
    def history(
        ledger: Address, last: Annotated[int, typer.Option(min=1, help="Show only so many, the latest.")] = 1000
    ) -> None:
        """List the charges, the oldest first.

        Example: banister ledger history hospital.ledger --last 20
        """
        from banister.accounting.ledger import Ledger
        from banister.apps.cli.showing.ledger_say import history_table

        with Ledger.open(ledger) as opened:
            entries = opened.history()
        _print(history_table(entries[-last:]) if entries else "No charges yet.")

    @family.command()
    def verify(
        ledger: Address,
        proof: Annotated[list[str], typer.Option(help="A receipt's proof, kept elsewhere; may be repeated.")] = [],  # noqa: B006
        witness: Annotated[
            str, typer.Option(help="Its witness, if it is not where the ledger says; or a first one.")
        ] = "",
    ) -> None:
        """Check every line, hash and total of a ledger, that it still holds what receipts prove, and its witness.

        Example: banister ledger verify hospital.ledger
        """
        from banister.accounting.ledger import Ledger
        from banister.work.progress import bar

        with Ledger.open(ledger, witness=witness) as opened, bar("checking every line") as progress:
            charges, last = opened.verify(proofs=proof, progress=progress)
        typer.echo(f"Clean: {charges} charges, every hash and every total holds.")
        typer.echo(f"Proof of this state, to be kept elsewhere: {charges}:{last}")

    @family.command(name="import")
    def import_(
        ledger: Address,
        file: Annotated[str, typer.Argument(help="What another program spent, as JSON.", metavar="FILE")],
    ) -> None:
        """Charge what another library gave away about the same people: guarantees, Gaussian noise, training runs.

        The file states unit, tables and relation, and the ledger refuses another one. The same file is charged once.

        Example: banister ledger import hospital.ledger training.json
        """
        from banister.accounting.elsewhere import SpentElsewhere
        from banister.accounting.ledger import Ledger

        spent = SpentElsewhere.of_file(file)
        with Ledger.open(ledger) as opened:
            receipt = spent.charge(opened)
            again = " before, under the same file" if receipt.again else ""
            typer.echo(f"Charged as line {receipt.sequence}{again}: {spent.label}")
            _show(opened)

    @family.command()
    def export(
        ledger: Address,
        out: Annotated[str, typer.Option(help="Write what was charged to this .json file.")],
    ) -> None:
        """Write what a ledger has charged, for another ledger to import.

        Example: banister ledger export hospital.ledger --out spent.json
        """
        from json import dumps
        from pathlib import Path

        from banister.accounting.elsewhere import spent_document
        from banister.accounting.ledger import Ledger
        from banister.files import check_target, whole_text

        check_target(Path(out), (".json",))
        with Ledger.open(ledger) as opened:
            whole_text(Path(out), dumps(spent_document(opened), indent=2) + "\n")
        typer.echo(f"Wrote {out}")


def _one_of_three(questions: int, plan: str, as_you_go: str) -> None:
    from banister.errors import BadValue

    if [bool(questions), bool(plan), bool(as_you_go)].count(True) != 1:
        raise BadValue(
            "Say what the ledger is for: --questions 100 for a plan of so many equal questions, --plan '30 x (0.1, 0)' "
            "for a list of them, or --as-you-go renyi for questions that depend on earlier answers. One of the three."
        )


def _show(ledger: "Ledger") -> None:
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in ledger.summary():
        table.add_row(name, value)
    _print(table)


def _print(what: object) -> None:
    from banister.show.terminal import console

    console().print(what)
