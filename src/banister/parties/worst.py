"""The rule whose worst case is best, with a proof that no rule does better.

The rule may be random: maximise v such that for every input the expected score is at least v ([K16] Eqs. (4.4), (4.6)).
Whatever a solver proposes is taken as a proposal only. Its rule, made a law again, secures the least score over the
inputs, computed afresh; its dual values, made a law again, are a prior against which no rule exceeds the other bound.
"""

from dataclasses import dataclass

import numpy as np

from banister.core.exact import Bracket
from banister.core.linear import Floats, Ints, LinearProgram, LinearSolver
from banister.errors import BadValue
from banister.parties.interior import solve_game

DENSE = 320
"""Inputs above which a full matrix goes to the interior-point method; else the simplex is exact to the last digits."""
MOST_INPUTS = 1500
MOST_ENTRIES = 1 << 23
GAP = 1e-10
_ROUNDING = 2.0**-46


@dataclass(frozen=True, slots=True, eq=False)
class WorstCase:
    """A rule that secures `value.down` whatever the inputs, and the prior that keeps every rule below `value.up`."""

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
        rule, prior = _simplex(matrix, guesses, solver)
    return certified(law, answers, worth, rule, prior)


def certified(law: Floats, answers: Ints, worth: Floats, rule: Floats, prior: Floats) -> WorstCase:
    """The bracket that a rule and a prior prove, widened for the rounding of its own sums."""
    secured = float(((law @ rule) * worth[answers]).sum(axis=1).min())
    earned = law.T @ (prior[:, None] * worth[answers])
    bound = float(earned.max(axis=1).sum())
    slack = _ROUNDING * float(np.abs(worth).max()) * 8
    return WorstCase(Bracket(secured - slack, max(bound, secured) + slack), rule, prior)


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
