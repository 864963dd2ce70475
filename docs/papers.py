"""Write the pages on the five source documents, docs/papers/*.md, from tables of entries: `make papers`.

Each document has a file of entries, docs/papers/<KEY>.toml: what a theorem says, where it lives, lines that run and
what they give, and its status. `errata.toml` holds where a document errs. A test runs every line and notices stale
pages.
"""

import ast
import math
import re
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

import banister as bn

HOME = Path(__file__).with_name("papers")
SOURCE = Path(__file__).parents[1] / "src" / "banister"
DOCUMENTS = ("G13", "KOV15", "K16", "K15", "PKS20")
STATUS = {
    "as stated": "holds as it is printed, and is computed",
    "corrected": "the printed form errs; the note says how, and what is computed is right",
    "superseded": "true, and something stronger is computed beside it or instead",
    "not computable": "a step of a proof or a statement about all mechanisms, with no number of its own",
}
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Entry:
    """One theorem, lemma, protocol or formula of a document."""

    document: str
    key: str
    says: str
    place: str
    run: tuple[str, ...]
    gives: str | float | None
    within: float
    origin: str
    status: str
    note: str
    same: str

    @property
    def name(self) -> str:
        return f"{self.document} {self.key}"


def read(document: str) -> tuple[str, str, list[Entry]]:
    """The title of a document, how it is named here, and its entries."""
    found = tomllib.loads((HOME / f"{document}.toml").read_text(encoding="utf-8"))
    return found["title"], found["named"], [entry_of(document, each) for each in found["entry"]]


def entry_of(document: str, found: dict[str, object]) -> Entry:
    """One entry; a word that the table does not know is an error."""
    known = {"key", "says", "place", "run", "gives", "within", "from", "status", "note", "same"}
    unknown = set(found) - known
    if unknown:
        raise ValueError(f"{document} {found.get('key')}: unknown {sorted(unknown)}")
    return Entry(
        document=document,
        key=str(found["key"]),
        says=str(found.get("says", "")),
        place=str(found.get("place", "")),
        run=tuple(found.get("run", ())),
        gives=found.get("gives"),
        within=float(found.get("within", TOLERANCE)),
        origin=str(found.get("from", "")),
        status=str(found.get("status", "")),
        note=str(found.get("note", "")),
        same=str(found.get("same", "")),
    )


def entries() -> dict[str, Entry]:
    """All entries by their names, such as 'G13 Theorem 2.4'."""
    return {entry.name: entry for document in DOCUMENTS for entry in read(document)[2]}


def value_of(entry: Entry) -> object:
    """What the last of an entry's lines gives."""
    tree = ast.parse("\n".join(entry.run))
    last = tree.body.pop()
    assert isinstance(last, ast.Expr), f"{entry.name}: the last line must be an expression"
    names: dict[str, object] = {"bn": bn, "np": np, "math": math, "Fraction": Fraction}
    exec(compile(tree, entry.name, "exec"), names)
    return eval(compile(ast.Expression(last.value), entry.name, "eval"), names)


def agrees(entry: Entry, value: object) -> bool:
    """Whether a value is what the entry says: a number within its tolerance, anything else as it is written."""
    if isinstance(entry.gives, str):
        return written(value) == entry.gives
    assert entry.gives is not None
    return abs(float(value) - float(entry.gives)) <= entry.within  # type: ignore[arg-type]


def written(value: object) -> str:
    """A value as text, with doubles inside of lists and tuples rounded to seven places."""
    if isinstance(value, tuple | list):
        inside = type(value)(round(each, 7) if isinstance(each, float) else each for each in value)
        return str(inside)
    return str(value)


def shown(entry: Entry) -> str:
    """What an entry gives, as the page prints it."""
    if isinstance(entry.gives, str):
        return entry.gives
    digits = max(1, min(10, math.ceil(-math.log10(entry.within)) + 1))
    return f"{float(entry.gives):.{digits}g}" if abs(float(entry.gives or 0)) < 1 else f"{float(entry.gives):.10g}"


def section(entry: Entry, known: dict[str, Entry]) -> str:
    """What the page says about one entry."""
    parts = [f"## {entry.key}"]
    if entry.same:
        other = known[entry.same]
        where = f"[{other.key}]({other.document}.md#{anchor(other.key)}) of [{other.document}]"
        parts.append(f"The same as {where}. {entry.says or other.says}")
        return "\n\n".join(parts)
    parts.append(entry.says)
    facts = [f"*{entry.status[0].upper()}{entry.status[1:]}.*"]
    if entry.place:
        facts.append(f"In `{entry.place}`.")
    if entry.note:
        facts.append(entry.note)
    parts.append(" ".join(facts))
    if entry.run:
        comment = f"  # {entry.origin}" if entry.origin else ""
        lines = "\n".join(f">>> {line}" for line in entry.run)
        parts.append(f"```python\n{lines}{comment}\n{shown(entry)}\n```")
    return "\n\n".join(parts)


def anchor(key: str) -> str:
    """The anchor that the documentation gives to a heading."""
    return re.sub(r"[^\w\- ]", "", key.lower()).replace(" ", "-")


def page(document: str) -> str:
    """The page of one document."""
    title, _, found = read(document)
    known = entries()
    top = [
        f"# {title} [{document}]",
        "Made by `make papers`; every line is run by the tests, and its number compared. What the words for a status "
        "mean, and how the documents hang together, is on [the map](map.md); where this document errs, on "
        "[the errata](errata.md).",
    ]
    return "\n\n".join([*top, *(section(entry, known) for entry in found), *figure_lines(document)]) + "\n"


def figure_lines(document: str) -> list[str]:
    """Every figure of a document: its drawing, the file that draws it, and the command."""
    from banister.papers import channels, composition, noise, spreading, tables
    from banister.papers.errata import errata

    rows = ["| figure | drawing | drawn in | status | command |", "|---|---|---|---|---|"]
    wrong = {each.where for each in errata() if each.document == document}
    for module in (noise, composition, channels, spreading, tables):
        place = f"papers/{module.__name__.rpartition('.')[2]}.py"
        for each in module.FIGURES:
            for number in each.numbers:
                key, _, which = number.partition(" ")
                if key == document:
                    status = "corrected" if {f"Figure {which}", f"Fig. {which}", which} & wrong else "as stated"
                    command = (
                        f"`banister figures {document}-{which} --out DIR`"
                        if "(" not in which
                        else f"`banister figures {each.name} --out DIR`"
                    )
                    rows.append(
                        f"| {which} | [{each.name}](figures.md#{each.name}) | `{place}` | {status} | {command} |"
                    )
    return ["## Figures", "\n".join(rows)]


def counts(found: list[Entry]) -> dict[str, int]:
    """How many entries have each status, those that repeat another document, and those with a line that runs."""
    totals = {status: sum(entry.status == status for entry in found) for status in STATUS}
    return totals | {"as elsewhere": sum(bool(entry.same) for entry in found), "lines": sum(bool(e.run) for e in found)}


def map_page() -> str:
    """How many results each document has, and where each is."""
    heads = ["document", "results", *STATUS, "as elsewhere", "tested lines"]
    rows = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    everything: list[Entry] = []
    for document in DOCUMENTS:
        title, _, found = read(document)
        everything += found
        rows.append(row(f"[{title} [{document}]]({document}.md)", found))
    rows.append(row("all five", everything))
    words = [f"* **{status}**: {meaning}." for status, meaning in STATUS.items()]
    return "\n".join(
        [
            "# From theorem to code",
            "",
            "The package is made from five documents. Here is every theorem, lemma, corollary, proposition, claim,",
            "protocol, algorithm and definition of theirs, in their own numbering: what it says, where it lives in the",
            "package, a line of Python and what it gives. Made by `make papers`; every line is run by the tests.",
            "",
            *rows,
            "",
            *words,
            "",
            "[All errata of the five documents](errata.md) are one page, [all their figures](figures.md) another.",
            "",
        ]
    )


def row(name: str, found: list[Entry]) -> str:
    numbers = counts(found)
    cells = [name, str(len(found)), *(str(numbers[status]) for status in STATUS)]
    return "| " + " | ".join([*cells, str(numbers["as elsewhere"]), str(numbers["lines"])]) + " |"


def errata_page() -> str:
    """Where the five documents err."""
    found = tomllib.loads(
        (HOME.parent.parent / "src" / "banister" / "papers" / "errata.toml").read_text(encoding="utf-8")
    )["erratum"]
    parts = [
        "# Errata of the five documents",
        "Where a printed statement and the package disagree, and how it was checked. Made by `make papers` from "
        f"`src/banister/papers/errata.toml`; {len(found)} entries. Slips of notation that mislead nobody are left out.",
    ]
    for document in DOCUMENTS:
        title, _, _ = read(document)
        rows = ["| where | printed | right | checked by |", "|---|---|---|---|"]
        own = [each for each in found if each["document"] == document]
        rows += [f"| {each['where']} | {each['printed']} | {each['right']} | {each['checked']} |" for each in own]
        parts += [f"## {title} [{document}]", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def figures_page() -> str:
    """All figures, with their captions."""
    from banister.papers.gallery import ALL

    numbers = sum(len(each.numbers) for each in ALL)
    parts = [
        "# The figures of the five documents",
        f"{len(ALL)} drawings, which are {numbers} figures and formulas of the documents and some of ours, all from "
        "the package's own numbers. `banister figures all --out DIR` draws them and a page of them, "
        "`banister figures G13-2.7 --out DIR` one by its number, `banister figures list` names them. These were drawn "
        "with `--instances 100 --trials 200`.",
    ]
    for each in ALL:
        parts += [f"## {each.name}", each.caption, f"![{each.about}](../figures/papers/{each.name}.svg)"]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """Every page by its file name."""
    made = {"map.md": map_page(), "errata.md": errata_page(), "figures.md": figures_page()}
    return made | {f"{name}.md": page(name) for name in DOCUMENTS}


if __name__ == "__main__":
    for name, content in pages().items():
        (HOME / name).write_text(content, encoding="utf-8")
