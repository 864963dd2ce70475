"""Run a mechanism on neighbours and try to show that it gives away more than it says.

Events are proposed on one half of the outputs and tested on the other, so a test never sees what proposed it. The risk
of a false alarm is shared among stages, pairs, events and both ends of an interval; the sum of all is 1 - confidence.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from banister import need
from banister.audit.attacks import ALL
from banister.audit.attacks.bounds import epsilon_shown
from banister.audit.attacks.event import Outputs, ProposedEvent
from banister.audit.certifying import without_passwords
from banister.audit.finding import Finding
from banister.audit.repeats import forked_noise, repeated_noise
from banister.audit.targets.at_hand import CallableAtHand, OurNoise
from banister.audit.targets.command import ShellCommand
from banister.audit.targets.python import PythonFunction
from banister.audit.targets.raised import RaisedError
from banister.audit.targets.sql import SqlEndpoint
from banister.audit.targets.target import Pair, Target
from banister.core.exact.numbers import Number
from banister.errors import BadValue

_FIRST_STAGE = 2000
_GROWTH = 4
_FOR_REPEATS = Fraction(1, 10)
"""The share of the risk that is kept for noise that comes again, in every process or in every fork."""


def attack(
    target: str | Callable[[Any], object],
    *,
    epsilon: Number,
    delta: Number = 0,
    pairs: Sequence[Sequence[object]] | None = None,
    draws: int = 50_000,
    confidence: Number = "0.99",
    seconds: float = 60.0,
    schema: str = "",
    questions: str = "",
) -> Finding:
    """Try to break the claim of a mechanism: 'python:module:function', 'command:LINE', 'channel:FILE', 'sql:ADDRESS',
    'release:SCHEMA' with its `questions`, noise of ours, or a callable.

    Where the input is a table, neighbours are searched for among the tables that the file `schema` allows; for a
    release they are anyway, where no `pairs` are given.

    >>> import banister as bn
    >>> found = bn.audit.attack("geometric", epsilon=1, draws=4000, confidence="0.999999")
    >>> found.broken, 0.5 < found.shown < 1
    (False, True)
    """
    level, chance = need.non_negative("epsilon", epsilon), need.between("delta", delta, 0, 1)
    found, name = _target(target, level, chance, seconds, questions)
    near = _searched(pairs, schema)
    return attack_target(found, name, epsilon=level, delta=chance, pairs=near, draws=draws, confidence=confidence)


def attack_time(
    target: str | Callable[[Any], object],
    *,
    epsilon: Number,
    pairs: Sequence[Sequence[object]] | None = None,
    draws: int = 2000,
    confidence: Number = "0.99",
    seconds: float = 60.0,
    schema: str = "",
) -> Finding:
    """How much the time that a call takes tells about its input: a finding of its own, and no break of a claim, which
    is about answers. The targets are those of `attack` that are called one at a time.

    >>> import banister as bn
    >>> found = bn.audit.attack_time(lambda n: sum(range(n)), epsilon=1, pairs=[(1, 100_000)], draws=400)
    >>> found.shown > 1, found.event.startswith("the time taken ")
    (True, True)
    """
    asked = need.non_negative("epsilon", epsilon)
    whole, name = _target(target, asked, Fraction(0), seconds, "")
    by_time: Callable[[], Target] | None = getattr(whole, "by_time", None)
    if by_time is None:
        raise BadValue(f"The time of {name} cannot be told: time is taken of functions, commands and SQL endpoints.")
    found = attack_target(
        by_time(), name, epsilon=asked, delta=0, pairs=_searched(pairs, schema), draws=draws,
        confidence=confidence,
    )  # fmt: skip
    return replace(found, event=found.event.replace("the answer", "the time taken"), notes=("Times are in seconds.",))


def _searched(pairs: Sequence[Sequence[object]] | None, schema: str) -> Sequence[Sequence[object]] | None:
    """The pairs that are named, else those that a schema allows."""
    if pairs is not None or not schema:
        return pairs
    from banister.audit.searching import searched_pairs
    from banister.tables.schema import Schema

    return searched_pairs(Schema.of_file(schema))


def attack_target(
    target: Target,
    name: str,
    *,
    epsilon: Number,
    delta: Number,
    pairs: Sequence[Sequence[object]] | None,
    draws: int,
    confidence: Number,
) -> Finding:
    """Try to break a claim of whatever can be drawn from."""
    level, chance = need.non_negative("epsilon", epsilon), need.between("delta", delta, 0, 1)
    sure = need.strictly_between("confidence", confidence, 0, 1)
    most = need.whole("draws", draws, least=100, most=100_000_000)
    neighbours = _pairs(pairs, target)
    nothing = Finding(
        target=name, epsilon=level, delta=chance, confidence=sure, shown=0.0, event="", attack="", pair=0, side=0,
        hits=0, others=0, tested=0, draws=0, tests=0,
    )  # fmt: skip
    risk = 1 - sure
    if not target.starts_afresh:
        return _in_stages(target, neighbours, nothing, most, float(risk))
    share = float(risk * _FOR_REPEATS) / 2
    found = _in_stages(target, neighbours, nothing, most, float(risk - risk * _FOR_REPEATS))
    if found.broken and found.hits < found.tested:
        return found
    # Noise that is drawn once for a process looks like none at all: another process tells.
    again = _first_broken(repeated_noise, target, neighbours, nothing, share)
    if found.broken:
        return found
    return again or _first_broken(forked_noise, target, neighbours, nothing, share) or found


def _first_broken(
    tried: Callable[..., Finding | None], target: Target, pairs: list[Pair], nothing: Finding, risk: float
) -> Finding | None:
    """What a way to find noise that comes again shows on the first pair that it breaks, if there is one."""
    for place, pair in enumerate(pairs):
        if (found := tried(target, pair, nothing, risk=risk / len(pairs))) is not None:
            return replace(found, pair=place)
    return None


def stages(draws: int) -> list[int]:
    """How many outputs of each side there are after each stage.

    >>> stages(50_000)
    [2000, 8000, 32000, 50000]
    """
    sizes = []
    size = _FIRST_STAGE
    while size < draws:
        sizes.append(size)
        size *= _GROWTH
    return [*sizes, draws]


def _in_stages(target: Target, pairs: list[Pair], nothing: Finding, draws: int, risk: float) -> Finding:
    """Draw more and more until the claim is broken; the last stage has half of the risk, those before it the rest."""
    drawn: list[list[Outputs]] = [[[], []] for _ in pairs]
    best, sizes, before = nothing, stages(draws), 0
    for place, size in enumerate(sizes):
        early = len(sizes) - 1
        share = risk if not early else risk / 2 if place == early else risk / 2 / early
        for number, pair in enumerate(pairs):
            both = target.draw_both(pair, size - before)
            drawn[number] = [_joined(old, new) for old, new in zip(drawn[number], both, strict=True)]
            found = tried_on(drawn[number][0], drawn[number][1], nothing, risk=share / len(pairs))
            best = replace(found if found.shown > best.shown else best, tests=best.tests + found.tests, draws=size)
            best = replace(best, pair=number) if found.shown == best.shown and found.event == best.event else best
            if best.broken:
                return best
        before = size
    return replace(best, notes=_only_errors(drawn, best))


def _only_errors(drawn: list[list[Outputs]], best: Finding) -> tuple[str, ...]:
    """Pairs of which every call raised, which nothing can be said about; where that is all of them, there is no audit.

    What was raised differed no more between neighbours than the claim allows, or the claim were broken by then.
    """
    silent = [
        (number, pair[0][0])
        for number, pair in enumerate(drawn)
        if all(isinstance(each, RaisedError) for side in pair for each in side)
    ]
    if len(silent) == len(drawn):
        raise BadValue(
            f"Every call of {best.target} raised, the first time {silent[0][1]}. There is no answer to audit: "
            "call it by hand, and see that it takes such an input and has what it needs."
        )
    return tuple(f"Every call on pair {number + 1} raised, the first time {said}." for number, said in silent)


def tried_on(first: Outputs, second: Outputs, nothing: Finding, *, risk: float) -> Finding:
    """Propose on the first half of the outputs, test on the second; every event proposed has its share of the risk."""
    half = len(first) // 2
    delta = float(nothing.delta)
    proposed: list[tuple[str, ProposedEvent]] = [
        (each.NAME, event) for each in ALL for event in each.propose(first[:half], second[:half], delta)
    ]
    best, sides = replace(nothing, tests=len(proposed)), (first[half:], second[half:])
    for name, event in proposed:
        hits = int(np.sum(event.holds(sides[event.side])))
        others = int(np.sum(event.holds(sides[1 - event.side])))
        tested = len(sides[0])
        each = risk / len(proposed)
        shown = float(epsilon_shown(hits, others, draws=tested, delta=delta, risk=each))
        if shown > best.shown:
            best = replace(
                best, shown=shown, event=event.words, attack=name, side=event.side, hits=hits, others=others,
                tested=tested,
            )  # fmt: skip
    return best


def _joined(old: Outputs, new: Outputs) -> Outputs:
    if isinstance(new, np.ndarray):
        return new if len(old) == 0 else np.concatenate([np.asarray(old), new])
    return [*old, *new]


def _target(
    target: str | Callable[[Any], object], epsilon: Fraction, delta: Fraction, seconds: float, questions: str
) -> tuple[Target, str]:
    if not seconds > 0:
        raise BadValue(f"seconds = {seconds} must be above 0.")
    if not isinstance(target, str):
        return CallableAtHand(target), getattr(target, "__name__", "the function")
    kind, colon, rest = target.partition(":")
    if colon and kind == "python":
        return PythonFunction.of(rest, seconds=seconds), target
    if colon and kind == "channel":
        from banister.audit.targets.channel import LocalChannel

        return LocalChannel.of_file(rest), target
    if colon and kind == "release":
        from banister.audit.targets.release import WholeRelease

        return WholeRelease.of_files(rest, questions, epsilon=epsilon, delta=delta), target
    if colon and kind == "sql":
        return SqlEndpoint(address=rest, seconds=seconds), without_passwords(target)
    if colon and kind == "command":
        return ShellCommand(line=rest, seconds=seconds), target
    return OurNoise.named(target, epsilon=epsilon, delta=delta), target


def _pairs(pairs: Sequence[Sequence[object]] | None, target: Target) -> list[Pair]:
    known: Callable[[], list[Pair]] | None = getattr(target, "pairs", None)
    if pairs is None and known is not None:
        return known()
    if not pairs:
        raise BadValue(
            "An audit needs neighbours: inputs that differ in one person, as pairs such as [[[0, 1], [0, 1, 1]]]. "
            "Only who made the mechanism knows what its inputs look like."
        )
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise BadValue("Neighbours must be a list of pairs, each a list of two inputs, such as [[3, 4], [0, 1]].")
    return [(pair[0], pair[1]) for pair in pairs]
