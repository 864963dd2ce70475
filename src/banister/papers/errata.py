"""Where a document errs: what is printed, what is right, and how that was found; each beside its figures."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from banister.papers.entry import PaperFigure

_NUMBER = re.compile(r"\b([0-9]+|[A-H])(?=\.[0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Erratum:
    """One correction."""

    document: str
    where: str
    printed: str
    right: str
    checked: str

    @property
    def chapters(self) -> frozenset[str]:
        """The chapters of the numbers that it names: Theorem 2.14 is in chapter 2."""
        return frozenset(_NUMBER.findall(self.where))


@cache
def errata() -> tuple[Erratum, ...]:
    """All corrections of the five documents, in their order.

    >>> {each.document for each in errata()} == {"G13", "KOV15", "K16", "K15", "PKS20"}
    True
    """
    text = (resources.files("banister") / "papers" / "errata.toml").read_text(encoding="utf-8")
    return tuple(Erratum(**found) for found in tomllib.loads(text)["erratum"])


def beside(figure: PaperFigure) -> tuple[Erratum, ...]:
    """The corrections that belong beside a figure: of the figure itself first, then those of its chapters.

    >>> from banister.papers.gallery import figure_named
    >>> [each.where for each in beside(figure_named("KOV15-1"))][:1]
    ['Figure 1']
    """
    return tuple(dict.fromkeys([*_own(figure), *_near(figure)]))


def _own(figure: PaperFigure) -> Iterator[Erratum]:
    for number in figure.numbers:
        document, _, place = number.partition(" ")
        names = {f"Figure {place}", place}
        yield from (each for each in errata() if each.document == document and each.where in names)


def _near(figure: PaperFigure) -> Iterator[Erratum]:
    for number in figure.numbers:
        document, _, place = number.partition(" ")
        chapters = frozenset(_NUMBER.findall(place))
        yield from (each for each in errata() if each.document == document and each.chapters & chapters)
