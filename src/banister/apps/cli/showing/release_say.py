"""How plans, answers and budgets look in a terminal of 80 columns."""

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from banister.apps.cli.showing.ledger_say import history_table
from banister.core.exact.numbers import brief, brief_down
from banister.core.exact.written import apart
from banister.release.answering.wording import (
    about_intervals,
    charges,
    describe_looked,
    describe_noise,
    describe_person,
    describe_reach,
    describe_trade,
    number,
    still_fits,
    with_interval,
)
from banister.show.plain import plain
from banister.show.terminal import bold, console

if TYPE_CHECKING:
    from banister.release.answering.answers import Answers
    from banister.release.dataset import Dataset
    from banister.release.finer import RungTables
    from banister.release.planning.plan import Part, Plan
    from banister.release.run import AnswerTable, Tell


def safe(value: object, *, keep: str = "") -> str:
    """What others wrote, as it may stand in a line of ours: no command to the terminal. Pieces between which `keep`
    stands are made safe one by one."""
    pieces = str(value).split(keep) if keep else [str(value)]
    return keep.join(plain(piece) for piece in pieces)


SHOWN = 40
"""Rows of a table that fit a screen; files hold all of them."""


@contextmanager
def progress() -> "Iterator[Tell]":
    """A line that moves while the engine works, on a terminal only."""
    quiet = Console(stderr=True, markup=False)
    if not sys.stderr.isatty():
        yield lambda stage: None
        return
    with quiet.status("starting") as status:
        yield lambda stage: status.update(stage)


def show_plan(plan: "Plan", dataset: "Dataset", *, json: bool = False) -> None:
    """Print a plan."""
    if json:
        from banister.apps.cli.showing.json_say import plan_document, print_document

        print_document(plan_document(plan))
        return
    shown = console()
    shown.print(bold("Plan", f" at {_level(plan)}, {plan.neighbours.value} neighbours."))
    for line in (describe_person(plan.schema), *describe_looked(plan.schema)):
        shown.print(safe(line))
    for part in plan.parts:
        shown.print(f"\n{safe(part.question.text, keep=chr(10))}")
        shown.print(safe(describe_reach(part)))
        for line in describe_noise(part, plan.sizes[1], plan.confidence):
            shown.print(safe(line))
        shown.print(_plan_table(part, plan))
        for line in describe_trade(part, plan.sizes[1], plan.confidence):
            shown.print(safe(line))
    if plan.families:
        shown.print("Totals will equal the sums of their parts; the errors shown are those after that.")
    shown.print("± is the farther end of the widest interval, wherever in its range a mean may lie.")
    shown.print(safe(f"n is the number of rows in a cell. {_left(plan, dataset)}"))


def _level(plan: "Plan") -> str:
    delta = f", delta {brief(plan.guarantee.delta)}" if plan.guarantee.delta else ""
    return f"epsilon {brief(plan.guarantee.epsilon)}{delta}"


def _plan_table(part: "Part", plan: "Plan") -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    sizes = plan.sizes
    table.add_column("answer", overflow="fold")
    for size in sizes:
        table.add_column(f"± {plan.confidence:.0%}\nn={apart(size)}", justify="right")
    table.add_column(f"typical\nn={apart(sizes[1])}", justify="right")
    table.add_column("Laplace\nwould be", justify="right")
    wide = [part.forecasts(size, plan.confidence) for size in sizes]
    for place, middle in enumerate(wide[1]):
        unit = f" {middle.unit}" if middle.unit else ""
        cells = [safe(number(found[place].half_width) + unit) for found in wide]
        typical = "" if math.isnan(middle.error) else number(middle.error)
        table.add_row(
            safe(middle.name),
            *cells,
            typical,
            "" if math.isnan(middle.laplace) else number(middle.laplace),
        )
    return table


def _left(plan: "Plan", dataset: "Dataset") -> str:
    from banister.errors import BadValue, LedgerFault

    try:
        if dataset.awaits_ledger():
            return "There is no ledger yet: the first release makes it."
        largest, after = dataset.remaining().largest_epsilon, dataset.remaining_after(plan)
    except (BadValue, LedgerFault) as error:
        return f"What is left of the budget cannot be told, and nothing can be released: {error}"
    now = f"the largest epsilon that still fits is {still_fits(largest)}"
    if after is None:
        return f"The budget does NOT allow it: {now}."
    return f"The budget allows it: {now}; afterwards it is {brief_down(after.largest_epsilon)}."


def show_answers(answers: "Answers", written: Sequence[Path], *, json: bool = False) -> None:
    """Print the answers with their intervals, what was charged, and the files."""
    if json:
        from banister.apps.cli.showing.json_say import answers_document, print_document

        print_document(answers_document(answers))
        return
    shown = console()
    for found in answers.tables:
        show_table(found)
    plan = answers.plan
    pairs = zip(answers.tables, plan.parts, strict=True)
    about = dict.fromkeys(about_intervals(table, part, plan.confidence) for table, part in pairs)
    shown.print(
        f"\n{' '.join(about)} Charged: {_level(plan)}. "
        f"Largest epsilon that still fits: {still_fits(answers.remaining.largest_epsilon)}.",
    )
    if any(found.consistent for found in answers.tables):
        shown.print(
            "Questions about the same rows were made to agree after the noise was drawn: totals equal the sums of "
            "their parts.",
        )
    if any(found.decoded for found in answers.tables):
        shown.print(
            "Counts were decoded after the noise was drawn, for what can be in 0 to the schema's number of people.",
        )
    if answers.non_negative:
        shown.print("Answers that cannot be below 0 were raised to 0 after the noise was drawn.")
    if answers.new_ledger is not None:
        shown.print(
            f"Made the ledger {safe(answers.new_ledger)}, with the budget {answers.budget}. If there was one before, "
            "find it: a new ledger forgets what was given away.",
        )
    shown.print(f"Head of the ledger:\n{answers.head}", soft_wrap=True)
    for path in written:
        shown.print(f"Wrote {safe(path)}", soft_wrap=True)


def show_rungs(found: "RungTables", written: Sequence[Path]) -> None:
    """Print the answers of one rung, what all open rungs have cost, and how the next one is opened."""
    shown = console()
    for table in found.tables:
        show_table(table)
    shown.print(
        f"\nEach interval holds the exact answer in {found.confidence:.0%} of releases. All rungs that are open cost "
        f"epsilon {brief(found.epsilon)} together (charge {found.charge}).",
    )
    if found.finer:
        finer = ", ".join(brief(each) for each in found.finer)
        shown.print(f"Still sealed: epsilon {finer}. Whoever reads the sealed file has the finest:")
        shown.print(f"--refine {safe(found.sealed)}", soft_wrap=True)
    for path in written:
        shown.print(f"Wrote {safe(path)}", soft_wrap=True)


def show_table(found: "AnswerTable") -> None:
    """Print the answers to one question with their intervals."""
    shown = console()
    table = _answer_table(found, " ")
    if Measurement.get(shown, shown.options.update_width(10_000), table).maximum > shown.width:
        table = _answer_table(found, "\n")  # Each interval under its value, so that no number is broken.
    shown.print(table)
    if len(found) > SHOWN:
        shown.print(f"... and {len(found) - SHOWN} rows more")


def _answer_table(found: "AnswerTable", between: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False)
    for name in found.columns:
        table.add_column(safe(name), justify="left" if name in found.names else "right", overflow="fold")
    for place in range(min(len(found), SHOWN)):
        cells = zip(found.columns, with_interval(found, place, between), strict=True)
        table.add_row(*(safe(cell, keep="" if name in found.names else between) for name, cell in cells))
    return table


def show_budget(dataset: "Dataset", *, json: bool = False) -> None:
    """Print what is left."""
    shown = console()
    with dataset.ledger() as book:
        if json:
            from banister.apps.cli.showing.json_say import budget_document, print_document

            print_document(budget_document(book))
            return
        left, terms = book.remaining(), book.terms
        shown.print(bold(safe(book.address)))
        shown.print(
            f"Budget {terms.budget}, {terms.neighbours.value} neighbours; {charges(left.charges)} made, "
            f"{left.used_in_words}.\nLargest epsilon that still fits: {still_fits(left.largest_epsilon)}",
        )
        if lines := book.history()[-SHOWN:]:
            shown.print(history_table(lines))
        shown.print(f"Head of the ledger:\n{book.head}", soft_wrap=True)
        for asked in () if book.kept is None else book.kept.waiting():
            shown.print(
                f"Kept under --key {safe(asked.key)}: {safe(asked.label)} (epsilon {brief(Fraction(asked.epsilon))})",
            )


def show_check(dataset: "Dataset", out: str) -> None:
    """Print what is understood of each table, and write the same for the owner where asked."""
    from pathlib import Path

    from banister.files import Access, check_target, whole_text
    from banister.release.check import OWNER_ONLY

    if out:
        check_target(Path(out), (".txt",))
        dataset.check_output(out)
    lines = [OWNER_ONLY]
    for table in dataset.check():
        lines.append(
            f"{table.name}: {apart(table.rows)} rows; {apart(table.left_out)} lines left out; {apart(table.nobody)} "
            "without a person"
        )
        lines += [
            f"  {column.name}: {apart(column.understood)} understood, {apart(column.missing)} missing, "
            f"{apart(column.unreadable)} unreadable, {apart(column.outside)} outside what is declared"
            for column in table.columns
        ]
    shown = console()
    for line in lines:
        shown.print(safe(line))
    if out:
        whole_text(Path(out), "\n".join(lines) + "\n", access=Access.OWNER)
        shown.print(f"Wrote {safe(out)}", soft_wrap=True)
