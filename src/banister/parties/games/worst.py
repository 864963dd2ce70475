"""The rule whose worst case is best, with a proof that no rule does better.

The rule may be random: maximise v such that for every input the expected score is at least v ([K16] Eqs. (4.4), (4.6)).
Whatever a solver proposes is taken as a proposal only. Its rule, made a law again, secures the least score over the
inputs, computed afresh; its dual values, made a law again, are a prior against which no rule exceeds the other bound.
"""

from dataclasses import dataclass

import numpy as np

from banister.core.exact.numbers import Bracket
from banister.core.programs.linear import Floats, Ints, LinearProgram, LinearSolver
from banister.errors import BadValue, Unsolved
from banister.parties.games.interior import solve_game

DENSE = 320
"""Inputs above which a full matrix goes to the interior-point method; else the simplex is exact to the last digits."""
MOST_INPUTS = 1500
MOST_ENTRIES = 1 << 23
GAP = 1e-10
_ROUNDING = 2.0**-46
_MOST_TURNS = 60
_WIDEST = 1e-3
"""Width of a bracket, as a part of the largest score, beyond which it answers nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """A rule that secures `value.down` whatever the inputs, and the prior that keeps every rule below `value.up`.

    >>> from banister.parties import Game, majority
    >>> found = Game(majority(3), [1, 1, 1]).worst_cases()[0]
    >>> round(found.value.down, 6), found.value.up - found.value.down < 1e-9
    (0.640201, True)
    """

    value: Bracket
    rule: Floats
    """The chance of each guess (column) after each transcript (row)."""
    prior: Floats
    """A least favourable law of the inputs."""


def best_worst_case(law: Floats, answers: Ints, worth: Floats, solver: LinearSolver) -> WorstCase:
    """The best rule for P(transcript | input) = `law`, where input x has the answer answers[x] and guess y earns worth.

    Certified:  the optimum lies in `value`; both ends are computed from the rule and the prior, not by the solver.
    """
    inputs, transcripts = law.shape
    guesses = worth.shape[1]
    if inputs > MOST_INPUTS or law.size * guesses > MOST_ENTRIES:
        raise BadValue(
            f"The worst case over {inputs} inputs and {transcripts} transcripts with {guesses} guesses is too large to "
            f"solve (at most {MOST_INPUTS} inputs). Ask for measure='average', or for fewer parties."
        )
    matrix = (law[:, :, None] * worth[answers][:, None, :]).reshape(inputs, transcripts * guesses)
    if inputs > DENSE and np.mean(law > 1e-9) > 0.5:
        rule, prior = solve_game(matrix, guesses, gap=GAP)
    else:
        rule, prior = _proposed(matrix, guesses, solver)
    case = certified(law, answers, worth, rule, prior)
    width = case.value.up - case.value.down
    if width > _WIDEST * float(np.abs(worth).max()):
        raise Unsolved(
            f"The worst case over {inputs} inputs was bracketed to {width:.2g} only, from {case.value.down:.4g} on. "
            "Ask for measure='average', for fewer parties or a smaller epsilon."
        )
    return case


def _proposed(matrix: Floats, guesses: int, solver: LinearSolver) -> tuple[Floats, Floats]:
    """The simplex, and the interior-point method where it gives up; either is a proposal only."""
    try:
        return _simplex(matrix, guesses, solver)
    except Unsolved:
        return solve_game(matrix, guesses, gap=GAP)


def certified(law: Floats, answers: Ints, worth: Floats, rule: Floats, prior: Floats) -> WorstCase:
    """The bracket that a rule and a prior prove, widened for the rounding of its own sums."""
    secured = float(((law @ rule) * worth[answers]).sum(axis=1).min())
    earned = law.T @ (prior[:, None] * worth[answers])
    bound = float(earned.max(axis=1).sum())
    slack = _ROUNDING * float(np.abs(worth).max()) * 8
    return WorstCase(Bracket(secured - slack, max(bound, secured) + slack), rule, prior)


def with_free_guesses(case: WorstCase, law: Floats, truth: Floats, guesses: Floats, solver: LinearSolver) -> WorstCase:
    """The worst case of squared error when any number may be said, from a rule that was found for listed guesses.

    In turn: the best mixture of the rules so far, and the best rule against its least favourable prior (the mean of
    what is believed). The mean of a mixture is never worse than the mixture, as the square is convex, so that rule is
    scored; what the best rule earns against the prior bounds all.
    """
    rules, best = [case.rule @ guesses], case
    down, up = -np.inf, np.inf
    for _ in range(_MOST_TURNS):
        risks = np.array([(law * np.subtract.outer(truth, said) ** 2).sum(axis=1) for said in rules]).T
        mixture, prior = _mixed(risks, solver)
        said = mixture @ np.array(rules)
        secured = -float((law * np.subtract.outer(truth, said) ** 2).sum(axis=1).max())
        mass, first = prior @ law, (prior * truth) @ law
        answer = np.divide(first, mass, out=said.copy(), where=mass > 0)
        bound = -float((prior * truth**2).sum() - (first * answer).sum())
        if secured > down:
            down, best = secured, WorstCase(best.value, _between(said, guesses), best.prior)
        if bound < up:
            up, best = bound, WorstCase(best.value, best.rule, prior)
        if up - down <= GAP * max(1.0, abs(up)):
            break
        rules.append(answer)
    slack = _ROUNDING * float(np.abs(truth).max() ** 2 + 1) * 8
    return WorstCase(Bracket(down - slack, max(down, up) + slack), best.rule, best.prior)


def _mixed(risks: Floats, solver: LinearSolver) -> tuple[Floats, Floats]:
    """The mixture of rules (columns) whose largest risk is least, and the prior that its dual values propose."""
    inputs, rules = risks.shape
    columns = np.concatenate((risks, np.ones((1, rules)))).T.ravel()
    found = solver.solve(
        LinearProgram(
            cost=np.append(np.zeros(rules), 1.0),
            lower=np.zeros(rules + 1),
            upper=np.append(np.ones(rules), np.inf),
            row_lower=np.append(np.full(inputs, -np.inf), 1.0),
            row_upper=np.append(np.zeros(inputs), 1.0),
            starts=np.append(np.arange(rules + 1) * (inputs + 1), rules * (inputs + 1) + inputs),
            rows=np.append(np.tile(np.arange(inputs + 1), rules), np.arange(inputs)),
            values=np.append(columns, -np.ones(inputs)),
        )
    )
    mixture = np.maximum(found.point[:rules], 0)
    prior = np.abs(found.row_duals[:inputs])
    return mixture / mixture.sum(), prior / prior.sum()


def _between(said: Floats, guesses: Floats) -> Floats:
    """Each number as chances of the two listed guesses around it, which are in ascending order."""
    right = (
        np.clip(np.searchsorted(guesses, said), 1, guesses.size - 1) if guesses.size > 1 else np.zeros(said.size, int)
    )
    left = np.maximum(right - 1, 0)
    width = np.where(right > left, guesses[right] - guesses[left], 1.0)
    share = np.clip((said - guesses[left]) / width, 0, 1)
    rule = np.zeros((said.size, guesses.size))
    rule[np.arange(said.size), left] = 1 - share
    rule[np.arange(said.size), right] += share
    return rule


def _simplex(matrix: Floats, guesses: int, solver: LinearSolver) -> tuple[Floats, Floats]:
    inputs, columns = matrix.shape
    transcripts = columns // guesses
    rows = np.broadcast_to(np.arange(inputs), (columns, inputs))
    laws = inputs + np.repeat(np.arange(transcripts), guesses)
    entries = np.concatenate((matrix.T, np.ones((columns, 1))), axis=1).ravel()
    places = np.concatenate((rows, laws[:, None]), axis=1).ravel()
    top = float(np.abs(matrix).max()) * transcripts + 1
    found = solver.solve(
        LinearProgram(
            cost=np.append(np.zeros(columns), -1.0),
            lower=np.append(np.zeros(columns), -top),
            upper=np.append(np.ones(columns), top),
            row_lower=np.append(np.zeros(inputs), np.ones(transcripts)),
            row_upper=np.append(np.full(inputs, np.inf), np.ones(transcripts)),
            starts=np.append(np.arange(columns + 1) * (inputs + 1), columns * (inputs + 1) + inputs),
            rows=np.append(places, np.arange(inputs)),
            values=np.append(entries, -np.ones(inputs)),
        )
    )
    rule = np.maximum(found.point[:columns].reshape(transcripts, guesses), 0)
    prior = np.maximum(np.abs(found.row_duals[:inputs]), 0)
    prior = prior / prior.sum() if prior.sum() > 0 else np.full(inputs, 1 / inputs)
    return rule / rule.sum(axis=1, keepdims=True), prior
