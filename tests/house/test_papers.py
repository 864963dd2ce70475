"""The map from the source documents to the code: every line runs and gives what it says, and no page is stale."""

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from banister.papers.gallery import ALL

DOCS = Path(__file__).parents[2] / "docs"


def tables() -> ModuleType:
    spec = importlib.util.spec_from_file_location("papers", DOCS / "papers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Its dataclass looks itself up there.
    spec.loader.exec_module(module)
    return module


PAPERS = tables()
ENTRIES = PAPERS.entries()
RUN = [name for name, entry in ENTRIES.items() if entry.run]


@pytest.mark.parametrize("name", RUN)
def test_a_line_gives_its_number(name: str) -> None:
    entry = ENTRIES[name]
    value = PAPERS.value_of(entry)
    assert PAPERS.agrees(entry, value), f"{name} gives {value!r}, the table says {entry.gives!r}"


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_whole(name: str) -> None:
    entry = ENTRIES[name]
    if entry.same:
        other = ENTRIES[entry.same]
        assert not other.same, f"{name} points to {entry.same}, which points on"
        assert (entry.run, entry.status, entry.place) == ((), "", "")
        return
    assert entry.says
    assert entry.status in PAPERS.STATUS
    assert bool(entry.run) == (entry.status != "not computable"), "what can be computed is computed, and only that"
    assert bool(entry.run) == bool(entry.place) == (entry.gives is not None)
    if entry.place:
        assert (PAPERS.SOURCE / entry.place).is_file(), f"{name}: there is no {entry.place}"
    if entry.status in ("corrected", "not computable"):
        assert entry.note, f"{name}: say what was wrong, or why there is no number"


def test_every_result_of_a_document_has_an_entry_and_only_one() -> None:
    """`numbering.toml` holds the numbers of all theorems and the like as the documents print them."""
    numbering = tomllib.loads((DOCS / "papers" / "numbering.toml").read_text(encoding="utf-8"))
    for document in PAPERS.DOCUMENTS:
        keys = [entry.key for entry in PAPERS.read(document)[2]]
        assert len(keys) == len(set(keys))
        kinds = {kind: numbers for kind, numbers in numbering[document].items() if kind != "Figure"}
        printed = {f"{kind} {number}" for kind, numbers in kinds.items() for number in numbers}
        assert printed <= set(keys), f"{document}: no entry for {sorted(printed - set(keys))}"


def test_every_figure_of_a_document_is_drawn_and_on_the_page() -> None:
    numbering = tomllib.loads((DOCS / "papers" / "numbering.toml").read_text(encoding="utf-8"))
    drawn = [number for each in ALL for number in each.numbers]
    assert len(drawn) == len(set(drawn))
    for document in PAPERS.DOCUMENTS:
        missing = {f"{document} {number}" for number in numbering[document]["Figure"]} - set(drawn)
        assert not missing, f"not drawn: {sorted(missing)}"
    assert {path.stem for path in (DOCS / "figures" / "papers").glob("*.svg")} == {each.name for each in ALL}


def test_an_erratum_belongs_to_a_document_and_says_all() -> None:
    found = tomllib.loads((DOCS.parent / "src" / "banister" / "papers" / "errata.toml").read_text(encoding="utf-8"))[
        "erratum"
    ]
    for each in found:
        assert each["document"] in PAPERS.DOCUMENTS
        assert all(each[word] and "|" not in each[word] for word in ("where", "printed", "right", "checked")), each
    assert len({(each["document"], each["where"], each["printed"]) for each in found}) == len(found)


@pytest.mark.parametrize("name", PAPERS.pages())
def test_a_page_is_up_to_date_and_in_the_contents(name: str) -> None:
    assert (DOCS / "papers" / name).read_text(encoding="utf-8") == PAPERS.pages()[name], "Run `make papers`."
    assert f"\npapers/{name.removesuffix('.md')}\n" in (DOCS / "index.md").read_text(encoding="utf-8")


def test_a_wrong_number_is_noticed() -> None:
    entry = ENTRIES["G13 Theorem 2.5"]
    assert not PAPERS.agrees(entry, float(entry.gives) * (1 + 1e-6))
    assert not PAPERS.agrees(ENTRIES["KOV15 Corollary 2.3"], (True, True))
