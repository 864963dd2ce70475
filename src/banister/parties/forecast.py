"""What a joint question will be worth, before anyone takes part: accuracies for an observer and for each party."""

from collections.abc import Sequence
from dataclasses import dataclass

from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee
from banister.errors import BadValue
from banister.parties.games.functions import function_of
from banister.parties.games.game import OBSERVER, Game, Measure
from banister.parties.games.levels import LevelLike, level_of

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


def read_levels(parties: int | None, epsilon: str | None, delta: str, levels: str | None) -> list[Guarantee]:
    """One level for each party: `parties` times (epsilon, delta), or a list such as 1,1,0.5 or 1:1e-6,0.5."""
    if levels is not None:
        if epsilon is not None:
            raise BadValue("Give --levels (one a party), or --parties and --epsilon (the same for all), not both.")
        found = [_level(part, delta) for part in levels.split(",")]
        if parties is not None and parties != len(found):
            raise BadValue(f"--levels has {len(found)} levels and --parties is {parties}. Give one level a party.")
        return found
    if epsilon is None or parties is None:
        raise BadValue("Give --parties and --epsilon (the same for all), or --levels 1,1,0.5 (one for each party).")
    if not 1 <= parties <= 100_000:
        raise BadValue(f"parties = {parties} must be a whole number from 1 to 100000.")
    return [Guarantee(epsilon, delta)] * parties


def forecast(
    function: str, levels: Sequence[LevelLike], *, cost: str = "zero-one", prior: Number = "1/2"
) -> GameForecast:
    """The accuracies of a question.

    >>> round(forecast("xor", [1, 1]).lines[0].average, 6)
    0.606776
    """
    exact = [level_of(level) for level in levels]
    game = Game(function_of(function, len(exact)), exact, cost=cost, prior=prior)
    views = [("an observer", OBSERVER)]
    if game.function.symmetric and len(set(exact)) == 1:
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


def _level(text: str, delta: str) -> Guarantee:
    epsilon, colon, own = text.strip().partition(":")
    return Guarantee(epsilon, own if colon else delta)
