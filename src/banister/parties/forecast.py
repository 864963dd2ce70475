"""What a joint question will be worth, before anyone takes part: accuracies for an observer and for each party."""

from dataclasses import dataclass

from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.parties.games.functions import function_of
from banister.parties.games.game import OBSERVER, Game, Measure
from banister.parties.request import MeetingRequest

MOST_VIEWS = 12
"""Parties with views of their own that are worked out one by one."""


@dataclass(frozen=True, slots=True)
class Expected:
    """Who decides, and how well: on average and at worst; a text where one of them cannot be told."""

    who: str
    average: float | str
    worst: float | str


@dataclass(frozen=True, slots=True)
class GameForecast:
    """A game with its accuracies, and what knowing nothing and hearing every bit would give on average."""

    game: Game
    lines: tuple[Expected, ...]
    blind: float
    open: float


def forecast(asked: MeetingRequest) -> GameForecast:
    """The accuracies of a question.

    >>> round(forecast(MeetingRequest.of("xor", [1, 1])).lines[0].average, 6)
    0.606776
    """
    levels, cost, prior = asked.levels, asked.cost, asked.prior
    game = Game(function_of(asked.function, len(levels)), levels, cost=cost, prior=prior)
    views = [("an observer", OBSERVER)]
    if game.function.symmetric and len(set(levels)) == 1:
        views.append(("each party", 1))
    else:
        views += [(f"party {number}", number) for number in range(1, min(game.parties, MOST_VIEWS) + 1)]
    lines = tuple(Expected(who, _try(game, "average", view), _try(game, "worst", view)) for who, view in views)
    nothing = Game(game.function, [Guarantee(0)] * game.parties, cost=cost, prior=prior)
    return GameForecast(game, lines, nothing.accuracy(), 1.0 if game.score.name == "zero-one" else 0.0)


def _try(game: Game, measure: Measure, view: int) -> float | str:
    try:
        return game.accuracy(measure, view=view)
    except BadValue as error:
        return str(error)
