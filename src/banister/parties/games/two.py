"""Two parties with several bits each: who speaks last may do better than randomize every bit.

Privacy is per bit: the law of what a party says changes by a factor of at most e^epsilon when one of its bits flips
(and by e^(m·epsilon) when m do). Randomizing every bit by itself is one way to keep that; saying a randomized function
of the bits, chosen after hearing the other party, is another, and can be better ([K16] Sec. 4.6).

Given the first party's channel, the second party's message may be taken to be the guess itself, and the best such
channel is a linear program: one law for each of its inputs, neighbouring laws within e^epsilon. The first party's
channel can then be improved against the second's, and so on in turn; every step is linear, and no step loses.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from banister import need
from banister.core.exact.numbers import Number
from banister.core.laws.stochastic import ONE, Weights, exp_down
from banister.core.programs.linear import Floats, Ints, LinearProgram, LinearSolver
from banister.errors import BadValue, Uncertified
from banister.parties.games.levels import keep_chance

MOST_BITS = 5
_SHRINK = Fraction(1, 1 << 30)


@dataclass(frozen=True, slots=True, eq=False)
class TwoPartyQuestion:
    """worth[x, y, g]: what guess g earns when the first party holds x and the second y; inputs are equally likely.

    >>> question = TwoPartyQuestion.of_function("equal bits", np.eye(2, dtype=int), np.eye(2))
    >>> question.first_bits, question.second_bits, question.worth.shape
    (1, 1, (2, 2, 2))
    """

    name: str
    first_bits: int
    second_bits: int
    worth: Floats

    @classmethod
    def of_function(cls, name: str, values: Ints, worth: Floats) -> "TwoPartyQuestion":
        """From a table values[x, y] of answers 0, 1, … and what guess g earns for answer a, worth[a, g]."""
        a, b = (size.bit_length() - 1 for size in values.shape)
        if values.shape != (1 << a, 1 << b) or not 1 <= max(a, b) <= MOST_BITS:
            raise BadValue(f"The table has the shape {values.shape}; each side has 2, 4, up to 2^{MOST_BITS} inputs.")
        if values.min() < 0 or values.max() >= worth.shape[0]:
            raise BadValue(f"The table names answers outside 0 to {worth.shape[0] - 1}.")
        return cls(name, a, b, worth[values])


def xor_or_and() -> TwoPartyQuestion:
    """[K16] Sec. 4.6, first example: y1 XOR y2 if x = 0, y1 AND y2 if x = 1; the chance of the right answer.

    >>> xor_or_and().worth.shape
    (2, 4, 2)
    """
    y = np.arange(4)
    return TwoPartyQuestion.of_function("xor-or-and", np.stack(((y >> 1) ^ (y & 1), (y == 3).astype(int))), np.eye(2))


def hamming_distance() -> TwoPartyQuestion:
    """[K16] Sec. 4.6, second example: in how many of two bits x and y differ; 2 - |error| is earned.

    >>> hamming_distance().worth.shape
    (4, 4, 3)
    """
    apart = np.bitwise_xor.outer(np.arange(4), np.arange(4))
    distance = (apart >> 1) + (apart & 1)
    return TwoPartyQuestion.of_function(
        "hamming", distance, 2.0 - np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    )


def bitwise_response(bits: int, epsilon: Number) -> Floats:
    """Every bit by randomized response: one row per input, one column per message."""
    keep = keep_chance(need.non_negative("epsilon", epsilon))
    one = np.array([[keep, 1 - keep], [1 - keep, keep]])
    law = np.ones((1, 1))
    for _ in range(bits):
        law = np.kron(law, one).astype(np.float64, copy=False)
    return law


def non_interactive(question: TwoPartyQuestion, epsilon: Number) -> float:
    """The best average score when both parties randomize every bit and anybody decides."""
    first = bitwise_response(question.first_bits, epsilon)
    second = bitwise_response(question.second_bits, epsilon)
    earned = np.einsum("xm,yn,xyg->mng", first, second, question.worth, optimize=True)
    best: Floats = earned.max(axis=2)
    return float(best.sum() / (first.shape[0] * second.shape[0]))


def selected_response(question: TwoPartyQuestion, epsilon: Number) -> float:
    """[K16] Sec. 4.6: the first party randomizes its bits; the second says a randomized answer for what it heard.

    Two answers: randomized response on the answer. More: geometric noise with ratio e^-epsilon, clamped to the answers
    (the answers must be numbered so that one flipped bit of the second party moves them by at most one). The best
    guess is taken from what was said.
    """
    first = bitwise_response(question.first_bits, epsilon)
    b = math.exp(-need.non_negative("epsilon", epsilon))
    count = question.worth.shape[2]
    answers = question.worth.argmax(axis=2)
    if count == 2:
        noise = np.array([[1, b], [b, 1]]) / (1 + b)
    else:
        apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
        noise = (1 - b) / (1 + b) * b**apart
        noise[:, [0, -1]] = b ** apart[:, [0, -1]] / (1 + b)
    # noise[answers[m, y], s]: what the second says after hearing m; first[x, m] is how m came about.
    earned = np.einsum("xm,mys,xyg->msg", first, noise[answers], question.worth, optimize=True)
    best: Floats = earned.max(axis=2)
    return float(best.sum() / answers.size)


@dataclass(frozen=True, slots=True, eq=False)
class TwoPartyProtocol:
    """First channel (input → message) and second channel (message, input → guess), in whole multiples of 2^-62.

    Private:  per bit, checked on the whole numbers: neighbouring rows within e^epsilon for both parties.
    Exact:    `value` is the average score of these very channels; a lower bound on the best interactive protocol.

    >>> from banister.parties import best_protocol
    >>> found = best_protocol(xor_or_and(), 1)
    >>> round(found.value, 6), found.first.shape, found.second.shape
    (0.660306, (2, 2), (2, 4, 2))
    """

    first: Weights
    second: Weights
    value: float
    history: tuple[float, ...]
    """The value after each step of the search."""


def best_second(
    question: TwoPartyQuestion, first: Floats, epsilon: Fraction, solver: LinearSolver
) -> tuple[Floats, float]:
    """The best second channel Q(g | m, y) for a first channel, and its average score."""
    inputs = first.shape[0] * (1 << question.second_bits)
    gain = np.einsum("xm,xyg->myg", first, question.worth) / inputs
    parts = [best_channel(gain[m], question.second_bits, epsilon, solver) for m in range(first.shape[1])]
    second = np.stack(parts)
    return second, float((gain * second).sum())


def build(question: TwoPartyQuestion, epsilon: Number, solver: LinearSolver, *, rounds: int = 20) -> TwoPartyProtocol:
    """The best protocol found by improving each party's channel in turn, from bitwise randomized response on."""
    level = need.positive("epsilon", epsilon)
    if level > 30:
        raise BadValue(f"epsilon = {float(level):g} is above 30, where the answer is open for all purposes.")
    first = bitwise_response(question.first_bits, level)
    history: list[float] = []
    for _ in range(need.whole("rounds", rounds, least=1)):
        second, value = best_second(question, first, level, solver)
        history.append(value)
        gain = np.einsum("myg,xyg->xm", second, question.worth) / (first.shape[0] * second.shape[1])
        better = best_channel(gain, question.first_bits, level, solver)
        if float((gain * better).sum()) <= value + 1e-10:
            break
        first = better
    whole_first = edge_weights(first, level)
    whole_second = np.stack([edge_weights(part, level) for part in second])
    value = float(
        np.einsum("xm,myg,xyg->", whole_first / float(ONE), whole_second / float(ONE), question.worth, optimize=True)
    )
    return TwoPartyProtocol(whole_first, whole_second, value / (first.shape[0] * second.shape[1]), tuple(history))


def edge_weights(law: Floats, epsilon: Fraction) -> Weights:
    """Whole weights near a law, for certain within e^epsilon between rows that differ in one bit of their number.

    Mixed with a flat law by 2^-30, so that what the solver and the rounding are off leaves the level.
    """
    size = law.shape[1]
    flat = ONE // size
    proposal = np.maximum(law, 0)
    proposal = proposal / proposal.sum(axis=1, keepdims=True)
    inner = np.floor(proposal * (1 - 2.0**-29) * float(ONE)).astype(np.int64) + int(flat * _SHRINK)
    weights: Weights = inner.copy()
    for row in weights:
        row += (ONE - int(row.sum())) // size
        row[int(row.argmax())] += ONE - int(row.sum())
    if not edge_private(weights, epsilon):
        raise Uncertified("A proposed channel could not be brought within its level. Ask for a larger epsilon.")
    return weights


def edge_private(weights: Weights, epsilon: Fraction) -> bool:
    """Whether rows whose numbers differ in one bit are within e^epsilon, for certain, in whole numbers."""
    steep = exp_down(epsilon)
    rows = [[int(entry) for entry in row] for row in weights]
    for number, row in enumerate(rows):
        for bit in range(len(rows).bit_length() - 1):
            other = rows[number ^ (1 << bit)]
            if any(p > steep * q for p, q in zip(row, other, strict=True)):
                return False
    return all(sum(row) == ONE and min(row) >= 0 for row in rows)


def best_channel(gain: Floats, bits: int, epsilon: Fraction, solver: LinearSolver) -> Floats:
    """The channel Q(s | z) with the largest Σ gain·Q, neighbouring laws within e^epsilon."""
    inputs, said = gain.shape
    steep = math.exp(float(epsilon))
    edges = [(z, z ^ (1 << bit)) for z in range(inputs) for bit in range(bits)]
    rows: list[list[tuple[int, float]]] = [[] for _ in range(inputs * said)]
    for z in range(inputs):
        for s in range(said):
            rows[z * said + s].append((z, 1.0))
    for number, (z, other) in enumerate(edges):
        for s in range(said):
            place = inputs + number * said + s
            rows[z * said + s].append((place, 1.0))
            rows[other * said + s].append((place, -steep))
    starts = np.cumsum([0, *(len(column) for column in rows)])
    bounds = len(edges) * said
    found = solver.solve(
        LinearProgram(
            cost=-gain.ravel(),
            lower=np.zeros(inputs * said),
            upper=np.ones(inputs * said),
            row_lower=np.append(np.ones(inputs), np.full(bounds, -np.inf)),
            row_upper=np.append(np.ones(inputs), np.zeros(bounds)),
            starts=starts,
            rows=np.array([row for column in rows for row, _ in column]),
            values=np.array([value for column in rows for _, value in column]),
        )
    )
    return found.point.reshape(inputs, said)
