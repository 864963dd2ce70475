"""delta > 0 used well: one public coin chooses who reveals, all others say a randomized bit.

Independent reports let each party reveal on its own with chance delta_i, so reveals rarely fall together. A coin that
all trust may choose the set of those who reveal: party i is in it with chance at most delta_i, which is all that its
(epsilon_i, delta_i) needs. The average accuracy is linear in the law of that set, so the best law is a linear program.
Better than independent reports wherever the function gains from joint reveals; not claimed best among all protocols.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.default import SOLVER
from banister.core.programs.linear import Floats, LinearProgram, LinearSolver
from banister.errors import BadValue
from banister.parties.games.game import Game
from banister.parties.games.levels import Symbol
from banister.sampling.bernoulli import bernoulli
from banister.sampling.bits import BitSource
from banister.sampling.uniform import uniform_below

MOST_SETS = 10
"""Parties of different levels up to which every set is tried; parties of one level are counted."""


@dataclass(frozen=True, slots=True)
class PublicCoin:
    """The law of the set of parties that reveal: pairs of a set (parties from 1) and its exact chance.

    `shuffled` means that only the size of each set counts: which parties reveal is drawn evenly among all of that size.

    >>> from banister.parties import xor
    >>> coin = public_coin(Game(xor(2), [(0, 0.1), (0, 0.1)]))
    >>> coin.reveals, round(coin.advantage, 6)
    ((((), Fraction(9, 10)), ((1, 2), Fraction(1, 10))), 0.045)
    """

    reveals: tuple[tuple[tuple[int, ...], Fraction], ...]
    shuffled: bool
    parties: int
    accuracy: float
    """The best average score with this coin."""
    independent: float
    """The best average score when each party reveals on its own."""

    @property
    def advantage(self) -> float:
        return self.accuracy - self.independent

    def chance(self, party: int) -> Fraction:
        """The exact chance that a party (from 1) reveals; at most its delta."""
        if self.shuffled:
            return sum((chance * len(who) / self.parties for who, chance in self.reveals), Fraction(0))
        return sum((chance for who, chance in self.reveals if party in who), Fraction(0))

    def draw(self, bits: BitSource) -> tuple[int, ...]:
        """Who reveals, this time. All must trust this draw: who chooses it can make anybody reveal."""
        left = Fraction(1)
        for who, chance in self.reveals:
            if bernoulli(chance / left, bits):
                return self._members(who, bits)
            left -= chance
        return ()

    def _members(self, who: tuple[int, ...], bits: BitSource) -> tuple[int, ...]:
        if not self.shuffled:
            return who
        pool = list(range(1, self.parties + 1))
        return tuple(sorted(pool.pop(uniform_below(len(pool), bits)) for _ in who))


def public_coin(game: Game, solver: LinearSolver = SOLVER) -> PublicCoin:
    """The best law of the set of parties that reveal, for levels with delta > 0; see `PublicCoin`.

    >>> from banister.parties import xor
    >>> coin = public_coin(Game(xor(2), [(0, 0.1), (0, 0.1)]))
    >>> round(coin.accuracy, 6), round(coin.independent, 6)
    (0.55, 0.505)
    """
    shuffled = game.function.symmetric and len(set(zip(game.levels, game.priors, strict=True))) == 1
    k = game.parties
    if not shuffled and k > MOST_SETS:
        raise BadValue(
            f"{k} parties of different levels have 2^{k} sets that may reveal; up to {MOST_SETS} are tried. "
            "Give all parties one level and one prior, with a function of the number of ones."
        )
    sizes = range(k + 1)
    sets = (
        [tuple(range(1, m + 1)) for m in sizes]
        if shuffled
        else [who for m in sizes for who in combinations(range(1, k + 1), m)]
    )
    values = np.array([_revealing(game, who).accuracy() for who in sets])
    law = _best_law(game, sets, values, solver, shuffled=shuffled)
    value = float(sum(float(chance) * values[place] for place, chance in law.items()))
    reveals = tuple((sets[place], chance) for place, chance in law.items() if chance > 0)
    return PublicCoin(reveals, shuffled, k, value, game.accuracy())


def _revealing(game: Game, who: tuple[int, ...]) -> Game:
    """The game in which those parties say their bits openly and the others only randomize."""
    levels = [
        Guarantee(level.epsilon, 1) if number in who else Guarantee(level.epsilon)
        for number, level in enumerate(game.levels, 1)
    ]
    return type(game)(game.function, levels, cost=game.cost, prior=game.prior)


def _best_law(
    game: Game, sets: list[tuple[int, ...]], values: Floats, solver: LinearSolver, *, shuffled: bool
) -> dict[int, Fraction]:
    deltas = [level.delta for level in game.levels]
    limits = deltas[:1] if shuffled else deltas
    k = game.parties
    member = [
        [Fraction(len(who), k) if shuffled else Fraction(int(i in who)) for i in range(1, len(limits) + 1)]
        for who in sets
    ]
    columns = np.array([[float(x) for x in row] + [1.0] for row in member])
    rows = len(limits) + 1
    found = solver.solve(
        LinearProgram(
            cost=-values,
            lower=np.zeros(len(sets)),
            upper=np.ones(len(sets)),
            row_lower=np.append(np.zeros(len(limits)), 1.0),
            row_upper=np.append([float(delta) for delta in limits], 1.0),
            starts=np.arange(len(sets) + 1) * rows,
            rows=np.tile(np.arange(rows), len(sets)),
            values=columns.ravel(),
        )
    )
    return _within(found.point, member, limits)


def _within(point: Floats, member: list[list[Fraction]], limits: list[Fraction]) -> dict[int, Fraction]:
    """The proposed law in exact fractions, scaled so that nobody reveals with more than its delta."""
    law = {place: Fraction(float(x)).limit_denominator(10**12) for place, x in enumerate(point) if place and x > 1e-12}
    for party, limit in enumerate(limits):
        chance = sum((law[place] * member[place][party] for place in law), Fraction(0))
        if chance > limit:
            law = {place: x * limit / chance if member[place][party] else x for place, x in law.items()}
    whole = sum(law.values(), Fraction(0))
    if whole > 1:
        law = {place: x / whole for place, x in law.items()}
    return {0: 1 - sum(law.values(), Fraction(0)), **law}


def play(coin: tuple[int, ...], game: Game, transcript: tuple[int | None, ...]) -> Game:
    """The game to decide in once the coin has fallen: those who reveal say a sure symbol, the others never do."""
    for number, symbol in enumerate(transcript, 1):
        sure = symbol in (Symbol.SURE_ZERO, Symbol.SURE_ONE)
        if symbol is not None and sure != (number in coin):
            raise BadValue(f"Party {number} did not follow the coin: those who reveal, and only they, say 2 or 3.")
    return _revealing(game, coin)
