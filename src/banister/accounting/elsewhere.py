"""What other libraries gave away about the same people, as a loss that the ledger composes with its own.

An event says what was done, not what it cost: Gaussian noise of a multiplier, a sample of some rate, so many steps. Its
loss follows by our own account, with certified brackets, whatever the other library's account said.

    epsilon-delta    epsilon, delta                      a guarantee as it was promised
    gaussian         noise_multiplier                    sigma over the sensitivity
    laplace          noise_multiplier                    the scale over the sensitivity
    zcdp             rho, delta                          rho-zero-concentrated; at that delta, by the best conversion
    poisson-sampled  rate, of                            each person enters with that chance; add-remove alone
    repeated         times, of                           the same event, independently
    composed         of                                  several events
    dp-sgd           noise_multiplier, rate, steps       a training run: sampled Gaussian noise, repeated
    nothing                                              costs nothing
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

from banister import need
from banister.accounting.protects import Protects
from banister.accounting.receipt import Receipt
from banister.accounting.totals.convert import epsilon_of_zcdp
from banister.accounting.totals.subsample import poisson_sampled
from banister.core.exact.numbers import Number
from banister.core.privacy.guarantee import Guarantee, Neighbours
from banister.core.privacy.loss import PrivacyLoss
from banister.errors import BadValue
from banister.foreign import parse_json, read_text

if TYPE_CHECKING:
    from banister.accounting.ledger import Ledger

FORMAT = "banister spent 1"
MOST_BYTES = 1 << 20
MOST_EVENTS = 10_000
DEEPEST = 20
KEYS = {"format", "label", "neighbours", "unit", "tables", "event"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentElsewhere:
    """What was given away by another program, about whom, and under which relation.

    >>> training = SpentElsewhere.of_document({
    ...     "format": "banister spent 1", "label": "a model of June", "neighbours": "add-remove", "unit": "person id",
    ...     "event": {"event": "dp-sgd", "noise_multiplier": "1", "rate": "1/100", "steps": 100}})
    >>> print(f"{training.loss.epsilon_at(1e-5).up:.2f} at delta 1e-5")
    0.72 at delta 1e-5
    """

    label: str
    neighbours: Neighbours
    protects: Protects
    loss: PrivacyLoss
    digest: str = ""
    """The hash of the file it was read from: under the same one nothing is charged twice."""

    @classmethod
    def of_file(cls, path: str | Path) -> "SpentElsewhere":
        """Read it from a JSON file, strictly."""
        text = read_text(Path(path), "a list of what was spent elsewhere", most_bytes=MOST_BYTES)
        found = parse_json(text, f"{path} is not a list of what was spent elsewhere")
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        try:
            return cls.of_document(found, digest=digest)
        except BadValue as error:
            raise BadValue(f"{path}: {error}") from None

    @classmethod
    def of_document(cls, document: object, *, digest: str = "") -> "SpentElsewhere":
        """Read it from a JSON object."""
        found = _object(document, "the file")
        if found.get("format") != FORMAT:
            raise BadValue(f'"format" must be "{FORMAT}".')
        if unknown := sorted(set(found) - KEYS):
            raise BadValue(f"'{unknown[0]}' is not known; it may hold {', '.join(sorted(KEYS))}.")
        tables = found.get("tables", [])
        if not isinstance(tables, list):
            raise BadValue('"tables" must be a list of names.')
        words = tuple(each.value for each in Neighbours)
        relation = need.one_of("neighbours", str(found.get("neighbours", "")), words)
        return cls(
            label=str(found.get("label", "")),
            neighbours=Neighbours(relation),
            protects=Protects(unit=str(found.get("unit", "")), tables=tuple(map(str, tables))),
            loss=loss_of_event(found.get("event")),
            digest=digest,
        )

    def charge(self, ledger: "Ledger") -> Receipt:
        """Charge it to a ledger; the same file twice is charged once."""
        key = f"spent elsewhere {self.digest}" if self.digest else ""
        return ledger.charge(self.loss, label=self.label, neighbours=self.neighbours, protects=self.protects, key=key)


def loss_of_event(event: object) -> PrivacyLoss:
    """The loss of what another library did: an event as a JSON object, or an object of that library itself.

    Known by their names: the events of dp-accounting, and the budgets of Tumult Analytics.

    >>> twice = {"event": "repeated", "times": 2, "of": {"event": "epsilon-delta", "epsilon": "1/2", "delta": 0}}
    >>> loss_of_event(twice).epsilon_at(0).up
    1.0
    """
    return _loss(_plain(event), 0, [0])


def _loss(event: Mapping[str, object], depth: int, seen: list[int]) -> PrivacyLoss:
    seen[0] += 1
    if depth > DEEPEST or seen[0] > MOST_EVENTS:
        raise BadValue(f"Events may be nested {DEEPEST} deep and be {MOST_EVENTS:,} in all. Use 'repeated' for many.")
    name = event.get("event")
    if not isinstance(name, str) or name not in EVENTS:
        raise BadValue(f"The event {str(name)[:60]!r} is not known. Known are {', '.join(EVENTS)}.")
    needed, made = EVENTS[name]
    if set(event) != {"event", *needed}:
        raise BadValue(f"The event '{name}' needs {', '.join(needed) or 'nothing else'}, and nothing else.")

    def inner(part: object) -> PrivacyLoss:
        return _loss(_plain(part), depth + 1, seen)

    return made(event, inner)


Inner = Callable[[object], PrivacyLoss]


def _number(event: Mapping[str, object], name: str) -> Fraction:
    return need.exact(name, cast(Number, event[name]))


def _promised(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    return PrivacyLoss.of_guarantee(Guarantee(_number(event, "epsilon"), _number(event, "delta")))


def _gaussian(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    return PrivacyLoss.gaussian(1 / need.positive("noise_multiplier", _number(event, "noise_multiplier")) ** 2)


def _laplace(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    return PrivacyLoss.laplace(1 / need.positive("noise_multiplier", _number(event, "noise_multiplier")))


def _concentrated(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    delta = _number(event, "delta")
    return PrivacyLoss.of_guarantee(Guarantee(epsilon_of_zcdp(_number(event, "rho"), delta=delta), delta))


def _sampled(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    return poisson_sampled(inner(event["of"]), rate=_number(event, "rate"))


def _repeated(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    return inner(event["of"]).times(_times(event, "times"))


def _composed(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    parts = event["of"]
    if not isinstance(parts, list):
        raise BadValue("The event 'composed' needs a list of events in \"of\".")
    return PrivacyLoss.nothing().with_(*(inner(part) for part in parts))


def _training(event: Mapping[str, object], inner: Inner) -> PrivacyLoss:
    return poisson_sampled(_gaussian(event, inner), rate=_number(event, "rate")).times(_times(event, "steps"))


def _times(event: Mapping[str, object], name: str) -> int:
    return need.whole(name, cast(Number, event[name]), least=1, most=10**9)


EVENTS: dict[str, tuple[tuple[str, ...], Callable[[Mapping[str, object], Inner], PrivacyLoss]]] = {
    "epsilon-delta": (("epsilon", "delta"), _promised),
    "gaussian": (("noise_multiplier",), _gaussian),
    "laplace": (("noise_multiplier",), _laplace),
    "zcdp": (("rho", "delta"), _concentrated),
    "poisson-sampled": (("rate", "of"), _sampled),
    "repeated": (("times", "of"), _repeated),
    "composed": (("of",), _composed),
    "dp-sgd": (("noise_multiplier", "rate", "steps"), _training),
    "nothing": ((), lambda event, inner: PrivacyLoss.nothing()),
}

OBJECTS: dict[str, tuple[str, dict[str, str]]] = {
    "EpsilonDeltaDpEvent": ("epsilon-delta", {"epsilon": "epsilon", "delta": "delta"}),
    "GaussianDpEvent": ("gaussian", {"noise_multiplier": "noise_multiplier"}),
    "LaplaceDpEvent": ("laplace", {"noise_multiplier": "noise_multiplier"}),
    "PoissonSampledDpEvent": ("poisson-sampled", {"sampling_probability": "rate", "event": "of"}),
    "SelfComposedDpEvent": ("repeated", {"count": "times", "event": "of"}),
    "ComposedDpEvent": ("composed", {"events": "of"}),
    "NoOpDpEvent": ("nothing", {}),
}
"""The events of dp-accounting that are known, their fields, and ours."""


def _plain(event: object) -> Mapping[str, object]:
    """An event of ours, from a JSON object or from an object of another library, known by its class's name."""
    if isinstance(event, dict):
        return _object(event, "an event")
    name = type(event).__name__
    if name in OBJECTS:
        word, fields = OBJECTS[name]
        return {"event": word, **{ours: _listed(getattr(event, theirs)) for theirs, ours in fields.items()}}
    if name == "PureDPBudget":
        return {"event": "epsilon-delta", "epsilon": getattr(event, "epsilon", None), "delta": 0}
    if name == "ApproxDPBudget":
        level = {word: getattr(event, word, None) for word in ("epsilon", "delta")}
        return {"event": "epsilon-delta", **level}
    raise BadValue(
        f"A {name} is not an event whose loss is known here. Known are {', '.join(EVENTS)} as JSON objects, and "
        f"{', '.join(OBJECTS)}. State what is not known as an 'epsilon-delta' event."
    )


def _listed(value: object) -> object:
    return list(value) if isinstance(value, list | tuple) else value


def _object(found: object, what: str) -> dict[str, object]:
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise BadValue(f"What stands for {what} must be a JSON object.")
    return found


def spent_document(ledger: "Ledger") -> dict[str, object]:
    """What a ledger of ours has charged, for another one to import: each charge as the guarantee that it keeps.

    A charge without a bound of its own, such as Gaussian noise, is known to the ledger's totals alone; then the whole
    budget stands for all of them, which is never below what was given away.

    >>> from banister import Guarantee, Ledger, Neighbours
    >>> one, relation = Guarantee(1), Neighbours.REPLACE
    >>> book = Ledger.create("memory:", budget=one, neighbours=relation, questions=[(one, 1)])
    >>> receipt = book.charge(one, label="a count", neighbours=relation)
    >>> spent_document(book)["event"]
    {'event': 'composed', 'of': [{'event': 'epsilon-delta', 'epsilon': '1', 'delta': '0'}]}
    """
    entries = [entry for entry in ledger.history() if not entry.states]
    protects, terms = ledger.protects, ledger.terms
    levels = [entry.level for entry in entries]
    known = [level for level in levels if level is not None]
    if len(known) < len(levels):
        known = [terms.budget]
    events: list[object] = [
        {"event": "epsilon-delta", "epsilon": str(level.epsilon), "delta": str(level.delta)} for level in known
    ]
    about = {} if protects is None else {"unit": protects.unit, "tables": list(protects.tables)}
    return {
        "format": FORMAT,
        "label": f"a ledger of {len(entries)} charges, up to {ledger.head[:24]}",
        "neighbours": terms.neighbours.value,
        "unit": "not stated",
        **about,
        "event": {"event": "composed", "of": events},
    }
