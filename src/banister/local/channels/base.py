"""What every channel can do: randomize answers exactly, and turn reports into estimates with honest errors."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.local.estimates import Estimate, Likelihood
from banister.local.likelihood import Operators, maximise
from banister.sampling.bits import SYSTEM, BitSource

FORMAT = "banister-channel/1"
"""The version of a channel's written form; its hash covers it."""

LARGEST_MATRIX = 1 << 24
"""Entries beyond which a channel refuses to be written out as a dense matrix."""

Values = NDArray[np.int64]
"""Reports as an array: whole numbers, one per report (for unary encoding, one row of bytes per report)."""

Maker = Callable[[Guarantee, int], "Channel"]
Answers = int | Sequence[int] | Ints
Field = int | str | list[int] | list[list[int]]
Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
Fields = Mapping[str, Json]


@dataclass(frozen=True, slots=True, eq=False)
class Reports:
    """Randomized answers, with the hash of the channel that they went through.

    One report per entry of `values` (for unary encoding, one row of packed bits per report).

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(1, categories=4)
    >>> reports = channel.respond([0, 1, 2, 3, 3])
    >>> reports.channel == channel.hash, reports.values.shape
    (True, (5,))
    """

    channel: str
    values: Values

    def __len__(self) -> int:
        return int(self.values.shape[0])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Certificate:
    """Proof that a designed channel is as good as claimed: what it keeps, and what no channel can exceed.

    `dual` holds prices of the categories (for two hypotheses, of the different likelihood ratios in rising order), with
    which anybody can check the bound again without a solver: docs/math/local-design.md.

    >>> from banister.local import design
    >>> proof = design(epsilon=1, prior=[0.5, 0.3, 0.2], utility="mutual-information").certificate
    >>> proof.utility_name, round(proof.utility, 6), proof.gap < 1e-9
    ('mutual-information', 0.11412, True)
    """

    utility_name: str
    method: str
    utility: float
    upper_bound: float
    dual: Floats

    @property
    def gap(self) -> float:
        """How much, at most, a better channel could add, as a part of the upper bound."""
        return 0.0 if self.upper_bound == 0 else (self.upper_bound - self.utility) / abs(self.upper_bound)


class Channel(ABC):
    """A randomized map from one of `categories` answers to one of `outputs` reports.

    >>> from banister.local import RandomizedResponse
    >>> channel = RandomizedResponse(1, categories=4)
    >>> isinstance(channel, Channel), channel.categories, channel.outputs, round(channel.level, 9)
    (True, 4, 4, 1.0)
    """

    __slots__ = ()

    kind: ClassVar[str]
    """The name of this kind of channel in files."""
    packed: ClassVar[bool] = False
    """Whether a report is a row of bits, one per category, in 64-bit words; otherwise it is a whole number."""

    def _repr_html_(self) -> str:
        from banister.show.facts import facts_html

        return facts_html(self)

    @classmethod
    @abstractmethod
    def examples(cls) -> "tuple[Channel, ...]":
        """Small ones of this kind, for the contract tests."""

    @classmethod
    @abstractmethod
    def of_fields(cls, guarantee: Guarantee, fields: Fields, certificate: Certificate | None) -> "Channel":
        """The channel that `fields` were read from a file of; a field of the wrong kind is a TypeError."""

    @classmethod
    @abstractmethod
    def makers(cls) -> "dict[str, Maker]":
        """Ways to make one at a level (epsilon, delta) for so many categories, by the name that people call them."""

    @property
    @abstractmethod
    def categories(self) -> int:
        """How many answers there are; they are numbered from 0."""

    @property
    @abstractmethod
    def outputs(self) -> int:
        """How many reports there are."""

    @property
    @abstractmethod
    def rank(self) -> int:
        """How many things the reports tell apart; frequencies of all categories need as many as categories."""

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What the channel promises to each person about each answer."""

    @property
    @abstractmethod
    def level(self) -> float:
        """The true level: the largest ln Q(y|x)/Q(y|x'), rounded up to a double."""

    @abstractmethod
    def distance(self) -> arb | Fraction:
        """The largest total variation distance between the reports to two answers: a certified ball, or exact."""

    @property
    def likeliest(self) -> float:
        """The largest chance that any answer gives any report, or 1 where a kind does not say."""
        return 1.0

    @property
    @abstractmethod
    def certificate(self) -> Certificate | None:
        """Proof of optimality, where the channel comes from a design."""

    @property
    @abstractmethod
    def matrix(self) -> Floats:
        """Q(y|x) as doubles, one row per category; refused for large alphabets."""

    @abstractmethod
    def fields(self) -> dict[str, Field]:
        """The whole numbers and words that define the channel, apart from its guarantee."""

    @abstractmethod
    def draw(self, answers: Ints, bits: BitSource) -> Values:
        """Exact draws for answers that are known to be in the alphabet."""

    @abstractmethod
    def tallied(self, values: Values) -> Ints:
        """What checked reports count for; tallies of several heaps of reports add up, and estimates need no more."""

    @abstractmethod
    def unbiased_from(self, tally: Ints, people: int, commonest: int) -> Estimate:
        """The unbiased estimate from a tally of so many reports; the most common of them came so often, or oftener."""

    def unbiased(self, values: Values) -> Estimate:
        """The unbiased estimate from checked reports."""
        return self.unbiased_from(self.tallied(values), len(values), commonest(values))

    @abstractmethod
    def output_law(self, law: Floats) -> Floats:
        """The probability of each output when answers follow the law."""

    @abstractmethod
    def backward(self, weights: Floats) -> Floats:
        """Σ_y Q(y|x) weight_y for each category x."""

    def checked(self, values: Values) -> Values:
        """The values, if each one is a report of this channel."""
        return packed_reports(values, self.categories) if self.packed else whole_reports(values, self.outputs)

    def operators(self, values: Values) -> Operators:
        """The likelihood of checked reports, as a count of each output and the two directions of Q."""
        if self.packed:
            raise BadValue(
                f"Maximum likelihood is not offered for {self.kind.replace('-', ' ')}, whose reports are almost all "
                "different. Use estimate(reports).on_simplex()."
            )
        shares = np.bincount(values, minlength=self.outputs) / values.size
        return Operators(shares, self.output_law, self.backward, self.categories, values.size)

    def loss(self) -> PrivacyLoss:
        """What one report can give away, for the account of a person who answers more than once.

        The worst of all channels with its guarantee and its distance. That is the channel's own loss, exactly, where
        each report is one number or e^epsilon times it for every answer: for all kinds but matrices, and for every
        designed matrix but for the rounding to 2^-62.

        Upper bound: for other matrices, such as the geometric one.
        """
        return PrivacyLoss.of_distance(self.guarantee, self.distance())

    @property
    def utility(self) -> float:
        """What the designed channel keeps, rounded down."""
        return self._designed().utility

    @property
    def upper_bound(self) -> float:
        """What no channel of this level can exceed."""
        return self._designed().upper_bound

    @property
    def hash(self) -> str:
        """SHA-256 over the format version, the kind, the guarantee and every number that defines the channel."""
        text = json.dumps(self.definition(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def definition(self) -> dict[str, Field | dict[str, Field]]:
        """Everything that defines the channel, as plain values for a file."""
        promise = self.guarantee
        return {
            "format": FORMAT,
            "kind": self.kind,
            "epsilon": str(promise.epsilon),
            "delta": str(promise.delta),
            "fields": dict(self.fields()),
        }

    def respond(self, answers: Answers, bits: BitSource = SYSTEM) -> Reports:
        """Randomize one answer or a million; each draw is exact.

        Private:  every report satisfies the channel's guarantee about its own answer.
        """
        return Reports(self.hash, self.draw(self._answers(answers), bits))

    def estimate(self, reports: Reports | Values) -> Estimate:
        """Unbiased frequencies of the categories, with standard errors and intervals."""
        return self.unbiased(self._reports(reports))

    def maximum_likelihood(self, reports: Reports | Values, gap: float = 1e-9) -> Likelihood:
        """The most likely frequencies, by EM, stopped when no law is likelier by more than `gap` nats per report."""
        return maximise(self.operators(self._reports(reports)), gap)

    def _answers(self, answers: Answers) -> Ints:
        given = np.atleast_1d(np.asarray(answers))
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise BadValue(f"Answers must be whole numbers from 0 to {self.categories - 1}, one per person.")
        outside = (given < 0) | (given >= self.categories)
        if outside.any():
            raise BadValue(
                f"{int(outside.sum())} of {given.size} answers are outside the alphabet: this channel takes whole "
                f"numbers from 0 to {self.categories - 1}. Map each answer to its category first."
            )
        return given.astype(np.int64)

    def _reports(self, reports: Reports | Values) -> Values:
        if isinstance(reports, Reports):
            if reports.channel != self.hash:
                raise BadValue(
                    f"These reports come from another channel (hash {reports.channel[:12]}, this one is "
                    f"{self.hash[:12]}). Decode them with the channel that made them."
                )
            reports = reports.values
        if len(reports) == 0:
            raise BadValue("There are no reports, so there is nothing to estimate. Collect at least one.")
        return self.checked(np.asarray(reports))

    def _designed(self) -> Certificate:
        if self.certificate is None:
            raise BadValue("This channel was not designed for a utility. Use bn.local.design to get a certificate.")
        return self.certificate


def commonest(values: Values) -> int:
    """How often the most common report came."""
    single = values.size == len(values)  # Rows of one word are compared as whole numbers, which is faster.
    kinds = np.unique(values.ravel() if single else values, axis=0, return_counts=True)[1]
    return int(kinds.max())


def pure(promise: Guarantee) -> Fraction:
    """The epsilon of a promise without delta."""
    if promise.delta:
        raise BadValue(f"delta = {promise.delta} must be 0: this channel is private at a pure level. Leave delta out.")
    return promise.epsilon


def whole_reports(values: Values, outputs: int) -> Ints:
    """The values, if they are whole numbers from 0 to outputs - 1."""
    if values.ndim != 1 or values.dtype.kind not in "iu" or values.min() < 0 or values.max() >= outputs:
        raise BadValue(f"Reports of this channel are whole numbers from 0 to {outputs - 1}, one per person.")
    return values.astype(np.int64)


def packed_reports(values: Values, categories: int) -> Values:
    """The values, if they are rows of words with a bit for each category and none beyond."""
    words = -(-categories // 64)
    if values.ndim != 2 or values.dtype != np.int64 or values.shape[1] != words:
        raise BadValue(f"Reports of this channel are rows of {words} 64-bit words, one row per person.")
    if np.unpackbits(values[:, -1:].copy().view(np.uint8), axis=1)[:, categories - 64 * (words - 1) :].any():
        raise BadValue(f"A report has a bit beyond category {categories - 1}; it is not from this channel.")
    return values


def whole_field(value: Json) -> int:
    """A whole number of a file."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def cells_field(value: Json) -> Ints | None:
    """The cell of each category in a file, where it has them."""
    if value is None:
        return None
    if not isinstance(value, list):
        raise TypeError
    return np.array([whole_field(cell) for cell in value], dtype=np.int64)


def dense(categories: int, outputs: int) -> None:
    """Refuse to write out a matrix that nobody should hold in memory."""
    if categories * outputs > LARGEST_MATRIX:
        raise BadValue(
            f"The matrix would have {categories} x {outputs} entries. The channel draws and estimates without it."
        )
