"""Answers that get finer: release counts at a small epsilon now, and a finer rung later, and pay for the top rung only.

All rungs are drawn at the first release and kept sealed. Refining opens one of them and never reads the table again: a
table that has changed, or a refusal because it has, would tell.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from banister import keys, need
from banister.accounting.charge import LONGEST_LABEL
from banister.accounting.ledger import Ledger
from banister.accounting.refining import RUNGS
from banister.core.exact.numbers import Number, brief
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.errors import BadValue, BudgetExceeded
from banister.files import Access, check_space, check_target, new_text, whole_text
from banister.foreign import read_json
from banister.mechanisms.integers.rungs import GeometricRungs
from banister.sampling.bits import SYSTEM, BitSource

_FORMAT = "banister.rungs/1"
BEGUN = ".begun"
"""What is written behind a file's name while its rungs are being paid for and drawn."""


@dataclass(frozen=True, slots=True)
class RungAnswer:
    """The counts at one rung, and the epsilon that all rungs so far have cost together.

    >>> from tempfile import TemporaryDirectory
    >>> from banister import AsYouGo
    >>> near = Neighbours.ADD_REMOVE
    >>> ledger = Ledger.create("memory:", budget=Guarantee(2), neighbours=near, questions=AsYouGo())
    >>> with TemporaryDirectory() as folder:
    ...     sealed = Path(folder) / "wards.rungs"
    ...     first = release_rungs([41, 7], epsilons=["0.1", 1], ledger=ledger, label="wards", sealed=sealed)
    ...     finer = refine_rungs(sealed, ledger=ledger)
    >>> first.epsilon, finer.epsilon, str(ledger.remaining())
    (Fraction(1, 10), Fraction(1, 1), '2 charges made; the largest epsilon that still fits is 1')
    """

    values: tuple[int, ...]
    epsilon: Fraction
    charge: int
    """The number of the charge in the ledger."""
    finer: tuple[Fraction, ...]
    """The epsilons of the rungs that are still sealed."""


def release_rungs(
    counts: Sequence[int],
    *,
    epsilons: Sequence[Number],
    ledger: Ledger,
    label: str,
    sealed: str | Path,
    bits: BitSource = SYSTEM,
) -> RungAnswer:
    """Charge the coarsest rung, draw all, seal them in a file that its owner alone may read, and give the coarsest.

    `counts` are of disjoint groups, so that a person who comes or goes moves one of them by one; with neighbours that
    replace a person, who may move two, one count at a time.

    >>> from tempfile import TemporaryDirectory
    >>> from banister import AsYouGo
    >>> terms = {"neighbours": Neighbours.REPLACE, "questions": AsYouGo()}
    >>> ledger = Ledger.create("memory:", budget=Guarantee(1), **terms)
    >>> with TemporaryDirectory() as folder:
    ...     asked = {"ledger": ledger, "label": "one ward", "sealed": Path(folder) / "ward.rungs"}
    ...     release_rungs([41], epsilons=["0.1", "0.5", 1], **asked).finer
    (Fraction(1, 2), Fraction(1, 1))

    A call that was cut off is finished by the same call: it is charged once.

    Private:  what has been opened so far costs the epsilon of the finest rung among it (`GeometricRungs`). The file
              holds all rungs: whoever reads it has seen the finest.
    """
    rungs = GeometricRungs(epsilons=epsilons)
    near = ledger.terms.neighbours
    if near is not Neighbours.ADD_REMOVE and len(counts) != 1:
        raise BadValue(
            f"{len(counts)} counts cannot be released together for {near.value} neighbours, who move two of them. "
            "Release one count at a time."
        )
    exact = [need.whole("a count", count, least=0) for count in counts]
    box, target = _Sealed.empty(label, near, rungs.epsilons, len(exact)), Path(sealed)
    check_target(target)
    check_space(target, 40 * len(rungs.epsilons) * len(exact))
    begun = _begun(box, target)
    if target.exists():  # Drawn and sealed before, and cut off before it was told.
        return _told(begun, target)
    cost = Guarantee(rungs.epsilons[0])
    try:
        receipt = ledger.charge(cost, label=label, neighbours=near, plan=begun.plan, key=begun.plan)
    except (BudgetExceeded, BadValue):  # Nothing was charged, and another request may have this name.
        _beside(target).unlink(missing_ok=True)
        raise
    receipt.resume(plan=begun.plan)  # Nothing drawn for it was ever shown: what is shown was sealed before.
    noise = [rungs.draw(bits) for _ in exact]
    values = [
        [count + each[rung] for count, each in zip(exact, noise, strict=True)] for rung in range(len(rungs.epsilons))
    ]
    drawn = replace(begun, values=tuple(tuple(row) for row in values), charge=receipt.sequence)
    with suppress(FileExistsError):  # Another call for the same was quicker: its answer is the answer.
        new_text(target, drawn.text(), access=Access.OWNER)
    return _told(begun, target)


def _beside(target: Path) -> Path:
    """The file that says that rungs are about to be paid for, and by which name the ledger knows them."""
    return target.with_name(target.name + BEGUN)


def _begun(box: "_Sealed", target: Path) -> "_Sealed":
    """Put on disk what is about to be paid for; what an earlier call that was cut off put there is ours too."""
    path = _beside(target)
    check_target(path)
    if target.exists() and not path.exists():
        raise BadValue(f"'{target}' is there already. Sealed rungs are never written over: choose another name.")
    with suppress(FileExistsError):
        new_text(path, box.text(), access=Access.OWNER)
    before = _Sealed.read(path)
    if replace(before, plan=box.plan) != box:
        raise BadValue(
            f"'{path}' belongs to another release ('{before.label}') that was cut off. Nothing was charged. Finish "
            "that one with the same words, or choose another name."
        )
    return before


def _told(begun: "_Sealed", target: Path) -> RungAnswer:
    """The coarsest rung of what is sealed."""
    box = _Sealed.read(target)
    if box.plan != begun.plan:
        raise BadValue(f"'{target}' is there already. Sealed rungs are never written over: choose another name.")
    _beside(target).unlink(missing_ok=True)
    return box.answer()


def refine_rungs(sealed: str | Path, *, ledger: Ledger) -> RungAnswer:
    """Charge what the next rung takes beyond the last one, and open it; the table is not read.

    >>> refine_rungs("nowhere.rungs", ledger=None)
    Traceback (most recent call last):
        ...
    banister.errors.BadValue: nowhere.rungs does not exist.

    Under one ledger a rung is charged once, however often it is asked for: a crash between the charge and the file
    costs nothing.
    """
    path = Path(sealed)
    box = _Sealed.read(path)
    finer = replace(box, opened=box.opened + 1, charge=charge_next(box, path, ledger=ledger))
    whole_text(path, finer.text(), access=Access.OWNER)
    return finer.answer()


class SealedRungs(Protocol):
    """What a file of sealed rungs tells of its charges, whatever the rungs hold."""

    @property
    def plan(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def neighbours(self) -> str: ...
    @property
    def epsilons(self) -> tuple[Fraction, ...]: ...
    @property
    def opened(self) -> int: ...
    @property
    def charge(self) -> int: ...


def charge_next(box: SealedRungs, path: Path, *, ledger: Ledger) -> int:
    """Charge what the next rung takes beyond the last one; gives the number of the charge."""
    rung = box.opened + 1
    if rung >= len(box.epsilons):
        raise BadValue(f"'{path}' has no finer rung: all of them are open, up to epsilon {brief(box.epsilons[-1])}.")
    refining = f", refining charge {box.charge}"
    return ledger.refine(
        box.charge,
        Guarantee(box.epsilons[rung]),
        label=box.label[: LONGEST_LABEL - len(refining)] + refining,
        neighbours=Neighbours(box.neighbours),
        plan=box.plan,
        key=f"{box.plan}:{rung}",
    ).sequence


@dataclass(frozen=True, slots=True)
class _Sealed:
    """What lies in the file: all rungs, and how many are open."""

    plan: str
    label: str
    neighbours: str
    epsilons: tuple[Fraction, ...]
    values: tuple[tuple[int, ...], ...]
    opened: int
    charge: int

    def answer(self) -> RungAnswer:
        return RungAnswer(
            self.values[self.opened], self.epsilons[self.opened], self.charge, self.epsilons[self.opened + 1 :]
        )

    @classmethod
    def empty(cls, label: str, near: Neighbours, epsilons: tuple[Fraction, ...], counts: int) -> "_Sealed":
        """What is about to be drawn: a row of zeros for each rung, under a name that nobody else has."""
        rows = tuple((0,) * counts for _ in epsilons)
        return cls(RUNGS + keys.nonce(), label, near.value, epsilons, rows, 0, 0)

    def text(self) -> str:
        """The file."""
        document = {
            "format": _FORMAT,
            "plan": self.plan,
            "label": self.label,
            "neighbours": self.neighbours,
            "epsilons": [str(each) for each in self.epsilons],
            "values": [list(row) for row in self.values],
            "opened": self.opened,
            "charge": self.charge,
        }
        return json.dumps(document) + "\n"

    @classmethod
    def read(cls, path: Path) -> "_Sealed":
        """What is sealed; a file of another shape is refused without showing anything of it."""
        document = read_json(path, "a file of sealed rungs")
        try:
            assert isinstance(document, dict)
            assert document["format"] == _FORMAT
            epsilons = tuple(need.exact("a rung", each) for each in document["epsilons"])
            values = tuple(tuple(int(each) for each in row) for row in document["values"])
            opened, charge = int(document["opened"]), int(document["charge"])
            assert len(values) == len(epsilons)
            assert 0 <= opened < len(epsilons)
            return cls(
                str(document["plan"]),
                str(document["label"]),
                Neighbours(document["neighbours"]).value,
                epsilons,
                values,
                opened,
                charge,
            )
        except (AssertionError, KeyError, TypeError, ValueError, ZeroDivisionError):
            raise BadValue(
                f"'{path}' is not a file of sealed rungs. Give the file that the first release wrote."
            ) from None
