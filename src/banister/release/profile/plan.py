"""The plan of a look: which noise each histogram gets, so that what is read off them errs least. No record is seen."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from banister import need
from banister.accounting.charge import keeps
from banister.core.exact.numbers import Number, brief
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue, Uncertified
from banister.questions.measures import Share, shares
from banister.release.payments.cells import cell_by_cell
from banister.release.payments.joint import joint_noise
from banister.release.payments.measured import Measured
from banister.release.payments.stated import Stated
from banister.release.payments.threshold import cell_threshold, with_bar
from banister.release.planning.split import share_out
from banister.release.profile.pieces import LookPiece, What, pieces_of
from banister.tables.schema import Schema

FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class LookPlan:
    """Everything about a look that is decided before a record is read, and what it will cost.

    >>> schema = Schema.of_text('''
    ... [source]
    ... table = "stays.csv"
    ... neighbours = "add-remove"
    ... [columns]
    ... cost = { kind = "number", range = "FILL IN", step = 0.01 }''')
    >>> str(plan_look(schema, Guarantee("0.2", "1e-6"), confidence=0.95).guarantee)
    '(0.2, 0)'
    """

    schema: Schema
    pieces: tuple[LookPiece, ...]
    paid: tuple[Measured, ...]
    guarantee: Guarantee
    confidence: float

    def __post_init__(self) -> None:
        if len(self.pieces) != len(self.paid) or not keeps(self.loss, self.guarantee):
            raise Uncertified(
                f"What the look would draw is not proven to keep {self.guarantee}, so it cannot be made. Plan again; "
                "if it was made by plan_look, please report it."
            )

    def __repr__(self) -> str:
        return f"LookPlan({len(self.schema.main.columns)} columns, {self.guarantee})"

    def _repr_html_(self) -> str:
        from banister.release.notebook import look_plan_html

        return look_plan_html(self)

    @property
    def neighbours(self) -> Neighbours:
        return self.schema.neighbours

    @cached_property
    def digest(self) -> str:
        """A hash of what will be done, by which a receipt knows the plan it was paid for."""
        return hashlib.sha256(repr((FORMAT, self.schema, self.pieces, self.paid, self.guarantee)).encode()).hexdigest()

    @cached_property
    def loss(self) -> PrivacyLoss:
        """What the whole look gives away about one person, histogram by histogram."""
        return PrivacyLoss.nothing().with_(*(paid.loss() for paid in self.paid))

    @property
    def stated(self) -> tuple[Stated, ...]:
        """The laws of what is drawn, as a certificate states them."""
        return tuple(paid.stated() for paid in self.paid)

    @property
    def costs(self) -> tuple[PrivacyLoss, Guarantee]:
        """Two true descriptions of what is given away; the ledger takes the first that fits."""
        return self.loss, self.guarantee

    @property
    def label(self) -> str:
        """One line for the ledger."""
        return f"a private look at {len(self.schema.main.columns)} columns"

    @property
    def joint(self) -> bool:
        """Whether the noise is Gaussian, for all histograms at once."""
        return self.paid[0].together

    def __str__(self) -> str:
        kind = "Gaussian, for all of them at once" if self.joint else "cell by cell"
        worst = max(paid.spread.deviation for piece, paid in zip(self.pieces, self.paid, strict=True) if piece.axes)
        return (
            f"A look at {self.guarantee}, {self.neighbours.value} neighbours: {len(self.pieces)} histograms, in each "
            f"of which a person counts once. Noise {kind}: each cell is off by {worst:.3g} typically, or by less."
        )


def plan_look(schema: Schema, level: Guarantee, *, confidence: Number) -> LookPlan:
    """The plan with the least error: noise cell by cell or, with a delta, Gaussian noise for all at once."""
    sure = float(need.strictly_between("confidence", confidence, 0, 1))
    if level.epsilon <= 0:
        raise BadValue(f"epsilon = {brief(level.epsilon)} must be above 0: a look costs something.")
    if not schema.main.columns:
        raise BadValue("The schema declares no columns, so there is nothing to look at. See: banister draft.")
    pieces = pieces_of(schema, unknown=level.delta > 0)
    ways = [_cell_by_cell(pieces, schema, level)]
    if level.delta > 0:
        ways.append(_together(pieces, schema, level))
    best = min(ways, key=lambda paid: _error(pieces, paid))
    hidden = any(piece.what is What.UNKNOWN for piece in pieces)
    used = level if best is not ways[0] or hidden else Guarantee(level.epsilon)
    return LookPlan(schema=schema, pieces=pieces, paid=best, guarantee=used, confidence=sure)


def _error(pieces: Sequence[LookPiece], paid: Sequence[Measured]) -> float:
    """What is minimised: the squared errors of the worst numbers that are read off the histograms."""
    return math.fsum(piece.matter * one.spread.deviation**2 for piece, one in zip(pieces, paid, strict=True))


def _ways(piece: LookPiece, schema: Schema) -> Sequence[Share]:
    return shares(piece.measure, neighbours=schema.neighbours, groups=1, cells=piece.cells)


def _cell_by_cell(pieces: Sequence[LookPiece], schema: Schema, level: Guarantee) -> tuple[Measured, ...]:
    """Epsilon shared out in proportion to the cube roots of what errors matter ([split](../math/split.md))."""
    each = [min(_ways(piece, schema), key=lambda share: share.touches * share.sensitivity) for piece in pieces]
    matter = [p.matter * (share.touches * share.sensitivity) ** 2 for p, share in zip(pieces, each, strict=True)]
    parts = share_out(level.epsilon, matter)
    hidden = sum(piece.what is What.UNKNOWN for piece in pieces)
    return tuple(
        cell_threshold(piece.measure, share, part, level.delta / hidden)
        if piece.what is What.UNKNOWN
        else cell_by_cell(piece.measure, share, part)
        for piece, share, part in zip(pieces, each, parts, strict=True)
    )


def _together(pieces: Sequence[LookPiece], schema: Schema, level: Guarantee) -> tuple[Measured, ...]:
    """Gaussian noise for all histograms: each person moves them by their Euclidean distance together.

    Half of delta is for values that nobody has declared, where there are columns with such.
    """
    each = [min(_ways(piece, schema), key=lambda share: share.squares) for piece in pieces]
    hidden = [piece.what is What.UNKNOWN for piece in pieces]
    bars = level.delta / 2 if any(hidden) else Fraction(0)
    noise = joint_noise(
        [p.measure for p in pieces], each, [p.matter for p in pieces], Guarantee(level.epsilon, level.delta - bars)
    )
    return tuple(with_bar(one, bars / sum(hidden)) if open_ else one for one, open_ in zip(noise, hidden, strict=True))
