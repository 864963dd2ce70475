"""The command and the Python that do what a page does, to be copied."""

import shlex
from dataclasses import dataclass

from banister.apps.studio.workbench import AskForm, confidence_of, decimal


@dataclass(frozen=True, slots=True)
class Same:
    """Two texts: for a terminal, and for a notebook."""

    command: str
    python: str


def same_release(asked: AskForm, schema: str) -> Same:
    """How to plan and release outside of the page."""
    sure = decimal(confidence_of(asked))
    delta = "" if asked.delta == "0" else f" --delta {shlex.quote(asked.delta)}"
    more = "" if asked.delta == "0" else f", delta={asked.delta!r}"
    options = f"--epsilon {shlex.quote(asked.epsilon)}{delta} --confidence {shlex.quote(sure)}"
    question = shlex.quote(asked.question)
    return Same(
        command=f"banister release {shlex.quote(schema)} {question} \\\n  {options} \\\n"
        "  --out answers.csv --report answers.html",
        python="import banister as bn\n\n"
        f"table = bn.open({schema!r})\n"
        f"plan = table.plan(\n    {_quoted(asked.question)},\n"
        f"    epsilon={asked.epsilon!r}{more}, confidence={sure!r},\n)\n"
        "print(plan)\n"
        "answers = table.release(plan)\n"
        'answers.report("answers.html")',
    )


def same_table(schema: str) -> Same:
    """How to open a table and see what is left of its budget, outside of the page."""
    return Same(
        command=f"banister budget {shlex.quote(schema)}",
        python=f"import banister as bn\n\ntable = bn.open({schema!r})\nprint(table, table.remaining())",
    )


def same_gallery() -> Same:
    """How to draw every figure of the documents."""
    return Same(
        command="banister figures list\nbanister figures all --out figures",
        python="from pathlib import Path\n\nfrom banister.papers.gallery import GROUPS, Effort, draw\n\n"
        "names = [figure.name for group in GROUPS.values() for figure in group]\n"
        "print(*draw(names, Path('figures'), effort=Effort()))",
    )


def same_account(ledger: str) -> Same:
    """How to read the ledger outside of the page."""
    return Same(
        command=f"banister ledger show {shlex.quote(ledger)} --figure budget.svg\n"
        f"banister ledger history {shlex.quote(ledger)}",
        python="import banister as bn\n\n"
        f"with bn.Ledger.open({ledger!r}) as ledger:\n"
        "    print(ledger.remaining())\n"
        "    for entry in ledger.history():\n"
        "        print(entry.at, entry.in_words(), entry.label)\n"
        '    ledger.plot("budget.svg")',
    )


def _quoted(text: str) -> str:
    """A text of several lines as Python would write it."""
    plain = "\\" not in text and '"""' not in text and not text.endswith('"')
    return f'"""{text}"""' if "\n" in text and plain else repr(text)
