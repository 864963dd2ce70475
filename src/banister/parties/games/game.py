"""A joint question with everybody's level: its accuracy before anyone takes part, and the best decision afterwards."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Literal, Self

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, Ints
from banister.errors import BadValue
from banister.parties.games import closed_forms, counts, tables
from banister.parties.games.functions import JointFunction
from banister.parties.games.levels import (
    ABSENT,
    LevelLike,
    chance_of_one,
    levels_of,
    possible,
    prior_of,
    response_matrix,
)
from banister.parties.games.scores import CostLike, Score, guess_exact
from banister.parties.games.worst import MOST_INPUTS, WorstCase, best_worst_case, certified, with_free_guesses
from banister.sampling.simulation import Generator

Measure = Literal["average", "worst"]
OBSERVER = 0
"""The view of somebody who holds no bit; party i is the view i, from 1 on."""
HALF = Fraction(1, 2)
_NEGLIGIBLE = 1e-20
_ROUNDING = 2.0**-50

Transcript = Sequence[int | None]
"""What each party said, in order; None for one that said nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The best answer to give, what it is expected to score, and (for a random rule) the chance of each answer.

    >>> from banister.parties import majority
    >>> found = Game(majority(3), [1, 1, 1]).decide([1, 1, None])
    >>> found.answer, round(found.expected, 6), found.missing
    (Fraction(1, 1), 0.731059, (3,))
    """

    answer: Number
    expected: float
    chances: tuple[tuple[Number, float], ...]
    missing: tuple[int, ...]
    """The parties that said nothing, numbered from 1."""


class Game:
    """A function, one level per party, what a wrong answer costs, and a prior for the average.

    The prior is the chance of a 1 (the same for all, or one number a party: independent bits), or a table of 2^k
    chances for bits that belong together.

    >>> from banister.parties import xor
    >>> game = Game(function=xor(5), levels=[1.0] * 5)
    >>> round(game.accuracy(measure="average"), 6), round(game.accuracy(measure="worst"), 6)
    (0.510537, 0.510537)
    >>> game.decide([1, 0, 0, 1, 1]).answer
    Fraction(1, 1)
    """

    __slots__ = ("cost", "function", "joint_prior", "levels", "prior", "score")

    def __init__(
        self,
        function: JointFunction,
        levels: Sequence[LevelLike],
        *,
        cost: CostLike = "zero-one",
        prior: Number | Sequence[Number] | Floats = HALF,
    ) -> None:
        self.function = function
        self.levels = levels_of(levels, function.parties)
        self.cost = cost
        self.score = Score.of(cost, function.values)
        self.prior: Number | Sequence[Number] = prior.tolist() if isinstance(prior, np.ndarray) else prior
        self.joint_prior = _joint(self.prior, function.parties)

    @property
    def parties(self) -> int:
        return self.function.parties

    def accuracy(self, measure: Measure = "average", *, view: int = OBSERVER) -> float:
        """The best expected score: the chance of the right answer, or minus the expected cost.

        Average over the prior, or the worst case over all inputs (what the best rule secures). `view` is 0 for an
        observer, or the number of a party that knows its own bit.

        Exact:  the average to 10^-12; the worst case is rounded down within its certified bracket, `worst_case`.
        Optimal: for delta = 0 no protocol of these levels does better, however interactive ([K16] Thm 4.4.1); for
                delta > 0 no independent reports do (docs/math/parties-optimality.md).
        """
        if need.one_of("measure", measure, ("average", "worst")) == "worst":
            seen_by = [self] if self._viewer(view) == OBSERVER else [self.knowing(view, bit) for bit in (0, 1)]
            return min(game._secured() for game in seen_by)
        if self._viewer(view) == OBSERVER:
            return self._average()
        chances = [self._chance(view - 1, bit) for bit in (0, 1)]
        seen = [self.knowing(view, bit)._average() if chance else 0.0 for bit, chance in enumerate(chances)]
        return chances[0] * seen[0] + chances[1] * seen[1]

    def risk(self, measure: Measure = "average", *, view: int = OBSERVER) -> float:
        """The least expected cost: one minus the accuracy for zero-one, else minus the accuracy."""
        gained = self.accuracy(measure, view=view)
        return 1 - gained if self.score.name == "zero-one" else -gained

    def worst_cases(self, *, view: int = OBSERVER) -> tuple[WorstCase, ...]:
        """The certified best rule for the worst case: one for an observer, two (for each own bit) for a party."""
        if self._viewer(view) == OBSERVER:
            return (self._worst(),)
        return tuple(self.knowing(view, bit)._worst() for bit in (0, 1))

    def decide(self, transcript: Transcript, measure: Measure = "average") -> Decision:
        """The best answer after what was said; None in the transcript stands for a party that said nothing."""
        need.one_of("measure", measure, ("average", "worst"))
        heard = self._heard(transcript)
        missing = tuple(number for number, symbol in enumerate(heard, 1) if symbol is None)
        law = self.answer_law(heard)
        used = np.flatnonzero(law > _NEGLIGIBLE)
        part = self.score.among(used)
        if measure == "average":
            worth, guess = part.best((part.features() @ law[used])[:, None])
            answer = self._guess(float(guess[0]))
            return Decision(answer, float(worth[0]), ((answer, 1.0),), missing)
        present = self.without(*missing) if missing else self
        chances = present._chances(heard)
        guesses = self.score.guesses
        if self.score.free:  # The mean of a random guess is never worse.
            said_once = float(chances @ guesses)
            return Decision(said_once, -float(law @ (self.score.truth - said_once) ** 2), ((said_once, 1.0),), missing)
        worth_of = float(law @ self.score.worth @ chances)
        said = tuple((self._guess(float(g)), float(c)) for g, c in zip(guesses, chances, strict=True) if c > 0)
        return Decision(max(said, key=lambda pair: pair[1])[0], worth_of, said, missing)

    def estimate_accuracy(self, trials: int, chance: Generator) -> tuple[float, float]:
        """The average accuracy and its standard error from simulated transcripts, for many different levels.

        Each trial draws bits and symbols with the seeded generator and adds what the best answer then earns, so that
        only the transcript is left to chance, not the answer.
        """
        need.whole("trials", trials, least=2)
        if self.joint_prior is not None:
            raise BadValue("Simulation takes independent bits. A joint prior is small enough for accuracy().")
        priors = np.array([float(prior) for prior in self.priors])
        laws = [np.cumsum(response_matrix(level), axis=1) for level in self.levels]
        earned = np.empty(trials)
        for trial in range(trials):
            held = (chance.random(self.parties) < priors).astype(np.int64)
            uniform = chance.random(self.parties)
            said = [int((law[bit, :-1] <= u).sum()) for law, bit, u in zip(laws, held, uniform, strict=True)]
            earned[trial] = self.decide(said).expected
        return float(earned.mean()), float(earned.std(ddof=1) / math.sqrt(trials))

    def answer_law(self, transcript: Transcript) -> Floats:
        """The chance of each true answer given what was said, under the prior."""
        heard = self._heard(transcript)
        if self.function.symmetric and self.joint_prior is None:
            triples = zip(self.priors, self.levels, heard, strict=True)
            law = counts.count_law(np.array([chance_of_one(*triple) for triple in triples]))
        else:
            columns = [
                np.ones(2) if symbol is None or level == ABSENT else response_matrix(level)[:, symbol]
                for level, symbol in zip(self.levels, heard, strict=True)
            ]
            law = self._input_prior() * reduce(np.multiply.outer, columns, np.ones(1)).ravel()
            if not law.sum() > 0:
                raise BadValue("What was said is impossible under the prior. Check the prior.")
            law = law / law.sum()
        index = self.function.index if self.function.symmetric and law.size == self.parties + 1 else None
        places = self.function.table() if index is None else index
        return np.bincount(places, weights=law, minlength=len(self.function.answers)).astype(np.float64)

    def without(self, *absent: int) -> Self:
        """The same game when those parties (numbered from 1) say nothing."""
        gone = {self._viewer(number) for number in absent} - {OBSERVER}
        levels = [ABSENT if number in gone else level for number, level in enumerate(self.levels, 1)]
        return type(self)(self.function, levels, cost=self.cost, prior=self.prior)

    def knowing(self, party: int, bit: int) -> Self:
        """The game of the other parties, as that party (from 1) sees it when it holds that bit."""
        if self._viewer(party) == OBSERVER or bit not in (0, 1):
            raise BadValue("A party's view needs its number, from 1 on, and its bit, 0 or 1.")
        levels = self.levels[: party - 1] + self.levels[party:]
        rest = self.function.given(party - 1, bit)
        if self.joint_prior is None:
            prior: Number | Sequence[Number] = self.priors[: party - 1] + self.priors[party:] or HALF
        else:
            cut = np.take(self.joint_prior.reshape((2,) * self.parties), bit, axis=party - 1).ravel()
            if not cut.sum() > 0:
                raise BadValue(f"Under the prior, party {party} never holds that bit.")
            prior = [Fraction(float(x)) for x in cut / cut.sum()]
        return type(self)(rest, levels, cost=self.cost, prior=prior)

    @property
    def priors(self) -> tuple[Fraction, ...]:
        """The chance of a 1 for each party, when bits are independent."""
        if isinstance(self.prior, str) or not isinstance(self.prior, Sequence):
            return (prior_of(self.prior),) * self.parties
        return tuple(prior_of(value, f"prior[{number}]") for number, value in enumerate(self.prior))

    def _average(self) -> float:
        uniform = self.joint_prior is None and all(prior == HALF for prior in self.priors)
        if uniform and self._alternates():
            return closed_forms.xor_accuracy(self.levels)
        if self.function.name in ("sum", "mean") and self.score.free and self.joint_prior is None:
            step = float(self.function.answers[1] - self.function.answers[0])
            return -closed_forms.sum_squared_error(self.levels, self.priors) * step**2
        if self.function.symmetric and self.joint_prior is None:
            return counts.average_value(self.function, self.levels, self.priors, self.score)
        return tables.average_value(self.function.table(), self.levels, self._input_prior(), self.score)

    def _alternates(self) -> bool:
        """Whether it is the XOR of the bits that is asked for, or its opposite."""
        parity = np.arange(self.parties + 1) % 2
        if not self.function.symmetric or self.score.name != "zero-one" or self.parties == 0:
            return False
        return np.array_equal(self.function.index, parity) or np.array_equal(self.function.index, 1 - parity)

    def _secured(self) -> float:
        """What the best rule scores for sure, whatever the bits: in closed form where there is one."""
        if self._alternates():
            return max(0.5, closed_forms.xor_accuracy(self.levels) - _ROUNDING)  # A tossed coin is right half the time.
        return self._worst().value.down

    def _chances(self, heard: Transcript) -> Floats:
        """The chance of each guess, by the rule that secures most, after what was said."""
        if self._alternates():  # In closed form, as what it secures: levels may all differ.
            return counts.parity_said(heard, self.levels, int(self.function.index[0]))
        listed: Floats = self._worst().rule[self._place(heard)]
        return listed

    def _worst(self) -> WorstCase:
        if self.score.worth.size == 0:
            raise BadValue(f"The worst case of '{self.function.name}' of {self.parties} parties is too large to solve.")
        if not self.function.symmetric:
            return self._solved(tables.protocol_matrix(self.levels), self.function.index)
        groups = list(Counter(self.levels).items())
        states = math.prod(count + 1 for _, count in groups)
        outcomes = math.prod(len(counts.outcome_keys(count, level)) for level, count in groups)
        if states > MOST_INPUTS or states * outcomes > tables.MOST_ENTRIES:
            raise BadValue(
                f"The worst case over {states} counts and {outcomes} outcomes is too large to solve. Ask for "
                "measure='average', for fewer different levels, or for fewer parties."
            )
        laws = [counts.law_given_true_count(count, level) for level, count in groups]
        ones = reduce(np.add.outer, [np.arange(count + 1) for _, count in groups], np.zeros((), dtype=np.int64))
        law = reduce(lambda a, b: np.kron(a, b).astype(np.float64, copy=False), laws, np.ones((1, 1)))
        answers = self.function.index[ones.ravel()]
        if self._alternates():
            rule, prior = counts.parity_rule(groups, int(self.function.index[0]))
            return certified(law, answers, self.score.worth, rule, prior)
        return self._solved(law, answers)

    def _solved(self, law: Floats, answers: Ints) -> WorstCase:
        case = best_worst_case(law, answers, self.score.worth, SOLVER)
        if not self.score.free:
            return case
        return with_free_guesses(case, law, self.score.truth[answers], self.score.guesses, SOLVER)

    def _place(self, heard: Transcript) -> int:
        """The row of the worst-case rule for what was said."""
        if not self.function.symmetric:
            sizes = [response_matrix(level).shape[1] for level in self.levels]
            return reduce(lambda at, pair: at * pair[1] + (pair[0] or 0) % pair[1], zip(heard, sizes, strict=True), 0)
        place = 0
        for level, count in Counter(self.levels).items():
            said = [symbol for symbol, own in zip(heard, self.levels, strict=True) if own == level]
            keys = counts.outcome_keys(count, level)
            key = (0, 0, 0) if level == ABSENT else (said.count(2), said.count(3), said.count(1))
            place = place * len(keys) + keys.index(key)
        return place

    def _heard(self, transcript: Transcript) -> tuple[int | None, ...]:
        if len(transcript) != self.parties:
            raise BadValue(
                f"The transcript has {len(transcript)} symbols for {self.parties} parties. Put None for one that is "
                "missing."
            )
        for number, (symbol, level) in enumerate(zip(transcript, self.levels, strict=True), 1):
            if symbol is not None and not possible(level, symbol):
                raise BadValue(
                    f"Party {number} has the level {level} and cannot say {symbol!r}. Symbols are 0 and 1, and with "
                    "delta above 0 also 2 (surely 0) and 3 (surely 1)."
                )
        return tuple(None if symbol is None else int(symbol) for symbol in transcript)

    def _viewer(self, view: int) -> int:
        return need.whole("party", view, least=0, most=self.parties)

    def _chance(self, party: int, bit: int) -> float:
        if self.joint_prior is None:
            one = float(self.priors[party])
        else:
            one = float(np.take(self.joint_prior.reshape((2,) * self.parties), 1, axis=party).sum())
        return one if bit else 1 - one

    def _input_prior(self) -> Floats:
        return tables.product_prior(self.priors) if self.joint_prior is None else self.joint_prior

    def _guess(self, guess: float) -> Number:
        return guess_exact(self.function.answers, guess) if self.score.name != "matrix" else int(guess)


def _joint(prior: Number | Sequence[Number], parties: int) -> Floats | None:
    """The table of chances, where the prior is one; None where bits are independent."""
    if isinstance(prior, str) or not isinstance(prior, Sequence):
        prior_of(prior)
        return None
    if len(prior) == parties:
        for number, value in enumerate(prior):
            prior_of(value, f"prior[{number}]")
        return None
    if parties > 20 or len(prior) != 1 << parties:
        raise BadValue(
            f"prior has {len(prior)} numbers; {parties} parties need one number, {parties} numbers (independent bits) "
            "or 2^k numbers (one for each input)."
        )
    table = np.array([float(need.between("a chance of the prior", value, 0, 1)) for value in prior])
    if not abs(table.sum() - 1) < 1e-9:
        raise BadValue(f"The chances of the prior sum to {table.sum():.9g}, not 1.")
    chances: Floats = table / table.sum()
    return chances
