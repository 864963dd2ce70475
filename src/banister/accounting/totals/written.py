"""Lists of questions as people write them: "500 x laplace(0.05), 20 x staircase(0.3), 30 x (0.1, 0.001)"."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

from banister import need
from banister.accounting.charge import HasLoss, loss_of
from banister.core.privacy.guarantee import Guarantee
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue

_COUNTED = re.compile(r"(?:(\d[\d_]*(?:e\d+)?)\s*[x×*]\s*)?(.+)", re.DOTALL)
_CALL = re.compile(r"([a-z][a-z_]*)\s*\((.*)\)", re.DOTALL)
_HINT = "Write e.g. 30 x (0.1, 0.001), 500 x laplace(0.05) or 3 x gaussian(sigma=8)."


@dataclass(frozen=True, slots=True)
class AskedTimes:
    """So many releases of one kind."""

    words: str
    count: int
    loss: PrivacyLoss


def read_questions(text: str) -> tuple[AskedTimes, ...]:
    """The questions of a list, each with its loss. Noise is for a sensitivity of 1 unless the list says otherwise.

    >>> [(q.count, q.words) for q in read_questions("30 x (0.1, 0.001), gaussian(sigma=8)")]
    [(30, '(0.1, 0.001)'), (1, 'gaussian(sigma=8)')]
    """
    return tuple(_question(part) for part in _split(text))


def _question(part: str) -> AskedTimes:
    found = _COUNTED.fullmatch(part)
    count, words = (found[1], found[2].strip()) if found else (None, part)
    if not words:
        raise BadValue(f"There is an empty place in the list of questions. {_HINT}")
    times = need.whole("the number of questions", count.replace("_", ""), least=1) if count else 1
    return AskedTimes(words, times, _loss(words))


def _loss(words: str) -> PrivacyLoss:
    call = _CALL.fullmatch(words)
    if call:
        return _mechanism(call[1], _split(call[2]))
    inside = words.removeprefix("(").removesuffix(")") if words.startswith("(") else words
    numbers = _split(inside)
    if len(numbers) > 2 or not all(numbers):
        raise BadValue(f"'{words}' is not a question. {_HINT}")
    return loss_of(Guarantee(*numbers))


def _mechanism(name: str, arguments: list[str]) -> PrivacyLoss:
    """The loss of a mechanism called by its name: the first number is epsilon, the others say what they are."""
    if name == "pure":
        return loss_of(Guarantee(*arguments))
    kinds = _kinds()
    if name not in kinds:
        raise BadValue(f"'{name}' is not a mechanism. Known are pure, {', '.join(sorted(kinds))}. {_HINT}")
    given: dict[str, str] = {}
    for place, argument in enumerate(arguments):
        key, equals, value = argument.partition("=")
        if not equals and place > 0:
            raise BadValue(f"'{argument}' in {name}(...) needs a name, e.g. gamma={argument}.")
        given[key.strip() if equals else "epsilon"] = value.strip() if equals else argument
    return loss_of(_made(name, kinds[name], given))


def _made(name: str, kind: type, given: Mapping[str, str]) -> HasLoss:
    """Through the constructor whose parameters these are: the first one, or one named for what is given."""
    own = [getattr(kind, f"with_{key}") for key in given if hasattr(kind, f"with_{key}")]
    for make in (*own, kind):
        wanted = inspect.signature(make).parameters
        full = {"sensitivity": "1", **given} if "sensitivity" in wanted else dict(given)
        required = {key for key, one in wanted.items() if one.default is inspect.Parameter.empty}
        if required <= set(full) <= set(wanted):
            made: HasLoss = make(**full)
            return made
    fields = ", ".join(inspect.signature(kind).parameters)
    raise BadValue(f"{name}({', '.join(given)}) does not say what it needs. Its parameters are: {fields}.")


def _kinds() -> dict[str, type]:
    """Every mechanism for one number, under the name of its file."""
    from banister import mechanisms

    found = {}
    for module in mechanisms.ALL:
        own = (kind for _, kind in inspect.getmembers(module, inspect.isclass) if kind.__module__ == module.__name__)
        found.update({module.__name__.rsplit(".", 1)[-1]: kind for kind in own if hasattr(kind, "loss")})
    return found


def _split(text: str) -> list[str]:
    """The parts between commas that are not inside parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise BadValue(f"The parentheses in '{text}' do not match. {_HINT}")
    return [part.strip() for part in parts]
