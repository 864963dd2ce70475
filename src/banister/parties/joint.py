"""Joint questions at the front door: functions, games with their accuracy, and decisions."""

from collections.abc import Sequence

from banister.core.privacy.guarantee import Guarantee
from banister.core.programs.linear import Floats, LinearSolver
from banister.parties.games import views
from banister.parties.games.closed_forms import (
    and_accuracy,
    curator_accuracy,
    majority_limit,
    sum_squared_error,
    two_party_and_worst,
    xor_accuracy,
)
from banister.parties.games.coin import PublicCoin, best_coin
from banister.parties.games.functions import (
    JointFunction,
    argmax,
    conjunction,
    disjunction,
    formula,
    function_of,
    majority,
    mean,
    of_table,
    threshold,
    total,
    xor,
)
from banister.parties.games.game import AnyGame, Decision
from banister.parties.games.levels import LevelLike, Symbol, levels_of
from banister.parties.games.protocols import coincident_reveals, protocol_average, protocol_delta
from banister.parties.games.scores import Score
from banister.parties.games.views import View, views_together
from banister.parties.games.worst import WorstCase
from banister.sampling.simulation import seeded

__all__ = [
    "Decision",
    "Game",
    "JointFunction",
    "PublicCoin",
    "Score",
    "Symbol",
    "View",
    "WorstCase",
    "and_accuracy",
    "argmax",
    "coalition_view",
    "coincident_reveals",
    "conjunction",
    "curator_accuracy",
    "disjunction",
    "formula",
    "function_of",
    "majority",
    "majority_limit",
    "mean",
    "of_table",
    "protocol_average",
    "protocol_delta",
    "public_coin",
    "seeded",
    "sum_squared_error",
    "threshold",
    "total",
    "two_party_and_worst",
    "views_together",
    "xor",
    "xor_accuracy",
]


class Game(AnyGame):
    """A joint question with everybody's level; worst cases are solved by HiGHS.

    >>> game = Game(function=xor(5), levels=[1.0] * 5)
    >>> round(game.accuracy(measure="average"), 6), round(game.accuracy(measure="worst"), 6)
    (0.510537, 0.510537)
    >>> game.decide([1, 0, 0, 1, 1]).answer
    Fraction(1, 1)
    """

    __slots__ = ()

    def _solver(self) -> LinearSolver:
        from banister.core.programs.highs import HighsSolver

        return HighsSolver()


def public_coin(game: AnyGame) -> PublicCoin:
    """The best law of the set of parties that reveal, for levels with delta > 0; see `PublicCoin`.

    >>> coin = public_coin(Game(xor(2), [(0, 0.1), (0, 0.1)]))
    >>> round(coin.accuracy, 6), round(coin.independent, 6)
    (0.55, 0.505)
    """
    from banister.core.programs.highs import HighsSolver

    return best_coin(game, HighsSolver())


def coalition_view(
    levels: Sequence[LevelLike], party: int, coalition: Sequence[int], *, prior: Floats | None = None
) -> View:
    """What a coalition (numbers from 1) learns about a party; a joint prior of 2^k chances if bits belong together.

    Without a prior the answer holds whatever the bits of the others are.

    >>> round(coalition_view([1, 1, 2], 3, [1]).delta_at(2), 12)
    0.0
    """
    exact: tuple[Guarantee, ...] = levels_of(levels, len(levels))
    if prior is None:
        return views.coalition_view(exact, party, coalition)
    return views.coalition_view_with_prior(exact, party, coalition, prior)
