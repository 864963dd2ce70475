"""Answers from a table that get finer: the same question at several rising epsilons, drawn together, paid once.

The plan of the finest rung says how epsilon is shared out over the measures; each coarser rung is the same plan with
every share scaled down. All noise is discrete Laplace, whose coarser laws are the finer one plus independent noise, so
what has been opened costs the epsilon of the finest rung among it. The table is read once, at the first release.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from banister import keys, need
from banister.accounting.ledger import Ledger
from banister.accounting.refining import RUNGS
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue, EngineBroke
from banister.files import Access, check_space, check_target, folder, whole_text
from banister.foreign import read_json
from banister.mechanisms.integers.discrete_laplace import DiscreteLaplace
from banister.mechanisms.integers.integer_noise import Integers
from banister.mechanisms.integers.rungs import GeometricRungs
from banister.release import run
from banister.release.answering.after import finished
from banister.release.answering.answers import OneAnswer, Row, columns_of
from banister.release.answering.keeping import answer_bytes, table_document, table_of
from banister.release.payments.cells import CellByCell, level_of
from banister.release.planning.plan import Part, Plan
from banister.release.run import AnswerTable, Tell
from banister.release.rungs import charge_next
from banister.sampling.bits import SYSTEM, BitSource
from banister.tables.protected import protected_by_schema

if TYPE_CHECKING:
    from banister.release.dataset import Dataset

_FORMAT = "banister.rungs/2"


@dataclass(frozen=True, kw_only=True)
class RungPlan:
    """A plan for several epsilons: what is asked, and the plan of every rung, the coarsest first.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.dataset import open
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as place:
    ...     health = open(write_demo(place)[1])
    ...     plan = plan_rungs(health, "SELECT COUNT(*) FROM data", epsilons=["0.1", "0.5"])
    >>> [str(rung.guarantee) for rung in plan.rungs]
    ['(0.1, 0)', '(0.5, 0)']
    """

    epsilons: tuple[Fraction, ...]
    finest: Plan
    """As it was planned for the last epsilon alone; its noise may be another."""

    @cached_property
    def rungs(self) -> tuple[Plan, ...]:
        """The plan of each rung. Each of them says what it alone gives away, and keeps its epsilon."""
        return tuple(self._at(epsilon) for epsilon in self.epsilons)

    def _at(self, epsilon: Fraction) -> Plan:
        parts = tuple(_scaled(part, epsilon / self.epsilons[-1]) for part in self.finest.parts)
        return replace(self.finest, parts=parts, guarantee=Guarantee(epsilon))


@dataclass(frozen=True, slots=True, eq=False)
class RungTables:
    """The answers at one rung with their intervals, and the epsilon that all rungs so far have cost together.

    >>> from tempfile import TemporaryDirectory
    >>> from banister.release.dataset import open
    >>> from banister.release.demo import write_demo
    >>> with TemporaryDirectory() as place:
    ...     health = open(write_demo(place)[1])
    ...     first = health.release_rungs(health.plan_rungs("SELECT COUNT(*) AS n FROM data", epsilons=["0.1", 1]))
    ...     second = health.refine(first.sealed)
    >>> str(first.epsilon), str(second.epsilon), len(second.table)
    ('1/10', '1', 1)
    """

    tables: tuple[AnswerTable, ...]
    epsilon: Fraction
    confidence: float
    charge: int
    """The number of the charge in the ledger."""
    finer: tuple[Fraction, ...]
    """The epsilons of the rungs that are still sealed."""
    sealed: Path
    """The file that holds the other rungs: the receipt by which they are opened."""

    def __len__(self) -> int:
        return len(self.tables)

    def __getitem__(self, place: int) -> OneAnswer:
        """The answers to one question, counted from 0."""
        return OneAnswer(self.tables[place])

    @property
    def table(self) -> list[Row]:
        """The answers to the one question, a row per cell."""
        if len(self.tables) != 1:
            raise BadValue(f"{len(self.tables)} questions were answered. Say which: answers[0].table, and so on.")
        return self[0].table

    def write(self, path: str | Path, *, for_spreadsheets: bool = False) -> list[Path]:
        """Write a .csv, .parquet or .json file, whole or not at all; several questions become several files."""
        from banister.tables.frames.write import write_tables

        return write_tables(Path(path), [columns_of(one) for one in self.tables], for_spreadsheets=for_spreadsheets)


def plan_rungs(
    dataset: "Dataset",
    sql: str,
    *,
    epsilons: Sequence[Number],
    confidence: Number = 0.95,
    dialect: str | None = None,
) -> RungPlan:
    """Plan the same question at several rising epsilons. No record is seen.

    Counts, sums and what is made of them, such as means; quantiles and groups with unknown values have no rungs.
    """
    levels = GeometricRungs(epsilons=epsilons).epsilons
    finest = dataset.plan(sql, epsilon=levels[-1], confidence=confidence, dialect=dialect)
    for part in finest.parts:
        if part.ladders:
            raise BadValue(
                f"'{part.question.text}' asks for a quantile, which is chosen and not noised: a finer choice is no "
                "refinement of a coarser one. Ask for it in a release of its own."
            )
    return RungPlan(epsilons=levels, finest=finest)


def _scaled(part: Part, share: Fraction) -> Part:
    """The part with discrete Laplace noise, at a share of each of its epsilons."""
    measured = []
    for paid in part.measured:
        epsilon = paid.epsilon * share
        level = level_of(paid.share, epsilon)
        noise = DiscreteLaplace(epsilon=level, sensitivity=paid.share.sensitivity, cost="squared")
        measured.append(
            CellByCell(measure=paid.measure, share=paid.share, part=epsilon, name="discrete Laplace", noise=noise)
        )
    return replace(part, measured=tuple(measured), epsilon=part.epsilon * share, alternative=None)


def release_rungs_of_table(
    dataset: "Dataset",
    plan: RungPlan,
    *,
    sealed: str | Path | None = None,
    bits: BitSource = SYSTEM,
    tell: Tell = lambda stage: None,
) -> RungTables:
    """Charge the coarsest rung, draw all, seal them in a file that its owner alone may read, and give the coarsest.

    Private:  every measure's noise at a rung is that of the next finer rung plus independent noise (`GeometricRungs`),
              so all that is open is a post-processing of the finest open rung, which keeps its epsilon.
    """
    coarse, about = plan.rungs[0], protected_by_schema(plan.finest.schema)
    target = _target(dataset, sealed)
    check_space(target, len(plan.rungs) * answer_bytes(plan.finest))
    with dataset.ledger_for(coarse) as book:
        near = coarse.neighbours
        book.foresee(Guarantee(plan.epsilons[0]), label=coarse.label, neighbours=near, protects=about)
        try:
            exact = run.add_up_all(coarse, dataset.source(), bits, tell)
        except EngineBroke as broke:
            raise run.paid_for_nothing(coarse, book, broke) from None
        tell("charging the ledger")
        name = RUNGS + keys.nonce()
        cost = Guarantee(plan.epsilons[0])
        receipt = book.charge(cost, label=coarse.label, neighbours=near, plan=name, protects=about)
        receipt.use(plan=name)
        tell("drawing")
        drawn = [drawn_rungs(plan, place, found, bits) for place, found in enumerate(exact)]
    tables = []
    for rung, one in enumerate(plan.rungs):
        pairs = enumerate(zip(one.parts, exact, strict=True))
        shown = [run.answered(p, drawn[place][rung], found, one.confidence, bits) for place, (p, found) in pairs]
        tables.append(tuple(finished(table, p.question) for table, p in zip(shown, one.parts, strict=True)))
    box = _Box(name, coarse.label, near.value, plan.epsilons, coarse.confidence, tuple(tables), 0, receipt.sequence)
    box.write(target)
    return box.answer(target)


def drawn_rungs(plan: RungPlan, place: int, exact: run.Exact, bits: BitSource) -> list[Integers]:
    """The noisy measures of one question at each rung, the coarsest first."""
    rungs: list[list[Integers]] = [[] for _ in plan.epsilons]
    for number, row in enumerate(exact.totals.values):
        paid = [one.parts[place].measured[number] for one in plan.rungs]
        unit = [cast(DiscreteLaplace, each.noise).epsilon / each.share.sensitivity for each in paid]
        noise = GeometricRungs(epsilons=unit).draw_many(len(row), bits)
        for rung, more in enumerate(noise):
            rungs[rung].append(row + more)
    return [np.stack(each) for each in rungs]


def refine_rungs_of_table(sealed: str | Path, *, ledger: Ledger) -> RungTables:
    """Charge what the next rung takes beyond the last one, and open it. The table is not read."""
    path = Path(sealed)
    box = _Box.read(path)
    finer = replace(box, opened=box.opened + 1, charge=charge_next(box, path, ledger=ledger))
    finer.write(path)
    return finer.answer(path)


def holds_tables(sealed: str | Path) -> bool:
    """Whether a file of sealed rungs holds the answers of a table, not bare counts."""
    document = read_json(Path(sealed), "a file of sealed rungs")
    return isinstance(document, dict) and document.get("format") == _FORMAT


def _target(dataset: "Dataset", sealed: str | Path | None) -> Path:
    if sealed is None:
        beside = dataset.index_folder
        if beside is None:
            raise BadValue(
                "The ledger is not a file, so say where the finer rungs are to be kept: sealed='ward.rungs'."
            )
        place = folder(beside.with_name(beside.name.removesuffix(".index") + ".rungs"), access=Access.OWNER)
        return place / f"{keys.nonce()[:12]}.rungs"
    target = Path(sealed)
    check_target(target)
    dataset.check_output(target)
    if target.exists():
        raise BadValue(f"'{target}' is there already. Sealed rungs are never written over: choose another name.")
    return target


@dataclass(frozen=True, slots=True)
class _Box:
    """What lies in the file: the answers of all rungs, and how many are open."""

    plan: str
    label: str
    neighbours: str
    epsilons: tuple[Fraction, ...]
    confidence: float
    tables: tuple[tuple[AnswerTable, ...], ...]
    opened: int
    charge: int

    def answer(self, sealed: Path) -> RungTables:
        finer = self.epsilons[self.opened + 1 :]
        found = self.tables[self.opened]
        return RungTables(found, self.epsilons[self.opened], self.confidence, self.charge, finer, sealed)

    def write(self, path: Path) -> None:
        document = {
            "format": _FORMAT,
            "plan": self.plan,
            "label": self.label,
            "neighbours": self.neighbours,
            "epsilons": [str(each) for each in self.epsilons],
            "confidence": self.confidence,
            "tables": [[table_document(table) for table in rung] for rung in self.tables],
            "opened": self.opened,
            "charge": self.charge,
        }
        whole_text(path, json.dumps(document) + "\n", access=Access.OWNER)

    @classmethod
    def read(cls, path: Path) -> "_Box":
        """What is sealed; a file of another shape is refused without showing anything of it."""
        document = read_json(path, "a file of sealed rungs")
        try:
            assert isinstance(document, dict)
            assert document["format"] == _FORMAT
            epsilons = tuple(need.exact("a rung", each) for each in document["epsilons"])
            rungs = cast(Sequence[Sequence[Mapping[str, object]]], document["tables"])
            opened = int(document["opened"])
            assert len(rungs) == len(epsilons)
            assert 0 <= opened < len(epsilons)
            return cls(
                str(document["plan"]),
                str(document["label"]),
                Neighbours(document["neighbours"]).value,
                epsilons,
                float(document["confidence"]),
                tuple(tuple(table_of(table) for table in rung) for rung in rungs),
                opened,
                int(document["charge"]),
            )
        except (AssertionError, AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
            raise BadValue(
                f"'{path}' is not a file of sealed rungs from a table. Give the one that the first release wrote."
            ) from None
